# SPDX-License-Identifier: Apache-2.0
"""Saturation frequencies of two sweeps: their difference, by the ends of their brackets."""

from fractions import Fraction

import pytest

from plexor.experiments.sweep.compare import BracketLaw, differences
from plexor.experiments.sweep.model import Bracket
from plexor.figures.judge.compare import OpenEnd

from ...sweeps import figures, knee, result, step


def bracket(low, high):
    return Bracket(*(None if end is None else Fraction(end) for end in (low, high)))


@pytest.mark.parametrize(
    ("before", "after", "least", "most"),
    [
        # The least is the second's passing rate less the first's failing one, and the reverse.
        ((100, 110), (150, 160), 40, 60),
        ((100, 110), (105, 115), -5, 15),
        ((None, 10), (20, 30), 10, 30),
        ((100, 110), (200, None), 90, None),
        ((100, None), (50, 60), None, -40),
        # Both sustain all that was tried: either may be the higher by any amount.
        ((100, None), (300, None), None, None),
        ((100, None), (100, None), None, None),
        # Both sustain nothing that was tried.
        ((None, 10), (None, 500), -10, 500),
    ],
)
def test_a_difference_lies_between_the_ends_of_both_brackets(before, after, least, most):
    found = BracketLaw(bracket(*before), bracket(*after)).excess(Fraction(0), 0.05, 0.05)
    assert (found.least, found.most) == (least, most)


def test_a_part_is_of_the_first_frequency():
    # 10 % more than 100 to 110 Hz is 110 to 121 Hz.
    law = BracketLaw(bracket(100, 110), bracket(150, 160))
    found = law.excess(Fraction(1, 10), 0.05, 0.05)
    assert (found.least, found.most) == (150 - 121, 160 - 110)


def test_more_strikes_are_no_cure():
    law = BracketLaw(bracket(1, 2), bracket(1, 2))
    assert (law.counts, law.least_count(0.05)) == (None, 0)


def swept(*knees):
    return result([step("none", 20_000, figures("ISR"))], knees)


def test_channels_and_loads_that_both_have_are_compared_by_name():
    before = swept(
        knee("none", "ISR", 30_000, 40_000),
        knee("cpu", "ISR", None, 20_000),
        knee("cpu", "APP", 20_000, 25_000),
    )
    after = swept(knee("cpu", "ISR", 25_000, 40_000), knee("none", "ISR", 20_000, 30_000))
    found = differences(before, after)
    assert [(each.channel, each.before, each.after) for each in found] == [
        ("ISR", 30_000, 20_000),
        ("ISR, cpu", 20_000, 25_000),
    ]
    assert [each.before_bound for each in found] == [None, OpenEnd.BELOW]
    assert [each.change for each in found] == [Fraction(-1, 3), None]


@pytest.mark.parametrize(
    ("before", "after", "ends"),
    [
        ((80, None), (8, 9), (None, Fraction(-9, 10))),
        ((8, 9), (80, None), (9, None)),
        ((None, 20), (30, 40), (Fraction(1, 2), None)),
        ((30, 40), (None, 15), (None, Fraction(-1, 2))),
        ((80, None), (80, None), (None, None)),
        ((100, 110), (150, 160), (Fraction(1, 2), Fraction(1, 2))),
    ],
)
def test_the_change_of_a_bound_has_one_end_at_most(before, after, ends):
    (found,) = differences(swept(knee("none", "ISR", *before)), swept(knee("none", "ISR", *after)))
    assert found.change_ends == ends
    assert (found.change is None) == (ends[0] != ends[1] or ends[0] is None)
