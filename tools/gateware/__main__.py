"""Build a board's bitstream, and say what it resolves.

    .venv/bin/python -m tools.gateware BOARD [--seed N ...]

Exits with 1 where the build misses its clock, a hop between phases its time, or a channel the
bounds of its bins. Figures are computed by nextpnr from its timing data, not measured. The
bitstream is build/BOARD/seedN/top.bit.
"""

from __future__ import annotations

import argparse
import hashlib
import sys

from tools.gateware import board as boards
from tools.gateware.build import Placed, board_hash, netlist, place
from tools.gateware.flow import ToolError


def text(board: boards.Board, placed: Placed) -> str:
    """Return a build's figures for a terminal."""
    used = ", ".join(f"{cell} {some}/{most}" for cell, (some, most) in placed.used.items())
    worst = min(placed.hops, key=lambda hop: hop.slack_ps)
    widest = max(bins.widest_ps for bins in placed.channels)
    size = placed.bitstream.stat().st_size
    digest = hashlib.sha256(placed.bitstream.read_bytes()).hexdigest()[:16]
    core = float(board.core_mhz)
    lines = [
        f"{board.name}, seed {placed.seed}: core {placed.core_mhz:.1f} MHz of {core:g}, "
        f"sampling {placed.fast_mhz:.1f} MHz of {float(board.fast_mhz):g}; {used}",
        f"  hops between phases: least room {worst.slack_ps} ps of {worst.budget_ps}, "
        f"{worst.start} to {worst.end}",
    ]
    for number, bins in enumerate(placed.channels):
        widths = " ".join(f"{width:.0f}" for width in bins.widths_ps)
        errors = f"RMS {bins.raw_rms_ps():.0f} ps, calibrated {bins.rms_ps():.0f} ps"
        dnl = f"DNL {min(bins.dnl):+.2f} to {max(bins.dnl):+.2f}"
        lines.append(f"  channel {number}: bins {widths} ps, {dnl}, {errors}")
    for number, bins in enumerate(placed.outputs):
        name = "load" if number == len(placed.outputs) - 1 else f"strike {number}"
        lines.append(
            f"  {name}: steps " + " ".join(f"{width:.0f}" for width in bins.widths_ps) + " ps"
        )
    early_ps = min(placed.pad_ps)
    late = " ".join(str(pad_ps - early_ps) for pad_ps in placed.pad_ps)
    lines.append(f"  channels' skew: {late} ps after the earliest, from pad to look-up table")
    lines.append(
        f"  widest bin {widest:.0f} ps; {placed.bitstream}: {size} bytes, SHA-256 {digest}…"
    )
    return "\n".join(lines)


def main() -> int:
    """Build a board from each seed; return 1 if one does not keep what it must."""
    parser = argparse.ArgumentParser(prog="python -m tools.gateware", description=__doc__)
    parser.add_argument("board", metavar="BOARD", help=", ".join(boards.names()))
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="of place and route")
    options = parser.parse_args()
    try:
        board = boards.load(options.board)
    except boards.BoardError as error:
        print(f"gateware: {error}", file=sys.stderr)
        return 2
    print(f"{board.title}: computed by nextpnr; gateware {board_hash(board):016x}", flush=True)
    failures = []
    try:
        folder = netlist(board)
        for seed in options.seed:
            placed = place(board, folder, seed)
            print(text(board, placed), flush=True)
            failures += [f"seed {seed}: {failure}" for failure in placed.failures]
    except (ToolError, ValueError) as error:
        print(f"gateware: {error}", file=sys.stderr)
        return 1
    for failure in failures:
        print(f"gateware: {board.name}: {failure}", file=sys.stderr)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
