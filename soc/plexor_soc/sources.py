# SPDX-License-Identifier: Apache-2.0
"""Writes the sources of a board's LiteX system, the same each time, so that a build id names them.

`python -m plexor_soc.sources BOARD FOLDER GATEWARE_HASH BUILD_ID [deep]` writes them.
"""

# LiteX has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

import contextlib
import logging
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

from litex.soc.integration.builder import Builder

from plexor_hdl.build.emit import rtlil_for_synthesis
from plexor_soc import core
from plexor_soc.boards import BOARDS, Board
from plexor_soc.target import TOP, Target

SCRIPT = "read.ys"
NETWORK = "network"
_FLIP_FLOPS = "$dff,$dffe,$adff,$adffe,$sdff,$sdffe,$sdffce,$aldff"
NETWORK_APART = (
    f"; hierarchy -top {TOP}; cd {TOP}; proc; opt_expr; opt_clean; memory_dff; memory_collect; "
    "select -set ends w:eth_rx_clk w:eth_tx_clk w:eth_clocks*_rx %u %u %co1 t:$*dff* %i; "
    f"select -set logic @ends %ci1 %ci*:-{_FLIP_FLOPS},$mem_v2 t:$* %i; "
    f"submod -name {NETWORK} @ends @logic %u; cd"
)
"""Moves what works at the network's clock into a module of its own: flip-flops and their logic.

LiteX writes one module. ABC would save tables on all paths shorter than the longest, which is one
of the system's slow clock, so that the network's clock missed its 125 MHz.
"""
_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_BLANK = re.compile(r"(?m)^[ \t]*\n")
_PLACE = re.compile(r"(?m)^ *attribute \\src .*\n")


def generate(board: Board, folder: Path, identity: tuple[int, int]) -> str:
    """Write a system's sources; return the yosys command that reads them.

    `identity` is the system's gateware hash and build id. The folder gets LiteX' register map
    (csr.json, csr.csv), its folder `gateware` all else. A process of its own writes them, because
    LiteX may order a process' second system otherwise than its first. Raises
    subprocess.CalledProcessError, with what the process printed in `stderr`.
    """
    arguments = (board.name, str(folder), *map(str, identity), *(["deep"] if board.deep else []))
    command = (sys.executable, "-m", "plexor_soc.sources", *arguments)
    subprocess.run(command, capture_output=True, text=True, check=True)
    return (folder / "gateware" / SCRIPT).read_text()


def without_comments(verilog: str) -> str:
    """Return Verilog without comments and blank lines: LiteX writes the date into them."""
    text = _STRING_OR_COMMENT.sub(lambda found: found[1] or "", verilog)
    return _BLANK.sub("", text)


def without_places(rtlil: str) -> str:
    """Return RTLIL that does not say which files it was made from: their paths change a netlist."""
    return _PLACE.sub("", rtlil)


def write(board: Board, folder: Path, identity: tuple[int, int]) -> None:
    """Write a system's sources, the same each time if they are the first of this process."""
    at = folder / "gateware"
    target = Target(board, at, identity)
    builder = Builder(
        target,
        output_dir=str(folder),
        compile_software=False,
        csr_json=str(folder / "csr.json"),
        csr_csv=str(folder / "csr.csv"),
    )
    # LiteX' builder changes the working directory.
    with contextlib.chdir("."):
        builder.build(build_name=TOP, run=False)
    sources = cast("list[tuple[str, ...]]", target.platform.sources)
    names = [Path(source[0]).name for source in sources]
    for name in names:
        path = at / name
        path.write_text(without_comments(path.read_text()))
    instrument = f"{core.NAME}.il"
    component = cast("core.PlexorCore", target.plexor).component
    (at / instrument).write_text(without_places(rtlil_for_synthesis(component, core.NAME)))
    # LiteX' memories of this name are FIFOs: no word is read while it is written. LiteX marks nets
    # to keep with a text; yosys wants a number.
    (at / SCRIPT).write_text(
        f"read_verilog {shlex.join(names)}; read_rtlil {instrument}; "
        f"setattr -set no_rw_check 1 {TOP}/m:storage*; "
        'setattr -set ram_style "distributed" a:ram_style=logic; '
        'attrmap -tocase keep -imap keep="true" keep=1'
        f"{'' if board.switch else NETWORK_APART}"
    )


if __name__ == "__main__":
    logging.disable(logging.INFO)
    named, into, gateware_hash, build_id, *deep = sys.argv[1:]
    system = replace(BOARDS[named], deep="deep" in deep)
    write(system, Path(into), (int(gateware_hash), int(build_id)))
