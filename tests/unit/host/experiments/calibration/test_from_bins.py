# SPDX-License-Identifier: Apache-2.0
"""Bins of a tick are folded onto the phases that end them; runs strike as this needs it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from plexor.base.errors import InstrumentError
from plexor.base.units import seconds_of
from plexor.experiments.calibration import from_bins as under_test
from plexor.experiments.calibration.from_bins import (
    ECHOES,
    BinObserver,
    echo_of,
    echo_settings,
    folded,
    source_settings,
)
from plexor.model.identity import Identity
from plexor.model.results import Bins, Kind, Statistics
from plexor.model.settings import Channel
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import InputSelect
from plexor.run.plan.registers import plan_of

GEOMETRY = Geometry(
    channels=2,
    strikes=1,
    tick_fs=2_604_167,
    latency_mantissa_bits=3,
    features=Feature.SIMULATED,
)
IDENTITY = Identity(GEOMETRY, 1)


def run_of(counts, start_ticks=4096, kind=Kind.RISE):
    """Return a run of one channel with these bins."""
    bins = Bins(3, np.array(counts, np.uint64))
    entry = SimpleNamespace(bins=bins)
    channel = SimpleNamespace(measurement=lambda wanted: entry if wanted == kind else None)
    return SimpleNamespace(channels=(channel,), start_ticks=start_ticks)


def test_each_bin_counts_for_the_phase_that_ends_it():
    counts = [1, 20, 300, 4000, 2, 10, 100, 1000, 9, 9, 9, 9]
    assert folded(run_of(counts), 8, 4).tolist() == [3, 30, 400, 5000]
    # A run starts with a clock, of whole turns; were it not so, the phases would turn with it.
    assert folded(run_of(counts, start_ticks=4097), 8, 4).tolist() == [5000, 3, 30, 400]


def test_a_run_without_latencies_folds_to_nothing():
    assert folded(run_of([5] * 8, kind=Kind.FALL), 8, 4).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("period_ticks", "window"), [(2048, 16), (20, 12), (17, 12), (9, 4), (3, 4)]
)
def test_the_window_is_of_whole_turns_of_bins_a_tick_wide_below_the_sources_period(
    period_ticks, window
):
    observer = BinObserver(SimpleNamespace(identity=IDENTITY))
    assert observer.window_ticks(period_ticks) == window


def test_a_build_of_too_few_narrow_bins_says_so():
    geometry = Geometry(samples=16, phases=16, latency_mantissa_bits=2, features=Feature.SIMULATED)
    observer = BinObserver(SimpleNamespace(identity=Identity(geometry, 1), name="sim"))
    with pytest.raises(InstrumentError, match="sim: 8 bins are one tick wide; must be at least 16"):
        observer.window_ticks(1000)


@pytest.mark.parametrize("strike_ticks", [256, 260, 268])
def test_strikes_beside_the_source_keep_to_one_phase(strike_ticks):
    tick_fs = GEOMETRY.tick_fs
    settings = source_settings(
        Channel(1, invert=True),
        seconds_of(strike_ticks, tick_fs),
        seconds_of(16, tick_fs),
        seconds_of(10**6, tick_fs),
    )
    plan = plan_of(settings, IDENTITY)
    assert plan.value("stimulus", "interval_ticks") == strike_ticks
    assert plan.value("stimulus", "interval_fraction") == 0
    assert plan.value("stimulus", "phase_ticks") == plan.value("stimulus", "strike_count") == 0
    assert plan.value("matcher", "timeout_ticks") == 16
    enabled = [plan.value("channel", "enable", n) for n in range(2)]
    assert (enabled, plan.value("channel", "invert", 1)) == ([0, 1], 1)


@pytest.mark.parametrize("polarity", [1, 0])
@pytest.mark.parametrize("phase", range(4))
def test_strikes_looped_back_keep_to_the_phase_asked_for(phase, polarity):
    plan = plan_of(echo_settings(GEOMETRY, 0, polarity, phase), IDENTITY)
    assert plan.value("stimulus", "phase_ticks") == phase
    assert plan.value("stimulus", "interval_ticks") % 4 == 0
    assert plan.value("stimulus", "width_ticks") % 4 == 0
    assert plan.value("stimulus", "strike_count") == ECHOES
    for channel in range(2):
        assert plan.value("channel", "reference_polarity", channel) == polarity
        assert plan.value("channel", "invert", channel) == 1 - polarity
    wired = echo_settings(GEOMETRY, 0, polarity, phase, [1])
    assert wired.input_select == InputSelect.PINS
    assert [entry.number for entry in wired.channels] == [1]
    assert wired.strikes == echo_settings(GEOMETRY, 0, polarity, phase).strikes


def looped(strikes, edges, statistics):
    """Return a run in which channel 1 saw strikes."""
    rise = SimpleNamespace(statistics=statistics)
    channel = SimpleNamespace(
        number=1, strikes=strikes, active_edges=edges, measurement=lambda wanted: rise
    )
    return SimpleNamespace(channels=(SimpleNamespace(number=0), channel))


def test_an_echo_has_the_first_and_the_last_that_was_seen():
    found = echo_of(looped(8, 8, Statistics(8, 29, None, 3, 5)), 1, 4098)
    assert (found.struck, found.seen) == (8, 8)
    assert found.strikes_ticks.tolist() == [4098, 4098]
    assert found.seen_ticks.tolist() == [4101, 4103]


@pytest.mark.parametrize(
    ("edges", "statistics", "seen"),
    [
        (0, Statistics(0, 0, None, None, None), 0),
        (9, Statistics(8, 24, None, 3, 3), 9),
        # Each strike has its edge, but one came before it.
        (8, Statistics(7, 21, None, 3, 3), 7),
    ],
)
def test_an_echo_of_other_than_each_strike_shows(edges, statistics, seen):
    found = echo_of(looped(8, edges, statistics), 1, 4098)
    assert (found.struck, found.seen) == (8, seen)
    assert len(found.strikes_ticks) == len(found.seen_ticks)


def test_bins_do_not_tell_which_edges_channels_share():
    observer = BinObserver(SimpleNamespace(identity=IDENTITY))
    assert observer.behind([None, None]) == {1: [None, None], 0: [None, None]}


def test_the_source_is_counted_for_both_directions_of_each_channel(monkeypatch):
    asked = []
    observer = BinObserver(SimpleNamespace(identity=IDENTITY))
    monkeypatch.setattr(BinObserver, "_period_ticks", lambda _: 100)
    monkeypatch.setattr(BinObserver, "_counts", lambda _, *way: asked.append(way))
    found = observer.source(20)
    assert sorted(asked) == [(n, up, 20, 100) for n in range(2) for up in (0, 1)]
    assert set(found.counts) == {(n, up) for n in range(2) for up in (0, 1)}


@pytest.mark.parametrize("wired", [None, (1,)])
def test_a_loop_is_struck_in_both_directions_at_each_phase(monkeypatch, wired):
    asked = []

    def run(device, settings):
        del device
        asked.append(settings)
        return SimpleNamespace(
            start_ticks=0, accounting=SimpleNamespace(received=1, sources=()), channels=()
        )

    monkeypatch.setattr(under_test, "dumped_run", run)
    monkeypatch.setattr(under_test, "echo_of", lambda *_: None)
    monkeypatch.setattr(under_test, "_joined", len)
    observer = BinObserver(SimpleNamespace(identity=IDENTITY))
    found = observer.looped(0) if wired is None else observer.wired(0, wired)
    numbers = range(2) if wired is None else wired
    assert found.received == len(asked) == 2 * GEOMETRY.phases
    assert asked == [
        echo_settings(GEOMETRY, 0, up, phase, wired)
        for up in (1, 0)
        for phase in range(GEOMETRY.phases)
    ]
    assert set(found.echoes) == {(number, up) for number in numbers for up in (0, 1)}
