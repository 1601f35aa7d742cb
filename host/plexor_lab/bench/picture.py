# SPDX-License-Identifier: Apache-2.0
"""The tests of a suite as a picture: from the shortest time of an operation to the longest."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from plexor.base.units import FEMTOSECONDS
from plexor.library.parts.picture import (
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    Canvas,
    Stroke,
    framed,
    legend,
    panel,
    time_unit,
    x_axis,
)
from plexor.library.parts.show import MAX_SEEN
from plexor_lab.bench.figures import TestedFigures

ROW = 22.0
_FOOT = 46.0
_SUBTITLE = "Times of one operation of each test, less the base, on a logarithmic scale."
_EXTENT, _MEDIAN = Stroke(8, opacity=0.45), Stroke(3)
_USUAL = 50


def extents(
    figures: Sequence[TestedFigures], tick_fs: int, source: str, width: float = WIDTH
) -> Canvas | None:
    """Return a line for each test, named by its id; None if no time is above zero.

    A time of zero is drawn at the left edge, which no logarithm reaches.
    """
    drawn = [each for each in figures if each.test.base is not None]
    times = [
        _seconds(ticks, tick_fs)
        for each in drawn
        for ticks in (each.operations.min_ticks, each.operations.max_ticks)
        if ticks
    ]
    if not times:
        return None
    bottom = TOP + ROW * len(drawn) + 8
    canvas = framed("Times of each test", _SUBTITLE, bottom + _FOOT, source, width)
    panel(canvas, TOP, bottom)
    axis = Axis(min(times) / 1.3, max(times) * 1.3, LEFT, width - RIGHT, log=True)
    x_axis(canvas, axis, TOP, bottom, time_unit(axis.high))
    for place, each in enumerate(drawn):
        y = TOP + 4 + ROW * (place + 0.5)
        canvas.text(LEFT - 9, y + 4, each.test.id, style="muted", anchor="end", bold=True)
        operations = each.operations
        ends = (operations.min_ticks, operations.max_ticks)
        first, last = (_at(axis, ticks, tick_fs) for ticks in ends)
        canvas.line(first, y, max(last, first + 2), y, "s0", _EXTENT)
        usual = each.percentiles_ticks[_USUAL]
        if usual is not None:
            x = _at(axis, usual, tick_fs)
            canvas.line(x, y - 7, x, y + 7, "s1", _MEDIAN)
    entries = [(f"min to {MAX_SEEN}", "s0", _EXTENT), ("p50", "s1", _MEDIAN)]
    legend(canvas, entries, bottom + 36, "time of one operation")
    return canvas


def _seconds(ticks: Fraction, tick_fs: int) -> float:
    return float(ticks * tick_fs / FEMTOSECONDS)


def _at(axis: Axis, ticks: Fraction, tick_fs: int) -> float:
    return axis.at(_seconds(ticks, tick_fs)) if ticks else axis.start
