"""Saturation frequencies of two sweeps: their difference, by the ends of their brackets."""

from fractions import Fraction

import pytest

from plexor.sweep.compare import BracketLaw, differences
from plexor.sweep.model import Bracket

from ..sweeps import figures, knee, result, step


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
        # Both sustain all that was tried: the highest rate of both is compared.
        ((100, None), (300, None), 0, 0),
        # Both sustain nothing: nothing has changed.
        ((None, 10), (None, 500), 0, 0),
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
        ("ISR, cpu", 0, 25_000),
    ]


def test_of_two_that_sustain_all_the_lower_rate_is_compared_with_itself():
    law = BracketLaw(bracket(100, None), bracket(300, None))
    found = law.excess(Fraction(1, 10), 0.05, 0.05)
    assert (found.least, found.most) == (100 - 110, 100 - 110)
