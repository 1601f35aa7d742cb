# SPDX-License-Identifier: Apache-2.0
"""Times per operation: exact, with the base taken off and the first samples out where asked."""

from fractions import Fraction
from statistics import pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.bench.operations import per_operation

TICKS = st.integers(0, 10**15)


@given(st.lists(TICKS, min_size=1), TICKS, st.integers(1, 10**6))
def test_operations_of_whole_ticks_are_found_behind_any_base(operations, base, iterations):
    samples = [base + iterations * operation for operation in operations]
    found = per_operation(samples, iterations=iterations, base_ticks=base)
    assert found.min_ticks == min(operations)
    assert found.max_ticks == max(operations)
    assert found.mean_ticks == Fraction(sum(operations), len(operations))
    assert found.variance_ticks2 == pvariance([Fraction(each) for each in operations])
    assert (found.count, found.clamped) == (len(operations), 0)


@pytest.mark.parametrize(
    ("rest", "operation"), [(20, Fraction(20, 3)), (21, 7), (22, Fraction(22, 3))]
)
def test_a_time_between_two_ticks_is_a_fraction_and_not_rounded(rest, operation):
    found = per_operation([12 + rest] * 3, iterations=3, base_ticks=12)
    assert found.min_ticks == found.mean_ticks == found.max_ticks == operation
    mean = per_operation([12 + rest, 12 + 21, 12 + 3], iterations=3, base_ticks=12).mean_ticks
    assert mean == Fraction(rest + 24, 9)


def test_a_sample_below_the_base_is_0_and_counted_and_one_at_the_base_is_not():
    found = per_operation([12 + 61_000, 11, 12, 0], iterations=1000, base_ticks=12)
    assert (found.min_ticks, found.max_ticks) == (0, 61)
    assert found.mean_ticks == Fraction(61, 4)
    assert (found.base_ticks, found.clamped, found.count) == (12, 2, 4)


def test_the_first_samples_are_left_out_only_where_that_is_asked_for():
    samples = [5, 900, 100, 200]
    assert per_operation(samples).max_ticks == 900
    assert per_operation(samples, base_ticks=10).clamped == 1
    later = per_operation(samples, base_ticks=10, skip_first=2)
    assert (later.min_ticks, later.mean_ticks, later.max_ticks) == (90, 140, 190)
    assert (later.count, later.clamped) == (2, 0)


@pytest.mark.parametrize("tick_ps", [5, 500])
def test_two_context_switches_differ_by_7_835_us(tick_ps):
    # A switch with the floating point unit's registers, and one without: 14.245 and 6.410 µs. The
    # difference of the means is 55.0 % of the first.
    whole, without = (per_operation([ps // tick_ps] * 9) for ps in (14_245_000, 6_410_000))
    difference = whole.mean_ticks - without.mean_ticks
    assert difference * tick_ps == 7_835_000
    assert round(float(difference / whole.mean_ticks), 3) == 0.550


@pytest.mark.parametrize(
    ("samples", "options", "wrong"),
    [
        ([1], {"iterations": 0}, "iterations: 0; must be 1 or more"),
        ([1], {"base_ticks": -1}, "base_ticks: -1; must be 0 or more"),
        ([1], {"skip_first": -1}, "skip_first: -1; must be 0 or more"),
        ([1, 2], {"skip_first": 2}, "skip_first: 2 of 2 samples; must leave one"),
        ([], {}, "skip_first: 0 of 0 samples; must leave one"),
        ([1, -3], {}, "samples_ticks: -3; must be 0 or more"),
    ],
)
def test_a_wrong_argument_is_refused_with_what_would_be_right(samples, options, wrong):
    with pytest.raises(ValueError, match=f"^{wrong}$"):
        per_operation(samples, **options)
