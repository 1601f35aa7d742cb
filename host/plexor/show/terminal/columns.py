# SPDX-License-Identifier: Apache-2.0
"""Lines for a terminal: text in colour or plain, wrapped, and tables that fit its width."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from plexor.base.streams import printable_line
from plexor.show.table import Cell

LEAST_WIDTH = 40
MOST_KEYS = 3
"""Columns that tell the rows of a table apart."""
_COLOURS = {"bold": "1", "muted": "2", "good": "32", "bad": "31", "doubt": "33", "alarm": "35"}
CHANNEL_COLOURS = ("34", "33", "32", "35", "36", "31", "94", "93")
"""Styles that tell channels or loads apart."""


_MARK = f"\x1b{secrets.token_hex(8)}"
"""Begins a colour until a text is done. No text from outside can have it."""


class Paint:
    """Puts text in colour, or leaves it plain. `done` makes the text of all lines."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, style: str) -> str:
        code = _COLOURS.get(style, style)
        return f"{_MARK}{code}m{text}{_MARK}0m" if self._colour and code and text.strip() else text

    def done(self, lines: Iterable[str]) -> str:
        """Return the lines, each ended. Control characters are escapes, but for the colours."""
        return "".join(
            "\x1b[".join(printable_line(part) for part in line.split(_MARK)) + "\n"
            for line in lines
        )


def wrapped(content: str, width: int, paint: Paint, style: str) -> Iterator[str]:
    """Break at spaces; a text without spaces is broken anywhere."""
    content = printable_line(content)
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
    """Lay out the columns side by side, or where they do not fit in as many bands as it takes.

    Each band begins with the columns that tell rows apart. What is too wide is broken, not cut.
    """
    keys = _keys(rows)
    sizes = [
        max(len(text) for text in (head[i], "-", *(text for row in rows for text in row[i])))
        for i in range(len(head))
    ]
    sizes[:keys] = [min(size, width // (keys + 2)) for size in sizes[:keys]]
    taken = sum(sizes[:keys]) + 2 * keys
    sizes[keys:] = [min(size, width - taken) for size in sizes[keys:]]
    first = keys
    while first < len(head):
        if first > keys:
            yield ""
        last, used = first, taken + sizes[first]
        while last + 1 < len(head) and used + 2 + sizes[last + 1] <= width:
            last += 1
            used += 2 + sizes[last]
        band = [*range(keys), *range(first, last + 1)]
        shown = [sizes[i] for i in band]
        yield from _row([head[i] for i in band], shown, paint, "muted")
        for row in rows:
            yield from _row([row[i][0] for i in band], shown, paint, "")
            if any(row[i][1] for i in band):
                yield from _row([row[i][1] for i in band], shown, paint, "muted")
        first = last + 1


def _keys(rows: list[list[Cell]]) -> int:
    """Return how many columns at the left it takes to tell each row from every other."""
    columns = range(1, min(MOST_KEYS, len(rows[0]) - 1) + 1) if rows else ()
    return next((n for n in columns if len({tuple(row[:n]) for row in rows}) == len(rows)), 1)


def _row(cells: list[str], sizes: list[int], paint: Paint, style: str) -> Iterator[str]:
    """Put cells side by side, those that are broken on several lines."""
    plain = Paint(False)
    broken = [list(wrapped(c, size, plain, "")) for c, size in zip(cells, sizes, strict=True)]
    for parts in zip_longest(*broken, fillvalue=""):
        first = parts[0].ljust(sizes[0])
        rest = [part.rjust(size) for part, size in zip(parts[1:], sizes[1:], strict=True)]
        yield paint("  ".join((first, *rest)).rstrip(), style)
