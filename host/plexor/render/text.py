"""A run's figures for a terminal: never wider than it, and readable without colour."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from plexor.analyse import ChannelFigures, Report
from plexor.budget import Check, Outcome, Verdict
from plexor.render import facts
from plexor.render.plots import latency_axis, samples_below
from plexor.render.scale import grouped, number, time_unit
from plexor.render.table import (
    NOTHING,
    Cell,
    distance_rows,
    found_text,
    jitter_rows,
    latency_rows,
    period_rows,
    share_rows,
)

LEAST_WIDTH = 40
_BLOCKS = " ▁▂▃▄▅▆▇█"
_COLOURS = {"bold": "1", "muted": "2", "good": "32", "bad": "31", "doubt": "33", "alarm": "35"}
_CHANNELS = ("34", "33", "32", "35", "36", "31", "94", "93")
_WORDS = {
    Outcome.PASS: ("pass", "good"),
    Outcome.BROKEN: ("BROKEN", "bad"),
    Outcome.INSUFFICIENT: ("not proven", "doubt"),
}


class _Paint:
    """Puts text in colour, or leaves it plain."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, style: str) -> str:
        code = _COLOURS.get(style, style)
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour and code and text.strip() else text


def text(
    report: Report, verdict: Verdict | None = None, *, width: int = 100, colour: bool = False
) -> str:
    """Return the figures as lines of at most `width` columns (40 at least), each ended."""
    width = max(width, LEAST_WIDTH)
    paint = _Paint(colour)
    lines: list[str] = []
    lines += _wrapped(facts.headline(report), width, paint, "bold")
    lines += _wrapped(
        facts.summary(report), width, paint, "alarm" if report.result.simulated else "muted"
    )
    lines.append("")
    for head, rows in (
        latency_rows(report),
        distance_rows(report),
        jitter_rows(report),
        share_rows(report),
        period_rows(report),
    ):
        if rows:
            lines += _table(head, rows, width, paint)
            lines.append("")
    for channel in report.channels:
        if channel.rise is not None:
            lines += _histogram(report, channel, width, paint)
            lines.append("")
    lines += _wrapped(facts.accounting(report), width, paint, "bold")
    lines += _wrapped(facts.conserved(report), width, paint, "muted")
    for reason in report.invalid_reasons:
        lines += _wrapped(f"INVALID RUN: {reason}", width, paint, "bad")
    if verdict is not None:
        lines.append("")
        lines += _verdict(report, verdict, width, paint)
    return "\n".join(lines) + "\n"


def _wrapped(content: str, width: int, paint: _Paint, style: str) -> Iterator[str]:
    """Break at spaces; what has none is broken anywhere."""
    line = ""
    for place, word in enumerate(content.split(" ")):
        rest = word
        if place and len(line) + 1 + len(rest) <= width:
            line += f" {rest}"
            continue
        if line:
            yield paint(line, style)
        while len(rest) > width:
            yield paint(rest[:width], style)
            rest = rest[width:]
        line = rest
    yield paint(line, style)


