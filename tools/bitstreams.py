# SPDX-License-Identifier: Apache-2.0
"""The package of bitstreams: one of each build that is in build/, with the figures of its build.

`plexor board flash` writes them (`plexor.wire.desk.bitstreams`). Nothing is built here, because
that takes hours: `make gateware` and `make gateware-report` do it, and what they left is taken if
it is of today's gateware and tools.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plexor.wire.desk.bitstreams import FIGURES, INDEX
from tools.gateware import board as boards
from tools.gateware import report
from tools.gateware.board import Board
from tools.gateware.build import board_hash, build_id, judged
from tools.gateware.families import FAMILIES
from tools.gateware.flow import BUILD

SEEDS = report.SEEDS
_LEFT_OUT = ("board", "build, CPU s")
"""Figures that are not of the bitstream, or that have another name in the index."""
_DOC = '"""Bitstreams of Plexor\'s boards, for `plexor board flash`; index.json lists them."""\n'


@dataclass(frozen=True)
class Built:
    """A build that is there."""

    bitstream: Path
    named: str
    """Its build id."""
    row: dict[str, Any]
    """Its figures in `cells`, and the bounds that it misses in `failures`."""


def built(board: Board, seeds: Iterable[int] = SEEDS) -> Built | None:
    """Return a board's build of today's gateware; None if there is none.

    The first seed that misses no bound, or else the one that misses fewest.
    """
    found = list(_of_today(board, seeds))
    return min(found, key=lambda each: len(each.row["failures"]), default=None)


def _of_today(board: Board, seeds: Iterable[int]) -> Iterator[Built]:
    gateware = board_hash(board)
    for seed in seeds:
        named = f"{build_id(board, seed, gateware):016x}"
        path = BUILD / board.name / f"seed{seed}" / f"{named}.bit"
        if path.is_file():
            yield Built(path, named, _row(board, seed, named, path.parent))


def _row(board: Board, seed: int, named: str, folder: Path) -> dict[str, Any]:
    """Return the row of docs/gateware.md of a build in a folder.

    `make gateware-report` stores it; after `make gateware` it is computed from the files there.
    """
    stored = folder / FIGURES
    if stored.is_file():
        row: dict[str, Any] = json.loads(stored.read_text())
        if row["cells"]["build id"] == named:
            return row
    last = max(folder.glob("nextpnr*.log"), key=lambda path: path.stat().st_mtime)
    family = FAMILIES[board.profile.family]
    return report.figures(board, judged(board, family, folder, seed, last.read_text()), 0.0)


def fill(folder: Path, names: Iterable[str], say: Callable[[str], None]) -> list[str]:
    """Put the bitstreams of builds and their index into a folder; return the names that it has.

    Says which are missing, and what each that is there misses.
    """
    folder.mkdir()
    (folder / "__init__.py").write_text(_DOC)
    index: dict[str, dict[str, Any]] = {}
    missing: list[str] = []
    for name in names:
        one = built(boards.load(name))
        if one is None:
            missing.append(name)
            continue
        shutil.copy(one.bitstream, folder / f"{name}.bit")
        figures = {key: value for key, value in one.row["cells"].items() if key not in _LEFT_OUT}
        failures = list(one.row["failures"])
        index[name] = {
            "file": f"{name}.bit",
            "build_id": one.named,
            "figures": figures,
            "failures": failures,
        }
        core, cells = figures["core MHz"], figures["cells"]
        say(f"bitstream of {name}: seed {figures['seed']}, {core} MHz, {cells} of cells")
        for failure in failures:
            say(f"bitstream of {name} misses a bound: {failure}")
    if missing:
        command = "make gateware BOARD=NAME BUILD=NAME, or make gateware-report for all"
        say(f"no bitstream of today's gateware of {', '.join(missing)}: {command}")
    (folder / INDEX).write_text(json.dumps(index, indent=1))
    return list(index)
