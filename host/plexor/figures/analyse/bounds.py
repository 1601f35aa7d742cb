# SPDX-License-Identifier: Apache-2.0
"""Bounds of each figure of a run: equal if the figure is exact, else as close as bins allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from plexor.base.counts import counted
from plexor.figures.analyse.analyse import Figures
from plexor.figures.analyse.jitter import WINDOW
from plexor.figures.analyse.unknown import NOTHING, NotKnown
from plexor.protocol.memory import VALUE_MOST


@dataclass(frozen=True, slots=True)
class FigureBounds:
    """Lower and upper bound of a figure; None: that side has no bound."""

    least: Fraction | None = None
    most: Fraction | None = None
    figure: Fraction | None = None
    """The figure itself, if it is known."""
    unknown: NotKnown = NOTHING
    """Why the figure is not known exactly."""


NO_EXTREMES = NotKnown("no extremes kept")
AT_LIMIT = NotKnown(
    "beyond what the instrument's registers hold", "measure it with events, in stream mode"
)


def exact(value: Fraction | int | None) -> Fraction | None:
    """Return a whole number as a fraction, None as None."""
    return None if value is None else Fraction(value)


def extreme(figures: Figures, least: bool) -> FigureBounds:
    """Return the bounds of the minimum if `least`, else of the maximum, in ticks.

    If the chip kept no extremes, the bounds are those of the outermost cell. Cells below 0, above
    the range, and at the limit of the chip's registers are open: their samples have no bound.
    """
    value = figures.min_ticks if least else figures.max_ticks
    if value is not None:
        return FigureBounds(Fraction(value), Fraction(value), Fraction(value))
    cells = figures.distribution
    if cells.limit_ticks is not None:
        return FigureBounds(
            Fraction(int(cells.low_ticks[0 if least else -1])), None, None, AT_LIMIT
        )
    end = 0 if least else -1
    low, high = Fraction(int(cells.low_ticks[end])), Fraction(int(cells.high_ticks[end]) - 1)
    if least:
        return FigureBounds(low if low >= 0 else None, high, None, NO_EXTREMES)
    return FigureBounds(low, high if low < VALUE_MOST else None, None, NO_EXTREMES)


def _span(figures: Figures) -> FigureBounds:
    span = figures.peak_to_peak_ticks
    if span is not None:
        return FigureBounds(Fraction(span), Fraction(span), Fraction(span))
    first, last = extreme(figures, True), extreme(figures, False)
    least = Fraction(0)
    if first.most is not None and last.least is not None:
        least = max(last.least - first.most, least)
    most = None if first.least is None or last.most is None else last.most - first.least
    return FigureBounds(least, most, None, last.unknown if last.unknown.reason else first.unknown)


def _mean(figures: Figures) -> FigureBounds:
    mean = figures.mean_ticks
    if mean is not None:
        return FigureBounds(mean, mean, mean)
    cells = figures.distribution
    low, high = (
        Fraction(
            sum(tick * count for tick, count in zip(ticks, cells.counts.tolist(), strict=True))
        )
        / cells.total
        for ticks in (cells.low_ticks.tolist(), (cells.high_ticks - 1).tolist())
    )
    above = cells.low_ticks[0] >= 0
    below = cells.limit_ticks is None and cells.low_ticks[-1] < VALUE_MOST
    unknown = NotKnown("the sum is not known") if cells.limit_ticks is None else AT_LIMIT
    return FigureBounds(low if above else None, high if below else None, None, unknown)


def _square(figures: Figures) -> FigureBounds:
    """Return the bounds of the variance, in square ticks."""
    square = figures.variance_ticks2
    if square is not None:
        return FigureBounds(square, square, Fraction(figures.rms_ticks or 0))
    span = _span(figures)
    # Upper bound: half of the samples at each end (T. Popoviciu, 1935). Lower bound: one sample
    # at each end, all others in the middle (J. von Szokefalvi Nagy).
    return FigureBounds(
        None if span.least is None else span.least**2 / (2 * figures.count),
        None if span.most is None else span.most**2 / 4,
        None,
        NotKnown("the sum of squares is not known") if figures.limit_ticks is None else AT_LIMIT,
    )


def _last_128(figures: Figures) -> FigureBounds:
    return _of_128(figures, None if figures.span is None else figures.span.current_ticks)


def _greatest_128(figures: Figures) -> FigureBounds:
    return _of_128(figures, None if figures.span is None else figures.span.greatest_ticks)


def _of_128(figures: Figures, ticks: int | None) -> FigureBounds:
    """Return the bounds of a span of 128 samples.

    With fewer than 128 samples, it is the span of all. It never exceeds the span of the run.
    """
    if figures.span is not None and figures.span.full:
        return FigureBounds(exact(ticks), exact(ticks), exact(ticks))
    if figures.count < WINDOW:
        unknown = NotKnown(counted(figures.count, "sample"), f"jitter128 needs {WINDOW}")
        return FigureBounds(_span(figures).least, None, None, unknown)
    unknown = NotKnown("needs every event of the channel")
    return FigureBounds(Fraction(0), _span(figures).most, None, unknown)


KNOWN: dict[str, Callable[[Figures], FigureBounds]] = {
    "mean": _mean,
    "peak_to_peak": _span,
    "rms": _square,
    "jitter128": _last_128,
    "jitter128_max": _greatest_128,
}
"""Bounds by figure name. Those of `rms` bound its square, because roots are not exact."""
