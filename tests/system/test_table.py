"""The sweep table on the simulated instrument: every record is the golden model's, bit by bit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from bench import SMALL, Outcome, assert_equals_truth, run
from wire import assert_words_equal_truth, final_words, frames_of

from plexor.protocol.frames import SOURCE_STEP, SOURCE_STRIKE
from plexor.protocol.geometry import STEP_CLOCKS
from plexor.protocol.memory import ResponseClass
from plexor.results import StepChannel
from plexor.settings import Channel, Settings, Stimulus, TableStep

NS = Fraction(1, 1_000_000_000)
CALM = "synthetic:seed=3,latency=uniform:100000:400000,width=30000"
LOADED = (
    "synthetic:seed=6,latency=lognormal:300000:0.8,width=uniform:20000:60000,service=400000,"
    "drop=0.05,duplicate=0.05,spurious=200000"
)
"""A device that queues, loses, doubles and chatters: its responses come after a step's end too."""
CHANNELS = (
    Channel(0, deadline_s=700 * NS),
    Channel(1, reference="ch0.fall"),
    Channel(2, reference="strike0.fall", deadline_s=300 * NS),
)


def table(*steps: tuple[int, int], guard: int = 400) -> tuple[TableStep, ...]:
    """Return steps of (period in ns, strikes)."""
    return tuple(
        TableStep(period * NS, count, width_s=period * NS / 4, guard_s=guard * NS)
        for period, count in steps
    )


TABLES = {
    "one": table((1000, 40)),
    "two": table((1000, 30), (500, 50)),
    "seven, rising": table(*((2000 // n, 10 * n) for n in range(1, 8)), guard=24),
    "seven, falling": table(*((2000 // n, 10 * n) for n in range(7, 0, -1)), guard=0),
    "full": table(*((400 + 37 * (n * 29 % 64), 1 + n % 7) for n in range(64)), guard=100),
}


def settings(steps: tuple[TableStep, ...], **changes) -> Settings:
    plain = Settings(strikes=(Stimulus(),), channels=CHANNELS, timeout_s=2000 * NS, table=steps)
    return replace(plain, **changes)


def assert_steps_are_the_truths(outcome: Outcome) -> None:
    """Assert that the host's steps are the golden model's, and add up to what the pins tell."""
    result = outcome.result
    truth = assert_equals_truth(outcome)
    assert_words_equal_truth(final_words(frames_of(outcome.wire)), truth)
    assert [step.end_ticks for step in result.steps] == [step[0].end_ticks for step in truth.steps]
    strikes_ps = outcome.edges_ps(SOURCE_STRIKE)
    for place, channel in enumerate(result.channels):
        parts = [step.channels[place] for step in result.steps]
        for kind in ResponseClass:
            assert sum(part.classes[kind] for part in parts) == channel.classes[kind]
        assert parts[-1].pending == channel.pending
        assert_extremes(parts, truth.latency_samples[0, channel.number], truth.steps)
        if channel.reference == "strike0":
            assert sum(part.strikes for part in parts) == len(strikes_ps)
            assert [part.strikes for part in parts] == [s.count for s in result.settings.table]


def assert_extremes(parts: list[StepChannel], samples, steps) -> None:
    """Assert that extremes and sums of a step are those of the samples that came in it."""
    begin = 0
    for part, step in zip(parts, steps, strict=True):
        end = step[part.number].rise.count
        values = samples.value_ticks[begin:end]
        begin = end
        assert part.rise.count == len(values)
        assert part.rise.sum_ticks == values.sum()
        assert part.rise.sum_sq_ticks2 == (values * values).sum()
        if len(values):
            assert (part.rise.min_ticks, part.rise.max_ticks) == (values.min(), values.max())


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "dump"])
@pytest.mark.parametrize("device", [CALM, LOADED], ids=["calm", "loaded"])
@pytest.mark.parametrize("name", TABLES)
def test_every_step_is_the_golden_models(name, device, stream, tmp_path):
    asked = settings(TABLES[name], stream=stream)
    outcome = run(device, asked, tmp_path, geometry=SMALL)
    assert len(outcome.result.steps) == len(asked.table)
    assert_steps_are_the_truths(outcome)


def test_the_first_strike_of_a_step_is_where_the_page_says(tmp_path):
    steps = table((1000, 3), (700, 4), (900, 2))
    outcome = run(CALM, settings(steps, strikes=(Stimulus(phase_s=33 * NS),)), tmp_path)
    events = outcome.result.events
    ends = events["time_ticks"][events["source"] == SOURCE_STEP]
    strikes = outcome.edges_ps(SOURCE_STRIKE) // 1000
    assert strikes[[0, 3, 7]].tolist() == [
        outcome.result.start_ticks + 33,
        *(ends + STEP_CLOCKS * outcome.result.identity.geometry.samples + 33).tolist(),
    ]
    samples = outcome.result.identity.geometry.samples
    assert (ends % samples == 0).all()
    # The guard of 400 ticks and two clocks after the clock in which the last strike starts.
    assert ends.tolist() == [
        int(t) // samples * samples + 400 + 2 * samples for t in strikes[[2, 6]]
    ]
