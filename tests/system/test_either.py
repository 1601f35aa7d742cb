# SPDX-License-Identifier: Apache-2.0
"""Edges of either direction: a pin that toggles once a strike answers each of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from bench import assert_equals_truth, class_counts, run

from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.registers import Policy, Stream
from plexor_hdl.build import boards
from plexor_sim.serve import GATEWARE, TWIN

NS = Fraction(1, 1_000_000_000)
GEOMETRY = boards.simulated()
ICE40 = boards.simulated("hx8k-evn-counts")
"""A build without widths on the chip."""
RUNS = [
    (TWIN, 10_000),
    (GATEWARE, 300),
    pytest.param(GATEWARE, 100_000, marks=[pytest.mark.full, pytest.mark.timeout(3600)]),
]
RULES = {
    Policy.OLDEST: {},
    Policy.LATEST: {},
    Policy.WINDOW: {"window_min_s": 250 * NS},
}
SURE = "latency=uniform:300ns:1500ns"
"""Each strike has its own edge before the next strike."""
MESS = (
    "latency=lognormal:900ns:0.6,service=uniform:300ns:2200ns,queue=3,drop=0.05,duplicate=0.05,"
    "duplicate_delay=uniform:100ns:3us,spurious=20000"
)


def measured(device, policy, strikes, folder, *, geometry=GEOMETRY, core=GATEWARE, **more):
    settings = Settings(
        strikes=(Stimulus(period_s=2000 * NS, width_s=200 * NS),),
        channels=(
            Channel(0, either=True, deadline_s=1200 * NS),
            # What follows the pin follows each of its edges.
            Channel(1, reference="ch0"),
        ),
        policy=policy,
        count=strikes,
        timeout_s=1900 * NS if device == SURE else 6000 * NS,
        **RULES[policy],
        **more,
    )
    options = f"synthetic:seed=7,ch0.toggle=1,{device},ch1.latency=290ns,ch1.width=9ns"
    return run(options, settings, folder, geometry=geometry, core=core)


def toggles(outcome):
    """Return the tick of each edge of channel 0 in the run, of either direction."""
    tick_ps = outcome.result.tick_fs / 1000
    times = np.sort(np.concatenate([outcome.edges_ps(0, level) for level in (0, 1)]))
    ticks = np.ceil(times / tick_ps).astype(np.int64)
    return ticks[(ticks >= outcome.result.start_ticks) & (ticks < outcome.result.end_ticks)]


def assert_planted(outcome, strikes):
    """Assert the latency of each strike by arithmetic: its own edge less its strike."""
    channel = outcome.result.channels[0]
    tick_ps = outcome.result.tick_fs / 1000
    struck = np.ceil(outcome.edges_ps(SOURCE_STRIKE) / tick_ps).astype(np.int64)
    edges = toggles(outcome)
    assert len(struck) == len(edges) == strikes == channel.active_edges
    planted = edges - struck
    deadline = 1200 * 10**6 / outcome.result.tick_fs
    late = int(np.count_nonzero(planted > int(deadline)))
    assert 0 < late < strikes
    assert class_counts(channel) == {
        "ANSWERED": strikes - late,
        "LATE": late,
        "STRIKES": strikes,
    }
    rise = channel.measurement(Kind.RISE).statistics
    assert (rise.count, rise.sum_ticks) == (strikes, planted.sum())
    assert (rise.min_ticks, rise.max_ticks) == (planted.min(), planted.max())
    between = np.diff(edges)
    for kind in channel.measurements:
        found = kind.statistics
        if kind.kind in (Kind.FALL, Kind.WIDTH):
            assert found.count == 0
        if kind.kind == Kind.PERIOD:
            assert (found.count, found.sum_ticks) == (strikes - 1, between.sum())
            assert (found.min_ticks, found.max_ticks) == (between.min(), between.max())


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize(("core", "strikes"), RUNS)
def test_each_edge_of_a_pin_that_toggles_answers_its_own_strike(policy, core, strikes, tmp_path):
    outcome = measured(SURE, policy, strikes, tmp_path, core=core)
    assert_planted(outcome, strikes)
    assert all(channel.conserved for channel in outcome.result.channels)
    assert outcome.result.valid
    assert_equals_truth(outcome)
    # The second channel's strikes are all edges of the first.
    assert class_counts(outcome.result.channels[1]) == {"ANSWERED": strikes, "STRIKES": strikes}


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize(("core", "strikes"), RUNS)
def test_every_class_of_either_edge_is_what_was_planted(policy, core, strikes, tmp_path):
    outcome = measured(MESS, policy, strikes, tmp_path, core=core)
    assert_equals_truth(outcome)
    channel = outcome.result.channels[0]
    assert channel.active_edges == len(toggles(outcome))
    assert channel.conserved
    for kind in ("ANSWERED", "LATE", "MISSED"):
        assert class_counts(channel).get(kind, 0) > 0, kind
    assert outcome.result.valid


@pytest.mark.parametrize("stream", [Stream.OFF, Stream.LIVE])
def test_a_build_with_few_cells_has_either_edge_too(stream, tmp_path):
    outcome = measured(SURE, Policy.OLDEST, 200, tmp_path, geometry=ICE40, stream=stream)
    assert_planted(outcome, 200)
    assert outcome.result.valid
