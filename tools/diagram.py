# SPDX-License-Identifier: Apache-2.0
"""Draws the instrument's stages and the wires between them, from its netlist.

    .venv/bin/python -m tools.diagram

Writes docs/stages.svg.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from plexor.show.pictures.canvas import Canvas, Stroke, text_width
from plexor.show.pictures.svg import svg_picture
from plexor_hdl.build import boards
from tools.stages import OUTSIDE, Netlist, Wires, netlist_of

DRAWING = Path(__file__).parent.parent / "docs" / "stages.svg"
DATA: dict[str, tuple[float, float, str]] = {
    "table": (0, 0, "steps of a sweep"),
    "outputs": (0, 1, "draw strikes"),
    "pins": (1, 1, "samples of a clock"),
    "timebase": (1, 2, "counts clocks"),
    "schedule": (0, 2, "due times"),
    "timecode": (0, 3, "counts strikes"),
    "lamps": (1, 3.5, "show codes"),
    "capture": (2, 1, "edges to events"),
    "trigger": (2, 3, "what to stop on"),
    "matcher": (3, 2, "responses to strikes"),
    "records": (3, 3.5, "figures of a step"),
    "ring": (4, 0, "events at a trigger"),
    "counts": (4.25, 2, "edges, classes"),
    "results": (4.25, 3.5, "bins, statistics"),
    "uplink": (5, 0.4, "events to frames"),
    "code_tables": (4.25, 4.6, "times by code"),
    "dumper": (6, 3, "memories to frames"),
    "packetizer": (6, 1.9, "a frame at a time"),
    "link": (6, 0.9, "frames to bytes"),
    "rows": (6, 0, "values of bytes"),
}
"""Column, row and task of each stage on the way from pin to link."""
CONTROL: dict[str, str] = {
    "bank": "registers",
    "command": "requests, answers",
    "run": "starts and ends runs",
    "snapshots": "banks and dumps",
    "flags": "what happened",
    "last_counted": "the end of counting",
    "stall": "a source falls silent",
}
"""Stages that most others are wired to. Their wires are not drawn."""
LEAST_BITS = 2
"""Minimum bits of a wire that is drawn. A single bit is only a strobe or holds a stream up."""

_WIDE, _HIGH = 134.0, 52.0
_STEP_X, _STEP_Y = 190.0, 96.0
_LEFT, _TOP = 70.0, 96.0
_SIZE, _SMALL = 14.0, 11.5
_MANY_BITS = 64
_LABEL_PARTS = {
    ("capture", "counts"): 0.65,
    ("capture", "uplink"): 0.8,
    ("timebase", "uplink"): 0.25,
    ("matcher", "ring"): 0.3,
    ("matcher", "results"): 0.72,
    ("counts", "records"): 0.72,
    ("records", "counts"): 0.28,
    ("dumper", "records"): 0.35,
    ("records", "dumper"): 0.65,
}
"""Place of an arrow's number on its curve, if another number is in the middle."""
_WIDTH = 2 * _LEFT + 6 * _STEP_X + _WIDE
_BAND = _TOP + 5.7 * _STEP_Y
_HEIGHT = _BAND + _HIGH + 46


class PlaceError(Exception):
    """A stage has no place in the drawing, or a place has no stage."""


@dataclass(frozen=True)
class Arrow:
    """Wires between two stages. Wires back have a bit count of their own, 0 if there are none."""

    source: str
    sink: str
    bits: int
    back_bits: int


def arrows_of(wires: Iterable[Wires]) -> tuple[Arrow, ...]:
    """Return the arrows between stages of the data path, each in the direction with more bits."""
    bits: dict[tuple[str, str], int] = {
        (wire.source, wire.sink): wire.bits
        for wire in wires
        if {wire.source, wire.sink} <= DATA.keys() and wire.bits >= LEAST_BITS
    }
    found: list[Arrow] = []
    for (source, sink), forth in sorted(bits.items()):
        back = bits.get((sink, source), 0)
        if (forth, source) > (back, sink):
            found.append(Arrow(source, sink, forth, back))
    return tuple(found)


def draw(netlist: Netlist) -> Canvas:
    """Return the drawing. Raises PlaceError if stages and places differ."""
    stages = {end for wire in netlist.wires for end in (wire.source, wire.sink)} - {OUTSIDE}
    if stages != DATA.keys() | CONTROL.keys():
        names = ", ".join(sorted(stages ^ (DATA.keys() | CONTROL.keys())))
        raise PlaceError(f"stages: {names}; each must have one place in tools/diagram.py")
    canvas = Canvas(_WIDTH, _HEIGHT, "Stages of the instrument and the wires between them")
    canvas.rect(0, 0, _WIDTH, _HEIGHT, "paper")
    canvas.text(_LEFT, 40, "Stages of the instrument", size=20, bold=True)
    what = "Numbers are wires, forth and back, of an ULX3S. One-bit wires are left out."
    canvas.text(_LEFT, 64, what, size=_SMALL + 1.5, style="muted")
    for arrow, ends in _placed(arrows_of(netlist.wires)):
        _arrow(canvas, arrow, *ends)
    for name, (column, row, task) in DATA.items():
        _box(canvas, _LEFT + column * _STEP_X, _TOP + row * _STEP_Y, name, task)
    between = (_WIDTH - 2 * _LEFT - _WIDE) / (len(CONTROL) - 1)
    canvas.line(_LEFT, _BAND - 30, _WIDTH - _LEFT, _BAND - 30, "grid")
    canvas.text(
        _LEFT, _BAND - 10, "Control, wired to most stages", size=_SMALL + 1.5, style="muted"
    )
    for number, (name, task) in enumerate(CONTROL.items()):
        _box(canvas, _LEFT + number * between, _BAND + 6, name, task)
    return canvas


