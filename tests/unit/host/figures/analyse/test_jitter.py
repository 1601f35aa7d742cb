# SPDX-License-Identifier: Apache-2.0
"""The jitters, each against values worked out by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.figures.analyse.jitter import period_jitter, rms_ticks, sliding_span, variance_ticks2


def test_127_values_do_not_fill_the_window():
    values = np.zeros(127, np.int64)
    values[0] = 9
    span = sliding_span(values)
    assert (span.current_ticks, span.greatest_ticks, span.full) == (9, 9, False)


def test_the_128th_value_back_is_the_oldest_in_the_window():
    values = np.zeros(128, np.int64)
    values[0] = 9
    span = sliding_span(values)
    assert (span.current_ticks, span.greatest_ticks, span.full) == (9, 9, True)


def test_the_129th_value_back_has_left_the_window():
    values = np.zeros(129, np.int64)
    values[0] = 9
    span = sliding_span(values)
    assert (span.current_ticks, span.greatest_ticks, span.greatest_end) == (0, 9, 127)


def test_the_greatest_window_is_not_the_span_of_all():
    values = np.concatenate([np.zeros(128), np.full(128, 100), np.full(128, 150)])
    span = sliding_span(values.astype(np.int64))
    assert (span.current_ticks, span.greatest_ticks) == (0, 100)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=60), st.integers(1, 20))
def test_sliding_spans_equal_those_of_every_window(values, window):
    span = sliding_span(np.array(values), window)
    spans = [
        max(part) - min(part)
        for end in range(1, len(values) + 1)
        for part in [values[max(end - window, 0) : end]]
    ]
    assert span.current_ticks == spans[-1]
    assert span.greatest_ticks == max(spans)


def test_rms_and_variance_come_from_exact_integer_sums():
    # 2, 4, 4, 4, 5, 5, 7, 9: sum 40, squares 232, variance 4.
    assert variance_ticks2(8, 40, 232) == 4
    assert rms_ticks(8, 40, 232) == 2.0
    assert variance_ticks2(3, 7, 17) == Fraction(2, 9)  # 2, 2, 3
    assert variance_ticks2(0, 0, 0) == 0


def test_variance_survives_sums_that_floats_would_round():
    base = 10**15
    assert variance_ticks2(2, 2 * base + 2, base**2 + (base + 2) ** 2) == 1


def test_periods_have_three_jitters_of_their_own():
    # Periods 10, 12, 8, 10: mean 10; edges are off an ideal clock by 0, 0, 2, 0, 0.
    found = period_jitter(np.array([100, 110, 122, 130, 140]))
    assert found.mean_ticks == 10
    assert found.period_peak_to_peak_ticks == 4
    assert found.period_rms_ticks == pytest.approx(2**0.5)
    assert found.cycle_to_cycle_max_ticks == 4
    assert found.cycle_to_cycle_rms_ticks == pytest.approx((24 / 3) ** 0.5)
    assert found.tie_peak_to_peak_ticks == 2
    assert found.tie_rms_ticks == pytest.approx(0.8)  # of 0, 0, 2, 0, 0


def test_a_period_of_a_fraction_of_a_tick_keeps_its_exact_mean():
    found = period_jitter(np.array([0, 3, 7, 10]))
    assert found.mean_ticks == Fraction(10, 3)
    assert found.tie_peak_to_peak_ticks == Fraction(2, 3)  # errors 0, -1/3, 1/3, 0


def test_long_runs_do_not_overflow():
    edges = np.arange(5000) * 10**15
    assert period_jitter(edges).tie_peak_to_peak_ticks == 0


def test_one_period_has_no_jitter():
    assert period_jitter(np.array([5, 9])) is None
