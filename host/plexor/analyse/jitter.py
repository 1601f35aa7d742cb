"""Jitters, each with its own name: they are different figures and never mixed.

peak-to-peak: greatest less least. RMS: standard deviation about the mean. jitter128: span of the
last 128 values, the method of an oscilloscope's average; the greatest of any 128 in a row is a
figure of its own. For free-running periods: period jitter, cycle-to-cycle jitter and time interval
error (JEDEC JESD65B).
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
    """Span (greatest less least) over windows of the last 128 values, in ticks.

    With fewer than 128 values `full` is False and both spans are of all values so far.
    `greatest_end` is the position of the value that ended the first window of the greatest span.
    """

    current_ticks: int
    greatest_ticks: int
    greatest_end: int
    full: bool


@dataclass(frozen=True, slots=True)
class PeriodJitter:
    """Jitter of a free-running signal, in ticks; the ideal period is the exact mean period.

    `period_*`: deviation of periods from the mean. `cycle_to_cycle_*`: difference of neighbouring
    periods. `tie_*`: deviation of edges from the best ideal clock of that period through their
    mean; its peak-to-peak does not depend on where that clock starts.
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
    """Return the spans over the last `window` values of each position; None without a value."""
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
    """Return `fold` over each run of `window` values, by doubling: log2(window) passes."""
    folded, width = values, 1
    while width * 2 <= window:
        folded = fold(folded[:-width], folded[width:])
        width *= 2
    rest = window - width
    return fold(folded[: len(folded) - rest], folded[rest:]) if rest else folded


def rms_ticks(count: int, total_ticks: int, total_sq_ticks2: int) -> float:
    """Return the standard deviation of the samples from exact integer sums; 0.0 without one."""
    return float(variance_ticks2(count, total_ticks, total_sq_ticks2)) ** 0.5


def variance_ticks2(count: int, total_ticks: int, total_sq_ticks2: int) -> Fraction:
    """Return the exact population variance from integer sums; 0 without a sample."""
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
    # Times `count`, so that the error of each edge is an exact integer. Python integers where
    # the products could leave 64 bits.
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