Point = tuple[float, float]


def _placed(arrows: tuple[Arrow, ...]) -> list[tuple[Arrow, tuple[Point, Point]]]:
    """Return arrows with their ends, spread over each side of a box."""
    sides: dict[tuple[str, str], list[tuple[float, int, int]]] = defaultdict(list)
    for number, arrow in enumerate(arrows):
        for place, (stage, other) in enumerate(
            ((arrow.source, arrow.sink), (arrow.sink, arrow.source))
        ):
            column, row, _ = DATA[stage]
            there_column, there_row, _ = DATA[other]
            if column == there_column:
                side, key = ("bottom" if there_row > row else "top"), there_column
            else:
                side, key = ("right" if there_column > column else "left"), there_row
            sides[stage, side].append((key, number, place))
    ends: dict[tuple[int, int], Point] = {}
    for (stage, side), found in sides.items():
        column, row, _ = DATA[stage]
        x, y = _LEFT + column * _STEP_X, _TOP + row * _STEP_Y
        for order, (_, number, place) in enumerate(sorted(found)):
            part = (order + 1) / (len(found) + 1)
            ends[number, place] = {
                "left": (x, y + part * _HIGH),
                "right": (x + _WIDE, y + part * _HIGH),
                "top": (x + part * _WIDE, y),
                "bottom": (x + part * _WIDE, y + _HIGH),
            }[side]
    return [(arrow, (ends[number, 0], ends[number, 1])) for number, arrow in enumerate(arrows)]


def _arrow(canvas: Canvas, arrow: Arrow, start: Point, end: Point) -> None:
    upright = DATA[arrow.source][0] == DATA[arrow.sink][0]
    (x, y), (x2, y2) = start, end
    dx, dy = (0, 1 if y2 > y else -1) if upright else (1 if x2 > x else -1, 0)
    reach = (abs(y2 - y) if upright else abs(x2 - x)) / 2
    bend, bend2 = (x + dx * reach, y + dy * reach), (x2 - dx * reach, y2 - dy * reach)
    data = f"M{x:.1f} {y:.1f}C" + " ".join(f"{at:.1f}" for at in (*bend, *bend2, x2, y2))
    canvas.path(data, "s0", Stroke(2.2 if arrow.bits >= _MANY_BITS else 1.2))
    _head(canvas, x2, y2, dx, dy)
    if arrow.back_bits:
        _head(canvas, x, y, -dx, -dy)
    text = f"{arrow.bits} / {arrow.back_bits}" if arrow.back_bits else f"{arrow.bits}"
    part = _LABEL_PARTS.get((arrow.source, arrow.sink), 0.5)
    x, y = (_on_curve(part, *axis) for axis in zip(start, bend, bend2, end, strict=True))
    wide = text_width(text, _SMALL)
    canvas.rect(x - wide / 2 - 2, y - 7, wide + 4, 14, "paper")
    canvas.text(x, y + 4, text, size=_SMALL, anchor="middle")


def _on_curve(part: float, *points: float) -> float:
    """Return one coordinate of a cubic Bezier curve at the parameter `part`, 0 to 1."""
    weights = (1, 3, 3, 1)
    return sum(
        weight * (1 - part) ** (3 - power) * part**power * point
        for power, (weight, point) in enumerate(zip(weights, points, strict=True))
    )


def _head(canvas: Canvas, x: float, y: float, dx: float, dy: float) -> None:
    points = f"M{x:.1f} {y:.1f}l{-8 * dx - 4 * dy:g} {-8 * dy - 4 * dx:g}l{8 * dy:g} {8 * dx:g}z"
    canvas.shape(points, "f0")


def _box(canvas: Canvas, x: float, y: float, name: str, task: str) -> None:
    canvas.rect(x, y, _WIDE, _HIGH, "panel rule", radius=6, stroke=Stroke(1.2))
    middle = x + _WIDE / 2
    canvas.text(middle, y + 22, name, size=_SIZE, anchor="middle", bold=True)
    canvas.text(middle, y + 40, task, size=_SMALL, style="muted", anchor="middle")


def main() -> int:
    """Write the drawing."""
    drawn = svg_picture(draw(netlist_of(boards.simulated()))) + "\n"
    DRAWING.write_text(drawn, encoding="utf-8")
    print(DRAWING)
    return 0


if __name__ == "__main__":
    sys.exit(main())
