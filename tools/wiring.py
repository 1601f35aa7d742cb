# SPDX-License-Identifier: Apache-2.0
"""Draws how each board is wired to a device under test, from constraints/NAME.toml.

    .venv/bin/python -m tools.wiring

Writes docs/wiring/NAME.svg for each board.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from plexor.show.pictures.canvas import Canvas, Stroke
from plexor.show.pictures.svg import svg_picture
from tools.gateware import board as boards
from tools.gateware.board import Board

DRAWINGS = Path(__file__).parent.parent / "docs" / "wiring"
_OHMS = "100 to 330 Ω"
_NOTES = (
    ("Ground first", "and last to go: without it, currents find their way through signal pins."),
    ("3.3 V only", "5 V destroys a pin, 1.8 V is no high: shift levels. No pin is a supply."),
    (
        _OHMS,
        "in all but channels and codes: where two outputs meet, 33 mA at most; edges ring less.",
    ),
)
_J1 = "of J1 is that of its supply, 2V5_3V3, which RV2, RV3 and J5 set: measure 3.3 V there first."
_MALE = "swaps even and odd: GN18 to GN25, which the board drives, then lie where codes are read."
_ULX3S = (("The level", _J1), ("A male header", _MALE))
_P3 = (("5 V", "lies between the two halves of the header, which is P3 on the board's silk."),)
_OWN = {
    "ulx3s-12f": _ULX3S,
    "ulx3s-25f": _ULX3S,
    "ulx3s-85f": _ULX3S,
    "ulx4m-ls": (("5 V", "is at pins 2 and 4 of a carrier's header of 40: keep wires off them."),),
    "colorlight-i5": _P3,
    "colorlight-i9": _P3,
    "icesugar-pro": _P3,
    "upduino": (
        ("A wire", "from 12 MHz to gpio_35 is the clock; on a v3.0 the silk swaps 12 MHz and GND."),
        ("The level", "is that of bank 0, which R31 joins to 3.3 V: measure 3.3 V at R31 first."),
    ),
    "pico-ice": (
        ("The level", "of PMOD0A and 0B is that of bank 2, which SJ5 joins to 3.3 V: measure it."),
    ),
    "orangecrab": (
        ("5 V", "is at USB, next to pin 13, and up to 4.2 V at BAT: keep wires off them."),
    ),
}
"""What else a board's header asks for. ULX3S: schematics v3.1.7, pages 2 and 3. Colorlight and
iCESugar-pro: the extension boards' pinouts. OrangeCrab: its header is a Feather's. UPduino:
schematic v3.01 and errata (docs/source/features/specs.rst). pico-ice: schematic Rev3."""
_NO_PULL = ("Unused inputs", "of channels and gate go to ground: nothing pulls them down.")
_UNUSED = {
    "ecp5": ("Unused pins", "stay open: channels and gate are pulled down."),
    "ice40": _NO_PULL,
    "up5k": _NO_PULL,
}

_WIDTH, _MARGIN = 900.0, 20.0
_NEAR, _FAR = 344.0, 616.0
"""Edges of the board and of its counterpart."""
_GROUP, _PORT, _HEADER, _SITE = 40.0, 138.0, 276.0, 324.0
"""Columns of the board; the last two are right-aligned."""
_TOP, _HEAD, _ROW, _GAP, _CAPTION, _NOTE = 84.0, 32.0, 25.0, 14.0, 26.0, 22.0
_SIZE, _SMALL = 14.0, 13.0


@dataclass(frozen=True)
class Wire:
    """A wire between a pin of the board and one of the device."""

    port: str
    header: str
    site: str
    far: str
    stroke: str
    fill: str
    drives: bool = False
    """Whether the board drives it."""


@dataclass(frozen=True)
class Group:
    """Wires of one kind, and the note above the first."""

    name: str
    caption: str
    wires: tuple[Wire, ...]
    resistors: bool = False
    cable: bool = False
    """Whether there is a USB cable instead of wires."""

    @property
    def height(self) -> float:
        """Return the height of the group's rows."""
        return _ROW * len(self.wires)


