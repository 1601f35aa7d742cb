# SPDX-License-Identifier: Apache-2.0
"""Bounds on the change of a figure between two runs, which hold with a stated error.

An *excess* is the second run's figure minus a limit derived from the first run's. If the limit
allows no change, it is the change itself. The law depends on the figure:

- quantiles: order statistics of both runs, of any law (`judge.rank_pairs`). The error is exact.
- shares of strikes: exact bounds of each (C. J. Clopper and E. S. Pearson, 1934), joined by the
  root of their squares (G. Y. Zou and A. Donner, "Construction of confidence limits about effect
  measures", 2008). Events that strikes do not bound are counted as Poisson's.
- means: the normal law of sums, joined likewise.

All laws assume independent samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Protocol

import numpy as np

from plexor.base.units import seconds_of
from plexor.figures.analyse.percentiles import Distribution, binomial, cells_at
from plexor.figures.judge.rank_pairs import Ranks, least_of_each, rank_pairs

LEAST_FOR_MEANS = 30
"""Samples below which a sum is not taken as normal."""
_CHANCES = 10**12
"""Trials so many that successes among them come by Poisson's law."""
_STEPS = 60
_NEAR = 1e-12
"""Relative step after which a share is known."""


@dataclass(frozen=True, slots=True)
class ExcessBounds:
    """Where an excess lies; None: nothing bounds that side."""

    least: Fraction | None = None
    most: Fraction | None = None


class FigurePair(Protocol):
    """What two runs know of a figure."""

    @property
    def counts(self) -> tuple[int, int] | None:
        """Return the samples of each run; None: more samples would not help."""
        ...

    def excess(
        self, part: Fraction, least_error: float, most_error: float, times: int = 1
    ) -> ExcessBounds:
        """Return bounds of the second figure minus `limit_of` the first.

        Each end is wrong with a probability of at most its error. `times` gives the bounds if each
        run had that many times its samples, spread in the same way.
        """
        ...

    def least_count(self, error: float) -> int:
        """Return how many samples of each run it takes for both ends."""
        ...


def limit_of(value: Fraction, part: Fraction) -> Fraction:
    """Return the value to which a figure may change: by a part of its size, whatever its sign.

    One below 0 may rise to 0 at most, so that a greater value never has a smaller limit.
    """
    return value * (1 + part) if value >= 0 else value * max(1 - part, Fraction(0))


@dataclass(frozen=True, slots=True, eq=False)
class QuantileLaw:
    """One quantile of two distributions, before and after, each with its own tick."""

    q: Fraction
    distributions: tuple[Distribution, Distribution]
    tick_fs: tuple[int, int]

    @property
    def counts(self) -> tuple[int, int]:
        """Return the samples of each run."""
        return self.distributions[0].total, self.distributions[1].total

    def excess(
        self, part: Fraction, least_error: float, most_error: float, times: int = 1
    ) -> ExcessBounds:
        """Return where the second quantile less `limit_of` the first lies, bins included."""
        before, after = self.distributions
        count, other = (each * times for each in self.counts)
        least = most = None
        pairs = rank_pairs(self.q, count, other, least_error)
        if pairs is not None:
            high = self._limits(_at(before, pairs.high, times)[1], part)
            low = self._after(_at(after, pairs.low, times)[0], part)
            least = min(a - b for a, b in zip(low, high, strict=True))
        pairs = rank_pairs(self.q, other, count, most_error)
        if pairs is not None:
            low = self._limits(_at(before, pairs.low, times)[0], part)
            high = self._after(_at(after, pairs.high, times)[1], part)
            most = max(a - b for a, b in zip(high, low, strict=True))
        return ExcessBounds(*(_seconds(end, part) for end in (least, most)))

    def least_count(self, error: float) -> int:
        """Return how many samples of each run it takes for both ends."""
        return least_of_each(self.q, error)

    def _limits(self, ticks: list[int], part: Fraction) -> list[int]:
        """Return `limit_of` each in femtoseconds, times the denominator of `part`."""
        scale, change = part.denominator, part.numerator
        factors = max(scale - change, 0) * self.tick_fs[0], (scale + change) * self.tick_fs[0]
        return [value * factors[value >= 0] for value in ticks]

    def _after(self, ticks: list[int], part: Fraction) -> list[int]:
        scale = part.denominator * self.tick_fs[1]
        return [value * scale for value in ticks]


