# SPDX-License-Identifier: Apache-2.0
"""The drawings of how boards are wired."""

import re
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tools import wiring
from tools.gateware import board

from plexor.show.pictures.svg import svg_picture

from ..host.pictures import SVG, assert_no_texts_touch, assert_texts_lie_within

ROOT = Path(__file__).parents[3]
SHEETS = tomllib.loads((ROOT / "tests" / "gateware" / "sheets.toml").read_text(encoding="utf-8"))
"""Pins by the boards' schematics, which decoded bitstreams are compared with."""
BOARDS = pytest.mark.parametrize("name", board.files())


@BOARDS
def test_the_drawing_in_docs_is_the_one_of_the_boards_file(name):
    drawn = svg_picture(wiring.draw(board.load(name))) + "\n"
    assert (wiring.DRAWINGS / f"{name}.svg").read_text(encoding="utf-8") == drawn


def test_each_drawing_in_docs_is_of_a_board():
    assert sorted(path.stem for path in wiring.DRAWINGS.iterdir()) == board.files()


@BOARDS
def test_each_pin_with_a_wire_is_drawn_once_with_its_port(name):
    ours = board.load(name)
    lines = rows(ours)
    inside = ("lamps", "low", "uart_hold")
    wired = [(pin, place) for pin, place in ours.pins.items() if not pin.startswith(inside)]
    for pin, place in wired:
        (found,) = [texts for texts in lines.values() if place.site in texts]
        assert found.count(place.site) == 1
        assert place.header in found
        assert port(pin, ours) in found


@BOARDS
def test_channels_and_codes_alone_have_no_resistors(name):
    ours = board.load(name)
    svg = ET.fromstring(svg_picture(wiring.draw(ours)))
    # A text's baseline is 5 below the middle of its row.
    middles = {float(r.get("y")) + 11 for r in svg.iter(f"{SVG}rect") if r.get("height") == "12.0"}
    wanted = {
        port(pin, ours) for pin in ours.pins if pin.startswith(("outputs", "gate", "timecode"))
    }
    assert {y for y, texts in rows(ours).items() if wanted & set(texts)} == middles


def rows(ours):
    """Return the texts of a board's drawing by their baseline."""
    found = {}
    for text in ET.fromstring(svg_picture(wiring.draw(ours))).iter(f"{SVG}text"):
        found.setdefault(float(text.get("y")), []).append(text.text)
    return found


def port(pin, ours):
    """Return what the program calls a pin of a board's file."""
    kind, _, number = pin.rstrip("]").partition("[")
    if kind == "outputs":
        return f"strike{number}" if int(number) < ours.geometry.strikes else "load"
    named = {"channels": f"ch{number}", "codes": f"code{number}", "timecode": f"time{number}"}
    return named.get(kind, kind.removeprefix("uart_"))


@BOARDS
def test_the_device_reads_what_the_board_drives(name):
    ours = board.load(name)
    drives = {port(pin, ours) for pin in ours.pins if pin.startswith(("outputs", "timecode"))}
    ways = {
        way: {text for texts in rows(ours).values() if way in texts for text in texts}
        for way in ("input", "output")
    }
    assert drives <= ways["input"]
    assert not drives & ways["output"]


@BOARDS
def test_texts_lie_within_and_do_not_touch(name):
    drawing = wiring.draw(board.load(name))
    assert_texts_lie_within(drawing)
    assert_no_texts_touch(drawing)


def test_the_table_of_driven_pins_has_all_of_them_by_the_schematics():
    page = (ROOT / "docs" / "boards.md").read_text(encoding="utf-8")
    table = page.partition("### Pins that the board drives")[2].partition("\n\n")[0]
    listed, name = {}, ""
    for line in table.splitlines()[3:]:
        _, first, _, sites, _ = line.split("|")
        board_name = first.replace("`", "").split(",")[0].strip()
        # All ULX3S have one sheet, but for those that have their own.
        own = board_name in SHEETS
        name = (board_name if own else re.sub(r"-\d+f$", "", board_name)) or name
        listed.setdefault(name, set()).update(re.findall(r"\w+", sites))
    assert listed == {board: set(pins["out"]) for board, pins in SHEETS.items() if "out" in pins}


@BOARDS
def test_a_header_with_pins_of_5_v_or_of_another_level_is_warned_of(name):
    texts = " ".join(text for texts in rows(board.load(name)).values() for text in texts)
    said = {
        "2V5_3V3": ("ulx3s",),
        "5 V lies between": ("colorlight-i5", "colorlight-i9", "icesugar-pro"),
        "5 V is at USB": ("orangecrab",),
        "5 V is at pins 2 and 4": ("ulx4m-ls",),
        "R31 joins to 3.3 V": ("upduino",),
        "SJ5 joins to 3.3 V": ("pico-ice",),
    }
    for warning, prefixes in said.items():
        assert (warning in texts) == name.startswith(prefixes)
