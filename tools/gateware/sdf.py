"""Delays of a placed and routed design, from the SDF file that nextpnr writes (IEEE 1497)."""

from __future__ import annotations

import re
from pathlib import Path

_TRIPLE = r"\((\d+):(\d+):(\d+)\)"
_WIRE = re.compile(rf"\(INTERCONNECT (\S+)/(\w+) (\S+)/(\w+) {_TRIPLE}")
_THROUGH = re.compile(rf"\(IOPATH (\w+) (\w+) {_TRIPLE}")
_SETUP = re.compile(rf"\(SETUPHOLD \(posedge (\w+)\) \(\w+ \w+\) {_TRIPLE} {_TRIPLE}")
_INSTANCE = re.compile(r"\(INSTANCE (\S*)\)")


class Delays:
    """The greatest delays, in ps: of wires, through cells, and of cells' set-up before their clock.

    A cell's name is that of the netlist. nextpnr gives both directions of an edge one delay.
    """

    def __init__(self, path: Path) -> None:
        self._wires: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
        self._through: dict[tuple[str, str, str], int] = {}
        self._setup: dict[tuple[str, str], int] = {}
        cell = ""
        with path.open() as file:
            for line in file:
                line = line.strip()
                if wire := _WIRE.match(line):
                    source, sink = (_plain(wire[1]), wire[2]), (_plain(wire[3]), wire[4])
                    self._wires.setdefault(source, {})[sink] = int(wire[7])
                elif through := _THROUGH.match(line):
                    self._through[cell, through[1], through[2]] = int(through[5])
                elif setup := _SETUP.match(line):
                    self._setup[cell, setup[1]] = int(setup[4])
                elif instance := _INSTANCE.match(line):
                    cell = _plain(instance[1])

    def sinks(self, cell: str, port: str) -> dict[tuple[str, str], int]:
        """Return the delays from a cell's output to every input of its net, by cell and port.

        Raises KeyError where it drives nothing.
        """
        return self._wires[cell, port]

    def through(self, cell: str, source: str, sink: str) -> int:
        """Return the delay from an input of a cell (or its clock) to an output."""
        return self._through[cell, source, sink]

    def setup(self, cell: str, port: str) -> int:
        """Return how long before its clock an input must be still."""
        return self._setup.get((cell, port), 0)


def _plain(name: str) -> str:
    return name.replace("\\", "")
