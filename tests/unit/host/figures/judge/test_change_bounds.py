# SPDX-License-Identifier: Apache-2.0
"""What bounds a change: each law against scipy's, its error by all that can happen."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from plexor.figures.analyse.percentiles import from_cells, from_values
from plexor.figures.judge.change_bounds import (
    MeanLaw,
    QuantileLaw,
    ShareLaw,
    Sums,
    limit_of,
    share_bounds,
)

P50, P99, P999 = Fraction(1, 2), Fraction(99, 100), Fraction(999, 1000)
TICK_FS = 10**6
NS = Fraction(1, 10**9)
PARTS = (Fraction(0), Fraction(5, 100), Fraction(-2, 100), Fraction(1))


def quantile_law(before, after, q=P50, tick_fs=(TICK_FS, TICK_FS)):
    return QuantileLaw(q, (from_values(before), from_values(after)), tick_fs)


def test_a_device_that_never_varies_has_an_interval_without_width():
    found = quantile_law([1000] * 50, [1030] * 50).excess(Fraction(3, 100), 0.05, 0.05)
    assert (found.least, found.most) == (0, 0)
    found = quantile_law([1000] * 50, [1030] * 50).excess(Fraction(0), 0.05, 0.05)
    assert (found.least, found.most) == (30 * NS, 30 * NS)


def test_runs_of_different_ticks_are_compared_in_seconds():
    law = quantile_law([1000] * 50, [500] * 50, tick_fs=(TICK_FS, 2 * TICK_FS))
    assert law.excess(Fraction(0), 0.05, 0.05).most == 0


def test_a_bin_widens_the_interval_by_what_it_may_hide():
    cells = from_cells(np.array([9984]), np.array([10_112]), np.array([100]))
    found = QuantileLaw(P50, (cells, cells), (TICK_FS, TICK_FS)).excess(Fraction(0), 0.05, 0.05)
    assert (found.least, found.most) == (-127 * NS, 127 * NS)


def test_the_limit_of_a_figure_below_0_is_not_below_it():
    assert limit_of(Fraction(100), Fraction(5, 100)) == 105
    assert limit_of(Fraction(-100), Fraction(5, 100)) == -95
    assert limit_of(Fraction(-100), Fraction(-5, 100)) == -105
    assert limit_of(Fraction(-100), Fraction(3)) == 0
    found = quantile_law([-100] * 50, [-100] * 50).excess(Fraction(5, 100), 0.05, 0.05)
    assert found.most == -5 * NS


@pytest.mark.parametrize(("count", "of"), [(0, 50), (1, 50), (7, 50), (50, 50), (3, 100_000)])
@pytest.mark.parametrize("error", [0.05, 0.001])
def test_bounds_of_a_share_are_clopper_and_pearson_s(count, of, error):
    low, high = share_bounds(count, of, error)
    assert low == pytest.approx(stats.beta.ppf(error, count, of - count + 1) if count else 0)
    assert high == pytest.approx(
        stats.beta.ppf(1 - error, count + 1, of - count) if count < of else 1
    )


@pytest.mark.parametrize("count", [0, 1, 40])
def test_bounds_of_a_rate_are_those_of_poisson(count):
    found = ShareLaw((0, 10), (count, 10), bounded=False)._known((count, 10), 0.05, 1)
    low = stats.chi2.ppf(0.05, 2 * count) / 2 if count else 0
    assert float(found.value) - found.below == pytest.approx(low / 10, abs=1e-6)
    high = stats.chi2.ppf(0.95, 2 * count + 2) / 2
    assert float(found.value) + found.above == pytest.approx(high / 10, rel=1e-6)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *((30, 30), (20, 60), (60, 20)),
        *(pytest.param(*two, marks=pytest.mark.full) for two in ((60, 60), (40, 160), (160, 40))),
    ],
)
def test_of_all_counts_that_a_share_can_give_at_most_5_percent_are_wrong(before, after):
    for part in (Fraction(0), Fraction(5, 100), Fraction(1), Fraction(-1, 2)):
        least = np.zeros((before + 1, after + 1), bool)
        most = np.zeros_like(least)
        for a in range(before + 1):
            for b in range(after + 1):
                found = ShareLaw((a, before), (b, after)).excess(part, 0.05, 0.05)
                least[a, b], most[a, b] = found.least > 0, found.most < 0
        for share in (0.002, 0.01, 0.03, 0.1, 0.3, 0.5, 0.8, 0.97):
            changed = share * float(1 + part)
            if changed < 1:
                weights = np.outer(
                    stats.binom.pmf(np.arange(before + 1), before, share),
                    stats.binom.pmf(np.arange(after + 1), after, changed),
                )
                assert weights[least].sum() <= 0.05, (part, share)
                assert weights[most].sum() <= 0.05, (part, share)


def test_the_bounds_of_a_mean_are_the_normal_law_s():
    one, other = Sums(100, 1000 * NS, 400 * NS**2), Sums(400, 1100 * NS, 900 * NS**2)
    found = MeanLaw(one, other).excess(Fraction(0), 0.05, 0.025)
    deviation = (400 / 99 + 900 / 399) ** 0.5
    assert float(found.least / NS) == pytest.approx(100 - 1.6449 * deviation, abs=1e-3)
    assert float(found.most / NS) == pytest.approx(100 + 1.95996 * deviation, abs=1e-3)
    assert MeanLaw(Sums(29, NS, NS**2), other).excess(Fraction(0), 0.05, 0.05).least is None


@pytest.mark.parametrize("part", PARTS)
def test_more_samples_of_the_same_kind_bring_bounds_closer(part):
    random = np.random.default_rng(1)
    laws = [
        quantile_law(*(np.rint(random.exponential(1000, 3000)) for _ in range(2)), q=P99),
        ShareLaw((30, 3000), (33, 3000)),
        MeanLaw(Sums(3000, 1000 * NS, (1000 * NS) ** 2), Sums(3000, 1010 * NS, (1000 * NS) ** 2)),
    ]
    for law in laws:
        widths = [
            (found.most - found.least)
            for n in (1, 4, 64)
            for found in [law.excess(part, 0.05, 0.05, n)]
        ]
        assert widths[0] > widths[1] > widths[2]


@pytest.mark.parametrize(
    ("value", "part", "limit"),
    [(10, (1, 2), 15), (10, (-1, 2), 5), (0, (1, 2), 0), (-10, (1, 2), -5), (-10, (2, 1), 0)],
)
def test_a_figure_may_change_by_a_part_of_its_size_and_rise_to_0_at_most(value, part, limit):
    assert limit_of(Fraction(value), Fraction(*part)) == limit
