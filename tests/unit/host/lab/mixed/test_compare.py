# SPDX-License-Identifier: Apache-2.0
"""Modes beside each other, and the least distance that is safe."""

from fractions import Fraction

from plexor_lab.mixed.compare import least_safe, ratio_of
from plexor_lab.mixed.summary import moments_of, summary_of

from .lists import MS, STEP, run_of

SDS = Fraction(3)


def test_a_ratio_is_that_of_the_means_and_of_the_variances():
    found = ratio_of(moments_of([0, 2]), moments_of([0, 6]))
    assert (found.mean, found.variance, found.mean_change) == (3, 9, 2)


def test_there_is_no_multiple_of_nothing():
    found = ratio_of(moments_of([0, 0]), moments_of([1, 3]))
    assert (found.mean, found.variance, found.mean_change) == (None, None, None)
    assert ratio_of(None, moments_of([1])).mean is None
    assert ratio_of(moments_of([1]), None).mean is None


def delayed(distance, delay_ticks):
    """Return the figures of a sweep's run whose messages take that long."""
    late = max(delay_ticks - distance * STEP, 0)
    return summary_of(run_of([late + number for number in range(8)], distance=distance), SDS)


def test_with_a_message_delay_of_72_ms_one_step_fails_and_two_are_the_least_safe():
    found = {distance: delayed(distance, 73 * MS) for distance in (0, 1, 2, 3)}
    assert not found[1].safe
    assert least_safe(found) == 2


def test_the_least_safe_distance_is_the_delay_in_steps_rounded_up():
    for delay in (0, 1, STEP // 2, STEP, 2 * STEP - MS // 2, 2 * STEP + 2 * MS):
        found = {distance: delayed(distance, delay) for distance in range(5)}
        # Up to the limit of 1 ms a response may be late.
        assert least_safe(found) == max(-(-(delay + 8 - MS) // STEP), 0)


def test_a_distance_below_one_that_fails_is_not_safe():
    safe, fails = summary_of(run_of([0]), SDS), summary_of(run_of([None]), SDS)
    assert least_safe({0: safe, 1: fails, 2: safe, 3: safe}) == 2
    assert least_safe({0: safe, 1: fails}) is None
    assert least_safe({}) is None
