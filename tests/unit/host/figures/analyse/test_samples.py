# SPDX-License-Identifier: Apache-2.0
"""The matcher's rules on the host: planted events in, samples written out by hand."""

import numpy as np

from plexor.figures.analyse.samples import channel_samples
from plexor.model.results import EVENT_DTYPE
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import Rules


def events(*rows):
    """Return events of (time, source, polarity), strike0 being source 8."""
    made = np.zeros(len(rows), EVENT_DTYPE)
    for index, (time, source, polarity) in enumerate(rows):
        made[index] = (time, index, source, polarity)
    return made


def rules(**other):
    """Return rules of channel 0 after strike0."""
    usual = {
        "channel_source": 0,
        "reference_source": 8,
        "reference_polarity": 1,
        "policy": Policy.OLDEST,
        "timeout_ticks": 1000,
        "window_min_ticks": 0,
        "early_ticks": 0,
        "deadline_ticks": 1 << 30,
        "queue_depth": 64,
    }
    return Rules(**usual | other)


def rise(rows, **other):
    return channel_samples(events(*rows), rules(**other), 9000).rise.value_ticks.tolist()


S, R = (8, 1), (0, 1)


TWO_RESPONSES = (
    (100, 8, 1),
    (110, 0, 1),
    (115, 0, 0),
    (120, 8, 0),
    (200, 8, 1),
    (213, 0, 1),
    (220, 0, 0),
)


def check_two_responses(found):
    assert found.rise.value_ticks.tolist() == [10, 13]
    assert found.fall.value_ticks.tolist() == [15, 20]
    assert found.width.value_ticks.tolist() == [5, 7]
    assert found.period.value_ticks.tolist() == [103]
    assert found.rise.index.tolist() == [1, 5]
    assert found.fall.time_ticks.tolist() == [115, 220]
    assert found.rise.start_ticks.tolist() == found.fall.start_ticks.tolist() == [100, 200]


def test_every_kind_of_sample_of_two_responses():
    check_two_responses(channel_samples(events(*TWO_RESPONSES), rules(), 9000))


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
    rows = events((95, 0, 1), (97, 0, 0), (100, 8, 1))
    found = channel_samples(rows, rules(early_ticks=5), 9000)
    assert found.rise.start_ticks.tolist() == [100]
    assert found.rise.value_ticks.tolist() == [-5]
    assert found.rise.index.tolist() == [2]
    assert found.fall.value_ticks.tolist() == []
    assert found.width.value_ticks.tolist() == [2]


def test_a_response_earlier_than_allowed_is_no_response():
    assert rise([(94, *R), (100, *S)], early_ticks=5) == []


def test_a_falling_edge_can_be_the_strike_of_another_channel():
    rows = events((10, 1, 1), (20, 1, 0), (33, 0, 1))
    found = channel_samples(rows, rules(reference_source=1, reference_polarity=0), 9000)
    assert found.rise.value_ticks.tolist() == [13]
