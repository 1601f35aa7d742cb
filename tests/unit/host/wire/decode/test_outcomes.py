# SPDX-License-Identifier: Apache-2.0
"""Outcomes: each strike and each response in its class, and the pairs that matching made."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plexor.model.results import EVENT_DTYPE, Kind
from plexor.protocol.memory import ResponseClass as R
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.outcomes import NONE, PENDING, outcomes
from plexor.wire.decode.rematch import rematch

from .test_at_once import RULES, STEPS, events


def rules(policy=Policy.OLDEST, timeout=100, early=0, depth=4):
    return Rules(0, 8, 1, policy, timeout, 0, early, 50, depth)


def of(rows, taken, end=1000):
    """Outcomes of (time, source, polarity) rows."""
    made = np.zeros(len(rows), EVENT_DTYPE)
    for index, row in enumerate(rows):
        made[index] = (row[0], index, *row[1:])
    return outcomes(made, taken, rematch(made, taken, end))


def test_each_strike_and_each_response_has_its_class():
    rows = [
        (10, 0, 1),  # nothing was struck yet
        (15, 0, 0),
        (100, 8, 1),  # answered
        (130, 0, 1),
        (135, 0, 0),
        (150, 0, 1),  # again
        (155, 0, 0),
        (300, 8, 1),  # answered late
        (351, 0, 1),
        (400, 8, 1),  # never answered
        (950, 8, 1),  # not yet
    ]
    found = of(rows, rules())
    assert found.strikes.tolist() == [2, 7, 9, 10]
    assert found.strike_class.tolist() == [R.ANSWERED, R.LATE, R.MISSED, PENDING]
    assert found.answer_of.tolist() == [1, 3, NONE, NONE]
    assert found.responses.tolist() == [0, 3, 5, 8]
    assert found.response_class.tolist() == [R.SPURIOUS, R.ANSWERED, R.DUPLICATE, R.LATE]
    assert found.strike_of.tolist() == [NONE, 0, NONE, 1]
    assert found.latency_ticks.tolist() == [0, 30, 0, 51]


def test_a_response_before_its_strike_is_paired_with_it():
    found = of([(95, 0, 1), (97, 0, 0), (100, 8, 1)], rules(early=10))
    assert found.answer_of.tolist() == [0]
    assert found.latency_ticks.tolist() == [-5]


def test_strikes_that_found_the_queue_full_are_missed_and_the_queued_ones_pending():
    found = of([(10, 8, 1), (20, 8, 1), (30, 8, 1)], rules(depth=2), end=40)
    assert found.strike_class.tolist() == [PENDING, PENDING, R.MISSED]


def test_of_no_events_there_is_nothing():
    found = of([], rules(early=5))
    assert (len(found.strikes), len(found.responses)) == (0, 0)


def apart(steps):
    """The steps, with a tick between edges of one source."""
    found, seen = [], set()
    for step, what in steps:
        seen = set() if step else seen
        found.append((step or int(what in seen), what))
        seen = {what} if what in seen else {*seen, what}
    return found


@given(STEPS.map(apart), RULES, st.integers(0, 120))
def test_classes_are_as_many_as_the_matcher_counted(steps, taken, rest):
    made = events(steps)
    end = (int(made["time_ticks"][-1]) if len(made) else 0) + rest
    matched = rematch(made, taken, end)
    found = outcomes(made, taken, matched)
    counted = matched.classes
    strikes, responses = (
        Counter(found.strike_class.tolist()),
        Counter(found.response_class.tolist()),
    )
    assert strikes[PENDING] == matched.pending
    assert strikes[R.MISSED] == counted[R.MISSED]
    for kind in (R.ANSWERED, R.LATE):
        assert strikes[kind] == responses[kind] == counted[kind]
    for kind in (R.DUPLICATE, R.SPURIOUS):
        assert responses[kind] == counted[kind]
    pairs = found.strike_of[found.strike_of != NONE]
    assert found.answer_of[pairs].tolist() == np.flatnonzero(found.strike_of != NONE).tolist()
    values = found.latency_ticks[found.strike_of != NONE].tolist()
    assert sorted(values) == sorted(matched.samples[Kind.RISE].value_ticks.tolist())
