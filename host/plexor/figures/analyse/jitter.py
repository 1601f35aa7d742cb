# SPDX-License-Identifier: Apache-2.0
"""Jitters. Each has a name of its own, because they are different figures and never mixed.

- peak-to-peak: maximum minus minimum
- RMS: standard deviation about the mean
- jitter128: span of the last 128 values, the method of an oscilloscope's average
- maximum jitter128: the largest span of any 128 consecutive values
- period jitter, cycle-to-cycle jitter, time interval error: of free-running signals (JEDEC JESD65B)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.wire.decode.matched import pieces

Ticks = npt.NDArray[np.int64]

WINDOW = 128


@dataclass(frozen=True, slots=True)
class SlidingSpan:
    """Span (maximum minus minimum) over windows of the last 128 values, in ticks.

    With fewer than 128 values, `full` is False and both spans cover all values so far.
    `greatest_end` is the position of the last value in the first window with the largest span.
    """

    current_ticks: int
    greatest_ticks: int
    greatest_end: int
    full: bool


@dataclass(frozen=True, slots=True)
class PeriodJitter:
    """Jitter of a free-running signal, in ticks. The ideal period is the exact mean period.

    `period_*`: deviation of periods from the mean. `cycle_to_cycle_*`: difference between
    consecutive periods. `tie_*`: deviation of edges from the best-fitting ideal clock of that
    period. Its peak-to-peak value does not depend on where that clock starts.
    """

    count: int
    mean_ticks: Fraction
    period_peak_to_peak_ticks: int
    period_rms_ticks: float
    cycle_to_cycle_max_ticks: int
    cycle_to_cycle_rms_ticks: float
    tie_peak_to_peak_ticks: Fraction
    tie_rms_ticks: float


def sliding_span(values_ticks: Ticks, window: int = WINDOW) -> SlidingSpan | None:
    """Return the current and the largest span of `window` values; None if there is no value."""
    values = np.asarray(values_ticks, dtype=np.int64)
    if not len(values):
        return None
    if len(values) < window:
        span = int(values.max() - values.min())
        return SlidingSpan(span, span, len(values) - 1, False)
    current, greatest, worst = 0, -1, 0
    for piece in pieces(len(values) - window + 1):
        own = values[piece.start : piece.stop + window - 1]
        spans = _sliding(own, window, np.maximum) - _sliding(own, window, np.minimum)
        position = int(np.argmax(spans))
        if spans[position] > greatest:
            greatest, worst = int(spans[position]), piece.start + position
        current = int(spans[-1])
    return SlidingSpan(current, greatest, worst + window - 1, True)


def _sliding(values: Ticks, window: int, fold: np.ufunc) -> Ticks:
    """Return `fold` over each `window` consecutive values, by doubling: log2(window) passes."""
    folded, width = values, 1
    while width * 2 <= window:
        folded = fold(folded[:-width], folded[width:])
        width *= 2
    shift = window - width
    return fold(folded[: len(folded) - shift], folded[shift:]) if shift else folded


def rms_ticks(count: int, total_ticks: int, total_sq_ticks2: int) -> float:
    """Return the standard deviation, computed from exact integer sums; 0.0 without samples."""
    return float(variance_ticks2(count, total_ticks, total_sq_ticks2)) ** 0.5


def variance_ticks2(count: int, total_ticks: int, total_sq_ticks2: int) -> Fraction:
    """Return the exact population variance from integer sums; 0 without samples."""
    if not count:
        return Fraction(0)
    return Fraction(count * total_sq_ticks2 - total_ticks**2, count**2)


def period_jitter(edges_ticks: Ticks) -> PeriodJitter | None:
    """Return the jitter of a signal from the times of its active edges; None below two periods."""
    edges = np.asarray(edges_ticks, dtype=np.int64)
    count = len(edges) - 1
    if count < 2:
        return None
    total = int(edges[-1] - edges[0])
    mean = Fraction(total, count)
    # Times are multiplied by `count`, so that each edge's error is an exact integer. Python's own
    # integers are used if products could exceed 64 bits.
    wide = total > (1 << 62) // (count + 1)
    deviations = np.empty(count + 1)
    least = most = 0
    for piece in pieces(count + 1):
        positions = np.arange(piece.start, piece.stop, dtype=object if wide else np.int64)
        offsets = (edges[piece] - edges[0]).astype(positions.dtype)
        errors = offsets * count - positions * total
        least, most = min(least, int(errors.min())), max(most, int(errors.max()))
        deviations[piece] = np.asarray(errors, dtype=np.float64) / count
    tie_rms_ticks = _rms_of(deviations)
    del deviations
    periods, shortest, longest = _differences(edges, 1)
    period_rms_ticks = _rms_of(periods)
    del periods
    steps, down, up = _differences(edges, 2)
    steps *= steps
    return PeriodJitter(
        count=count,
        mean_ticks=mean,
        period_peak_to_peak_ticks=longest - shortest,
        period_rms_ticks=period_rms_ticks,
        cycle_to_cycle_max_ticks=max(up, -down),
        cycle_to_cycle_rms_ticks=float(np.sqrt(np.mean(steps))),
        tie_peak_to_peak_ticks=Fraction(most - least, count),
        tie_rms_ticks=tie_rms_ticks,
    )


def _differences(values: Ticks, order: int) -> tuple[npt.NDArray[np.float64], int, int]:
    """Return the differences of that order, their minimum and their maximum."""
    differences = np.empty(len(values) - order)
    least: list[int] = []
    most: list[int] = []
    for piece in pieces(len(differences)):
        own = np.diff(values[piece.start : piece.stop + order], order)
        differences[piece] = own
        least.append(int(own.min()))
        most.append(int(own.max()))
    return differences, min(least), max(most)


def _rms_of(values: npt.NDArray[np.float64]) -> float:
    """Return the standard deviation of values, as np.std does; overwrites them."""
    values -= values.mean()
    values *= values
    return float(np.sqrt(values.mean()))
