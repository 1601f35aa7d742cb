# SPDX-License-Identifier: Apache-2.0
"""A canvas for pictures in SVG: escaped, compact, styled by classes for light and dark."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

FONT = 'Inter, "Segoe UI", "Helvetica Neue", "Liberation Sans", "DejaVu Sans", sans-serif'

LIGHT = {
    "paper": "#ffffff",
    "panel": "#f6f7f9",
    "ink": "#15181d",
    "muted": "#5b6472",
    "grid": "#dfe3e8",
    "worst": "#c2185b",
    "last": "#8d96a3",
}
DARK = {
    "paper": "#0f1216",
    "panel": "#161b21",
    "ink": "#e9edf2",
    "muted": "#9aa5b3",
    "grid": "#2a313a",
    "worst": "#ff6f9c",
    "last": "#77818e",
}
# Eight hues that stay apart for colour-blind eyes, each with 4.5:1 or more against its paper.
CHANNEL_LIGHT = (
    "#0a5fb4", "#b34700", "#007a56", "#7b3fb5", "#8a6500", "#00758f", "#a8326e", "#4d5b2b",
)  # fmt: skip
CHANNEL_DARK = (
    "#5cb3ff", "#ff9d57", "#3fd6a3", "#c79bff", "#e5bd4a", "#4fd0e6", "#ff8fc4", "#b4c77f",
)  # fmt: skip


def _rules(colours: dict[str, str], channels: tuple[str, ...]) -> str:
    rules = [
        f".paper{{fill:{colours['paper']}}}",
        f".panel{{fill:{colours['panel']}}}",
        f".ink{{fill:{colours['ink']}}}.muted{{fill:{colours['muted']}}}",
        f".region{{fill:{colours['grid']}}}",
        f".grid{{stroke:{colours['grid']}}}.rule{{stroke:{colours['muted']}}}",
        f".average{{stroke:{colours['ink']}}}.last{{stroke:{colours['last']}}}",
        f".worst{{stroke:{colours['worst']}}}.alarm{{fill:{colours['worst']}}}",
    ]
    rules += [f".f{n}{{fill:{c}}}.s{n}{{stroke:{c}}}" for n, c in enumerate(channels)]
    return "".join(rules)


_TEXT = f"text{{font-family:{FONT};font-variant-numeric:tabular-nums}}"
STYLE = (
    _TEXT
    + _rules(LIGHT, CHANNEL_LIGHT)
    + f"@media (prefers-color-scheme:dark){{{_rules(DARK, CHANNEL_DARK)}}}"
)
"""Style of a picture that stands alone."""
PAGE_STYLE = _TEXT + _rules(
    {name: f"var(--{name})" for name in LIGHT}, tuple(f"var(--c{n})" for n in range(8))
)
"""Style of pictures in a page that has the colours as variables."""


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


@dataclass(slots=True)
class Canvas:
    """A picture under construction, `width` x `height` units."""

    width: float
    height: float
    title: str
    parts: list[str] = field(default_factory=list[str])
    head: list[str] = field(default_factory=list[str])
    """Elements of the heading; a page has it as text that wraps."""
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
        weight = ' font-weight="600"' if bold else ""
        anchored = f' text-anchor="{anchor}"' if anchor != "start" else ""
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{anchored}{weight}'
        self.parts.append(f'<text {place} class="{style}">{escape(content, quote=False)}</text>')

    def line(
        self, x: float, y: float, x2: float, y2: float, style: str = "grid", extra: str = ""
    ) -> None:
        """Draw a straight line; `extra` is raw attributes."""
        self.path(f"M{x:.1f} {y:.1f}L{x2:.1f} {y2:.1f}", style, extra)

    def path(self, data: str, style: str, extra: str = "") -> None:
        """Draw the outline of a path."""
        extra = f" {extra}" if extra else ""
        self.parts.append(f'<path class="{style}" fill="none" d="{data}"{extra}/>')

    def area(self, data: str, style: str, opacity: float) -> None:
        """Fill a path whose parts touch, without seams between them."""
        shade = f'fill-opacity="{opacity:g}" shape-rendering="crispEdges"'
        self.parts.append(f'<path class="{style}" d="{data}" {shade}/>')

    def rect(
        self, x: float, y: float, width: float, height: float, style: str, extra: str = ""
    ) -> None:
        """Fill a rectangle."""
        extra = f" {extra}" if extra else ""
        self.parts.append(
            f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" '
            f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"{extra}/>'
        )

    def body(self) -> str:
        """Return the elements alone, to be put into another picture."""
        return "\n".join((*self.head, *self.parts))

    def plot(self) -> str:
        """Return the picture without its heading as an element, styled by what it is put in."""
        box = f"0 {self.top:g} {self.width:g} {self.height - self.top:g}"
        axes = json.dumps(self.axes, ensure_ascii=False, separators=(",", ":"))
        measured = f' data-axes="{escape(axes)}"' if self.axes else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img"{measured} '
            f'aria-label="{escape(self.title)}"><title>{escape(self.title)}</title>\n'
            + "\n".join(self.parts)
            + "\n</svg>"
        )

    def render(self, style: bool) -> str:
        """Return the picture as an element; with its own style where nothing else brings it."""
        own = f"<style>{escape(STYLE, quote=False)}</style>" if style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'role="img" aria-label="{escape(self.title)}">'
            f"<title>{escape(self.title)}</title>{own}\n{self.body()}\n</svg>"
        )


def text_width(content: str, size: float, bold: bool = False) -> float:
    """Return a text's width, estimated for DejaVu Sans, the widest of usual sans-serif faces."""
    ems = 0.0
    for letter in content:
        if letter in "ilIjJ.,:;'|!/ ·":
            ems += 0.33
        elif letter in "frt-()":
            ems += 0.41
        elif letter in "mwMW%@≥≤=":
            ems += 0.95
        else:
            ems += 0.74 if letter.isupper() else 0.63
    return ems * size * (1.13 if bold else 1)


def cut(content: str, room: float, size: float, bold: bool = False) -> str:
    """Return a text, its end cut off if it is wider than the room for it."""
    if text_width(content, size, bold) <= room:
        return content
    shown = content
    while shown and text_width(f"{shown}…", size, bold) > room:
        shown = shown[:-1]
    return f"{shown.rstrip(' ·,')}…"


def stack(title: str, canvases: Iterable[Canvas], gap: float = 0) -> Canvas:
    """Return the pictures below each other on one sheet of paper, `gap` apart."""
    pictures = list(canvases)
    width = max(picture.width for picture in pictures)
    height = sum(picture.height for picture in pictures) + gap * (len(pictures) - 1)
    sheet = Canvas(width, height, title)
    sheet.rect(0, 0, sheet.width, sheet.height, "paper")
    top = 0.0
    for picture in pictures:
        sheet.parts.append(f'<g transform="translate(0 {top:g})">\n{picture.body()}\n</g>')
        top += picture.height + gap
    return sheet
