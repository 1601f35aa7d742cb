# SPDX-License-Identifier: Apache-2.0
"""Turns an iCE40 bitstream back into Verilog for a cycle-based simulator.

Project IceStorm's iceunpack and icebox_vlog do the work. This module makes the few changes that
their Verilog needs, each only if the text is as expected, and reads the PLL's parameters.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from plexor_hdl.front.ice40 import DELAY_STEP_PS
from tools.gateware.board import Board
from tools.gateware.chip import CHIP, SOURCE, Chip, pin_name
from tools.gateware.flow import ToolError, checked

RING_TABLE_PS = 1300
"""Delay of one ring table and the route to the next: a guess, as in primitives/ice40.v."""
_PLL = re.compile(r"^SB_PLL40_\w+ #\(\n(.*?)\n\) (\w+) \(", re.MULTILINE | re.DOTALL)
_PARAMETER = re.compile(r"\.(\w+)\((?:\"(\w+)\"|\d+'b([01]+))\)")
_ASSIGN = re.compile(r"^(?:/\*.*\*/ )?assign (\S+) += (?:/\*.*\*/ )?(.*);$", re.MULTILINE)
_NET = re.compile(r"\b[a-z]\w*")
_FIXED = {
    "FEEDBACK_PATH": "SIMPLE",
    "DELAY_ADJUSTMENT_MODE_RELATIVE": "FIXED",
    "PLLOUT_SELECT_PORTA": "GENCLK",
    "PLLOUT_SELECT_PORTB": "GENCLK",
    "TEST_MODE": 0,
}
"""The only configuration of the PLL that is modelled."""


def chip_of(bitstream: Path, board: Board, icestorm: Path, folder: Path) -> Chip:
    """Return the chip that a bitstream makes, with the board's pins as ports.

    `folder` is for the tools' files. Raises ToolError if a tool fails, and ValueError for parts
    that cannot be simulated.
    """
    (folder / "chip.bit").write_bytes(bitstream.read_bytes())
    checked(folder, "iceunpack.log", "yowasp-iceunpack", "chip.bit", "chip.asc")
    sites = {"reference": board.clock_site, "led": board.led_site}
    sites |= {name: pin.site for name, pin in board.pins.items()}
    lines = [f"set_io {pin_name(name)} {site}\n" for name, site in sites.items()]
    (folder / "chip.pcf").write_text("".join(lines))
    package = board.device[board.device.index("--package") + 1]
    command = [sys.executable, str(icestorm / "icebox_vlog"), "-s", "-n", CHIP, "-d", package]
    done = subprocess.run(
        [*command, "-p", "chip.pcf", "chip.asc"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ToolError(f"icebox_vlog: exit code {done.returncode}: {done.stderr[-2000:]}")
    return simulated(done.stdout)


def simulated(verilog: str) -> Chip:
    """Return icebox_vlog's Verilog in a form for a cycle-based simulator.

    A pin in use that has no name stays a port, which icebox_vlog calls after its place.

    Raises ValueError for a missing pin, a PLL configuration that is not modelled, and loops of
    look-up tables that are not rings of inverters.
    """
    missing = re.findall(r"^// Warning: unmatched port '(\w+)'", verilog, re.MULTILINE)
    if missing or "1'bz" in verilog:
        what = f"pins {', '.join(missing)}" if missing else "an output that is not always driven"
        raise ValueError(f"bitstream: {what} cannot be simulated")
    ratio, late_ps = _clocks(verilog)
    verilog, tables = _without_ring(verilog)
    head, header, body = verilog.partition(f"module {CHIP} (")
    ports, end, body = body.partition(");")
    # icebox_vlog calls an output that is read back inout.
    ports = ports.replace("inout ", "output ")
    return Chip(
        f"{head}{header}{ports}{end}{_undeclared(body, ports)}",
        ratio,
        (Fraction(0), Fraction(late_ps)),
        Fraction(tables * RING_TABLE_PS),
    )


def _undeclared(body: str, ports: str) -> str:
    """Return a module's body without wires that are also ports."""
    pins = set(re.findall(r"(?:input|output) (\w+)", ports))

    def without(match: re.Match[str]) -> str:
        names = [name for name in re.split(r", *", match[1]) if name.strip() not in pins]
        return f"wire {', '.join(names)};" if names else ""

    return re.sub(r"^wire ([^;]*);", without, body, flags=re.MULTILINE)


def _clocks(verilog: str) -> tuple[Fraction, int]:
    """Return the PLL's multiplier, and the delay of its output A after B in ps.

    Both follow Lattice FPGA-TN-02052, for the feedback path SIMPLE and outputs GENCLK.
    """
    found = _PLL.findall(verilog)
    if len(found) != 1:
        raise ValueError(f"bitstream: {len(found)} PLLs; must be 1")
    values: dict[str, str | int] = {
        name: text or int(bits, 2) for name, text, bits in _PARAMETER.findall(found[0][0])
    }
    for name, wanted in _FIXED.items():
        if values[name] != wanted:
            raise ValueError(f"bitstream: PLL.{name}: {values[name]!r}; must be {wanted!r}")
    reference, feedback, power, late = (
        int(values[name]) for name in ("DIVR", "DIVF", "DIVQ", "FDA_RELATIVE")
    )
    ratio = Fraction(feedback + 1, (reference + 1) << power)
    return ratio, (late + 1) * DELAY_STEP_PS


def _without_ring(verilog: str) -> tuple[str, int]:
    """Return the Verilog with the ring of inverters cut at SOURCE, and its number of tables."""
    drivers = {match[1]: match for match in _ASSIGN.finditer(verilog)}
    loops = list(_loops({net: _NET.findall(match[2]) for net, match in drivers.items()}))
    if len(loops) != 1:
        raise ValueError(f"bitstream: {len(loops)} loops of look-up tables; must be 1, the ring")
    (loop,) = loops
    texts = [drivers[net][2] for net in loop]
    inverters = sum(text.startswith("!") for text in texts)
    clocks = [net for net in loop if f"edge {net})" in verilog]
    plain = all(re.fullmatch(r"!?\w+", text) for text in texts)
    if not (plain and inverters % 2 and len(clocks) == 1):
        raise ValueError(f"bitstream: a loop that is no ring of inverters: {', '.join(texts)}")
    start, end = drivers[clocks[0]].span(2)
    return f"{verilog[:start]}{SOURCE}{verilog[end:]}", inverters


def _loops(inputs: Mapping[str, list[str]]) -> Iterator[list[str]]:
    """Yield strongly connected components of several nets, and nets that drive themselves.

    This is Tarjan's algorithm with an explicit stack, because chains of carries are long.
    """
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_nets: list[str] = []
    is_open: set[str] = set()

    def enter(net: str) -> tuple[str, Iterator[str]]:
        number[net] = lowest[net] = len(number)
        open_nets.append(net)
        is_open.add(net)
        return net, iter(inputs[net])

    for root in inputs:
        path = [] if root in number else [enter(root)]
        while path:
            net, rest = path[-1]
            for source in rest:
                if source not in inputs:
                    continue
                if source not in number:
                    path.append(enter(source))
                    break
                if source in is_open:
                    lowest[net] = min(lowest[net], number[source])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[net])
                if lowest[net] == number[net]:
                    at = open_nets.index(net)
                    loop = open_nets[at:]
                    del open_nets[at:]
                    is_open.difference_update(loop)
                    if len(loop) > 1 or net in inputs[net]:
                        yield loop
