"""Builds the LiteX system of a board.

    python -m plexor_soc.build BOARD [--deep] [--folder F] [--seed N]

Leaves the bitstream, LiteX' register map (csr.json, csr.csv) and nextpnr's report in the folder,
and prints what it takes and how fast each clock may be. Exit codes: 1 if the build fails or misses
a clock, 2 for wrong use.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import logging
import os
import shlex
import stat
import sys
from dataclasses import replace
from pathlib import Path

from litex.soc.integration.builder import Builder

from plexor_hdl.netlist import use_output_registers
from plexor_soc.boards import BOARDS, Board
from plexor_soc.target import Target

KINDS = ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "TRELLIS_RAMW", "MULT18X18D")
TOP = "plexor"
REPORT = "report.json"
_TOOLS = ("yosys", "nextpnr-ecp5", "ecppack")


def link_tools(folder: Path) -> None:
    """Put the YoWASP tools into a folder, by the names that LiteX calls them by.

    Before place and route the netlist gets its block RAMs' output registers (plexor_hdl.netlist).
    """
    folder.mkdir(parents=True, exist_ok=True)
    python = shlex.quote(sys.executable)
    for tool in _TOOLS:
        path = folder / tool
        real = shlex.quote(str(Path(sys.executable).parent / f"yowasp-{tool}"))
        lines = ["#!/bin/sh", f'exec {real} "$@"']
        if tool.startswith("nextpnr"):
            lines[1:] = [
                f"{python} -m plexor_soc.build --finish-netlist . || exit 1",
                f'exec {real} "$@" --report {REPORT}',
            ]
        path.write_text("\n".join(lines) + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


def finish_netlist(folder: Path) -> None:
    """Move flip-flops into block RAMs, in the one netlist of a folder."""
    (folder / REPORT).unlink(missing_ok=True)
    (path,) = folder.glob("*.json")
    netlist = json.loads(path.read_text())
    print(f"{use_output_registers(netlist)} flip-flops moved into block RAMs")
    path.write_text(json.dumps(netlist))


def build(board: Board, folder: Path, seed: int) -> Path:
    """Build a board's bitstream; return its path. Raises OSError where a tool fails."""
    link_tools(folder / "tools")
    os.environ["PATH"] = os.pathsep.join((str(folder / "tools"), os.environ["PATH"]))
    target = Target(board, folder / "gateware")
    builder = Builder(
        target,
        output_dir=str(folder),
        compile_software=False,
        csr_json=str(folder / "csr.json"),
        csr_csv=str(folder / "csr.csv"),
    )
    # LiteX' builder changes the folder.
    with contextlib.chdir("."):
        builder.build(build_name=TOP, seed=seed, timingstrict=True, nowidelut=True)
    return folder / "gateware" / f"{TOP}.bit"


def main(arguments: list[str] | None = None) -> int:
    """Build one board; return an exit code."""
    parser = argparse.ArgumentParser(prog="python -m plexor_soc.build")
    parser.add_argument("board", nargs="?", choices=sorted(BOARDS))
    parser.add_argument("--folder", type=Path, help="build/soc/BOARD without it")
    parser.add_argument("--seed", type=int, default=1, help="of place and route")
    parser.add_argument("--deep", action="store_true", help="with deep memory in its SDRAM")
    parser.add_argument("--finish-netlist", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.finish_netlist:
        finish_netlist(chosen.finish_netlist)
        return 0
    if not chosen.board:
        parser.error(f"which board? one of {', '.join(sorted(BOARDS))}")
    name = f"{chosen.board}-deep" if chosen.deep else chosen.board
    folder = (chosen.folder or Path("build/soc") / name).resolve()
    logging.getLogger().setLevel(logging.WARNING)
    try:
        board = replace(BOARDS[chosen.board], deep=chosen.deep)
    except ValueError as error:
        parser.error(str(error))
    try:
        bitstream = build(board, folder, chosen.seed)
    except OSError as error:
        text = f"{name}: {error} {missed_clocks(folder)}".strip()
        print(f"error: {text} What the tools said is above", file=sys.stderr)
        return 1
    print(report(bitstream))
    return 0


def missed_clocks(folder: Path) -> str:
    """Return which clocks a build misses, as far as it came."""
    path = folder / "gateware" / REPORT
    clocks = json.loads(path.read_text())["fmax"] if path.is_file() else {}
    return " ".join(
        f"{clock} reaches {entry['achieved']:.1f} MHz, needs {entry['constraint']:.1f}."
        for clock, entry in sorted(clocks.items())
        if entry["achieved"] < entry["constraint"]
    )


def report(bitstream: Path) -> str:
    """Return in words what nextpnr says of a build."""
    found = json.loads((bitstream.parent / REPORT).read_text())
    lines = [
        f"{clock}: {entry['achieved']:.1f} MHz, needs {entry['constraint']:.1f}"
        for clock, entry in sorted(found["fmax"].items())
    ]
    used = found["utilization"]
    lines += [f"{kind}: {used[kind]['used']} of {used[kind]['available']}" for kind in KINDS]
    content = bitstream.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    lines.append(f"{bitstream}: {len(content)} bytes, SHA-256 {digest[:16]}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