def _at(distribution: Distribution, ranks: Ranks, times: int) -> tuple[list[int], list[int]]:
    """Return the first and the last ticks of the cells at ranks of so many times the samples.

    Between two samples those of more would lie evenly.
    """
    if times == 1:
        low, high = cells_at(distribution, ranks)
        return low.tolist(), high.tolist()
    below, above = np.maximum(ranks // times, 1), np.maximum(-(-ranks // times), 1)
    part = np.where(above > below, ranks / times - below, 0.0)
    ends = zip(cells_at(distribution, below), cells_at(distribution, above), strict=True)
    low, high = (np.rint(one + part * (other - one)).astype(np.int64) for one, other in ends)
    return low.tolist(), high.tolist()


def _seconds(scaled_fs: int | None, part: Fraction) -> Fraction | None:
    return None if scaled_fs is None else seconds_of(scaled_fs, 1) / part.denominator


@dataclass(frozen=True, slots=True)
class EstimateRange:
    """One run's estimate, and how far below it and above it the truth may be."""

    value: Fraction
    below: float
    above: float


def joined(
    before: EstimateRange, after: EstimateRange, part: Fraction
) -> tuple[Fraction, Fraction]:
    """Return the ends of an excess: errors of both runs add up by the root of their squares."""
    limit = limit_of(before.value, part)
    scale = float(limit / before.value) if before.value else float(1 + part)
    excess = after.value - limit
    return (
        excess - Fraction(math.hypot(after.below, scale * before.above)),
        excess + Fraction(math.hypot(after.above, scale * before.below)),
    )


@dataclass(frozen=True, slots=True)
class ShareLaw:
    """How many of its strikes each run has in a class, (count, strikes) before and after."""

    before: tuple[int, int]
    after: tuple[int, int]
    bounded: bool = True
    """Whether a strike has one at most."""

    @property
    def counts(self) -> tuple[int, int]:
        """Return the strikes of each run."""
        return self.before[1], self.after[1]

    def excess(
        self, part: Fraction, least_error: float, most_error: float, times: int = 1
    ) -> ExcessBounds:
        """Return where the second share less `limit_of` the first lies."""
        if not min(self.counts):
            return ExcessBounds()
        ends = [
            joined(
                self._known(self.before, error, times), self._known(self.after, error, times), part
            )
            for error in (least_error, most_error)
        ]
        return ExcessBounds(ends[0][0], ends[1][1])

    def least_count(self, error: float) -> int:
        """Return 1: any number of strikes bounds a share."""
        return 1

    def _known(self, one: tuple[int, int], error: float, times: int) -> EstimateRange:
        count, strikes = (number * times for number in one)
        if self.bounded:
            low, high = share_bounds(count, strikes, error)
        else:
            low, high = (p * _CHANCES / strikes for p in share_bounds(count, _CHANCES, error))
        value = Fraction(count, strikes)
        return EstimateRange(value, float(value) - low, high - float(value))


@lru_cache(maxsize=4096)
def share_bounds(count: int, of: int, error: float) -> tuple[float, float]:
    """Return the minimum and the maximum share from which `count` of `of` may come.

    Each is wrong with a probability of at most `error`.
    """

    def at_most(number: int, share: float) -> tuple[float, float]:
        """Return the probability of at most `number`, and how fast it falls with the share."""
        numbers, below = binomial(of, share)
        place = number - int(numbers[0])
        if not 0 <= place < len(below):
            return float(place > 0), 0.0
        exactly = below[place] - (below[place - 1] if place else 0.0)
        return float(below[place]), float(exactly * (of - number) / (1 - share))

    def between(low: float, high: float, number: int, wanted: float) -> float:
        """Return the share at which at most `number` come with the wanted probability."""
        share = (low + high) / 2
        for _ in range(_STEPS):
            chance, fall = at_most(number, share)
            low, high = (share, high) if chance > wanted else (low, share)
            # Newton's step, or half of the way where that leads out.
            nearer = share + (chance - wanted) / fall if fall else -1.0
            nearer = nearer if low <= nearer <= high else (low + high) / 2
            if abs(nearer - share) <= _NEAR * share:
                return nearer
            share = nearer
        return share

    estimate = count / of
    least = 0.0 if count == 0 else between(0.0, estimate, count - 1, 1 - error)
    if count == of:
        return least, 1.0
    far = min(2 * (count + 1) / of, (1 + estimate) / 2)
    while at_most(count, far)[0] > error:
        far = min(2 * far, (1 + far) / 2)
    return least, between(estimate, far, count, error)


@dataclass(frozen=True, slots=True)
class Sums:
    """One run's mean and variance in seconds."""

    count: int
    mean_s: Fraction
    variance_s2: Fraction


@dataclass(frozen=True, slots=True)
class MeanLaw:
    """Means of two runs."""

    before: Sums
    after: Sums

    @property
    def counts(self) -> tuple[int, int]:
        """Return the samples of each run."""
        return self.before.count, self.after.count

    def excess(
        self, part: Fraction, least_error: float, most_error: float, times: int = 1
    ) -> ExcessBounds:
        """Return where the second mean less `limit_of` the first lies."""
        if min(self.counts) * times < LEAST_FOR_MEANS:
            return ExcessBounds()
        ends = [
            joined(_mean(self.before, error, times), _mean(self.after, error, times), part)
            for error in (least_error, most_error)
        ]
        return ExcessBounds(ends[0][0], ends[1][1])

    def least_count(self, error: float) -> int:
        """Return the number of samples from which on a sum is taken as normal."""
        return LEAST_FOR_MEANS


def _mean(sums: Sums, error: float, times: int) -> EstimateRange:
    deviation = float(sums.variance_s2 / (sums.count * times - 1)) ** 0.5
    reach = NormalDist().inv_cdf(1 - error) * deviation
    return EstimateRange(sums.mean_s, reach, reach)
