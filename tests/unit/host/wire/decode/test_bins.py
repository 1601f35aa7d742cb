# SPDX-License-Identifier: Apache-2.0
"""Bins and exact figures on the host, beside the contract and plain integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.model.results import Kind
from plexor.protocol.memory import VALUE_MOST, bin_of, over_bin
from plexor.wire.decode.bins import bins_of, clamped, measurement_of, sum_of_squares
from plexor.wire.decode.matched import Samples


def listed(*values):
    """Samples of these values, number n completed by event n at 100 + n ticks."""
    places = np.arange(len(values), dtype=np.int64)
    return Samples(np.array(values, np.int64), places + 100, places, places)


@given(
    st.lists(
        st.one_of(
            st.integers(-(1 << 31), (1 << 33)), st.integers(0, 31).map(lambda bits: (1 << bits) - 1)
        ),
        max_size=50,
    ),
    st.integers(2, 8),
)
def test_bins_are_those_of_the_contract(values, mantissa_bits):
    expected = [0] * (1 << mantissa_bits + 5)
    for value in values:
        expected[bin_of(value, mantissa_bits)] += 1
    assert bins_of(np.array(values, dtype=np.int64), mantissa_bits).tolist() == expected


def test_the_first_of_equal_extremes_is_named():
    samples = listed(7, 3, 7, 3)
    figures = measurement_of(Kind.RISE, samples, 4).statistics
    assert (figures.min_index, figures.min_time_ticks) == (1, 101)
    assert (figures.max_index, figures.max_time_ticks) == (0, 100)
    assert figures.sum_sq_ticks2 == 116


@given(st.lists(st.integers(-(1 << 31), VALUE_MOST), min_size=1, max_size=50))
def test_sums_are_exact_beyond_64_bits(values):
    figures = measurement_of(Kind.RISE, listed(*values), 4).statistics
    assert figures.sum_ticks == sum(values)
    assert figures.sum_sq_ticks2 == sum(value * value for value in values)


def test_a_value_beyond_31_bits_is_exact_and_in_the_last_bin():
    found = measurement_of(Kind.WIDTH, listed(5, 1 << 40), 4)
    assert (found.statistics.max_ticks, found.statistics.sum_ticks) == (1 << 40, (1 << 40) + 5)
    assert found.statistics.sum_sq_ticks2 == (1 << 80) + 25
    assert found.bins.counts[over_bin(4)] == 1
    assert found.limit_ticks is None


def test_a_chip_takes_a_value_beyond_31_bits_for_the_last_one():
    figures = measurement_of(Kind.WIDTH, clamped(listed(5, 1 << 40)), 4).statistics
    assert (figures.max_ticks, figures.sum_ticks) == (VALUE_MOST, VALUE_MOST + 5)


@pytest.mark.parametrize("bits", [1, 15, 16, 17, 31, 32, 33, 48, 61])
def test_squares_are_exact_for_values_of_any_size(bits):
    values = [0, 3, (1 << bits) - 1, -(1 << bits), (1 << bits) - 5]
    assert sum_of_squares(np.array(values * 9)) == 9 * sum(value * value for value in values)
