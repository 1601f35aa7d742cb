# SPDX-License-Identifier: Apache-2.0
"""A bound holds on its own side, at its limit as its name says, and says what would be right."""

from fractions import Fraction

import pytest

from plexor.base.constraints import Ge, Gt, Le, Lt, said


@pytest.mark.parametrize(
    ("bound", "below", "at", "above"),
    [
        (Ge(3), False, True, True),
        (Gt(3), False, False, True),
        (Le(3), True, True, False),
        (Lt(3), True, False, False),
    ],
)
@pytest.mark.parametrize("step", [1, Fraction(1, 10**30), 0.5])
def test_a_bound_holds_on_its_side_and_at_its_limit_as_it_says(bound, below, at, above, step):
    assert [bound.holds(value) for value in (3 - step, 3, 3 + step)] == [below, at, above]


def test_all_bounds_of_a_number_are_said():
    assert said([Ge(0), Lt(8)]) == "0 or more, below 8"
    assert said([Gt(0), Le(1)]) == "above 0, at most 1"
    assert said([Ge(0), Le(7)]) == "0 to 7"
    assert said([Lt(8)]) == "below 8"
