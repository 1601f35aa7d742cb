"""The instrument's matching again on the host: each rule by a case worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.decode.rematch import Lane, Rules, Samples, bins_of, measurement_of
from plexor.model.results import EVENT_DTYPE, Kind
from plexor.protocol.memory import ResponseClass as R
from plexor.protocol.memory import bin_of
from plexor.protocol.registers import Policy

S, A, B = (8, 1), (0, 1), (0, 0)
"""A strike, the edge to the active level, the edge back."""


def matched(events, end_ticks=10_000, **rules):
    """The lane of channel 0 after (time, kind) events."""
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
    lane = Lane(Rules(**defaults | rules))
    lane.run(array, end_ticks)
    return lane


def classes(lane):
    """The classes that are not empty."""
    return {name: count for name, count in lane.classes.items() if count}


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


@pytest.mark.parametrize("name", CASES)
def test_each_strike_and_edge_is_in_the_class_of_the_rules(name):
    events, rules, expected = CASES[name]
    assert classes(matched(events, **rules)) == expected


def test_a_strike_at_the_end_is_pending_until_its_time_out():
    assert matched([(0, S)], end_ticks=100).pending == 1
    lane = matched([(0, S)], end_ticks=101)
    assert (lane.pending, classes(lane)) == (0, {R.STRIKES: 1, R.MISSED: 1})


def test_samples_carry_index_and_time_of_the_event_that_completed_them():
    lane = matched([(0, S), (30, A), (45, B), (60, A), (70, B)])
    samples = {kind: (s.values, s.indices, s.times) for kind, s in lane.samples.items()}
    assert samples == {
        Kind.RISE: ([30], [1], [30]),
        Kind.FALL: ([45], [2], [45]),
        Kind.WIDTH: ([15, 10], [2, 4], [45, 70]),
        Kind.PERIOD: ([30], [3], [60]),
    }


def test_an_early_response_has_a_signed_rise_and_no_fall():
    lane = matched([(90, A), (100, S), (110, B)], early_ticks=10)
    rise = lane.samples[Kind.RISE]
    assert (rise.values, rise.indices, rise.times) == ([-10], [1], [100])
    assert lane.samples[Kind.FALL].values == []


def test_intervals_and_fall_latencies_end_at_31_bits():
    far = 1 << 33
    lane = matched([(0, S), (30, A), (far, B), (2 * far, A)], end_ticks=3 * far)
    limit = (1 << 31) - 1
    assert [lane.samples[kind].values for kind in (Kind.FALL, Kind.WIDTH, Kind.PERIOD)] == [
        [limit]
    ] * 3


@given(
    st.lists(
        st.one_of(
            st.integers(-(1 << 31), (1 << 33)), st.integers(0, 31).map(lambda bits: (1 << bits) - 1)
        ),
        max_size=50,
    ),
    st.integers(2, 8),
)
def test_bins_are_those_of_the_contract(values, mantissa_bits):
    expected = [0] * (1 << mantissa_bits + 5)
    for value in values:
        expected[bin_of(value, mantissa_bits)] += 1
    assert bins_of(np.array(values, dtype=np.int64), mantissa_bits).tolist() == expected


def test_the_first_of_equal_extremes_is_named():
    samples = Samples([7, 3, 7, 3], [0, 1, 2, 3], [10, 11, 12, 13])
    figures = measurement_of(Kind.RISE, samples, 4).statistics
    assert (figures.min_index, figures.min_time_ticks) == (1, 11)
    assert (figures.max_index, figures.max_time_ticks) == (0, 10)
    assert figures.sum_sq_ticks2 == 116
