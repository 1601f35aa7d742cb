# SPDX-License-Identifier: Apache-2.0
"""Glitch filters of any length, against a model that goes through the samples of random pulses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bench import assert_equals_truth, run

from plexor.base.errors import UsageError
from plexor.model.settings import Channel, Settings, Stimulus, TableStep
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Stream
from plexor_hdl.build import boards
from plexor_sim.serve import GATEWARE, TWIN

NS = Fraction(1, 1_000_000_000)
GEOMETRY = boards.simulated()
W = GEOMETRY.samples
TICK = GEOMETRY.tick_fs / 10**6 * NS
LENGTHS = (2, W, W + 1, 200, 1998, 2000)
"""In ticks of half a nanosecond: 1 ns, a core clock, a tick more, 100 ns, 999 ns and 1 µs."""
RUNS = [
    (TWIN, 4000),
    (GATEWARE, 400),
    pytest.param(GATEWARE, 20_000, marks=[pytest.mark.full, pytest.mark.timeout(3600)]),
]


def samples_of(outcome, channel, first, end):
    """Return the pin's level at each tick from `first` to before `end`."""
    times, levels = zip(
        *sorted((int(t), level) for level in (0, 1) for t in outcome.edges_ps(channel, level)),
        strict=True,
    )
    # An edge is at ceil(t / tick); of several in a tick the last one counts.
    ticks = -(-np.array(times) * 1000 // outcome.result.tick_fs)
    place = np.searchsorted(ticks, np.arange(first, end), side="right")
    return np.array([1 - levels[0], *levels])[place]


def filtered(levels, length):
    """Return the filter's output at each sample: a level once it lasts, else the one before."""
    place = np.arange(len(levels))
    changes = np.flatnonzero(np.diff(levels)) + 1
    ends = np.append(changes, len(levels))[np.searchsorted(changes, place, side="right")]
    settles = ends - place >= length
    settles[0] = True
    return levels[np.maximum.accumulate(np.where(settles, place, 0))]


def mended(levels):
    """Return the levels with exchanged samples in order: of three edges in a row the middle one."""
    changes, levels = np.flatnonzero(np.diff(levels)) + 1, levels.copy()
    for at in changes:
        before, after = levels[at - 1], levels[at]
        row = [before, before, after, before, after, after]
        if before != after and list(levels[max(at - 2, 0) : at + 4]) == row:
            levels[at : at + 2] = before, after
    return levels


def edges_of(levels, first, start, end):
    """Return the edges in a run's samples: tick and level."""
    places = np.flatnonzero(np.diff(levels)) + 1
    ticks = places + first
    inside = (ticks >= start) & (ticks < end)
    return ticks[inside], levels[places[inside]]


def planted(outcome, channel, length):
    """Return the edges of a channel that docs/instrument.md says pass, and how many are removed."""
    start, end = outcome.result.start_ticks, outcome.result.end_ticks
    first = max(start - 40 * length - 1000, 0)
    levels = mended(samples_of(outcome, channel, first, end + 2 * length + W))
    if length <= W:
        return (*edges_of(filtered(levels, length), first, start, end), 0)
    short = filtered(levels, W)
    ticks, passed = edges_of(filtered(short, length), first, start, end)
    return ticks, passed, len(edges_of(short, first, start, end)[0]) - len(ticks)


def pulses(number, length):
    """Return a channel's device: pulses at random, about as long and as far apart as its filter."""
    span = length * float(TICK / NS)
    rate = min(0.4e9 / span, 3e6)
    options = {
        "after": "none",
        "spurious": f"{rate:.0f}Hz",
        "width": f"uniform:{0.3 * span:.3f}ns:{1.7 * span:.3f}ns",
        "gap": f"{min(0.8 * span, 30):.3f}ns",
    }
    return ",".join(f"ch{number}.{name}={value}" for name, value in options.items())


def measured(lengths, folder, *, core, edges, seed=1, **more):
    channels = tuple(
        Channel(number, filter_s=length * TICK) for number, length in enumerate(lengths)
    )
    device = ",".join(pulses(number, length) for number, length in enumerate(lengths))
    slowest = max(max(lengths) * TICK / Fraction(4, 5), Fraction(1, 6_000_000))
    settings = Settings(
        strikes=(Stimulus(period_s=5000 * NS),),
        channels=channels,
        time_s=edges * slowest,
        timeout_s=2000 * NS,
    )
    settings = replace(settings, **more)
    return run(f"synthetic:seed={seed},{device}", settings, folder, core=core)


def assert_planted(outcome, channels):
    """Assert that just the planted edges are events, and that all others were counted."""
    assert outcome.result.valid, outcome.result.invalid_reasons
    events, removed = outcome.result.events, 0
    for number, length, invert, either in channels:
        ticks, levels, away = planted(outcome, number, length)
        own = events[events["source"] == number]
        assert np.array_equal(own["time_ticks"], ticks), length
        polarity = np.ones_like(levels) if either else levels ^ invert
        assert np.array_equal(own["polarity"], polarity), length
        assert len(ticks) > 5, length
        assert length <= W or away > 0, length
        removed += away
    assert outcome.result.accounting.filtered == removed


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(("core", "edges"), RUNS)
def test_just_the_levels_that_last_are_edges_at_their_first_sample(core, edges, length, tmp_path):
    outcome = measured([length], tmp_path, core=core, edges=edges // 2, seed=length)
    assert_planted(outcome, [(0, length, 0, 0)])
    assert_equals_truth(outcome)


@pytest.mark.parametrize("core", [TWIN, GATEWARE])
def test_filters_of_all_lengths_stand_beside_each_other_and_beside_none(core, tmp_path):
    outcome = measured(LENGTHS, tmp_path, core=core, edges=60)
    assert_planted(outcome, [(number, length, 0, 0) for number, length in enumerate(LENGTHS)])
    assert_equals_truth(outcome)


@pytest.mark.parametrize("core", [TWIN, GATEWARE])
def test_inverted_and_either_edges_are_filtered_alike(core, tmp_path):
    channels = (
        Channel(0, filter_s=200 * TICK, invert=True),
        Channel(1, filter_s=300 * TICK, either=True),
    )
    outcome = measured([200, 300], tmp_path, core=core, edges=300, channels=channels)
    assert_planted(outcome, [(0, 200, 1, 0), (1, 300, 0, 1)])
    assert_equals_truth(outcome)


@pytest.mark.parametrize("core", [TWIN, GATEWARE])
@pytest.mark.parametrize(
    "more",
    [
        {"stream": Stream.OFF},
        {"report_s": 40_000 * NS},
        {
            "time_s": None,
            "table": (TableStep(4000 * NS, count=20), TableStep(3000 * NS, count=30)),
        },
    ],
    ids=["dump", "snapshots", "table"],
)
def test_figures_on_the_chip_are_those_of_the_filtered_edges(core, more, tmp_path):
    outcome = measured([2000, 900], tmp_path, core=core, edges=200, **more)
    truth = assert_equals_truth(outcome)
    assert outcome.result.accounting.filtered > 0
    assert truth.generated[0] > 5


def test_edges_that_find_no_place_while_events_are_held_back_are_told(tmp_path):
    # 50 MHz for 2 µs: a word in each clock or two, while 17 rows of clocks wait.
    device = "ch0.width=10ns,ch0.duplicate=1,ch0.duplicate_delay=1ns,ch0.gap=10ns"
    device += ",ch1.after=strike0,ch1.width=9ns,ch1.latency=50ns"
    device += "".join(
        f",ch{number}.after=ch{number - 1},ch{number}.width=9ns,ch{number}.latency=9ns"
        for number in range(2, 4)
    )
    settings = Settings(
        strikes=(Stimulus(period_s=16 * NS, width_s=8 * NS),),
        channels=(Channel(1, filter_s=1000 * NS),),
        time_s=4000 * NS,
        timeout_s=2000 * NS,
    )
    outcome = run(f"synthetic:{device}", settings, tmp_path, core=GATEWARE)
    books = outcome.result.accounting
    channel = next(entry for entry in books.sources if entry.source == 1)
    assert channel.dropped > 0
    assert not books.contradictions
    assert not outcome.result.valid
    assert any(
        "dropped before they could be matched" in why for why in outcome.result.invalid_reasons
    )


def test_a_build_without_it_says_which_builds_have_it(tmp_path):
    settings = Settings(
        strikes=(Stimulus(period_s=5000 * NS),), channels=(Channel(0, filter_s=100 * NS),), count=5
    )
    says = r"ch0.filter: 100 ns: board hx8kevn was built without LONG_FILTER, .* board with an ECP5"
    with pytest.raises(UsageError, match=says):
        run("synthetic", settings, tmp_path, geometry=boards.simulated("hx8k-evn"), core=TWIN)
    assert Feature.LONG_FILTER not in boards.simulated("hx8k-evn").features
