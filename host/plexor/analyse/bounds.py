"""Between what each figure of a run lies: exactly known, or as far as bins and spans tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from plexor.analyse.analyse import Figures
from plexor.analyse.jitter import WINDOW
from plexor.protocol.memory import VALUE_MOST


@dataclass(frozen=True, slots=True)
class Known:
    """Between what a figure lies; None: nothing is known on that side."""

    least: Fraction | None = None
    most: Fraction | None = None
    found: Fraction | None = None
    """The figure itself, where it is known."""
    reason: str = ""
    """Why it is not known better."""


NO_EXTREMES = "no extremes kept"


def exact(value: Fraction | int | None) -> Fraction | None:
    """Return a whole number as a fraction."""
    return None if value is None else Fraction(value)


def extreme(figures: Figures, least: bool) -> Known:
    """Return between what the least sample lies, or the greatest, by the cell it is in.

    The cells below 0 and at the end of the range have samples of any size beyond them.
    """
    value = figures.min_ticks if least else figures.max_ticks
    if value is not None:
        return Known(Fraction(value), Fraction(value), Fraction(value))
    cells = figures.distribution
    place = 0 if least else -1
    low, high = Fraction(int(cells.low_ticks[place])), Fraction(int(cells.high_ticks[place]) - 1)
    if least:
        return Known(low if low >= 0 else None, high, None, NO_EXTREMES)
    return Known(low, high if low < VALUE_MOST else None, None, NO_EXTREMES)


def _span(figures: Figures) -> Known:
    span = figures.peak_to_peak_ticks
    if span is not None:
        return Known(Fraction(span), Fraction(span), Fraction(span))
    first, last = extreme(figures, True), extreme(figures, False)
    least = Fraction(0)
    if first.most is not None and last.least is not None:
        least = max(last.least - first.most, least)
    most = None if first.least is None or last.most is None else last.most - first.least
    return Known(least, most, None, NO_EXTREMES)


def _mean(figures: Figures) -> Known:
    mean = figures.mean_ticks
    if mean is not None:
        return Known(mean, mean, mean)
    cells = figures.distribution
    low, high = (
        Fraction(
            sum(tick * count for tick, count in zip(ticks, cells.counts.tolist(), strict=True))
        )
        / cells.total
        for ticks in (cells.low_ticks.tolist(), (cells.high_ticks - 1).tolist())
    )
    inside = cells.low_ticks[0] >= 0 and cells.low_ticks[-1] < VALUE_MOST
    return Known(low if inside else None, high if inside else None, None, "the sum is not known")


def _square(figures: Figures) -> Known:
    """Return the square of the deviation; of the span alone it is known to a factor."""
    square = figures.variance_ticks2
    if square is not None:
        return Known(square, square, Fraction(figures.rms_ticks or 0))
    span = _span(figures)
    # Two samples a span apart, all others between: T. Popoviciu, 1935, and J. von Szokefalvi Nagy.
    return Known(
        None if span.least is None else span.least**2 / (2 * figures.count),
        None if span.most is None else span.most**2 / 4,
        None,
        "the sum of squares is not known",
    )


def _last_128(figures: Figures) -> Known:
    return _of_128(figures, None if figures.span is None else figures.span.current_ticks)


def _greatest_128(figures: Figures) -> Known:
    return _of_128(figures, None if figures.span is None else figures.span.greatest_ticks)


def _of_128(figures: Figures, ticks: int | None) -> Known:
    """Return a span of 128 samples: the first has all so far, and none exceeds that of all."""
    if figures.span is not None and figures.span.full:
        return Known(exact(ticks), exact(ticks), exact(ticks))
    if figures.count < WINDOW:
        reason = f"{figures.count} samples; jitter128 needs {WINDOW}"
        return Known(_span(figures).least, None, None, reason)
    return Known(Fraction(0), _span(figures).most, None, "needs every event of the channel")


KNOWN: dict[str, Callable[[Figures], Known]] = {
    "mean": _mean,
    "peak_to_peak": _span,
    "rms": _square,
    "jitter128": _last_128,
    "jitter128_max": _greatest_128,
}
"""By name; of `rms` the square, for its root is not exact."""
