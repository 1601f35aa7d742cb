# SPDX-License-Identifier: Apache-2.0
"""The upper end of a distribution, and latency over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.figures.analyse.percentiles import Distribution

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Survival:
    """How many of `total` samples are greater than `value_ticks[i]`: a falling staircase.

    If samples are binned, the values are the last tick of each cell, where the count is exact.
    """

    value_ticks: Ticks
    beyond: Ticks
    total: int


@dataclass(frozen=True, slots=True)
class CountAbove:
    """Bounds of the number of samples above a limit; equal if the samples are exact."""

    wall_ticks: int
    least: int
    most: int


@dataclass(frozen=True, slots=True, eq=False)
class Thinned:
    """A series thinned for a plot: minimum and maximum of each slice of time, in time order."""

    time_ticks: Ticks
    value_ticks: Ticks
    points: int
    """Number of points before thinning."""


@dataclass(frozen=True, slots=True)
class ColdStart:
    """The first value, from a cold device, and the extremes of all others."""

    cold_ticks: int
    warm_count: int
    warm_min_ticks: int
    warm_max_ticks: int


@dataclass(frozen=True, slots=True)
class Extreme:
    """One extreme sample: its position among the samples, from 0, and its value in ticks."""

    position: int
    value_ticks: int


def survival(distribution: Distribution) -> Survival:
    """Return the complementary cumulative distribution."""
    total = distribution.total
    beyond = total - np.cumsum(distribution.counts)
    return Survival(distribution.high_ticks - 1, beyond, total)


def beyond(distribution: Distribution, wall_ticks: int) -> CountAbove:
    """Return how many samples exceed `wall_ticks`. A sample equal to it does not."""
    sure = distribution.counts[distribution.low_ticks > wall_ticks].sum()
    possible = distribution.counts[distribution.high_ticks - 1 > wall_ticks].sum()
    return CountAbove(wall_ticks, int(sure), int(possible))


def thin(time_ticks: Ticks, value_ticks: Ticks, slices: int) -> Thinned:
    """Return minimum and maximum of each of `slices` equal slices of time."""
    count = len(time_ticks)
    if count <= 2 * slices:
        return Thinned(time_ticks, value_ticks, count)
    start, end = int(time_ticks[0]), int(time_ticks[-1])
    edges = start + np.arange(slices, dtype=np.int64) * max((end - start) // slices, 1)
    firsts = np.unique(np.searchsorted(time_ticks, edges))
    keep: list[int] = []
    for first, last in zip(firsts, [*firsts[1:], count], strict=True):
        block = value_ticks[first:last]
        keep += sorted({int(first + np.argmin(block)), int(first + np.argmax(block))})
    chosen = np.array(keep, dtype=np.int64)
    return Thinned(time_ticks[chosen], value_ticks[chosen], count)


def cold_start(value_ticks: Ticks) -> ColdStart | None:
    """Return the first value and the extremes of the rest; None below two values."""
    if len(value_ticks) < 2:
        return None
    warm = value_ticks[1:]
    return ColdStart(int(value_ticks[0]), len(warm), int(warm.min()), int(warm.max()))


def latest(value_ticks: Ticks, count: int) -> tuple[Extreme, ...]:
    """Return the `count` largest values, the largest first, and the earlier of equal ones first."""
    return _extremes(-np.asarray(value_ticks, dtype=np.int64), value_ticks, count)


def earliest(value_ticks: Ticks, count: int) -> tuple[Extreme, ...]:
    """Return the `count` smallest values, the smallest first, the earlier of equal ones first."""
    return _extremes(np.asarray(value_ticks, dtype=np.int64), value_ticks, count)


def _extremes(order_by: Ticks, values: Ticks, count: int) -> tuple[Extreme, ...]:
    count = min(count, len(order_by))
    if not count:
        return ()
    limit = np.partition(order_by, count - 1)[count - 1]
    candidates = np.flatnonzero(order_by <= limit)
    chosen = candidates[np.argsort(order_by[candidates], kind="stable")][:count]
    return tuple(Extreme(int(i), int(values[i])) for i in chosen)
