# SPDX-License-Identifier: Apache-2.0
"""Pictures as SVG: escaped, compact, styled by classes for light and dark."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from plexor.show.pictures.canvas import THIN, Box, Canvas, Mark, Outline, Stroke, Text
from plexor.show.pictures.colours import CHANNEL_DARK, CHANNEL_LIGHT, DARK, LIGHT

FONT = 'Inter, "Segoe UI", "Helvetica Neue", "Liberation Sans", "DejaVu Sans", sans-serif'


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


def svg_plot(canvas: Canvas) -> str:
    """Return the picture without its heading as an element, styled by what it is put in."""
    box = f"0 {canvas.top:g} {canvas.width:g} {canvas.height - canvas.top:g}"
    axes = json.dumps(canvas.axes, ensure_ascii=False, separators=(",", ":"))
    measured = f' data-axes="{escape(axes)}"' if canvas.axes else ""
    return _element(canvas, box, measured, "", canvas.marks)


def svg_picture(canvas: Canvas, *, style: bool = True) -> str:
    """Return the picture as an element; with its own style where nothing else brings it."""
    own = f"<style>{escape(STYLE, quote=False)}</style>" if style else ""
    box = f"0 0 {canvas.width:g} {canvas.height:g}"
    return _element(canvas, box, "", own, (*canvas.head, *canvas.marks))


def _element(canvas: Canvas, box: str, more: str, style: str, marks: Iterable[Mark]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img"{more} '
        f'aria-label="{escape(canvas.title)}"><title>{escape(canvas.title)}</title>{style}\n'
        f"{_lines(marks)}\n</svg>"
    )


def _lines(marks: Iterable[Mark]) -> str:
    return "\n".join(map(_mark, marks))


def _mark(mark: Mark) -> str:
    if isinstance(mark, Text):
        return _text(mark)
    if isinstance(mark, Outline):
        return _outline(mark)
    if isinstance(mark, Box):
        return _box(mark)
    return f'<g transform="translate({mark.x:g} {mark.y:g})">\n{_lines(mark.marks)}\n</g>'


def _text(mark: Text) -> str:
    weight = ' font-weight="600"' if mark.bold else ""
    anchored = f' text-anchor="{mark.anchor}"' if mark.anchor != "start" else ""
    place = f'x="{mark.x:.1f}" y="{mark.y:.1f}" font-size="{mark.size:g}"{anchored}{weight}'
    content = escape(mark.content, quote=False)
    return f'<text {place} class="{mark.style}">{content}</text>'


def _outline(mark: Outline) -> str:
    fill = "" if mark.filled else ' fill="none"'
    shade = f' fill-opacity="{mark.opacity:g}"' if mark.opacity != 1 else ""
    crisp = ' shape-rendering="crispEdges"' if mark.crisp else ""
    line = _stroke(mark.stroke)
    return f'<path class="{mark.style}"{fill} d="{mark.data}"{line}{shade}{crisp}/>'


def _box(mark: Box) -> str:
    place = f'x="{mark.x:.1f}" y="{mark.y:.1f}" width="{mark.width:.1f}" height="{mark.height:.1f}"'
    shade = f' fill-opacity="{mark.opacity:g}"' if mark.opacity != 1 else ""
    corners = f' rx="{mark.radius:g}"' if mark.radius else ""
    return f'<rect class="{mark.style}" {place}{corners}{shade}{_stroke(mark.stroke)}/>'


def _stroke(stroke: Stroke) -> str:
    """Return the attributes of a line, those that differ from what SVG takes without them."""
    said = {
        "stroke-width": f"{round(stroke.width, 2):g}" if stroke.width != THIN.width else "",
        "stroke-dasharray": " ".join(f"{length:g}" for length in stroke.dash),
        "stroke-opacity": f"{round(stroke.opacity, 2):g}" if stroke.opacity != THIN.opacity else "",
        "stroke-linecap": "round" if stroke.round_ends else "",
        "stroke-linejoin": "round" if stroke.round_joins else "",
    }
    return "".join(f' {name}="{value}"' for name, value in said.items() if value)
