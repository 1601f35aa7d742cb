# SPDX-License-Identifier: Apache-2.0
"""Differences between results, and whether they are too large, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.units import (
    FEMTOSECONDS,
    format_range,
    format_rate,
    format_seconds,
    format_variance,
)
from plexor.figures.judge.compare import Difference, OpenEnd
from plexor.figures.judge.gate import Judgement
from plexor.figures.judge.verdict import Outcome, worst
from plexor.show.table import NOTHING, Cell
from plexor.show.terminal.columns import LEAST_WIDTH, Paint, table, wrapped

_WORDS = {
    Outcome.PASS: ("kept", "good"),
    Outcome.FAIL: ("TOO LARGE", "bad"),
    Outcome.TOO_FEW: ("too few", "doubt"),
    Outcome.NOT_COMPARABLE: ("not known", "doubt"),
}
_ENDS = {
    Outcome.PASS: "PASS: no change is too large",
    Outcome.FAIL: "FAIL: {} of {} changes are too large",
    Outcome.TOO_FEW: "TOO FEW SAMPLES: {} of {} changes cannot be distinguished from their limits",
    Outcome.NOT_COMPARABLE: "NOT COMPARABLE: nothing is known of {} of {} changes",
}


def compare_text(
    found: Sequence[Difference],
    judgements: Sequence[Judgement],
    *,
    sides: Sequence[tuple[str, str, Mapping[str, tuple[str, str]]]] = (),
    width: int,
    colour: bool,
) -> str:
    """Return a row for each figure as lines of at most `width` columns, then what is judged.

    Before them, `sides` are the letter of each result, its place, and in what it differs from the
    first one: what that one has, and what it has. Where several results are compared with the
    first, each has a column beside it.
    """
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    heads, rows = difference_table(found)
    lines = [line for side in sides for line in wrapped(_side(*side), width, paint, "")]
    lines += ["", *table(heads, rows, width, paint)] if lines else table(heads, rows, width, paint)
    if judgements:
        lines.append("")
        for entry in judgements:
            lines += wrapped(judgement_text(entry), width, paint, _WORDS[entry.outcome][1])
        style = _WORDS[worst(judgements)][1]
        lines += wrapped(verdict_text(judgements), width, paint, style)
    return paint.done(lines)


def difference_table(found: Sequence[Difference]) -> tuple[list[str], list[list[Cell]]]:
    """Return heads and rows, a row for each figure."""
    letters = list(dict.fromkeys(entry.side for entry in found if entry.side))
    if letters:
        return _of_several(found, letters)
    heads = ["channel", "figure", "A", "B", "change", "ratio", "B - A, 95 %"]
    return heads, [[(cell, "") for cell in _row(entry)] for entry in found]


def verdict_text(judgements: Sequence[Judgement]) -> str:
    """Return what all conditions together say."""
    outcome = worst(judgements)
    number = sum(entry.outcome == outcome for entry in judgements)
    return _ENDS[outcome].format(number, len(judgements))


def judgement_text(entry: Judgement) -> str:
    """Return whether a condition is kept, and by what."""
    return f"{_WORDS[entry.outcome][0]:<9} {change_text(entry)}"


def _side(letter: str, place: str, values: Mapping[str, tuple[str, str]]) -> str:
    """Return which result a letter stands for, and in what it differs from the first one."""
    return f"{letter}  {place}{apart_text(letter, values)}"


def apart_text(letter: str, values: Mapping[str, tuple[str, str]]) -> str:
    """Return in what a result differs from the first one, behind its place; nothing for that."""
    apart = "; ".join(f"{key} {after}, not {before}" for key, (before, after) in values.items())
    if not apart and letter != "A":
        apart = "same settings and device as A"
    return f": {apart}" if apart else ""


def change_text(entry: Judgement) -> str:
    """Return a condition and the change, with what is known of it, without what came of it."""
    parts = [f"{entry.difference.name} {entry.condition.text}: {difference_text(entry.difference)}"]
    least, most = (None if end is None else f"{end:+.2%}" for end in (entry.least, entry.most))
    if least is not None and most is not None:
        parts.append(f"between {least} and {most}")
    elif least is not None:
        parts.append(f"at least {least}")
    elif most is not None:
        parts.append(f"at most {most}")
    return ", ".join(filter(None, (*parts, entry.line)))


def _row(entry: Difference) -> list[str]:
    return [
        entry.name,
        entry.word,
        bounded_text(entry, entry.before, entry.before_bound),
        bounded_text(entry, entry.after, entry.after_bound),
        difference_text(entry),
        _ratio(entry),
        interval_text(entry),
    ]


def _of_several(
    found: Sequence[Difference], letters: Sequence[str]
) -> tuple[list[str], list[list[Cell]]]:
    """Return heads and rows: the first result, the others with their change, then intervals."""
    heads = ["channel", "figure", "A", *letters, *(f"{letter} - A, 95 %" for letter in letters)]
    figures: dict[tuple[str, str], dict[str, Difference]] = {}
    for entry in found:
        key = replace(entry, side="").name, entry.word
        figures.setdefault(key, {})[entry.side] = entry
    rows: list[list[Cell]] = []
    for key, by_letter in figures.items():
        first = next(iter(by_letter.values()))
        row: list[Cell] = [
            *((text, "") for text in key),
            (bounded_text(first, first.before, first.before_bound), ""),
        ]
        entries = [by_letter.get(letter) for letter in letters]
        row += [(NOTHING, "") if entry is None else _other(entry) for entry in entries]
        row += [(NOTHING if entry is None else interval_text(entry), "") for entry in entries]
        rows.append(row)
    return heads, rows


def _other(entry: Difference) -> Cell:
    """Return the second value; below it, how it differs from the first."""
    parts = [text for text in (difference_text(entry), _ratio(entry)) if text != NOTHING]
    return bounded_text(entry, entry.after, entry.after_bound), " ".join(parts)


def interval_text(entry: Difference) -> str:
    """Return where the difference lies with 95 %: `+1.2 µs to +1.9 µs`."""
    if entry.needs is not None:
        return f"needs {counted(entry.needs, 'sample')}"
    least, most = entry.interval.least, entry.interval.most
    if least is None and most is None:
        return NOTHING
    if most is None and least is not None:
        return f"at least {_signed(entry, least)}"
    if least is None and most is not None:
        return f"at most {_signed(entry, most)}"
    assert least is not None
    assert most is not None
    if entry.unit == "s":
        low, high = format_range(least, most)
        return f"{_sign(least)}{low.lstrip('-')} to {_sign(most)}{high.lstrip('-')}"
    return f"{_signed(entry, least)} to {_signed(entry, most)}"


def bounded_text(entry: Difference, value: Fraction | None, bound: OpenEnd | None) -> str:
    """Return a value, and whether the figure lies above or below it."""
    said = _value(entry, value)
    return said if bound is None else f"{bound} {said}"


def _value(entry: Difference, value: Fraction | None) -> str:
    if value is None:
        return NOTHING if entry.needs is None else "too few"
    if entry.unit == "Hz":
        return format_rate(value)
    if entry.unit == "s²":
        return format_variance(value, FEMTOSECONDS)
    return format_seconds(value) if entry.unit == "s" else f"{float(value):.4%}"


def _signed(entry: Difference, value: Fraction) -> str:
    return f"{_sign(value)}{_value(entry, abs(value))}"


def _sign(value: Fraction) -> str:
    return "-" if value < 0 else "+"


def difference_text(entry: Difference) -> str:
    """Return the difference as a part of what was before: `+12.34 %`."""
    if entry.before is None or entry.after is None:
        return NOTHING
    if entry.before_bound or entry.after_bound:
        least, most = entry.change_ends
        if least is not None:
            return f"at least {float(least * 100):+.2f} %"
        return NOTHING if most is None else f"at most {float(most * 100):+.2f} %"
    if entry.change is None:
        return "from 0" if entry.after else "+0.00 %"
    return f"{float(entry.change * 100):+.2f} %"


def _ratio(entry: Difference) -> str:
    """Return `x1.370`: four digits that count, and no power of ten."""
    if entry.ratio is None:
        return NOTHING
    ratio = float(entry.ratio)
    exponent = int(f"{ratio:.3e}".partition("e")[2])
    return f"x{ratio:.{max(3 - exponent, 0)}f}"
