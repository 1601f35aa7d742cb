# SPDX-License-Identifier: Apache-2.0
"""Observations from planted events: counts by phase, the source's period, strikes looped back."""

import itertools
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from plexor.experiments.calibration import from_events
from plexor.experiments.calibration.from_events import (
    FIRST_CHUNK_S,
    LOOPBACK_ROUNDS,
    MOST_CHUNK_S,
    MOST_CHUNKS,
    EventObserver,
    loopback_settings,
)
from plexor.model.calibration import ChannelInstants, Instants
from plexor.model.identity import Identity
from plexor.model.results import EVENT_DTYPE, Accounting, SourceAccounting
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import InputSelect
from plexor.run.plan.registers import plan_of

GEOMETRY = Geometry(channels=2, strikes=1, phases=4)


def events(*rows):
    """Return events of (time, source, polarity)."""
    found = np.zeros(len(rows), EVENT_DTYPE)
    for index, (time, source, polarity) in enumerate(rows):
        found[index] = (time, index, source, polarity)
    return found


@pytest.fixture
def observer():
    return EventObserver(SimpleNamespace(identity=Identity(GEOMETRY, 1), name="sim:"))


@pytest.fixture
def plant(monkeypatch, run_of):
    """Return a function that plants events as a function of how long a run is."""

    def planted(events_of):
        asked = []

        def run(device, settings):
            asked.append(settings)
            return replace(run_of([[1000]]), events=events_of(settings))

        monkeypatch.setattr(from_events, "whole_run", run)
        monkeypatch.setattr(from_events, "complete_run", run)
        return asked

    return planted


def square(period, sources, seconds):
    """Return the edges of a square wave of a period in ticks that sources see for a time."""
    rows = []
    for start in range(0, int(seconds * 10**9), period):
        rows += [(start, source, 1) for source in sources]
        rows += [(start + period // 2, source, 0) for source in sources]
    return events(*rows)


def test_edges_are_counted_by_channel_way_and_phase(observer, plant):
    seen = events((4, 0, 1), (5, 0, 0), (6, 1, 1), (8, 0, 1), (9, 0, 0), (11, 1, 0))
    plant(lambda settings: seen)
    found = observer.source(1)
    counts = {way: np.sum(rows, axis=0).tolist() for way, rows in found.counts.items()}
    assert counts == {
        (0, 1): [2, 0, 0, 0],
        (0, 0): [0, 2, 0, 0],
        (1, 1): [0, 0, 1, 0],
        (1, 0): [0, 0, 0, 1],
    }
    assert found.edges == 6


def test_the_sources_period_is_the_mean_of_steps_that_are_no_gaps(observer, plant):
    # Steps of 3, 5 and 4 ticks, and a gap of 100.
    rows = [
        (time, source, way) for time in (0, 3, 8, 12, 112) for source in (0, 1) for way in (0, 1)
    ]
    plant(lambda settings: events(*rows))
    assert observer.source(1).period_fs == 4 * 10**6


def test_a_source_that_nothing_sees_is_given_up_after_two_looks(observer, plant):
    asked = plant(lambda settings: events())
    found = observer.source(1000)
    assert (found.edges, found.period_fs, len(asked)) == (0, 0, 2)


def test_chunks_grow_to_what_is_needed_and_no_further(observer, plant):
    # An edge each way a microsecond on each channel: 20,000 need 20 ms.
    asked = plant(lambda settings: square(1000, (0, 1), settings.time_s))
    found = observer.source(20_000)
    assert min(int(rows.sum()) for rows in found.counts.values()) >= 20_000
    assert asked[0].time_s == FIRST_CHUNK_S
    total_s = sum(settings.time_s for settings in asked)
    assert Fraction(20, 1000) <= total_s <= Fraction(30, 1000)
    assert all(b.time_s <= 16 * a.time_s for a, b in itertools.pairwise(asked))
    assert {settings.input_select for settings in asked} == {InputSelect.ASYNCHRONOUS}


def test_a_slow_source_ends_with_what_there_is(observer, plant):
    asked = plant(lambda settings: events((0, 0, 1), (9, 0, 0), (9, 1, 1), (10, 1, 0)))
    observer.source(10**6)
    assert len(asked) == MOST_CHUNKS
    assert max(settings.time_s for settings in asked) == MOST_CHUNK_S


def test_a_channel_that_sees_an_edge_later_is_behind_by_so_much(observer, plant):
    rows = [
        (1000 * n + late, source, way)
        for n in range(200)
        for way in (1, 0)
        for source, late in ((0, 500 * (1 - way)), (1, 500 * (1 - way) + 3))
    ]
    plant(lambda settings: events(*sorted(rows)))
    even = Instants((0,) * 4, (0,) * 4, 1)
    observer.source(1)
    found = observer.behind([ChannelInstants(0, even, even), ChannelInstants(1, even, even)])
    assert found[1] == [0.0, pytest.approx(3000)]
    assert found[0] == [0.0, pytest.approx(3000)]


def test_strikes_looped_back_are_told_only_where_none_is_missing(observer, monkeypatch, run_of):
    seen = events((100, 8, 1), (103, 0, 1), (104, 1, 1), (140, 8, 0), (143, 0, 0))
    sources = tuple(SourceAccounting(s, n, 0, 0, n) for s, n in ((0, 2), (1, 1), (8, 2)))
    for received, complete in ((5, True), (4, False)):
        books = Accounting(5, received, 0, 5 - received, sources)
        result = replace(run_of([[1000]]), events=seen, accounting=books)
        monkeypatch.setattr(from_events, "complete_run", lambda device, settings, r=result: r)
        found = observer.looped(0)
        assert (found.complete, bool(found.echoes)) == (complete, complete)
        assert found.generated == {0: 2, 1: 1, 8: 2}
        assert found.lost == 5 - received
        if complete:
            up, down = found.echoes[1, 1], found.echoes[1, 0]
            assert (up.struck, up.seen, up.seen_ticks.tolist()) == (1, 1, [104])
            assert (down.struck, down.seen) == (1, 0)


@pytest.mark.parametrize("phases", [1, 4, 8])
def test_looped_strikes_come_at_each_phase_as_often(phases):
    geometry = replace(GEOMETRY, phases=phases)
    settings = loopback_settings(geometry, 0)
    made = plan_of(settings, Identity(geometry, 1))
    period = made.value("stimulus", "interval_ticks")
    assert made.value("stimulus", "interval_fraction") == 0
    count = made.value("stimulus", "strike_count")
    phase = [n * period % phases for n in range(count)]
    assert {phase.count(p) for p in range(phases)} == {LOOPBACK_ROUNDS}
    # A millisecond between strikes: the slowest link carries their events.
    assert period == pytest.approx(10**6, rel=1e-4)
    assert {channel.reference for channel in settings.channels} == {"strike0"}
    assert settings.input_select == InputSelect.LOOPBACK
    wired = loopback_settings(geometry, 0, [1])
    assert [channel.number for channel in wired.channels] == [1]
    assert replace(wired, channels=(), input_select=0) == replace(
        settings, channels=(), input_select=0
    )
    assert wired.input_select == InputSelect.PINS
