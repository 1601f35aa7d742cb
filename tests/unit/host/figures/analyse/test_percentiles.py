# SPDX-License-Identifier: Apache-2.0
"""Quantiles and their intervals, against hand-computed ranks and scipy's binomial law."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from plexor.figures.analyse.percentiles import (
    bound_ranks,
    from_cells,
    from_values,
    least_count,
    parse_quantile,
    quantile,
    quantile_name,
)

P50, P99, P999 = Fraction(1, 2), Fraction(99, 100), Fraction(999, 1000)


def test_a_quantile_is_the_order_statistic_of_rank_ceil_nq():
    values = from_values([50, 10, 40, 20, 30])
    assert quantile(values, P50).value_ticks == 30  # ceil(2.5) = 3rd
    assert quantile(values, Fraction(2, 5)).value_ticks == 20  # exactly the 2nd
    assert quantile(values, Fraction(41, 100)).value_ticks == 30  # ceil(2.05) = 3rd
    assert quantile(values, P99).value_ticks == 50


def test_equal_values_share_their_ranks():
    values = from_values([7] * 99 + [1000])
    assert quantile(values, P99).value_ticks == 7
    assert quantile(values, Fraction(991, 1000)).value_ticks == 1000


def test_negative_latencies_keep_their_order():
    assert quantile(from_values([-5, -3, 8]), P50).value_ticks == -3


def test_the_textbook_interval_of_a_median_of_ten_is_ranks_two_and_nine():
    # P(B <= 1) = 11/1024 = 0.0107, P(B <= 2) = 56/1024 = 0.0547: ranks 2 and 9.
    assert bound_ranks(10, P50) == (2, 9)
    assert bound_ranks(6, P50) == (1, 6)  # 2 / 64 = 0.031 outside
    assert bound_ranks(5, P50) == (0, 6)  # 2 / 32 = 0.0625 outside: unbounded


@pytest.mark.parametrize("count", [1, 17, 128, 1000, 9999, 10**6, 10**8])
@pytest.mark.parametrize("q", [P50, Fraction(9, 10), P99, P999, Fraction(9999, 10000)])
def test_ranks_agree_with_the_binomial_law_of_scipy(count, q):
    lower, upper = bound_ranks(count, q)
    law = stats.binom(count, float(q))
    # As tight as the confidence allows, and no tighter.
    assert law.cdf(lower - 1) <= 0.025 < law.cdf(lower)
    assert law.sf(upper - 1) <= 0.025 < law.sf(upper - 2)


@pytest.mark.parametrize(("q", "size"), [(P50, 30), (P50, 400), (P99, 2000), (P999, 6000)])
def test_intervals_cover_the_true_quantile_as_often_as_they_say(q, size):
    random = np.random.default_rng(7)
    truth = int(np.ceil(float(q) * 10**6)) - 1  # uniform 0 to 999,999
    covered = 0
    for _ in range(400):
        found = quantile(from_values(random.integers(0, 10**6, size)), q)
        above = found.upper_ticks is None or truth <= found.upper_ticks
        covered += above and (found.lower_ticks is None or found.lower_ticks <= truth)
    # 400 trials at 0.95 or more: below 0.92 has a chance under 0.5 %.
    assert covered / 400 >= 0.92


@pytest.mark.parametrize(("q", "least"), [(P50, 6), (P99, 368), (P999, 3688)])
def test_one_sample_below_the_least_count_there_is_no_upper_bound(q, least):
    # ln 0.025 / ln q: 5.3, 367.04, 3687.0 rounded up.
    assert least_count(q) == least
    assert not quantile(from_values(np.arange(least - 1)), q).enough
    assert quantile(from_values(np.arange(least)), q).upper_ticks == least - 1


def test_ten_thousand_samples_do_not_bound_the_9999th():
    assert not quantile(from_values(np.arange(10_000)), Fraction(9999, 10000)).enough
    assert least_count(Fraction(9999, 10000)) == 36_887  # 3.68888 / 0.000100005 = 36886.9


def test_bins_give_the_last_tick_of_their_cell_and_its_width():
    cells = from_cells(np.array([128, 0, 64]), np.array([136, 64, 128]), np.array([500, 0, 500]))
    found = quantile(cells, Fraction(3, 4))
    assert (found.value_ticks, found.resolution_ticks) == (135, 8)
    assert quantile(cells, Fraction(1, 4)).lower_ticks == 64
    assert not cells.exact


def test_no_sample_has_no_quantile():
    assert quantile(from_values([]), P50) is None


def test_overlapping_cells_are_refused():
    with pytest.raises(ValueError, match="disjoint"):
        from_cells(np.array([0, 3]), np.array([4, 8]), np.array([1, 1]))


def test_names_of_percentiles_are_exact_both_ways():
    assert parse_quantile("p99.9") == P999
    assert quantile_name(P999) == "p99.9"
    assert quantile_name(P50) == "p50"
    for bad in ("99", "p0", "p100", "p-1", "p1/2", "pq", "p"):
        with pytest.raises(ValueError, match="percentile"):
            parse_quantile(bad)


@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(9999, 10_000)])
def test_ranks_of_very_many_samples_bound_as_surely_and_take_no_memory(monkeypatch, q):
    count = 10**6
    summed = bound_ranks(count, q)
    monkeypatch.setattr("plexor.figures.analyse.percentiles._MOST_SUMMED", 1000)
    lower, upper = bound_ranks(count, q)
    mean = count * q
    assert 1 < (mean - lower) / (mean - summed[0]) < 1.6
    assert 1 < (upper - mean) / (summed[1] - mean) < 1.6
    lower, upper = bound_ranks(1 << 62, q)
    assert 0 < lower < (1 << 62) * q < upper <= 1 << 62


@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(99, 100), Fraction(999_999, 10**6)])
def test_ranks_of_very_many_samples_are_as_far_off_as_bernsteins_inequality_says(q):
    """A count is t or more off its mean with exp(-t**2 / (2 (n q (1 - q) + t / 3))) at most."""
    count = 1 << 40
    mean, variance = count * q, float(count * q * (1 - q))

    def chance(off):
        return math.exp(-(off**2) / (2 * (variance + off / 3)))

    lower, upper = bound_ranks(count, q)
    for off in (float(upper - mean), float(mean - lower + 1)):
        assert chance(off) <= 0.025 <= chance(off - 2)
