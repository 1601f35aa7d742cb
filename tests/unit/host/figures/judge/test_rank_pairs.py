# SPDX-License-Identifier: Apache-2.0
"""Pairs of ranks that bound a change: their error by all counts that can come, and by scipy."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from plexor.figures.judge.rank_pairs import least_of_each, rank_pairs

P50, P99, P999 = Fraction(1, 2), Fraction(99, 100), Fraction(999, 1000)


@pytest.mark.parametrize("error", [0.05, 0.025, 0.005])
@pytest.mark.parametrize(
    ("q", "before", "after"),
    [
        (P50, 30, 30),
        (P50, 400, 900),
        (P99, 600, 600),
        (P99, 4000, 700),
        (P99, 40_000, 40_000),
        (P999, 6000, 9000),
    ],
)
def test_the_counts_that_rank_pairs_leave_out_are_as_rare_as_they_say(q, before, after, error):
    pairs = rank_pairs(q, before, after, error)
    # A pair holds where fewer than `high` of the first lie below their quantile, and `low` or more
    # of the second at theirs or below: all counts of the second, with the best pair of each.
    law, other = stats.binom(before, float(q)), stats.binom(after, float(q))
    held = np.concatenate([[0], np.maximum.accumulate(pairs.high)])
    counts = np.arange(after + 1)
    best = held[np.searchsorted(pairs.low, counts, side="right")]
    wrong = 1 - float((other.pmf(counts) * law.cdf(best - 1)).sum())
    assert wrong <= error * (1 + 1e-9)
    # And none is wasted, but for the steps of the counts.
    assert wrong > error * (0.5 if before * (1 - q) < 50 else 0.9)
    assert pairs.high.max() <= before
    assert pairs.low.min() >= 1


def test_one_sample_fewer_than_the_least_bounds_nothing():
    for q in (P50, P99, P999, Fraction(1, 100)):
        count = least_of_each(q, 0.05)
        assert rank_pairs(q, count, count, 0.05) is not None
        assert rank_pairs(q, count - 1, count - 1, 0.05) is None
    # 0.99**n <= 0.05: 298.07; 0.999**n: 2994.2.
    assert (least_of_each(P99, 0.05), least_of_each(P999, 0.05)) == (299, 2995)
    assert rank_pairs(P50, 0, 100, 0.05) is None


def test_bounds_by_pairs_find_changes_that_two_intervals_apart_would_miss():
    # Each run's own one-sided bound at 1 - sqrt(0.95), one above the other, is sure as well.
    random, joint, apart = np.random.default_rng(3), 0, 0
    pairs = rank_pairs(P50, 1000, 1000, 0.05)
    each = 1 - 0.95**0.5
    high = int(stats.binom.ppf(1 - each, 1000, 0.5)) + 1
    low = int(stats.binom.ppf(each, 1000, 0.5))
    for _ in range(300):
        one, other = (np.sort(random.normal(at, 1, 1000)) for at in (0, 0.14))
        joint += (other[pairs.low - 1] - one[pairs.high - 1]).min() > 0
        apart += other[low - 1] > one[high - 1]
    assert joint > 1.5 * apart
    assert joint > 180


@pytest.mark.parametrize("error", [0.0, 1.0, -0.1])
def test_an_error_that_is_no_probability_between_0_and_1_is_refused(error):
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        rank_pairs(P50, 100, 100, error)


def test_pairs_rise_together_and_no_rank_is_beyond_its_sample():
    pairs = rank_pairs(P99, 4000, 700, 0.05)
    assert (np.diff(pairs.high) > 0).all()
    assert (np.diff(pairs.low) > 0).all()
    assert pairs.high.min() >= 1
    assert pairs.low.max() <= 700
