# SPDX-License-Identifier: Apache-2.0
"""Build a board's bitstream and print its figures.

    .venv/bin/python -m tools.gateware BOARD [--seed N ...]

Exits with 1 if the build misses its clock, if a hop between phases takes too long, or if a
channel's bins miss their bounds. nextpnr computes the figures from its timing data; nothing is
measured. The bitstream is build/BOARD/seedN/top.bit. The ways over the board's pads go into the
host's table of builds, for `plexor board calibrate`.
"""

from __future__ import annotations

import argparse
import sys

from tools.gateware import board as boards
from tools.gateware import ways
from tools.gateware.build import board_hash, build_id, netlist, place
from tools.gateware.figures import text
from tools.gateware.flow import ToolError


def main() -> int:
    """Build a board from each seed; return 1 if one misses a bound."""
    parser = argparse.ArgumentParser(prog="python -m tools.gateware", description=__doc__)
    parser.add_argument("board", metavar="BOARD", help=", ".join(boards.names()))
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="seed of place and route")
    options = parser.parse_args()
    try:
        board = boards.load(options.board)
    except boards.BoardError as error:
        print(f"gateware: {error}", file=sys.stderr)
        return 2
    gateware = board_hash(board)
    print(f"{board.title}: computed by nextpnr; gateware {gateware:016x}", flush=True)
    failures: list[str] = []
    try:
        for seed in options.seed:
            print(f"seed {seed}: build {build_id(board, seed, gateware):016x}", flush=True)
            placed = place(board, netlist(board, seed), seed)
            print(text(board, placed), flush=True)
            ways.keep(board, placed.bitstream.parent, seed)
            failures += [f"seed {seed}: {failure}" for failure in placed.failures]
    except (ToolError, ValueError) as error:
        print(f"gateware: {error}", file=sys.stderr)
        return 1
    for failure in failures:
        print(f"gateware: {board.name}: {failure}", file=sys.stderr)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
