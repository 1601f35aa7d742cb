# SPDX-License-Identifier: Apache-2.0
"""The sweep table on the simulated instrument: every record is the golden model's, bit by bit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from bench import SMALL, Outcome, assert_equals_truth, run
from wire import assert_words_equal_truth, final_words, frames_of

from plexor.files.store.run_folder import load, save
from plexor.model.results import StepChannel
from plexor.model.settings import Channel, Settings, Stimulus, TableStep
from plexor.protocol.frames import SOURCE_STEP, SOURCE_STRIKE
from plexor.protocol.geometry import STEP_CLOCKS
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy, StopReason, Stream
from plexor.run.session.replay import replay

UNIT = Fraction(4, 1_000_000_000)
"""Of all times here: so slow that no edge is dropped."""
CALM = "synthetic:seed=3,latency=uniform:400ns:1600ns,width=120ns"
LOADED = (
    "synthetic:seed=6,latency=lognormal:1200ns:0.8,width=uniform:80ns:240ns,service=800ns,"
    "drop=0.05,duplicate=0.05,spurious=50000,ch3.spurious=1000000,ch3.width=80ns"
)
"""A device that queues, loses, doubles and chatters: its responses come after a step's end too."""
CHANNELS = (
    Channel(0, deadline_s=700 * UNIT),
    Channel(1, reference="ch0.fall"),
    Channel(2, reference="strike0.fall", deadline_s=300 * UNIT),
    Channel(3, reference="strike0"),
)


def table(*steps: tuple[int, int], guard: int = 400) -> tuple[TableStep, ...]:
    """Return steps of (period in units, strikes)."""
    return tuple(
        TableStep(period * UNIT, count, width_s=period * UNIT / 4, guard_s=guard * UNIT)
        for period, count in steps
    )


TABLES = {
    "one": table((1000, 40)),
    "two": table((1000, 30), (500, 50)),
    "seven, rising": table(*((2000 // n, 10 * n) for n in range(1, 8)), guard=24),
    "seven, falling": table(*((2000 // n, 10 * n) for n in range(7, 0, -1)), guard=0),
    "sixty-four": table(*((400 + 37 * (n * 29 % 64), 1 + n % 7) for n in range(64)), guard=100),
}
OTHERS = ("one", "two", "seven, rising", "seven, falling")

MIXED = table((900, 30), (448, 40), (1300, 20), (300, 60), guard=40)


def settings(steps: tuple[TableStep, ...], **changes) -> Settings:
    plain = Settings(strikes=(Stimulus(),), channels=CHANNELS, timeout_s=2000 * UNIT, table=steps)
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
            counts = [step.count for step in result.settings.table]
            assert [part.strikes for part in parts[:-1]] == counts[: len(parts) - 1]


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


@pytest.mark.parametrize(
    "name", ["sixty-four", *(pytest.param(n, marks=pytest.mark.full) for n in OTHERS)]
)
def test_every_step_is_the_golden_models(name, tmp_path):
    asked = settings(TABLES[name])
    outcome = run(LOADED, asked, tmp_path, geometry=SMALL)
    assert len(outcome.result.steps) == len(asked.table)
    assert_steps_are_the_truths(outcome)
    first = [step.channels[0] for step in outcome.result.steps]
    assert any(part.pending for part in first) or len(first) == 1, "no response crosses a boundary"


ELSE = {
    "dump": {"stream": Stream.OFF},
    "early": {"early_s": 100 * UNIT},
    "latest": {"policy": Policy.LATEST},
    "window": {"policy": Policy.WINDOW, "window_min_s": 150 * UNIT},
    "short time-out": {"timeout_s": 300 * UNIT},
    "two outputs": {"strikes": (Stimulus(), Stimulus(output=1, period_s=777 * UNIT, count=9))},
    "bursts": {
        "strikes": (Stimulus(burst=2, spacing_s=90 * UNIT, dither_s=32 * UNIT),),
        "table": tuple(replace(step, width_s=20 * UNIT) for step in MIXED),
    },
    "a time limit": {"time_s": 60_000 * UNIT},
    "a threshold": {"latency_over_s": 1500 * UNIT},
}
SHORT = ("early", "a time limit")


@pytest.mark.parametrize(
    "name",
    [name if name in SHORT else pytest.param(name, marks=pytest.mark.full) for name in ELSE],
)
def test_steps_are_the_golden_models_whatever_else_is_asked(name, tmp_path):
    outcome = run(LOADED, replace(settings(MIXED), **ELSE[name]), tmp_path, geometry=SMALL)
    assert_steps_are_the_truths(outcome)
    ended = outcome.result.stop_reason == StopReason.STRIKES
    assert (len(outcome.result.steps) == len(MIXED)) == ended


def test_a_boundary_under_load_loses_no_strike_and_no_class(tmp_path):
    # As fast as three channels are matched, up to the end of each step.
    steps = table(*((220, 60) for _ in range(20)), guard=0)
    outcome = run(CALM, settings(steps, timeout_s=1000 * UNIT), tmp_path, geometry=SMALL)
    assert_steps_are_the_truths(outcome)
    assert not any(entry.dropped for entry in outcome.result.accounting.sources)
    assert outcome.result.strikes == 20 * 60
    assert sum(step.channels[0].pending > 0 for step in outcome.result.steps) > 10


def test_a_run_with_steps_is_stored_and_replayed(tmp_path):
    outcome = run(LOADED, settings(MIXED), tmp_path, geometry=SMALL)
    assert load(save(outcome.result, tmp_path / "run")) == outcome.result
    (tmp_path / "wire.bin").write_bytes(outcome.wire)
    again = replay(tmp_path / "wire.bin")
    assert again.valid, again.invalid_reasons
    assert again.steps == outcome.result.steps
    assert set(again.registers) == set(outcome.result.registers)
    asked = [(each.period_s, each.count, each.width_s, each.guard_s) for each in MIXED]
    found = again.settings.table
    assert [(s.period_s, s.count, s.width_s, s.guard_s) for s in found] == asked


def test_the_first_strike_of_a_step_is_where_the_page_says(tmp_path):
    steps = table((1000, 3), (700, 4), (900, 2))
    outcome = run(CALM, settings(steps, strikes=(Stimulus(phase_s=33 * UNIT),)), tmp_path)
    events = outcome.result.events
    ends = events["time_ticks"][events["source"] == SOURCE_STEP]
    geometry = outcome.result.identity.geometry
    samples, unit_ticks = geometry.samples, 4_000_000 // geometry.tick_fs
    phase_ticks, guard_ticks = 33 * unit_ticks, 400 * unit_ticks
    strikes = outcome.edges_ps(SOURCE_STRIKE) * 1000 // geometry.tick_fs
    assert strikes[[0, 3, 7]].tolist() == [
        outcome.result.start_ticks + phase_ticks,
        *(ends + STEP_CLOCKS * samples + phase_ticks).tolist(),
    ]
    assert (ends % samples == 0).all()
    # The guard and two clocks after the clock in which the last strike starts.
    assert ends.tolist() == [
        int(t) // samples * samples + guard_ticks + 2 * samples for t in strikes[[2, 6]]
    ]
