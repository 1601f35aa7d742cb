# SPDX-License-Identifier: Apache-2.0
"""A library of cores, and what FuseSoC 2.4.7 makes of it.

MADE is what `fusesoc --cores-root . run --setup --tool verilator --target TARGET --flag FLAG
acme:demo:top` wrote into its `.vc` and `.eda.yml`: files, each once, and what has a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

CORES = {
    "top.core": """CAPI=2:
# A comment.
name : acme:demo:top:1.2.0
description: The top of a demonstration
filesets:
  rtl: &rtl
    files:
      - rtl/macros.vh : {is_include_file : true}
      - rtl/deep/widths.vh : {is_include_file : true, include_path : data}
      - "tool_verilator ? (rtl/fast.v)"
      - "!tool_verilator ? (rtl/slow.v)"
      - rtl/top.sv : {file_type : systemVerilogSource}
      - data/pins.pcf : {file_type : PCF}
      - data/image.hex : {file_type : user, copyto : image.hex}
    file_type : verilogSource
    depend :
      - ">=acme:demo:fifo:1.1"
      - "!bare ? (uart)"
  more:
    files: [rtl/debug.v]
    file_type: verilogSource-2005
  bench:
    files: [tb/model.cpp : {file_type : cppSource}, tb/tb.v]
    file_type: verilogSource
targets:
  default: &base
    filesets : [rtl]
    toplevel : top
    parameters : [DEPTH, NAME=loud, FAST, "tool_vivado ? (XILINX=true)", SILENT, verbose]
  sim:
    <<: *base
    filesets_append : [bench, "debug ? (more)", "sram_fake ? (more)"]
    toplevel : ["debug ? (tb_debug)", "!debug ? (tb)"]
    flags : {sram : fake, tracing : false}
  bare:
    filesets : [rtl]
    flags : {bare : true}
    parameters : [DEPTH=0x10, "is_toplevel ? (FAST=false)"]
    toplevel : top
parameters:
  DEPTH : {datatype : int, default : 4, paramtype : vlogparam}
  NAME : {datatype : str, default : quiet, paramtype : vlogparam}
  FAST : {datatype : bool, default : true, paramtype : vlogdefine}
  XILINX : {datatype : bool, paramtype : vlogdefine}
  SILENT : {datatype : str, paramtype : vlogdefine}
  verbose : {datatype : int, default : 3, paramtype : plusarg}
""",
    "lib/fifo_1.0.core": """CAPI=2:
name : acme:demo:fifo:1.0
filesets: {rtl: {files: [old.v], file_type: verilogSource}}
targets: {default: {filesets: [rtl]}}
""",
    "lib/fifo_1.2.core": """CAPI=2:
name : "acme:demo:fifo:1.2-r2"
filesets:
  rtl: {files: [fifo.v, fifo_pkg.sv : {file_type: systemVerilogSource}], file_type: verilogSource}
  alone: {files: [alone.v], file_type: verilogSource}
targets:
  default:
    filesets: [rtl, "is_toplevel ? (alone)"]
    parameters: [FIFO_WIDTH]
parameters:
  FIFO_WIDTH: {datatype: str, default: 8, paramtype: vlogdefine}
""",
    "lib/uart.core": """CAPI=2:
name : ::uart:0
filesets:
  rtl: {files: [uart.v], file_type: verilogSource, depend: ["~acme:demo:fifo:1.2", "::gates"]}
targets: {default: {filesets: [rtl]}, sim: {filesets: [rtl]}}
""",
    "lib/gates.core": """CAPI=2:
name : acme:cells:gates_simulated:2
virtual : ["::gates"]
filesets: {rtl: {files: [gates.v], file_type: verilogSource}}
targets: {default: {filesets: [rtl]}}
""",
    "ignored/FUSESOC_IGNORE": "",
    "ignored/fifo.core": """CAPI=2:
name : acme:demo:fifo:9.0
targets: {default: {}}
""",
}
FILES = (
    *("rtl/macros.vh", "rtl/deep/widths.vh", "rtl/fast.v", "rtl/slow.v", "rtl/top.sv"),
    *("data/pins.pcf", "data/image.hex", "rtl/debug.v", "tb/model.cpp", "tb/tb.v", "lib/old.v"),
    *("lib/fifo.v", "lib/fifo_pkg.sv", "lib/alone.v", "lib/uart.v", "lib/gates.v"),
)


@dataclass(frozen=True)
class Made:
    """What FuseSoC makes of a target with flags."""

    target: str
    files: tuple[str, ...]
    tops: tuple[str, ...]
    defines: dict[str, str]
    parameters: dict[str, int | str]
    flags: tuple[str, ...] = ()
    include: tuple[str, ...] = ("rtl", "data")
    plusargs: dict[str, str] = field(default_factory=dict[str, str])


def write_cores(folder: Path) -> Path:
    """Write the library into a folder; return its top's core file."""
    for name, text in {**CORES, **dict.fromkeys(FILES, "")}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "top.core"


_COMMON = (
    *("lib/gates.v", "lib/fifo.v", "lib/fifo_pkg.sv", "lib/uart.v", "rtl/fast.v", "rtl/top.sv"),
)
_DEFINES = {"FIFO_WIDTH": "8", "FAST": "1"}
_BARE = ("lib/fifo.v", "lib/fifo_pkg.sv", "rtl/fast.v", "rtl/top.sv")
_SIM = (*_COMMON, "tb/tb.v", "tb/model.cpp", "rtl/debug.v")
_LOUD: dict[str, int | str] = {"DEPTH": 4, "NAME": "loud"}
_VERBOSE = {"verbose": "3"}
MADE = (
    Made("default", _COMMON, ("top",), _DEFINES, _LOUD, plusargs=_VERBOSE),
    Made("sim", _SIM, ("tb",), _DEFINES, _LOUD, plusargs=_VERBOSE),
    Made("sim", _SIM, ("tb_debug",), _DEFINES, _LOUD, ("debug",), plusargs=_VERBOSE),
    Made("bare", _BARE, ("top",), {"FIFO_WIDTH": "8", "FAST": "0"}, {"DEPTH": 16}),
    Made("default", _BARE, ("top",), _DEFINES, _LOUD, ("+bare",), plusargs=_VERBOSE),
)
ORDER = (
    *(
        ("lib/gates.v", "lib/uart.v"),
        ("lib/fifo_pkg.sv", "lib/uart.v"),
        ("lib/uart.v", "rtl/top.sv"),
    ),
    *(("lib/fifo.v", "lib/fifo_pkg.sv"), ("rtl/fast.v", "rtl/top.sv"), ("rtl/top.sv", "tb/tb.v")),
)
"""Files of which one stands before the other: a dependency's first, and a core's in their order."""
