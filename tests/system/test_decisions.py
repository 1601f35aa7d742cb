# SPDX-License-Identifier: Apache-2.0
"""A trigger output: it strikes for each latency over the limit, or for each missed strike."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bench import assert_equals_truth, class_counts, run

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy, Stream, Trigger
from plexor_hdl.build import boards

NS = Fraction(1, 1_000_000_000)
GEOMETRY = boards.simulated()
LIMIT_NS = 1200
PERIOD_NS = 4000
TIMEOUT_NS = 3000
CLOCK_NS = 8
RUNS = [600, pytest.param(100_000, marks=[pytest.mark.full, pytest.mark.timeout(3600)])]
WITHIN_CLOCKS = 57
"""From the event of a decision to the edge of the trigger output, where nothing else waits."""
LOOK_CLOCKS = 10 * GEOMETRY.channels + 9
"""From docs/instrument.md: the matcher looks at all channels, and for the next time to do so."""


def measured(device, trigger, strikes, folder, **more):
    over_s = LIMIT_NS * NS if trigger == Trigger.LATENCY else None
    out = Stimulus(1, width_s=100 * NS, trigger=trigger, trigger_over_s=over_s)
    settings = Settings(
        strikes=(Stimulus(period_s=PERIOD_NS * NS, width_s=200 * NS), out),
        channels=(Channel(0),),
        count=strikes,
        timeout_s=TIMEOUT_NS * NS,
        **more,
    )
    return run(f"synthetic:seed=5,ch1.after=none,{device}", settings, folder, geometry=GEOMETRY)


def edges(outcome):
    """Return the times of strikes, of answers and of the trigger output, in ns."""
    return [outcome.edges_ps(source) / 1000 for source in (SOURCE_STRIKE, 0, SOURCE_STRIKE + 1)]


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("strikes", RUNS)
def test_each_latency_over_the_limit_raises_the_trigger_output(policy, strikes, tmp_path):
    window = {"window_min_s": 100 * NS} if policy == Policy.WINDOW else {}
    outcome = measured(
        "latency=uniform:300ns:1500ns",
        Trigger.LATENCY,
        strikes,
        tmp_path,
        policy=policy,
        stream=Stream.OFF,
        **window,
    )
    struck, answered, triggers = edges(outcome)
    assert len(struck) == len(answered) == strikes
    tick_ns = outcome.result.tick_fs / 10**6
    latencies = np.ceil(answered / tick_ns) - np.ceil(struck / tick_ns)
    over = answered[latencies > LIMIT_NS / tick_ns]
    assert len(over) < strikes / 2
    assert len(triggers) == len(over) > strikes / 8
    # To a clock, besides that in which the answer comes: numbering it may take one more. Each
    # 2**20 ticks an answer may find the matcher looking at all channels.
    distance = triggers - over
    assert distance.min() > 0
    looked = distance > min(distance.min() + 2 * CLOCK_NS, WITHIN_CLOCKS * CLOCK_NS)
    assert np.count_nonzero(looked) <= strikes * PERIOD_NS / (2**20 * tick_ns) + 1
    assert distance.max() <= (WITHIN_CLOCKS + LOOK_CLOCKS) * CLOCK_NS
    assert_equals_truth(outcome)
    assert class_counts(outcome.result.channels[0]) == {"ANSWERED": strikes, "STRIKES": strikes}
    # The trigger output is a source as others are, and each of its edges is counted.
    entry = next(e for e in outcome.result.accounting.sources if e.source == SOURCE_STRIKE + 1)
    assert entry.generated == 2 * len(over)


@pytest.mark.parametrize("strikes", RUNS)
def test_each_missed_strike_raises_the_trigger_output(strikes, tmp_path):
    outcome = measured("latency=500ns,drop=0.2", Trigger.MISSED, strikes, tmp_path)
    struck, answered, triggers = edges(outcome)
    # An answer comes 500 ns behind its strike, and the next strike 4 us.
    missed = np.flatnonzero(~np.isin(np.round(struck) + 500, np.round(answered)))
    assert len(missed) == outcome.result.channels[0].classes[ResponseClass.MISSED] > 20
    # It is found at the next strike, or where the matcher looks once its time-out is over. The last
    # strike's may be found when the run is over.
    told = missed[missed < strikes - 1]
    assert len(told) <= len(triggers) <= len(missed)
    found = triggers[: len(told)]
    assert (found > struck[told] + TIMEOUT_NS).all()
    assert (found <= struck[told + 1] + (WITHIN_CLOCKS + LOOK_CLOCKS) * CLOCK_NS).all()
    assert_equals_truth(outcome)


def test_a_run_ends_by_its_strikes_whether_the_trigger_output_strikes_or_not(tmp_path):
    ends = set()
    for number, device in enumerate(("latency=500ns", "latency=1400ns")):
        folder = tmp_path / str(number)
        folder.mkdir()
        outcome = measured(device, Trigger.LATENCY, 40, folder)
        result = outcome.result
        ends.add(result.end_ticks - result.start_ticks)
        assert len(edges(outcome)[2]) == 40 * number
        assert result.valid
    assert len(ends) == 1


def test_a_channel_that_may_not_trigger_does_not_raise_it(tmp_path):
    pair = (Channel(0), Channel(1, reference="strike0"))
    settings = Settings(
        strikes=(
            Stimulus(period_s=PERIOD_NS * NS, width_s=200 * NS),
            Stimulus(1, width_s=100 * NS, trigger=Trigger.LATENCY, trigger_over_s=LIMIT_NS * NS),
        ),
        channels=pair,
        count=50,
        timeout_s=TIMEOUT_NS * NS,
    )
    device = "synthetic:latency=500ns,ch1.after=strike0,ch1.latency=1300ns"
    counts = []
    for number, chosen in enumerate(((0,), (1,), None)):
        folder = tmp_path / str(number)
        folder.mkdir()
        outcome = run(device, replace(settings, trigger_channels=chosen), folder, geometry=GEOMETRY)
        counts.append(len(outcome.edges_ps(SOURCE_STRIKE + 1)))
    assert counts == [0, 50, 50]
