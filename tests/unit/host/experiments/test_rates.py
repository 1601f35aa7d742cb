# SPDX-License-Identifier: Apache-2.0
"""Rates to try: from end to end, evenly apart, of few digits."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.experiments.rates import between, scan_rates


@given(st.floats(1e-3, 1e9), st.floats(1.0001, 1e6))
def test_a_rate_between_two_is_between_them_and_of_few_digits(low, times):
    low, high = Fraction(low), Fraction(low * times)
    rate = between(low, high)
    assert low <= rate <= high
    assert rate in (low, high) or float(rate) == float(f"{float(rate):.6g}")


def test_a_scan_goes_from_end_to_end():
    rates = scan_rates(Fraction(10), Fraction(100_000), 5)
    assert rates == (10, 100, 1000, 10_000, 100_000)
    for low, high, points in ((1, 1, 3), (2, 1, 3), (0, 1, 3), (1, 2, 1)):
        with pytest.raises(ValueError, match="must be 2 or more"):
            scan_rates(Fraction(low), Fraction(high), points)
