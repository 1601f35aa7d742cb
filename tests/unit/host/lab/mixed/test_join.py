# SPDX-License-Identifier: Apache-2.0
"""Each entry has one status, to the tick; what belongs to no entry is extra."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.mixed.join import in_order, join
from plexor_lab.mixed.model import Limits, Response, Status

from .lists import LIMITS, MS, STEP, listed

PLANTED = {
    "on its tick": (0, Status.DONE),
    "a tick late": (1, Status.DONE),
    "at the limit": (MS, Status.DONE),
    "a tick above the limit": (MS + 1, Status.LATE),
    "at the time-out": (STEP, Status.LATE),
    "a tick early": (-1, Status.EARLY),
    "as early as can be": (-STEP // 2, Status.EARLY),
}


@pytest.mark.parametrize("case", PLANTED)
def test_a_planted_lateness_is_exact_to_the_tick_both_ways(case):
    lateness, status = PLANTED[case]
    entries, due = listed(1)
    found = join(entries, due, [Response(due[0] + lateness, 0)], LIMITS)
    assert found.extras == ()
    assert [(row.lateness_ticks, row.status) for row in found.rows] == [(lateness, status)]


@pytest.mark.parametrize("lateness", [STEP + 1, -STEP // 2 - 1])
def test_a_tick_outside_of_what_an_entry_waits_is_missed_and_extra(lateness):
    entries, due = listed(1)
    response = Response(due[0] + lateness, 0)
    found = join(entries, due, [response], LIMITS)
    assert found.rows[0].status is Status.MISSED
    assert found.rows[0].lateness_ticks is None
    assert found.extras == (response,)


def test_a_wrong_id_is_extra_and_its_entry_missed():
    entries, due = listed(3)
    responses = [Response(due[0] + 5, 0), Response(due[1] + 5, 6), Response(due[2] + 5, 2)]
    found = join(entries, due, responses, LIMITS)
    assert [row.status for row in found.rows] == [Status.DONE, Status.MISSED, Status.DONE]
    assert found.extras == (responses[1],)


def test_a_second_response_and_a_code_that_is_no_id_are_extra():
    entries, due = listed(1)
    responses = [Response(due[0], None), Response(due[0] + 1, 0), Response(due[0] + 2, 0)]
    found = join(entries, due, responses, LIMITS)
    assert found.rows[0].lateness_ticks == 1
    assert found.extras == (responses[0], responses[2])


def test_one_that_is_missed_does_not_shift_the_next_with_its_id():
    entries, due = listed(4, ids=1)
    late = [None, 7, None, 9]
    responses = [
        Response(time + each, 0) for time, each in zip(due, late, strict=True) if each is not None
    ]
    # A time-out below the spacing less what is usual keeps them apart.
    limits = Limits(Fraction(MS), Fraction(STEP), Fraction(0))
    found = join(entries, due, responses, limits)
    assert [row.lateness_ticks for row in found.rows] == late


OUTCOMES = st.sampled_from(["done", "late", "early", "missed", "wrong", "twice"])


@given(
    kinds=st.lists(OUTCOMES, min_size=1, max_size=60),
    random=st.randoms(use_true_random=False),
)
def test_all_that_was_planted_is_found_and_scheduled_is_the_sum(kinds, random):
    entries, due = listed(len(kinds), ids=16)
    truth, responses, extras = [], [], []
    for kind, entry, time in zip(kinds, entries, due, strict=True):
        lateness = {
            "late": random.randint(MS + 1, STEP // 4),
            "early": -random.randint(1, STEP // 4),
        }.get(kind, random.randint(0, MS))
        answers = kind not in ("missed", "wrong")
        truth.append(lateness if answers else None)
        if answers:
            responses.append(Response(time + lateness, entry.event_id))
        if kind == "wrong":
            # An id of 16 whose entries are more than a time-out away.
            extras.append(Response(time + lateness, (entry.event_id + 8) % 16))
        if kind == "twice":
            extras.append(Response(time + lateness + 1, entry.event_id))
    responses = sorted([*responses, *extras], key=lambda each: each.time_ticks)
    found = join(entries, due, responses, LIMITS)
    assert [row.lateness_ticks for row in found.rows] == truth
    assert sorted(found.extras, key=str) == sorted(extras, key=str)
    counts = Counter(row.status for row in found.rows)
    planted = Counter(kinds)
    assert counts[Status.DONE] == planted["done"] + planted["twice"]
    assert counts[Status.LATE] == planted["late"]
    assert counts[Status.EARLY] == planted["early"]
    assert counts[Status.MISSED] == planted["missed"] + planted["wrong"]
    assert sum(counts.values()) == len(entries)


def test_responses_without_ids_answer_one_after_the_other():
    entries, due = listed(2)
    assert in_order(entries, [due[0] + 1, due[1] + 2, due[1] + 3]) == [
        Response(due[0] + 1, 0),
        Response(due[1] + 2, 1),
        Response(due[1] + 3, None),
    ]


def test_due_times_that_do_not_fit_are_refused():
    entries, due = listed(2)
    with pytest.raises(ValueError, match="1 due times; must be 2"):
        join(entries, due[:1], [], LIMITS)
    with pytest.raises(ValueError, match="due times fall"):
        join(entries, due[::-1], [], LIMITS)