def _table(head: list[str], rows: list[list[Cell]], width: int, paint: _Paint) -> Iterator[str]:
    """Lay out the columns side by side, or where they do not fit in as many bands as it takes."""
    sizes = [
        max(len(head[i]), *(max(len(row[i][0]), len(row[i][1])) for row in rows), 1)
        if rows
        else len(head[i])
        for i in range(len(head))
    ]
    sizes[0] = min(sizes[0], width // 3)
    first = 1
    while first < len(head):
        if first > 1:
            yield ""
        last, used = first, sizes[0]
        while last < len(head) and (last == first or used + 2 + sizes[last] <= width):
            used += 2 + sizes[last]
            last += 1
        band = [0, *range(first, last)]
        yield _row([head[i] for i in band], [sizes[i] for i in band], width, paint, "muted")
        for row in rows:
            cells = [row[i] for i in band]
            yield _row([c[0] for c in cells], [sizes[i] for i in band], width, paint, "")
            if any(note for _, note in cells):
                yield _row([c[1] for c in cells], [sizes[i] for i in band], width, paint, "muted")
        first = last


def _row(cells: list[str], sizes: list[int], width: int, paint: _Paint, style: str) -> str:
    first = cells[0] if len(cells[0]) <= sizes[0] else f"{cells[0][: sizes[0] - 1]}…"
    parts = [first.ljust(sizes[0])]
    parts += [cell.rjust(size) for cell, size in zip(cells[1:], sizes[1:], strict=True)]
    return paint("  ".join(parts)[:width].rstrip(), style)


def _histogram(report: Report, channel: ChannelFigures, width: int, paint: _Paint) -> Iterator[str]:
    """Draw three lines of blocks, counts by logarithm, over the axis that all channels share."""
    assert channel.rise is not None
    columns = min(width - 8, 120)
    axis = latency_axis([report], 0, columns)
    edges = np.array([axis.value(i) for i in range(columns + 1)])
    counts = np.diff(samples_below(channel.rise.distribution, edges, report.result.tick_fs))
    most = max(float(counts.max()), 1.0)
    rows = 3
    # One sample is one eighth of a row, so that it is seen.
    eighths = [
        0 if count <= 0 else 1 + round((rows * 8 - 1) * math.log1p(max(count - 1, 0)) / _top(most))
        for count in counts.tolist()
    ]
    colour = _CHANNELS[channel.result.number % len(_CHANNELS)]
    title = f"{channel.name}: samples by latency, counts by logarithm"
    yield paint(title[:width], "bold")
    for row in reversed(range(rows)):
        left = "1" if row == 0 else grouped(round(most)) if row == rows - 1 and most > 1 else ""
        left = left if len(left) <= 7 else f"{most:.0e}".replace("e+0", "e")
        blocks = "".join(_BLOCKS[min(max(value - 8 * row, 0), 8)] for value in eighths)
        yield f"{paint(left.rjust(7), 'muted')} {paint(blocks.rstrip(), colour)}".rstrip()
    scale, unit = time_unit(axis.high)
    marks = [" "] * columns
    for value in axis.ticks(max(columns // 12, 2)):
        label = number(value / scale)
        at = min(round(axis.at(value)), columns - len(label))
        if all(mark == " " for mark in marks[max(at - 1, 0) : at + len(label) + 1]):
            marks[at : at + len(label)] = label
    yield paint(f"{unit:>7} {''.join(marks)}".rstrip(), "muted")


def _top(most: float) -> float:
    return max(math.log1p(most - 1), 1e-9)


def _verdict(report: Report, verdict: Verdict, width: int, paint: _Paint) -> Iterator[str]:
    for check in verdict.checks:
        word, style = _WORDS[check.outcome]
        if check.limit.goal:
            word, style = ("goal met", "good") if word == "pass" else ("goal missed", "doubt")
        yield from _wrapped(f"{word:<11} {_check(report, check)}", width, paint, style)
    words = {
        Outcome.PASS: f"PASS: within budget {verdict.budget.title}",
        Outcome.BROKEN: f"FAIL: {len(verdict.broken)} of {len(verdict.checks)} checks of budget "
        f"{verdict.budget.title} broken",
        Outcome.INSUFFICIENT: f"NOT PROVEN: budget {verdict.budget.title} cannot be decided",
    }
    yield from _wrapped(words[verdict.outcome], width, paint, _WORDS[verdict.outcome][1])


def _check(report: Report, check: Check) -> str:
    found, violations, first = found_text(check, report.result.tick_fs)
    text = f"{check.channel} {check.limit.label} {found}, limit {check.limit.text}"
    if violations not in (NOTHING, "0"):
        text += f", {violations} beyond it"
    return text + "".join(f", {note}" for note in (first, check.reason) if note)
