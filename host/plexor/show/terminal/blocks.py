# SPDX-License-Identifier: Apache-2.0
"""Bars of block characters in a terminal, and the axis below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plexor.show.pictures.scale import Axis, number
from plexor.show.terminal.columns import Paint

BLOCKS = " ▁▂▃▄▅▆▇█"
EIGHTHS = len(BLOCKS) - 1
MARGIN = 8
"""Columns at the left of the bars, for values."""
MOST_COLUMNS = 120


def columns_of(width: int) -> int:
    """Return how many columns of bars fit in a line."""
    return min(width - MARGIN, MOST_COLUMNS)


def bars(eighths: Sequence[int], values: Sequence[str], paint: Paint, colour: str) -> Iterator[str]:
    """Draw a line for each of `values`, topmost first, of bars so many eighths of a line high."""
    for row, value in zip(reversed(range(len(values))), values, strict=True):
        blocks = "".join(BLOCKS[min(max(high - EIGHTHS * row, 0), EIGHTHS)] for high in eighths)
        label = paint(value.rjust(MARGIN - 1), "muted")
        yield f"{label} {paint(blocks.rstrip(), colour)}".rstrip()


def axis_line(axis: Axis, scale: float, unit: str, paint: Paint) -> str:
    """Return the values of an axis whose ends are columns, in units of `scale`."""
    columns = round(axis.end)
    marks = [" "] * columns
    for value in axis.ticks(max(columns // 12, 2)):
        label = number(value / scale)
        at = min(round(axis.at(value)), columns - len(label))
        if all(mark == " " for mark in marks[max(at - 1, 0) : at + len(label) + 1]):
            marks[at : at + len(label)] = label
    return paint(f"{unit:>{MARGIN - 1}} {''.join(marks)}".rstrip(), "muted")
