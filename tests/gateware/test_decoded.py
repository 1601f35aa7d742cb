# SPDX-License-Identifier: Apache-2.0
"""Decoded bitstreams make of pins and PLL what schematics and sheets say, and of no pin more."""

from dataclasses import replace

import pytest
from tools.gateware import board as boards
from tools.gateware import pnr
from tools.gateware.board import Pin
from tools.gateware.build import board_hash, build_id, built
from tools.gateware.families import FAMILIES
from tools.gateware.flow import BUILD

from . import decoded
from .bare_board import NAMED, bitstream

QUICK = {"ecp5": "ulx3s-25f", "ice40": "hx8k-evn", "up5k": "icebreaker"}
"""A board of each family; ULX3S has the most pins."""
FREE = {"hx8k-evn": "K15", "icebreaker": "31"}
"""Pins that no sheet lists."""
PLANTED = {
    "hx8k-evn": [
        "B10 (RS232_Rx_TTL): PULLMODE NONE; must be UP",
        "R15 (J2 4): PULLMODE UP; must be NONE",
        "L16 (J2 12): NONE_SB_LVCMOS; must be OUTPUT_SB_LVCMOS",
        "K15: OUTPUT_SB_LVCMOS; must not be driven",
        "PLL.FDA_RELATIVE: 5; must be 6",
    ],
    "icebreaker": [
        "6 (RX): PULLMODE NONE; must be UP",
        "4 (P1A1): PULLMODE UP; must be NONE",
        "38 (P1B2): NONE_SB_LVCMOS; must be OUTPUT_SB_LVCMOS",
        "31: OUTPUT_SB_LVCMOS; must not be driven",
        "PLL.FDA_RELATIVE: 14; must be 15",
    ],
}


def wrongs(name, path, folder):
    """Return what a bitstream has other than the sheet of its board."""
    sheet = decoded.sheet_of(name)
    read = decoded.ecp5 if sheet["io_type"] == "LVCMOS33" else decoded.ice40
    return decoded.disagreements(sheet, read(path, sheet["package"], folder))


def folder_of(name):
    """Return a folder that the tools of WebAssembly see."""
    folder = BUILD / "decoded" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def bare(name, folder, board=None, early=0):
    """Return the bitstream of a board without its instrument; `early` steps plant a wrong PLL."""
    board = board or boards.load(name)
    pll = FAMILIES[board.profile.family].pll(board.clock_mhz, board.fast_mhz)
    if early:

        class Early(type(pll)):
            delay_steps = pll.delay_steps - early

        pll = Early(board.clock_mhz, board.fast_mhz)
    return bitstream(board, pll, folder)


@pytest.mark.full
def test_pads_and_pll_of_an_ecp5_are_those_of_the_sheets_and_each_planted_wrong_is_named():
    name = QUICK["ecp5"]
    folder = folder_of(name)
    assert wrongs(name, bare(name, folder), folder) == []
    assert decoded.usercode(folder / "top.bit") == NAMED & 0xFFFFFFFF
    text = (folder / "top.config").read_text()
    b11 = ".tile MIB_R0C29:PIOT0\nenum: PIOA.BASE_TYPE INPUT_LVCMOS33\nenum: PIOA.HYSTERESIS ON"
    # B11 is PIOA, its bits in row 0, column 29; B10, not on the list, is PIOB, column 24.
    for old, new in (
        ("word: ICP_CURRENT 01100", "word: ICP_CURRENT 00111"),
        (f"{b11}\nenum: PIOA.PULLMODE DOWN", f"{b11}\nenum: PIOA.PULLMODE UP"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    for tile in ("MIB_R0C25:PIOT1", "MIB_R1C25:PICT1"):
        text += f"\n.tile {tile}\nenum: PIOB.BASE_TYPE OUTPUT_LVCMOS33\n"
    (folder / "top.config").write_text(text)
    pnr.pack(boards.load(name), folder, NAMED)
    assert wrongs(name, folder / "top.bit", folder) == [
        "B11 (gp0, J1 5+): PULLMODE UP; must be DOWN",
        "B10: OUTPUT_LVCMOS33/OUTPUT_LVTTL33; must not be driven",
        "PLL.ICP_CURRENT: 7; must be 12",
    ]


@pytest.mark.full
@pytest.mark.parametrize("family", ["ice40", "up5k"])
def test_pads_and_pll_of_an_ice40_are_those_of_the_sheets_and_each_planted_wrong_is_named(family):
    name = QUICK[family]
    folder = folder_of(name)
    assert wrongs(name, bare(name, folder), folder) == []
    # Planted: a channel and the UART exchanged, the load at a pin of no use, an early phase.
    board = boards.load(name)
    first, receives = board.pins["channels[0]"], board.pins["uart_rx"]
    wrong = {"channels[0]": receives, "uart_rx": first, "outputs[1]": Pin(FREE[name], "")}
    path = bare(name, folder, replace(board, pins=board.pins | wrong), early=1)
    assert wrongs(name, path, folder) == PLANTED[name]


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", boards.names())
def test_the_bitstream_of_a_board_is_as_its_sheet(name):
    board = boards.load(name)
    path = built(board)
    assert wrongs(name, path, folder_of(name)) == []
    if board.profile.family == "ecp5":
        assert decoded.usercode(path) == build_id(board, 1, board_hash(board)) & 0xFFFFFFFF
