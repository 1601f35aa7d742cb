# SPDX-License-Identifier: Apache-2.0
"""Outliers of a run under way: each new maximum, and the events around it."""

import dataclasses

import numpy as np
import pytest

from plexor.model.results import EVENT_DTYPE
from plexor.scope.outliers import AFTER, BEFORE, KEPT_EVENTS, MOST, Outliers, _last_trace

from .shots import shot_of

VALUES = [1000] * 30 + [5000] + [1000] * 20


def told(run, of=None, size=37):
    """Return the outliers of a run whose events came in batches, before its snapshot."""
    found = Outliers()
    for first in range(0, len(run.events), size):
        found.events(run.events[first : first + size])
    found.shot(shot_of(of or run))
    return found


def test_a_new_maximum_is_an_outlier_with_its_latency_and_its_time(run_of):
    (entry,) = told(run_of([VALUES])).document()["outliers"]
    assert (entry["name"], entry["ticks"], entry["latency"]) == ("ISR", 5000, "5 µs")
    assert entry["at"] == "1.505 ms"  # 30 periods of 50 µs, then 5 µs


def test_the_events_around_it_are_those_before_and_behind_in_time_from_its_strike(run_of):
    run = run_of([VALUES])
    (entry,) = told(run).document()["outliers"]
    assert len(entry["events"]) == 16 + 1 + 12
    assert ["strike0", 1, 0] in entry["events"]
    assert ["ch0", 1, 5000] in entry["events"]
    assert ["ch0", 0, 5100] in entry["events"]
    assert ["ch0", 1, 1000 - 50_000] in entry["events"]


def test_codes_are_not_drawn_as_pins(run_of):
    run = run_of([VALUES])
    coded = run.events.copy()
    coded["source"][coded["polarity"] == 0] = 18
    (entry,) = told(dataclasses.replace(run, events=coded)).document()["outliers"]
    assert {name for name, *_ in entry["events"]} == {"strike0", "ch0"}


def test_pins_are_called_by_the_names_of_their_channels(run_of):
    found = told(run_of([VALUES, VALUES], names=["entry", "exit"])).document()
    assert found["names"] == {"ch0": "entry", "ch1": "exit"}


def test_events_that_come_behind_the_snapshot_are_added(run_of):
    run = run_of([VALUES])
    place = int(np.flatnonzero(run.events["index"] == entry_index(run))[0])
    found = Outliers()
    found.events(run.events[: place + 1])
    assert found.shot(shot_of(run))
    assert len(found.document()["outliers"][0]["events"]) == BEFORE + 1
    found.events(run.events[place + 1 :])
    assert found.shot(shot_of(run))
    assert len(found.document()["outliers"][0]["events"]) == BEFORE + 1 + AFTER
    assert not found.shot(shot_of(run))


def entry_index(run):
    return run.channels[0].measurement("rise").statistics.max_index


def test_the_same_maximum_is_listed_once_and_a_greater_one_in_front(run_of):
    found = Outliers()
    for most in (2000, 2000, 3000, 3000):
        found.shot(shot_of(run_of([[1000, most, 1000]])))
    assert [entry["ticks"] for entry in found.document()["outliers"]] == [3000, 2000]


def test_an_outlier_whose_events_never_came_is_listed_without_them(run_of):
    found = Outliers()
    found.shot(shot_of(run_of([VALUES])))
    assert found.document()["outliers"][0]["events"] == []


def test_only_so_many_outliers_and_events_are_held(run_of):
    run = run_of([VALUES])
    found = Outliers()
    for most in range(2000, 2000 + 3 * MOST):
        found.shot(shot_of(run_of([[most]])))
    assert len(found.document()["outliers"]) == MOST
    for _ in range(3 * KEPT_EVENTS // len(run.events)):
        found.events(run.events)
    assert sum(map(len, found._held)) <= KEPT_EVENTS + len(run.events)


def test_a_chip_that_does_not_keep_places_has_no_outliers(run_of):
    run = run_of([VALUES])
    (channel,) = run.channels
    rise = channel.measurement("rise")
    known = dataclasses.replace(rise.statistics, max_index=None, max_time_ticks=None)
    bare = dataclasses.replace(channel, measurements=(dataclasses.replace(rise, statistics=known),))
    found = told(run, dataclasses.replace(run, channels=(bare,)))
    assert found.document()["outliers"] == []


def test_the_last_trace_is_that_of_the_last_whole_response(run_of):
    run = run_of([[1000, 1000, 1700], [9000, 9000, None]], widths=[[100, 100, 250], [70, 80, 1]])
    assert told(run).traces() == {"0": (1700, 1950), "1": (9000, 9080)}
    # The last event is the end of the strike, the one before that of the response.
    cut = dataclasses.replace(run, events=run.events[:-2])
    assert told(cut, run).traces()["0"] == (1000, 1100)


@pytest.mark.parametrize("late", [50_000, 70_000])
def test_no_trace_is_told_where_a_response_may_answer_an_earlier_strike(run_of, late):
    assert told(run_of([[late] * 5], period=50_000)).traces() == {}


def test_a_cleared_list_is_empty(run_of):
    found = told(run_of([VALUES]))
    found.clear()
    assert found.document() == {"outliers": [], "names": {}}
    assert found.traces() == {}


@pytest.mark.parametrize(
    ("rise", "fall", "most", "trace"),
    [
        (1500, 1600, 999, (500, 600)),
        (1000, 1600, 999, (0, 600)),  # an answer in the tick of its strike
        (1999, 2400, 999, (999, 1400)),
        (2000, 2001, 999, (0, 1)),
        (1500, 1600, 1000, None),  # as long as from strike to strike: it may answer either
        (900, 950, 999, None),  # before the first strike
    ],
)
def test_a_response_follows_the_strike_before_it_or_in_its_own_tick(rise, fall, most, trace):
    rows = [(1000, 8, 1), (1100, 8, 0), (2000, 8, 1), (2100, 8, 0), (rise, 0, 1), (fall, 0, 0)]
    events = np.zeros(len(rows), EVENT_DTYPE)
    for place, (time, source, polarity) in enumerate(sorted(rows, key=lambda row: row[0])):
        events[place] = (time, place, source, polarity)
    assert _last_trace(events, 0, (8, 1), most) == trace