_GROUND = Wire("", "GND", "", "GND", "average", "ink")
_PLAIN = ("rule", "muted")


def groups(board: Board) -> tuple[Group, ...]:
    """Return a board's wires to the device under test, from the top."""
    strikes = board.geometry.strikes
    channels = tuple(
        _wire(board, f"channels[{n}]", f"ch{n}", f"response {n}", (f"s{n}", f"f{n}"))
        for n in range(board.geometry.channels)
    )
    outputs = tuple(
        _wire(board, f"outputs[{n}]", f"strike{n}", f"struck pin {n}", ("worst", "alarm"))
        for n in range(strikes)
    )
    load = _wire(board, f"outputs[{strikes}]", "load", "load on", _PLAIN)
    gate = _wire(board, "gate", "gate", "trigger", _PLAIN)
    codes = tuple(
        _wire(board, f"codes[{n}]", f"code{n}", f"code bit {n}", _PLAIN)
        for n in range(board.geometry.code_bits)
    )
    timecode = tuple(
        _wire(board, f"timecode[{n}]", f"time{n}", f"timecode bit {n}", _PLAIN)
        for n in range(board.geometry.timecode_bits)
    )
    return (
        Group("ground", "common ground: first of all", (_GROUND,)),
        Group("channels", "of equal length: 5 ns a metre", channels),
        Group("strikes", f"{_OHMS} at the driving end", outputs, resistors=True),
        Group("load", "", (load,), resistors=True),
        Group("gate", "", (gate,), resistors=True),
        *((Group("codes", "", codes),) if codes else ()),
        *((Group("timecode", "", timecode, resistors=True),) if timecode else ()),
    )


def link(board: Board) -> Group:
    """Return the wires to the computer; none if the board has a USB socket for them."""
    rx = _wire(board, "uart_rx", "rx", "TX of the adapter", _PLAIN)
    tx = _wire(board, "uart_tx", "tx", "RX of the adapter", _PLAIN)
    if rx.header == tx.header:
        return Group("link", "", (rx, tx), cable=True)
    return Group("link", "3.3 V, not RS-232", (_GROUND, rx, tx))


def draw(board: Board) -> Canvas:
    """Return the drawing of a board's wires."""
    device, computer = groups(board), link(board)
    rows: list[tuple[Group, float]] = []
    y = _TOP + _HEAD - _GAP
    for group in device:
        y += _CAPTION if group.caption else _GAP
        rows.append((group, y))
        y += group.height
    end = y + _GAP
    start = end + _GAP
    top = start + _GAP + (0 if computer.cable else _HEAD)
    rows.append((computer, top))
    bottom = top + computer.height + _GAP
    notes = (*_NOTES, *_OWN.get(board.name, ()), _UNUSED[board.profile.family])
    height = bottom + _NOTE * len(notes) + 22
    canvas = Canvas(_WIDTH, height, f"Wiring of {board.title} to a device under test")
    canvas.rect(0, 0, _WIDTH, height, "paper")
    _box(canvas, (_MARGIN, _NEAR), (_TOP, bottom), "Instrument")
    _box(canvas, (_FAR, _WIDTH - _MARGIN), (_TOP, end), "Device under test")
    name = "" if computer.cable else "USB serial adapter"
    _box(canvas, (_FAR, _WIDTH - _MARGIN), (start, bottom), name)
    _heading(canvas, board)
    for group, top in rows:
        _group(canvas, group, top)
    for number, (about, what) in enumerate(notes):
        y = bottom + _NOTE * (number + 1) + 6
        canvas.text(_MARGIN, y, about, size=_SMALL, bold=True)
        canvas.text(_PORT, y, what, size=_SMALL, style="muted")
    return canvas


