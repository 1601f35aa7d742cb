# SPDX-License-Identifier: Apache-2.0
"""Formulas A + B N, against sums of single terms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.bound.formula import MOST, ZERO, Formula

PARTS = st.fractions(max_denominator=10**6)
FORMULAS = st.builds(Formula, PARTS, PARTS)


@given(FORMULAS, st.integers(0, 200))
def test_a_formula_is_its_fixed_part_and_n_times_the_other(formula, n):
    assert formula.at(n) == formula.fixed + sum([formula.per_n] * n)


@given(FORMULAS, FORMULAS, PARTS, st.integers(0, MOST))
def test_sums_and_multiples_are_those_of_the_values_at_each_n(one, other, factor, n):
    assert (one + other).at(n) == one.at(n) + other.at(n)
    assert one.times(factor).at(n) == one.at(n) * factor
    assert (one + ZERO) == one


@pytest.mark.parametrize("n", [-1, MOST + 1])
def test_an_n_out_of_range_is_refused(n):
    with pytest.raises(ValueError, match=rf"N: {n}; must be a whole number from 0 to {MOST}"):
        Formula(Fraction(1)).at(n)


@pytest.mark.parametrize("n", [0, MOST])
def test_the_least_and_the_greatest_n_are_taken(n):
    assert Formula(Fraction(3), Fraction(1, 2)).at(n) == 3 + n // 2
