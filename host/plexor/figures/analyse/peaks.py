# SPDX-License-Identifier: Apache-2.0
"""Peaks of a distribution: latencies that occur often, such as the idle and the masked path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.figures.analyse.percentiles import Distribution

Reals = npt.NDArray[np.float64]

MANTISSA_BITS = 5
"""Resolution of the search for peaks: bins are 2**-5 of their value wide."""
DEVIATIONS = 5
"""Height of a peak above its surroundings, in standard deviations of its Poisson count."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A bin that stands out: its bounds [low, high) in ticks and its sample count.

    `value_ticks` names the peak. It is the median of these samples, or the middle of the median's
    cell if only cells are known.
    """

    low_ticks: int
    high_ticks: int
    count: int
    value_ticks: float


def peaks(distribution: Distribution, most: int = 4) -> tuple[Peak, ...]:
    """Return the highest peaks, at most `most`, in order of latency. Negative values count as 0.

    A bin is a peak if, on both sides, the density falls by more than chance explains before it
    rises above the bin.
    """
    lows = np.maximum(distribution.low_ticks, 0)
    # The float exponent is exact below 2**53. These are the contract's bins with another mantissa.
    shift = np.maximum(np.frexp(lows.astype(np.float64))[1] - MANTISSA_BITS - 1, 0).astype(np.int64)
    starts, bin_of = np.unique((lows >> shift) << shift, return_inverse=True)
    counts = np.bincount(bin_of, weights=distribution.counts).astype(np.float64)
    widths = np.zeros(len(starts))
    widths[bin_of] = (1 << shift).astype(np.float64)
    peaks = [
        Peak(
            int(starts[i]),
            int(starts[i] + widths[i]),
            int(counts[i]),
            _median(distribution, np.flatnonzero(bin_of == i)),
        )
        for i in range(len(starts))
        if _stands_out(starts.astype(np.float64), widths, counts, i)
    ]
    peaks.sort(key=lambda peak: -peak.count / (peak.high_ticks - peak.low_ticks))
    return tuple(sorted(peaks[:most], key=lambda peak: peak.low_ticks))


def _median(distribution: Distribution, cells: npt.NDArray[np.int64]) -> float:
    """Return the middle of the cell that holds the median of the samples in `cells`."""
    below = np.cumsum(distribution.counts[cells])
    cell = cells[np.searchsorted(below, (int(below[-1]) + 1) // 2)]
    return (int(distribution.low_ticks[cell]) + int(distribution.high_ticks[cell]) - 1) / 2


def _stands_out(starts: Reals, widths: Reals, counts: Reals, i: int) -> bool:
    """Return whether the density falls far enough on both sides of bin i before it exceeds it."""
    density = counts / widths
    return all(_sinks(starts, widths, density, i, step) for step in (-1, 1))


def _sinks(starts: Reals, widths: Reals, density: Reals, i: int, step: int) -> bool:
    lowest, j = density[i], i
    while True:
        previous, j = j, j + step
        if not 0 <= j < len(density):
            lowest = 0.0  # nothing lies beyond the ends
            break
        lower, upper = min(j, previous), max(j, previous)
        if starts[upper] > starts[lower] + widths[lower]:
            lowest = 0.0  # an empty bin lies between
        if density[j] > density[i] or (density[j] == density[i] and step < 0):
            break
        lowest = min(lowest, density[j])
    high, low = density[i] * widths[i], lowest * widths[i]
    return high - low > DEVIATIONS * (high + low) ** 0.5 or (low == 0 and high >= DEVIATIONS**2)
