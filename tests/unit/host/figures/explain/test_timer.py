# SPDX-License-Identifier: Apache-2.0
"""Timers: the period and the late part that were planted, and likelihoods by hand."""

import math

import numpy as np
import pytest

from plexor.figures.explain.timer import likelihood, slope_of, timer_of


def test_a_likelihood_is_that_of_two_shares():
    by_hand = 3 * math.log(0.75) + math.log(0.25) + 2 * math.log(2 / 6) + 4 * math.log(4 / 6)
    assert likelihood(3, 4, 5, 10) == pytest.approx(by_hand)


def test_strikes_that_a_law_puts_off_without_exception_leave_nothing_unexplained():
    assert likelihood(4, 4, 4, 10) == 0.0


def test_a_slope_is_that_of_the_line_through_values():
    number = np.array([0.0, 1.0, 2.0, 5.0])
    assert slope_of(number, 7 + 3 * number) == pytest.approx(3)
    assert slope_of(np.zeros(3), np.array([1.0, 2.0, 3.0])) == 0.0


def test_the_planted_period_and_the_strikes_in_its_late_part_are_found():
    random = np.random.default_rng(3)
    since = np.cumsum(random.uniform(50, 150, 2000))
    since -= since[0]
    late = (since + 123.0) % 1717.7 < 90.0
    found = timer_of(late, since, since)
    assert found is not None
    assert found.period_ticks == pytest.approx(1717.7, rel=1e-4)
    assert (found.inside == late).all()
    assert found.fit == 0.0


def test_late_answers_at_one_time_have_no_period():
    late = np.zeros(20, np.bool_)
    late[5:9] = True
    assert timer_of(late, np.arange(20.0), np.arange(20.0)) is None


def test_a_slope_is_exact_however_far_from_0_its_values_are():
    number = np.arange(5.0)
    assert slope_of(number, 2.0**52 + 1 + 3 * number) == 3.0
