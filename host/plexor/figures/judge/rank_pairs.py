# SPDX-License-Identifier: Apache-2.0
"""Which samples of two runs bound the difference of their quantiles, whatever the law of either.

A bound is the least difference over pairs: a rank of the one sample, a rank of the other. Let a be
how many of the first sample lie below its quantile, and b how many of the second lie at theirs or
below. Both counts are binomial, and whatever law the samples have, (a, b) lies among the pairs'
ranks with the confidence asked for: then one pair has its first sample at the first quantile or
above and its second at the second quantile or below, and the least difference over all pairs is
none too great. One pair alone would be Bonferroni's bound, which takes up to three times the
samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from plexor.figures.analyse.percentiles import binomial

Ranks = npt.NDArray[np.int64]
Law = npt.NDArray[np.float64]

_SIDES = 0.4
"""Part of the error that is for counts far out; with more, bounds are closer where samples are few,
with less where they are many."""
_HALVINGS = 30


@dataclass(frozen=True, slots=True, eq=False)
class RankPairs:
    """Ranks from 1: `high` of the sample that is subtracted, `low` of the other, pair by pair."""

    high: Ranks
    low: Ranks


@lru_cache(maxsize=256)
def rank_pairs(q: Fraction, subtracted: int, other: int, error: float) -> RankPairs | None:
    """Return the pairs for a lower bound of the difference of quantile q, given sample sizes.

    It is too great with a probability of at most `error`. None: the samples are too few.
    """
    if not 0 < error < 1:
        raise ValueError(f"error: {error}; must lie between 0 and 1")
    if _error_of_all(q, subtracted, other) > error:
        return None
    a, below_a = binomial(subtracted, float(q))
    b, below_b = binomial(other, float(q))
    mass_b = np.diff(below_b, prepend=0.0)
    side = error * _SIDES / 2
    # The greatest count of the first that is believed, the least of the second.
    most = min(int(a[np.searchsorted(below_a, 1 - side)]), subtracted - 1)
    least = max(int(b[np.searchsorted(below_b, side, side="right")]), 1)

    def believed(slack: float) -> Ranks:
        """Return for each count of the second the greatest of the first; -1 for none."""
        line = np.floor(b * (subtracted / other) + slack).astype(np.int64)
        return np.where(b < least, -1, np.clip(line, -1, most))

    def error_of(counts: Ranks) -> float:
        places = np.clip(counts - a[0], -1, len(a) - 1)
        held = np.where(places < 0, 0.0, below_a[places])
        return 1 - float((mass_b * held).sum())

    low, high = -float(len(a)), float(subtracted + 1)
    if error_of(believed(high)) > error:
        # The sides alone spend more than there is: as far out as the samples reach.
        most, least = subtracted - 1, 1
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if error_of(believed(middle)) <= error else (middle, high)
    counts = believed(high)
    kept = np.flatnonzero(np.diff(counts, prepend=-1) > 0)
    return RankPairs(counts[kept] + 1, b[kept])


def _error_of_all(q: Fraction, subtracted: int, other: int) -> float:
    """Return how probably no sample of the one reaches its quantile, or none of the other."""
    if not subtracted or not other:
        return 1.0
    return 1 - -math.expm1(subtracted * math.log(q)) * -math.expm1(other * math.log1p(-q))


def least_of_each(q: Fraction, error: float) -> int:
    """Return how many samples of each bound the difference of quantile q on either side."""
    count = max(math.ceil(math.log(error) / math.log(max(q, 1 - q))), 1)
    while _error_of_all(q, count, count) > error:
        count += 1
    return count
