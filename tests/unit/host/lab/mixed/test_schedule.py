# SPDX-License-Identifier: Apache-2.0
"""The schedule list: ids in sequence or drawn from a seed, spacing and distance exact."""

from itertools import pairwise

import pytest

from plexor_lab.mixed.model import Order
from plexor_lab.mixed.schedule import MOST_SPACING, entries, sequential

from .lists import schedule


def test_sequential_ids_follow_each_other_and_begin_again():
    assert [entry.event_id for entry in entries(schedule(count=20))] == [
        *range(8),
        *range(8),
        0,
        1,
        2,
        3,
    ]


def test_random_ids_are_the_same_for_a_seed_and_others_for_another():
    drawn = [
        [entry.event_id for entry in entries(schedule(count=4000, order=Order.RANDOM, seed=seed))]
        for seed in (7, 7, 8)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    counts = [drawn[0].count(event_id) for event_id in range(8)]
    assert sum(counts) == 4000
    # 500 each on average; 21 is the standard deviation of each count.
    assert all(abs(count - 500) < 5 * 21 for count in counts)


def test_the_first_random_ids_of_a_seed_never_change():
    """Those of Python's own generator (Mersenne Twister), whose random() is promised to stay."""
    found = entries(schedule(order=Order.RANDOM, seed=1))
    assert [entry.event_id for entry in found] == [1, 6, 6, 2, 3, 3, 5, 6]


def test_a_sequential_copy_has_the_same_due_steps():
    drawn = schedule(order=Order.RANDOM, spacing_steps=3)
    assert [e.due_step for e in entries(sequential(drawn))] == [e.due_step for e in entries(drawn)]
    assert [e.event_id for e in entries(sequential(drawn))] == [*range(8)]


@pytest.mark.parametrize("spacing", [1, 2, 5])
@pytest.mark.parametrize("distance", [0, 1, 2])
def test_due_less_issue_is_the_distance_and_entries_are_spaced_exactly(spacing, distance):
    found = entries(schedule(spacing_steps=spacing), distance)
    assert {entry.due_step - entry.issue_step for entry in found} == {distance}
    assert {b.due_step - a.due_step for a, b in pairwise(found)} == {spacing}
    assert found[0].due_step == 4


def test_entries_that_nobody_issues_have_no_issue_step():
    assert {entry.issue_step for entry in entries(schedule())} == {None}


@pytest.mark.parametrize(
    ("changes", "distance", "says"),
    [
        ({"count": 0}, 0, "0 entries"),
        ({"spacing_steps": 0}, 0, "0 steps"),
        ({"ids": 17}, 0, "ids: 17"),
        ({"first_step": 0}, None, "first_step: 0"),
        ({}, -1, "-1 steps"),
        ({}, 128, "128 steps"),
        ({"first_step": 2}, 2, "above the distance"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(changes, distance, says):
    with pytest.raises(ValueError, match=says):
        entries(schedule(**changes), distance)


@pytest.mark.parametrize(
    ("changes", "distance"),
    [
        ({"count": 1}, 1),
        ({"spacing_steps": 1}, 1),
        ({"spacing_steps": MOST_SPACING, "count": 2}, 1),
        ({"ids": 1}, 1),
        ({"ids": 16}, 1),
        ({"first_step": 1}, None),
        ({"first_step": 128}, 127),
        ({"first_step": 3}, 2),
    ],
)
def test_the_least_and_the_greatest_that_a_schedule_can_be_are_taken(changes, distance):
    wanted = schedule(**changes)
    found = entries(wanted, distance)
    assert len(found) == wanted.count
    assert MOST_SPACING == 65_536
    assert found[-1].due_step - found[0].due_step == (wanted.count - 1) * wanted.spacing_steps
    assert {entry.event_id for entry in found} <= set(range(wanted.ids))
