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
    spans = _sliding(values, window, np.maximum) - _sliding(values, window, np.minimum)
    worst = int(np.argmax(spans))
    return SlidingSpan(int(spans[-1]), int(spans[worst]), worst + window - 1, True)


def _sliding(values: Ticks, window: int, fold: np.ufunc) -> Ticks:
    """Return `fold` over each `window` consecutive values, by doubling: log2(window) passes."""
    folded, width = values, 1
    while width * 2 <= window:
        folded = fold(folded[:-width], folded[width:])
        width *= 2
    rest = window - width
    return fold(folded[: len(folded) - rest], folded[rest:]) if rest else folded


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
    periods = np.diff(edges)
    count = len(periods)
    if count < 2:
        return None
    total = int(edges[-1] - edges[0])
    mean = Fraction(total, count)
    # Times are multiplied by `count`, so that each edge's error is an exact integer. Python's own
    # integers are used if products could exceed 64 bits.
    wide = total > (1 << 62) // (count + 1)
    positions = np.arange(count + 1, dtype=object if wide else np.int64)
    offsets = (edges - edges[0]).astype(positions.dtype)
    errors = offsets * count - positions * total
    steps = np.diff(periods)
    deviations = np.asarray(errors, dtype=np.float64) / count
    return PeriodJitter(
        count=count,
        mean_ticks=mean,
        period_peak_to_peak_ticks=int(periods.max() - periods.min()),
        period_rms_ticks=float(np.std(periods.astype(np.float64))),
        cycle_to_cycle_max_ticks=int(np.abs(steps).max()),
        cycle_to_cycle_rms_ticks=float(np.sqrt(np.mean(steps.astype(np.float64) ** 2))),
        tie_peak_to_peak_ticks=Fraction(int(errors.max()) - int(errors.min()), count),
        tie_rms_ticks=float(np.std(deviations)),
    )
