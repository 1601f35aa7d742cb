# SPDX-License-Identifier: Apache-2.0
"""Matching on the host: each rule by a case worked out by hand, at once and in turn."""

from unittest.mock import patch

import numpy as np
import pytest

from plexor.model.results import EVENT_DTYPE, Kind
from plexor.protocol.memory import ResponseClass as R
from plexor.protocol.registers import Policy
from plexor.wire.decode import rematch as ways
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.rematch import rematch


def in_turn(events, rules, end_ticks):
    """Match one event after the other."""
    with patch.object(ways, "step_at_once", return_value=None):
        return rematch(events, rules, end_ticks)


WAYS = pytest.mark.parametrize("way", [rematch, in_turn])
S, A, B = (8, 1), (0, 1), (0, 0)
"""A strike, the edge to the active level, the edge back."""


def matched(way, events, end_ticks=10_000, **rules):
    """What (time, kind) events come to on channel 0."""
    array = np.zeros(len(events), dtype=EVENT_DTYPE)
    for index, (time, (source, polarity)) in enumerate(events):
        array[index] = (time, index, source, polarity)
    defaults = {
        "channel_source": 0,
        "reference_source": 8,
        "reference_polarity": 1,
        "policy": Policy.OLDEST,
        "timeout_ticks": 100,
        "window_min_ticks": 0,
        "early_ticks": 0,
        "deadline_ticks": 50,
        "queue_depth": 2,
    }
    return way(array, Rules(**defaults | rules), end_ticks)


def classes(found):
    """The classes that are not empty."""
    return {name: count for name, count in found.classes.items() if count}


CASES = {
    "answered": ([(0, S), (50, A)], {}, {R.STRIKES: 1, R.ANSWERED: 1}),
    "late": ([(0, S), (51, A)], {}, {R.STRIKES: 1, R.LATE: 1}),
    "late at the time-out": ([(0, S), (100, A)], {}, {R.STRIKES: 1, R.LATE: 1}),
    "missed after it": ([(0, S), (101, A)], {}, {R.STRIKES: 1, R.MISSED: 1, R.SPURIOUS: 1}),
    "duplicate": (
        [(0, S), (10, A), (20, B), (100, A)],
        {},
        {R.STRIKES: 1, R.ANSWERED: 1, R.DUPLICATE: 1},
    ),
    "spurious after the time-out": (
        [(0, S), (10, A), (101, A)],
        {},
        {R.STRIKES: 1, R.ANSWERED: 1, R.SPURIOUS: 1},
    ),
    "spurious before any": ([(5, A)], {}, {R.SPURIOUS: 1}),
    "oldest first": ([(0, S), (10, S), (20, A), (40, A)], {}, {R.STRIKES: 2, R.ANSWERED: 2}),
    "latest": (
        [(0, S), (10, S), (20, A)],
        {"policy": Policy.LATEST},
        {R.STRIKES: 2, R.MISSED: 1, R.ANSWERED: 1},
    ),
    "queue full": (
        [(0, S), (1, S), (2, S), (20, A)],
        {},
        {R.STRIKES: 3, R.MISSED: 2, R.QUEUE_FULL: 1, R.ANSWERED: 1},
    ),
    "window": (
        [(0, S), (9, A), (10, A)],
        {"policy": Policy.WINDOW, "window_min_ticks": 10},
        {R.STRIKES: 1, R.ANSWERED: 1, R.SPURIOUS: 1},
    ),
    "early": ([(90, A), (100, S)], {"early_ticks": 10}, {R.STRIKES: 1, R.ANSWERED: 1, R.EARLY: 1}),
    "early and late": (
        [(90, A), (100, S)],
        {"early_ticks": 10, "deadline_ticks": -11},
        {R.STRIKES: 1, R.LATE: 1, R.EARLY: 1},
    ),
    "too early": (
        [(89, A), (100, S)],
        {"early_ticks": 10},
        {R.STRIKES: 1, R.MISSED: 1, R.SPURIOUS: 1},
    ),
    "held twice": (
        [(90, A), (95, A), (100, S)],
        {"early_ticks": 10},
        {R.STRIKES: 1, R.ANSWERED: 1, R.EARLY: 1, R.SPURIOUS: 1},
    ),
}


@WAYS
@pytest.mark.parametrize("name", CASES)
def test_each_strike_and_edge_is_in_the_class_of_the_rules(name, way):
    events, rules, expected = CASES[name]
    assert classes(matched(way, events, **rules)) == expected


@WAYS
def test_a_strike_at_the_end_is_pending_until_its_time_out(way):
    assert matched(way, [(0, S)], end_ticks=100).pending == 1
    found = matched(way, [(0, S)], end_ticks=101)
    assert (found.pending, classes(found)) == (0, {R.STRIKES: 1, R.MISSED: 1})


def rows(samples):
    """The samples as (value, time, index, start)."""
    columns = samples.value_ticks, samples.time_ticks, samples.index, samples.start_ticks
    return list(zip(*(column.tolist() for column in columns), strict=True))


@WAYS
def test_samples_carry_index_and_time_of_the_event_that_completed_them(way):
    found = matched(way, [(0, S), (30, A), (45, B), (60, A), (70, B)])
    assert {kind: rows(samples) for kind, samples in found.samples.items()} == {
        Kind.RISE: [(30, 30, 1, 0)],
        Kind.FALL: [(45, 45, 2, 0)],
        Kind.WIDTH: [(15, 45, 2, 30), (10, 70, 4, 60)],
        Kind.PERIOD: [(30, 60, 3, 30)],
    }


@WAYS
def test_an_early_response_has_a_signed_rise_from_its_strike_and_no_fall(way):
    found = matched(way, [(90, A), (100, S), (110, B)], early_ticks=10)
    assert rows(found.samples[Kind.RISE]) == [(-10, 100, 1, 100)]
    assert rows(found.samples[Kind.FALL]) == []


@WAYS
def test_a_second_trailing_edge_ends_no_response_again(way):
    found = matched(way, [(0, S), (30, A), (45, B), (60, B)])
    assert rows(found.samples[Kind.FALL]) == [(45, 45, 2, 0)]
    assert rows(found.samples[Kind.WIDTH]) == [(15, 45, 2, 30), (30, 60, 3, 30)]
