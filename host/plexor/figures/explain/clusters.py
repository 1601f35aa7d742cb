# SPDX-License-Identifier: Apache-2.0
"""Finds clusters of late answers that a gap separates from the usual ones. Pure.

A gap counts if chance explains it neither in an exponential tail nor in a power law's. In both, the
gaps between sorted values above a point, each times the number of values beyond it, are independent
and exponential: gaps of the values, or of their logarithms (A. Rényi, "On the theory of order
statistics", 1953). Let k values lie from the point to the gap, and S be the sum of all values above
the point, cut off at the gap. A gap of g or more before the last j values then has the probability
(1 + j g / S)**-k.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Ticks = npt.NDArray[np.int64]
_Reals = npt.NDArray[np.float64]

CHANCE = 1e-6
"""Maximum probability that chance leaves a gap somewhere among the values of one channel."""
LEAST_PART = 8
"""A gap is at least 1/LEAST_PART of the value below it; narrower gaps are ignored."""


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """Answers of similar latency, later than the usual ones."""

    low_ticks: int
    high_ticks: int
    """Minimum and maximum of its latencies."""
    positions: Ticks
    """Positions of its answers among all, from 0, in order."""

    @property
    def count(self) -> int:
        """Number of its answers."""
        return len(self.positions)


@dataclass(frozen=True, slots=True, eq=False)
class Tail:
    """The late answers of a channel, in clusters by latency."""

    count: int
    """Number of all answers."""
    usual: int
    """Number of the usual ones, which are all below the first cluster."""
    usual_ticks: tuple[int, int] | None
    """Minimum and maximum of the usual latencies; None if there is none."""
    clusters: tuple[Cluster, ...]


def tail_of(value_ticks: Ticks, over_ticks: int | None = None) -> Tail:
    """Return the late answers among latencies.

    Late are those above `over_ticks`. If it is None, late are those beyond the first gap above the
    median.
    """
    order = np.argsort(value_ticks, kind="stable")
    values = value_ticks[order].astype(np.int64)
    count = len(values)
    if over_ticks is None:
        first = count // 2
        cuts = list(_cuts(values, first))
        late = cuts[0] if cuts else count
    else:
        late = int(np.searchsorted(values, over_ticks, "right"))
        cuts = [late, *_cuts(values, late)]
    return Tail(
        count,
        late,
        (int(values[0]), int(values[late - 1])) if late else None,
        tuple(
            Cluster(int(values[low]), int(values[high - 1]), np.sort(order[low:high]))
            for low, high in pairwise([*cuts, count])
            if low < high
        ),
    )


def _cuts(values: Ticks, first: int) -> Iterator[int]:
    """Yield each position from `first` on whose value follows a gap."""
    while len(values) - first > 1:
        gap = _gap(values[first:])
        if gap is None:
            return
        first += gap
        yield first


def _gap(values: Ticks) -> int | None:
    """Return the position of the first value after a gap that chance does not explain, or None."""
    below, above = values[:-1], values[1:]
    wide = (above - below) * LEAST_PART > np.maximum(below, 0)
    # Values are whole ticks: each may be a tick longer, and a gap a tick shorter, than it looks.
    chance = _chance((values - values[0]).astype(np.float64), 1.0)
    if values[0] > 0:
        chance = np.maximum(chance, _chance(np.log(values / values[0]), 1 / int(values[0])))
    gaps = np.flatnonzero(wide & (chance < math.log(CHANCE / len(values))))
    return int(gaps[0]) + 1 if len(gaps) else None


def _chance(values: _Reals, rounding: float) -> _Reals:
    """Return the logarithm of each gap's probability by chance; values ascend from 0."""
    number = np.arange(len(values) - 1, dtype=np.float64)
    beyond = len(values) - 1 - number
    sums = np.cumsum(values[:-1]) + beyond * values[:-1] + rounding * (number + beyond)
    gaps = np.maximum(np.diff(values) - rounding, 0)
    return -number * np.log1p(beyond * gaps / sums)
