"""The matcher's rules on the host: planted events in, samples written out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.protocol.registers import Policy
from plexor.results import EVENT_DTYPE
from plexor.samples import Rules, _match_in_step, _match_in_turn, channel_samples


def events(*rows):
    """Return events of (time, source, polarity), strike0 being source 8."""
    made = np.zeros(len(rows), EVENT_DTYPE)
    for index, (time, source, polarity) in enumerate(rows):
        made[index] = (time, index, source, polarity)
    return made


def rise(rows, **rules):
    return channel_samples(events(*rows), 0, Rules(8, **rules)).rise.value_ticks.tolist()


S, R = (8, 1), (0, 1)


def test_every_kind_of_sample_of_two_responses():
    found = channel_samples(
        events(
            (100, 8, 1),
            (110, 0, 1),
            (115, 0, 0),
            (120, 8, 0),
            (200, 8, 1),
            (213, 0, 1),
            (220, 0, 0),
        ),
        0,
        Rules(8),
    )
    assert found.rise.value_ticks.tolist() == [10, 13]
    assert found.fall.value_ticks.tolist() == [15, 20]
    assert found.width.value_ticks.tolist() == [5, 7]
    assert found.period.value_ticks.tolist() == [103]
    assert found.rise.index.tolist() == [1, 5]
    assert found.fall.time_ticks.tolist() == [115, 220]


def test_latencies_over_a_period_answer_the_oldest_strike():
    assert rise([(0, *S), (100, *S), (150, *R), (200, *S), (260, *R)]) == [150, 160]


def test_a_strike_past_its_timeout_is_never_answered():
    rows = [(0, *S), (100, *S), (151, *R)]
    assert rise(rows, timeout_ticks=151) == [151]
    assert rise(rows, timeout_ticks=150) == [51]


def test_latest_answers_the_last_strike():
    rows = [(0, *S), (100, *S), (150, *R)]
    assert rise(rows, policy=Policy.LATEST) == [50]


def test_window_ignores_a_response_that_comes_too_soon():
    rows = [(0, *S), (9, *R), (10, *R)]
    assert rise(rows, policy=Policy.WINDOW, window_min_ticks=10) == [10]


def test_a_full_queue_refuses_the_new_strike():
    rows = [(0, *S), (10, *S), (20, *S), (25, *R), (30, *R), (35, *R)]
    assert rise(rows, queue_depth=2) == [25, 20]


def test_an_early_response_has_a_negative_latency_and_no_fall():
    found = channel_samples(events((95, 0, 1), (97, 0, 0), (100, 8, 1)), 0, Rules(8, early_ticks=5))
    assert found.rise.value_ticks.tolist() == [-5]
    assert found.rise.index.tolist() == [2]
    assert found.fall.value_ticks.tolist() == []
    assert found.width.value_ticks.tolist() == [2]


def test_a_response_earlier_than_allowed_is_no_response():
    assert rise([(94, *R), (100, *S)], early_ticks=5) == []


def test_a_falling_edge_can_be_the_strike_of_another_channel():
    rows = events((10, 1, 1), (20, 1, 0), (33, 0, 1))
    found = channel_samples(rows, 0, Rules(1, reference_polarity=0))
    assert found.rise.value_ticks.tolist() == [13]


@pytest.mark.parametrize("timeout", [3, 40])
@given(data=st.data())
def test_matching_at_once_equals_matching_in_turn(timeout, data):
    steps = data.draw(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=40))
    times = np.cumsum([step for step, _ in steps]).astype(np.int64)
    kinds = np.array([kind for _, kind in steps], bool)
    rules = Rules(8, timeout_ticks=timeout, queue_depth=4)
    strikes, active = np.flatnonzero(~kinds), np.flatnonzero(kinds)
    at_once = _match_in_step(times, strikes, active, rules)
    if at_once is not None:
        in_turn = _match_in_turn(times, strikes, active, rules)
        assert [part.tolist() for part in at_once] == [part.tolist() for part in in_turn]
