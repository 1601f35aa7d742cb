"""Lines for a terminal: text in colour or plain, wrapped, and tables that fit its width."""

from __future__ import annotations

from collections.abc import Iterator

from plexor.render.table import Cell

LEAST_WIDTH = 40
_COLOURS = {"bold": "1", "muted": "2", "good": "32", "bad": "31", "doubt": "33", "alarm": "35"}
CHANNEL_COLOURS = ("34", "33", "32", "35", "36", "31", "94", "93")
"""Styles that tell channels or loads apart."""


class Paint:
    """Puts text in colour, or leaves it plain."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, style: str) -> str:
        code = _COLOURS.get(style, style)
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour and code and text.strip() else text


def wrapped(content: str, width: int, paint: Paint, style: str) -> Iterator[str]:
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


def table(head: list[str], rows: list[list[Cell]], width: int, paint: Paint) -> Iterator[str]:
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


def _row(cells: list[str], sizes: list[int], width: int, paint: Paint, style: str) -> str:
    first = cells[0] if len(cells[0]) <= sizes[0] else f"{cells[0][: sizes[0] - 1]}…"
    parts = [first.ljust(sizes[0])]
    parts += [cell.rjust(size) for cell, size in zip(cells[1:], sizes[1:], strict=True)]
    return paint("  ".join(parts)[:width].rstrip(), style)
