# SPDX-License-Identifier: Apache-2.0
"""Delays of a placed and routed design, from nextpnr's SDF file (IEEE 1497)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

CLOCKS = ("CLK", "LSR")
"""Inputs of a flip-flop that are not data. The front-end has no resets."""
AGES_PS = 1_000_000
_TRIPLE = r"\((\d+):(\d+):(\d+)\)"
_WIRE = re.compile(rf"\(INTERCONNECT (\S+)/(\w+) (\S+)/(\w+) {_TRIPLE}")
_THROUGH = re.compile(rf"\(IOPATH (\w+) (\w+) {_TRIPLE}")
_SETUP = re.compile(rf"\(SETUPHOLD \(posedge (\w+)\) \(\w+ \w+\) {_TRIPLE} {_TRIPLE}")
_INSTANCE = re.compile(r"\(INSTANCE (\S*)\)")


class Delays:
    """Delays of wires, delays through cells, and set-up times, in ps: maxima, or minima if `least`.

    Cells have their names in the netlist. nextpnr gives rising and falling edges the same delay.
    """

    def __init__(self, path: Path, *, least: bool = False) -> None:
        # Each delay is (minimum:typical:maximum).
        back = 2 if least else 0
        self._wires: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
        self._drivers: dict[str, list[tuple[str, tuple[str, str], int]]] = {}
        self._through: dict[tuple[str, str, str], int] = {}
        self._setup: dict[tuple[str, str], int] = {}
        cell = ""
        with path.open() as file:
            for line in map(str.strip, file):
                if wire := _WIRE.match(line):
                    source, sink = (_plain(wire[1]), wire[2]), (_plain(wire[3]), wire[4])
                    self._wires.setdefault(source, {})[sink] = int(wire[7 - back])
                    self._drivers.setdefault(sink[0], []).append(
                        (sink[1], source, int(wire[7 - back]))
                    )
                elif through := _THROUGH.match(line):
                    self._through[cell, through[1], through[2]] = int(through[5 - back])
                elif setup := _SETUP.match(line):
                    self._setup[cell, setup[1]] = int(setup[4 - back])
                elif instance := _INSTANCE.match(line):
                    cell = _plain(instance[1])

    def sinks(self, cell: str, port: str) -> dict[tuple[str, str], int]:
        """Return the delays from a cell's output to every input of its net, by cell and port.

        Raises KeyError if the output drives nothing.
        """
        return self._wires[cell, port]

    def named(self, pattern: str) -> list[str]:
        """Return the cells whose names begin with a match of the pattern."""
        return [name for name in self._drivers if re.match(pattern, name)]

    def into(self, cell: str, port: str, sink: str) -> tuple[str, int]:
        """Return the port at which `sink` takes a cell's output, and the delay to it."""
        return next(
            (pin, ps) for (name, pin), ps in self._wires[cell, port].items() if name == sink
        )

    def between(self, start: str, end: str, port: str) -> int | None:
        """Return the longest way from a cell's outputs to an output of another, without clocks.

        None if there is no way.
        """
        arrived: dict[tuple[str, str], int | None] = {}

        def output(cell: str, port: str) -> int | None:
            if cell == start:
                return 0
            if (cell, port) not in arrived:
                arrived[cell, port] = None  # a ring of look-up tables is no way
                ways = [
                    before + wire_ps + self._through[cell, sink, port]
                    for sink, source, wire_ps in self._drivers.get(cell, ())
                    if (cell, sink, port) in self._through and sink not in CLOCKS
                    if (before := output(*source)) is not None
                ]
                arrived[cell, port] = max(ways, default=None)
            return arrived[cell, port]

        return output(end, port)

    def from_clock(self, sink: str) -> int:
        """Return the delay from the clock of the flip-flop before a cell to that cell."""
        return next(
            clocked + wire_ps
            for _, (cell, port), wire_ps in self._drivers[sink]
            if (clocked := self._through.get((cell, "CLK", port))) is not None
        )

    def latest(self, cells: Iterable[str], besides: str) -> int:
        """Return the slowest path from a flip-flop's clock into one of `cells`, with set-up time.

        Paths do not start at flip-flops whose names begin with a match of `besides`.
        """
        arrived: dict[tuple[str, str], int] = {}

        def output(cell: str, port: str) -> int:
            if (cell, port) not in arrived:
                clock = self._through.get((cell, "CLK", port))
                if clock is not None and re.match(besides, cell):
                    clock = -AGES_PS
                ways = [
                    output(*source) + wire_ps + self._through[cell, sink, port]
                    for sink, source, wire_ps in self._drivers.get(cell, ())
                    if (cell, sink, port) in self._through
                ]
                arrived[cell, port] = clock if clock is not None else max(ways, default=0)
            return arrived[cell, port]

        return max(
            output(*source) + wire_ps + self.setup(cell, sink)
            for cell in cells
            for sink, source, wire_ps in self._drivers[cell]
            if sink not in CLOCKS
        )

    def through(self, cell: str, source: str, sink: str) -> int:
        """Return the delay from a cell's input or clock to its output."""
        return self._through[cell, source, sink]

    def setup(self, cell: str, port: str) -> int:
        """Return how long before the clock an input must be stable."""
        return self._setup.get((cell, port), 0)


def _plain(name: str) -> str:
    return name.replace("\\", "")
