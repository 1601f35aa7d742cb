"""What differs between two runs, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from plexor.compare import SATURATION, Difference, FailOn
from plexor.render.columns import LEAST_WIDTH, Paint, table, wrapped
from plexor.render.table import NOTHING, Cell
from plexor.units import format_rate, format_seconds


def compare_text(
    found: Sequence[Difference],
    broken: Sequence[tuple[FailOn, Difference]],
    *,
    width: int = 100,
    colour: bool = False,
) -> str:
    """Return a row for each figure as lines of at most `width` columns, then what is too much."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    heads = ["channel", "figure", "A", "B", "change", "B - A, 95 %"]
    rows: list[list[Cell]] = [[(cell, "") for cell in _row(entry)] for entry in found]
    lines = list(table(heads, rows, width, paint))
    for condition, entry in broken:
        text = f"TOO MUCH: {entry.channel} {condition.text}: {_change(entry)}"
        lines += ["", *wrapped(text, width, paint, "bad")]
    return "".join(f"{line}\n" for line in lines)


def _row(entry: Difference) -> list[str]:
    interval = NOTHING
    if entry.least is not None and entry.most is not None:
        interval = f"{_signed(entry, entry.least)} to {_signed(entry, entry.most)}"
    return [
        entry.channel,
        entry.figure,
        _value(entry, entry.before),
        _value(entry, entry.after),
        _change(entry),
        interval,
    ]


def _value(entry: Difference, value: Fraction) -> str:
    if entry.figure == SATURATION:
        return format_rate(value)
    return format_seconds(value) if entry.is_time else f"{float(value):.4%}"


def _signed(entry: Difference, value: Fraction) -> str:
    return f"{'-' if value < 0 else '+'}{_value(entry, abs(value))}"


def _change(entry: Difference) -> str:
    if entry.change is None:
        return "from 0" if entry.after else "+0.00 %"
    return f"{float(entry.change * 100):+.2f} %"
