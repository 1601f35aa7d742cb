# SPDX-License-Identifier: Apache-2.0
"""A picture as data: its axes, and marks of which it is made, in the order in which they lie.

Marks say what they are by the name of a style, such as `muted` or `s0`, not by a colour. Outlines
are in the path language that SVG and the canvas of HTML share. How a file says it is in `svg`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from plexor.show.pictures.letters import letter_width


class Axes(NamedTuple):
    """An axis from left to right, in seconds or hertz, and the units between which it is drawn."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    top: float
    bottom: float
    unit: str


class Stroke(NamedTuple):
    """How a line is drawn: its width in units, and lengths of dashes and gaps."""

    width: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0
    round_ends: bool = False
    round_joins: bool = False


THIN = Stroke()


class Text(NamedTuple):
    """Text with its baseline at y. `anchor` is what lies at x: its start, middle or end."""

    x: float
    y: float
    content: str
    size: float
    style: str
    anchor: str
    bold: bool


class Outline(NamedTuple):
    """A path, drawn as a line, filled, or both."""

    data: str
    style: str
    stroke: Stroke = THIN
    filled: bool = False
    opacity: float = 1.0
    """Of the filling."""
    crisp: bool = False
    """Whether its edges fill whole pixels, so that parts which touch have no seam."""


class Box(NamedTuple):
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    style: str
    opacity: float = 1.0
    radius: float = 0.0
    stroke: Stroke = THIN
    """Of its border, if its style has one."""


class Group(NamedTuple):
    """Marks of another picture, moved."""

    x: float
    y: float
    marks: tuple[Mark, ...]


Mark = Text | Outline | Box | Group


@dataclass(slots=True)
class Canvas:
    """A picture under construction, `width` x `height` units."""

    width: float
    height: float
    title: str
    marks: list[Mark] = field(default_factory=list[Mark])
    head: list[Mark] = field(default_factory=list[Mark])
    """Marks of the heading; a page has it as text that wraps."""
    heading: tuple[str, str, str] = ("", "", "")
    """Its title, where the figures come from, and its subtitle."""
    top: float = 0.0
    """Where what is below the heading begins."""
    axes: list[Axes] = field(default_factory=list[Axes])
    """What a page may measure along, by its script."""

    def text(
        self,
        x: float,
        y: float,
        content: str,
        *,
        size: float = 12,
        style: str = "ink",
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        """Put text with its baseline at y. It must lie within the picture."""
        self.marks.append(Text(x, y, content, size, style, anchor, bold))

    def line(
        self,
        x: float,
        y: float,
        x2: float,
        y2: float,
        style: str = "grid",
        stroke: Stroke = THIN,
    ) -> None:
        """Draw a straight line."""
        self.path(f"M{x:.1f} {y:.1f}L{x2:.1f} {y2:.1f}", style, stroke)

    def path(self, data: str, style: str, stroke: Stroke = THIN, *, crisp: bool = False) -> None:
        """Draw the outline of a path."""
        self.marks.append(Outline(data, style, stroke, crisp=crisp))

    def area(self, data: str, style: str, opacity: float) -> None:
        """Fill a path whose parts touch, without seams between them."""
        self.marks.append(Outline(data, style, filled=True, opacity=opacity, crisp=True))

    def shape(self, data: str, style: str, stroke: Stroke = THIN) -> None:
        """Fill a path and draw its outline, each if its style has a colour for it."""
        self.marks.append(Outline(data, style, stroke, filled=True))

    def dot(self, x: float, y: float, radius: float, style: str, stroke: Stroke = THIN) -> None:
        """Put a disc, filled and outlined as `shape` does."""
        self.shape(_circle(x, y, radius), style, stroke)

    def ring(self, x: float, y: float, radius: float, style: str, stroke: Stroke = THIN) -> None:
        """Draw a circle."""
        self.path(_circle(x, y, radius), style, stroke)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        style: str,
        *,
        opacity: float = 1.0,
        radius: float = 0.0,
        stroke: Stroke = THIN,
    ) -> None:
        """Fill a rectangle; one of less than no size has none."""
        size = max(width, 0), max(height, 0)
        self.marks.append(Box(x, y, *size, style, opacity, radius, stroke))

    def put(self, x: float, y: float, other: Canvas) -> None:
        """Put another picture, with its heading, at a place."""
        self.marks.append(Group(x, y, (*other.head, *other.marks)))


def stack(title: str, canvases: Iterable[Canvas], gap: float = 0) -> Canvas:
    """Return the pictures below each other on one sheet of paper, `gap` apart."""
    pictures = list(canvases)
    width = max(picture.width for picture in pictures)
    height = sum(picture.height for picture in pictures) + gap * (len(pictures) - 1)
    sheet = Canvas(width, height, title)
    sheet.rect(0, 0, sheet.width, sheet.height, "paper")
    top = 0.0
    for picture in pictures:
        sheet.put(0, top, picture)
        top += picture.height + gap
    return sheet


def text_width(content: str, size: float, bold: bool = False) -> float:
    """Return a text's width in DejaVu Sans, the widest of usual sans-serif faces."""
    return sum(letter_width(letter, bold) for letter in content) * size


def cut(content: str, room: float, size: float, bold: bool = False) -> str:
    """Return a text, its end cut off if it is wider than the room for it."""
    if text_width(content, size, bold) <= room:
        return content
    shown = content
    while shown and text_width(f"{shown}…", size, bold) > room:
        shown = shown[:-1]
    return f"{shown.rstrip(' ·,')}…"


def _circle(x: float, y: float, radius: float) -> str:
    around = f"a{radius:g} {radius:g} 0 1 0"
    return f"M{x - radius:.1f} {y:.1f}{around} {2 * radius:g} 0{around}-{2 * radius:g} 0z"