def main() -> int:
    """Write all drawings."""
    DRAWINGS.mkdir(exist_ok=True)
    for name in boards.files():
        path = DRAWINGS / f"{name}.svg"
        path.write_text(svg_picture(draw(boards.load(name))) + "\n", encoding="utf-8")
        print(path)
    return 0


def _wire(board: Board, pin: str, port: str, far: str, colour: tuple[str, str]) -> Wire:
    place = board.pins[pin]
    drives = pin.startswith(("outputs", "timecode", "uart_tx"))
    return Wire(port, place.header, place.site, far, *colour, drives=drives)


def _heading(canvas: Canvas, board: Board) -> None:
    canvas.text(_MARGIN, 36, f"Wiring: {board.title}", size=20, bold=True)
    what = f"3.3 V levels (LVCMOS33) on every wire. Pins are those of constraints/{board.name}.toml"
    canvas.text(_MARGIN, 60, what, size=_SMALL, style="muted")
    canvas.text(_HEADER, _TOP + 22, "header", size=_SMALL, style="muted", anchor="end")
    canvas.text(_SITE, _TOP + 22, "site", size=_SMALL, style="muted", anchor="end")


def _box(canvas: Canvas, x: tuple[float, float], y: tuple[float, float], name: str) -> None:
    size = (x[1] - x[0], y[1] - y[0])
    canvas.rect(x[0], y[0], *size, "panel grid", radius=8, stroke=Stroke(1.5))
    if name:
        canvas.text(x[0] + 20, y[0] + 22, name, size=15, bold=True)


def _group(canvas: Canvas, group: Group, top: float) -> None:
    canvas.text(_GROUP, top + _ROW / 2 + 5, group.name, size=_SIZE, bold=True)
    if group.caption:
        middle = (_NEAR + _FAR) / 2
        canvas.text(middle, top - 3, group.caption, size=_SMALL, style="muted", anchor="middle")
    for number, wire in enumerate(group.wires):
        y = top + _ROW * (number + 0.5)
        canvas.text(_HEADER, y + 5, wire.header, size=_SIZE, anchor="end", bold=True)
        if wire is not _GROUND:
            canvas.text(_PORT, y + 5, wire.port, size=_SIZE)
            canvas.text(_SITE, y + 5, wire.site, size=_SMALL, style="muted", anchor="end")
        if not group.cable:
            _across(canvas, wire, y, resistor=group.resistors)
    if group.cable:
        y = top + group.height / 2
        canvas.line(_NEAR, y, _FAR, y, "last", Stroke(8))
        canvas.text((_NEAR + _FAR) / 2, y - 12, "USB", size=_SMALL, style="muted", anchor="middle")
        canvas.text(_FAR + 20, y + 5, "Computer", size=15, bold=True)


def _across(canvas: Canvas, wire: Wire, y: float, *, resistor: bool) -> None:
    """Draw a wire with a pad at each end, and an arrow from its driver."""
    width = 3 if wire is _GROUND else 2
    canvas.line(_NEAR, y, _FAR, y, wire.stroke, Stroke(width))
    for x in (_NEAR, _FAR):
        canvas.dot(x, y, 4, wire.fill)
    if wire is not _GROUND:
        tip, back = (_FAR - 8, -11) if wire.drives else (_NEAR + 8, 11)
        head = f"M{tip:g} {y:g}l{back} -5v10z"
        canvas.shape(head, wire.fill)
        way = "input" if wire.drives else "output"
        canvas.text(_WIDTH - _MARGIN - 20, y + 5, way, size=_SMALL, style="muted", anchor="end")
    if resistor:
        x = _NEAR + 44 if wire.drives else _FAR - 44 - 40
        canvas.rect(x, y - 6, 40, 12, f"paper {wire.stroke}", stroke=Stroke(2))
    canvas.text(_FAR + 20, y + 5, wire.far, size=_SIZE)


if __name__ == "__main__":
    sys.exit(main())
