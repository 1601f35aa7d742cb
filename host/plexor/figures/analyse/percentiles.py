# SPDX-License-Identifier: Apache-2.0
"""Distributions in integer ticks, their quantiles, and distribution-free intervals of these.

Distributions are exact or binned. Intervals are those of order statistics: H. A. David and
H. N. Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1. They assume independent samples,
but no particular distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from plexor.base.units import parse_part
from plexor.wire.decode.matched import pieces

Ticks = npt.NDArray[np.int64]

CONFIDENCE = Fraction(95, 100)
_WINDOW_DEVIATIONS = 12
"""Standard deviations of the binomial law that are summed on each side; the rest is below 1e-30."""
OPEN_TICKS = 1 << 62
"""End of the open cell: of samples at the limit of the instrument's registers, which have no upper
bound."""
_MOST_COUNTED = 1 << 16
"""Width of the values that are counted, in ticks; wider ones are sorted."""
_MOST_SUMMED = 1 << 36
"""Maximum number of samples for which the law is summed. It takes 120 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Counts of values in disjoint cells in ascending order.

    Cell i holds values with low[i] <= value < high[i], in ticks. Every cell has a count above 0.
    The distribution is exact if all cells are one tick wide. The last cell may be open: then it
    ends at OPEN_TICKS.
    """

    low_ticks: Ticks
    high_ticks: Ticks
    counts: Ticks

    def __post_init__(self) -> None:
        low, high = self.low_ticks, self.high_ticks
        if not len(low) == len(high) == len(self.counts):
            raise ValueError("distribution: cells and counts differ in length")
        if np.any(high <= low) or np.any(low[1:] < high[:-1]) or np.any(self.counts <= 0):
            raise ValueError("distribution: cells must be disjoint, rising and not empty")

    @property
    def total(self) -> int:
        """Number of samples in all cells."""
        return int(self.counts.sum())

    @property
    def exact(self) -> bool:
        """Whether every cell is one tick wide."""
        return bool(np.all(self.high_ticks - self.low_ticks == 1))

    @property
    def limit_ticks(self) -> int | None:
        """First tick of the open cell; None if there is none."""
        is_open = len(self.high_ticks) and int(self.high_ticks[-1]) == OPEN_TICKS
        return int(self.low_ticks[-1]) if is_open else None

    @property
    def closed(self) -> Distribution:
        """The distribution without its open cell."""
        if self.limit_ticks is None:
            return self
        return Distribution(self.low_ticks[:-1], self.high_ticks[:-1], self.counts[:-1])


@dataclass(frozen=True, slots=True)
class Quantile:
    """The estimate of one quantile and its interval, in ticks.

    The estimate is the order statistic of rank ceil(n q), taken at the last tick of its cell. If
    that cell is open, the estimate is None, and `limit_ticks` is its lower bound.
    `value_resolution_ticks` is the width of that cell. `resolution_ticks` is the maximum width of
    the cells of estimate and interval, the open cell excluded. A bound is None if there are too few
    samples for it; the upper bound also if it lies in the open cell.
    """

    q: Fraction
    value_ticks: int | None
    lower_ticks: int | None
    upper_ticks: int | None
    value_resolution_ticks: int
    resolution_ticks: int
    enough: bool
    """Whether there are enough samples for an upper bound."""
    limit_ticks: int | None = None


def from_values(values_ticks: npt.ArrayLike) -> Distribution:
    """Return the exact distribution of integer values in any order."""
    values = np.asarray(values_ticks, dtype=np.int64)
    least = int(values.min()) if len(values) else 0
    span = int(values.max()) - least + 1 if len(values) else 0
    if span > _MOST_COUNTED:
        values, counts = np.unique(values, return_counts=True)
        return Distribution(values, values + 1, counts.astype(np.int64))
    counts = np.zeros(span, np.int64)
    for piece in pieces(len(values)):
        counts += np.bincount(values[piece] - least, minlength=span)
    filled = np.flatnonzero(counts)
    values = filled + least
    return Distribution(values, values + 1, counts[filled])


def from_cells(low_ticks: Ticks, high_ticks: Ticks, counts: Ticks) -> Distribution:
    """Return the distribution of cells in any order, without empty ones."""
    order = np.argsort(low_ticks, kind="stable")
    order = order[counts[order] > 0]
    return Distribution(low_ticks[order], high_ticks[order], counts[order].astype(np.int64))


def at_rank(distribution: Distribution, rank: int) -> tuple[int | None, int]:
    """Return (last tick, width) of the cell that holds the sample of `rank`; (None, 1) if open.

    Ranks begin at 1. Raises ValueError if `rank` is not from 1 to the total.
    """
    if not 1 <= rank <= distribution.total:
        raise ValueError(f"rank: {rank}; must be 1 to {distribution.total}")
    cell = int(np.searchsorted(np.cumsum(distribution.counts), rank))
    high = int(distribution.high_ticks[cell])
    return (None, 1) if high == OPEN_TICKS else (high - 1, high - int(distribution.low_ticks[cell]))


def cells_at(distribution: Distribution, ranks: Ticks) -> tuple[Ticks, Ticks]:
    """Return the first and the last tick of the cells that hold the samples of `ranks`, from 1.

    The last tick of the open cell is OPEN_TICKS - 1.
    """
    cells = np.searchsorted(np.cumsum(distribution.counts), ranks)
    return distribution.low_ticks[cells], distribution.high_ticks[cells] - 1


def bound_ranks(count: int, q: Fraction, confidence: Fraction = CONFIDENCE) -> tuple[int, int]:
    """Return the ranks of the samples that bound quantile q with at least `confidence`.

    Half of the error is allowed on each side. Rank 0 or `count` + 1: that side has no bound.
    """
    if not 0 < q < 1:
        raise ValueError(f"q: {q}; must lie between 0 and 1")
    if count > _MOST_SUMMED:
        # Bernstein's inequality gives bounds too, with ranks about a third further away.
        error = -math.log((1 - confidence) / 2)
        reach = error / 3 + math.sqrt(error**2 / 9 + 2 * error * float(count * q * (1 - q)))
        lower = max(math.floor(count * q - Fraction(reach)) + 1, 0)
        return lower, min(math.ceil(count * q + Fraction(reach)), count + 1)
    return _summed_ranks(count, q, confidence) if count else (0, 1)


@lru_cache(maxsize=256)
def _summed_ranks(count: int, q: Fraction, confidence: Fraction) -> tuple[int, int]:
    # Channels that answer the same strikes have the same count, and share this.
    below, cumulative = binomial(count, float(q))
    half = float((1 - confidence) / 2)
    # The number of samples below the quantile is binomial. Lower rank l fails when fewer than l
    # samples lie below it; upper rank u fails when u or more do.
    lower = int(below[0]) + int(np.searchsorted(cumulative, half, side="right"))
    upper = int(below[0]) + int(np.searchsorted(cumulative, 1 - half, side="left")) + 1
    return lower, upper


def binomial(count: int, q: float) -> tuple[Ticks, npt.NDArray[np.float64]]:
    """Return the probable numbers of successes, and the cumulative probability of each."""
    mean, deviation = count * q, (count * q * (1 - q)) ** 0.5
    reach = int(_WINDOW_DEVIATIONS * deviation) + 60
    low, high = max(int(mean) - reach, 0), min(int(mean) + reach, count)
    k = np.arange(low, high + 1, dtype=np.int64)
    steps = np.log((count - k[:-1]) / (k[:-1] + 1.0)) + np.log(q) - np.log1p(-q)
    logarithms = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logarithms - logarithms.max())
    return k, np.cumsum(weights) / weights.sum()


def quantile(
    distribution: Distribution, q: Fraction, confidence: Fraction = CONFIDENCE
) -> Quantile | None:
    """Return quantile q with its interval, which may be a single value; None without samples."""
    count = distribution.total
    if not count:
        return None
    value, width = at_rank(distribution, max(-(-count * q.numerator // q.denominator), 1))
    lower, upper = bound_ranks(count, q, confidence)
    low = high = None
    widest = width
    if lower >= 1:
        # The cell's first tick is the bound: the sample itself cannot be below it.
        last, cell = at_rank(distribution, lower)
        low = distribution.limit_ticks if last is None else last - cell + 1
        widest = max(widest, cell)
    if upper <= count:
        high, cell = at_rank(distribution, upper)
        widest = max(widest, cell)
    limit = distribution.limit_ticks if value is None else None
    return Quantile(q, value, low, high, width, widest, upper <= count, limit)


def quantiles(distribution: Distribution, qs: Sequence[Fraction]) -> tuple[Quantile, ...]:
    """Return the quantiles at `qs`; an empty tuple without samples."""
    return tuple(estimate for q in qs if (estimate := quantile(distribution, q)) is not None)


def least_count(q: Fraction, confidence: Fraction = CONFIDENCE) -> int:
    """Return the minimum number of samples for an upper bound of quantile q."""
    # q**n is the chance that all n samples lie below the quantile.
    return math.ceil(math.log(float((1 - confidence) / 2)) / math.log(float(q)))


def parse_quantile(name: str) -> Fraction:
    """Return 0.999 for "p99.9". Raises ValueError unless it is p and a percentage in (0, 100)."""
    try:
        q = parse_part(name.removeprefix("p") + "%")
    except ValueError:
        q = Fraction(0)
    if not name.startswith("p") or "/" in name or not 0 < q < 1:
        raise ValueError(f'percentile: "{name}"; must be like "p99.9"')
    return q


def quantile_name(q: Fraction) -> str:
    """Return "p99.9" for 0.999."""
    percent = q * 100
    digits = 0
    while (percent * 10**digits).denominator != 1 and digits < 9:
        digits += 1
    return f"p{float(percent):.{digits}f}"
