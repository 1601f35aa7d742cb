# SPDX-License-Identifier: Apache-2.0
"""Turns an ECP5's routed netlist, written by nextpnr, into Verilog for a cycle-based simulator.

nextpnr makes the bitstream from these cells and parameters. sim/plexor_sim/board/ has their models.
A pin without a wire is high, unless its multiplexer inverts it or holds it low. Uses that are not
modelled are errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from tools.gateware.board import Board
from tools.gateware.chip import CHIP, CLOCKS, LOCKED, SOURCE, Chip, pin_name

OSCILLATOR_MHZ = 310
"""Nominal frequency that OSCG divides: FPGA-DS-02012, "Internal Oscillators"."""
HIGH, LOW = "1'b1", "1'b0"
_OUTPUTS = ("CLKOP", "CLKOS", "CLKOS2", "CLKOS3")
_PLL = {
    "FEEDBK_PATH": "CLKOP",
    "PLLRST_ENA": "DISABLED",
    "INTFB_WAKE": "DISABLED",
    "STDBY_ENABLE": "DISABLED",
    "DPHASE_SOURCE": "DISABLED",
} | {f"{name}_ENABLE": "ENABLED" for name in _OUTPUTS}
_STILL = ("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PHASEDIR", "PHASESTEP", "PHASELOADREG")
_PHASE_STEPS = 8
"""Steps of an output's phase in a period of the VCO."""
# A slice's inputs, and the inputs of other slices' tables that they become.
_WRITE_PORT = {"WADO0": "D0", "WADO1": "B0", "WADO2": "C0", "WADO3": "A0"} | {
    "WDO0": "C1",
    "WDO1": "A1",
    "WDO2": "D1",
    "WDO3": "B1",
}
_DATA_BITS, _ADDRESS_BITS, _INIT_ROWS = 18, 14, 64
_FACTOR_BITS = 18
_REGISTERS = ("INPUTA", "INPUTB", "OUTPUT")
_WHOLE = 36
"""Data bits of a memory whose port A writes with both ports' data pins, and whose port B reads."""
_BYTE = 9
"""Minimum data bits of a port that can read the old word on a write (FPGA-TN-02204, WRITEMODE)."""


def chip_of(routed: Path, board: Board) -> Chip:
    """Return the chip of a board's routed netlist, with the board's pins as ports.

    Raises OSError, and ValueError for parts that cannot be simulated.
    """
    return simulated(json.loads(routed.read_text())["modules"]["top"], board.clock_mhz)


def simulated(module: dict[str, Any], clock_mhz: Fraction) -> Chip:
    """Return a netlist in a form for a cycle-based simulator; `clock_mhz` is the PLL's reference.

    Raises ValueError for parts that are not modelled.
    """
    return _Netlist(module, clock_mhz).chip()


class _Cell:
    """A cell of the netlist. Missing parameters and wires raise KeyError."""

    def __init__(self, name: str, cell: dict[str, Any]) -> None:
        self.name = name
        self.parameters = {key: value.strip() for key, value in cell["parameters"].items()}
        self._connections: dict[str, list[int]] = cell["connections"]

    def of(self, name: str, default: str | None = None, *others: str) -> str:
        """Return a parameter. Raises ValueError unless it is the default or one of `others`."""
        value = self.parameters[name] if default is None else self.parameters.get(name, default)
        if default is not None and value not in (default, *others):
            wanted = " or ".join((default, *others))
            raise ValueError(f"netlist: {self.name}: {name} {value}; must be {wanted}")
        return value

    def number(self, name: str) -> int:
        """Return a parameter of bits."""
        return int(self.parameters[name], 2)

    def wire(self, port: str, otherwise: str | None = None) -> str:
        """Return the wire at a port; `otherwise` if there is none."""
        bits = self._connections.get(port, [])
        if not bits and otherwise is None:
            raise KeyError(port)
        return f"n{bits[0]}" if bits else str(otherwise)

    def pin(self, port: str) -> str:
        """Return the level at a port behind its multiplexer."""
        way = self.of(f"{port}MUX", port, "INV", "0", "1")
        if way in "01":
            return HIGH if way == "1" else LOW
        level = self.wire(port, HIGH)
        if way == port:
            return level
        return LOW if level == HIGH else f"~{level}"

    def pins(self, port: str, count: int) -> str:
        """Return some pins as a vector."""
        return (
            "{" + ", ".join(self.pin(f"{port}{number}") for number in reversed(range(count))) + "}"
        )


class _Netlist:
    """A module of the netlist."""

    def __init__(self, module: dict[str, Any], clock_mhz: Fraction) -> None:
        self._clock_mhz = clock_mhz
        self._cells = [(name, cell["type"], cell) for name, cell in module["cells"].items()]
        self._pads = {
            bit: (port["direction"], name if len(port["bits"]) == 1 else f"{name}[{number}]")
            for name, port in module["ports"].items()
            for number, bit in enumerate(port["bits"])
        }
        self._wires, self._read, self._low = set[int](), set[str](), set[str]()
        for _, kind, cell in self._cells:
            for port, bits in cell["connections"].items():
                self._wires.update(bits)
                if cell["port_directions"][port] == "input":
                    self._read.update(f"n{bit}" for bit in bits)
            # Tables of zeros hold pins low.
            if kind == "TRELLIS_COMB" and not int(cell["parameters"].get("INITVAL", "1"), 2):
                self._low.update(f"n{bit}" for bit in cell["connections"]["F"])

    def chip(self) -> Chip:
        """Return the module's Verilog and its clocks."""
        makers = {
            "TRELLIS_COMB": self._table,
            "TRELLIS_RAMW": self._write_port,
            "TRELLIS_FF": self._flip_flop,
            "TRELLIS_IO": self._pad,
            "DP16KD": self._memory,
            "MULT18X18D": self._multiplier,
            "DCCA": self._buffer,
            "EHXPLLL": self._pll,
            "OSCG": self._source,
        }
        clocks = {"EHXPLLL": list[_Cell](), "OSCG": list[_Cell]()}
        lines: list[str] = []
        for number, (name, kind, content) in enumerate(self._cells):
            cell = _Cell(name, content)
            if kind not in makers:
                raise ValueError(f"netlist: {name}: {kind}; must be one of {', '.join(makers)}")
            try:
                lines += makers[kind](f"u{number}", cell)
            except KeyError as error:
                raise ValueError(f"netlist: {name}: {kind} without {error.args[0]}") from error
            clocks.get(kind, []).append(cell)
        for kind, found in clocks.items():
            if len(found) != 1:
                raise ValueError(f"netlist: {len(found)} {kind}; must be 1")
        ratio, lates_ps = self._clocks(clocks["EHXPLLL"][0])
        half_ps = Fraction(10**6 * clocks["OSCG"][0].number("DIV"), 2 * OSCILLATOR_MHZ)
        ports = ", ".join(
            f"{'input' if way == 'input' else 'output'} {pin_name(name)}"
            for way, name in self._pads.values()
        )
        # Each wire has its own line, because Verilator cannot read a line of 40,000 words.
        wires = (f"wire n{bit};" for bit in sorted(self._wires - set(self._pads)))
        text = "\n  ".join((f"module {CHIP} ({ports});", *wires, *lines))
        return Chip(f"{text}\nendmodule\n", ratio, lates_ps, half_ps)

    def _table(self, at: str, cell: _Cell) -> Iterator[str]:
        mode = cell.of("MODE", "LOGIC", "CCU2", "DPRAM", "RAMW_BLOCK")
        if cell.wire("OFX", ""):
            raise ValueError(f"netlist: {cell.name}: a table of five inputs; must be one of four")
        init = cell.parameters.get("INITVAL", "0")
        ports = {name: cell.wire(name, HIGH) for name in "ABCD"} | {"F": cell.wire("F", "")}
        if mode == "DPRAM":
            cell.of("WCKMUX", "WCK")
            if int(init, 2):
                raise ValueError(f"netlist: {cell.name}: a memory of tables that starts with bits")
            ports |= {name: cell.wire(name) for name in ("WCK", "WD")}
            ports |= {"WRE": cell.pin("WRE")}
            ports |= {"WAD": "{" + ", ".join(cell.wire(f"WAD{n}") for n in (3, 2, 1, 0)) + "}"}
            yield _instance("TRELLIS_DPRAM", at, {}, ports)
        elif mode != "RAMW_BLOCK":
            parameters = {
                "INITVAL": f"16'b{init}",
                "MODE": f'"{mode}"',
                "CCU2_INJECT1": f'"{cell.of("CCU2_INJECT1", "NO", "YES")}"',
            }
            # A chain without carry input begins with a table that lets nothing through.
            ports |= {"FCI": cell.wire("FCI", LOW), "FCO": cell.wire("FCO", "")}
            yield _instance("TRELLIS_COMB", at, parameters, ports)

    def _write_port(self, at: str, cell: _Cell) -> Iterator[str]:
        del at
        for end, start in _WRITE_PORT.items():
            yield f"assign {cell.wire(end)} = {cell.wire(start, HIGH)};"

    def _flip_flop(self, at: str, cell: _Cell) -> Iterator[str]:
        cell.of("GSR", "DISABLED")
        cell.of("LSRMODE", "LSR")
        parameters = {
            "CLKMUX": f'"{cell.of("CLKMUX", "CLK", "INV")}"',
            "REGSET": f'"{cell.of("REGSET", "RESET", "SET")}"',
            "SRMODE": f'"{cell.of("SRMODE", "LSR_OVER_CE", "ASYNC")}"',
        }
        data = "DI" if cell.of("SD", "0", "1") == "1" else "M"
        ports = {name: cell.wire(name) for name in ("CLK", "Q")}
        # A reset without a wire is inactive.
        ports |= {"CE": cell.pin("CE"), "LSR": cell.pin("LSR") if cell.wire("LSR", "") else LOW}
        yield _instance("TRELLIS_FF", at, parameters, ports | {"D": cell.wire(data)})

    def _pad(self, at: str, cell: _Cell) -> Iterator[str]:
        del at
        way, port = self._pads[int(cell.wire("B")[1:])]
        if way == "input":
            yield f"assign {cell.wire('O')} = {pin_name(port)};"
            return
        # A pad that is not driven is low, by its pull.
        off = cell.wire("T", "")
        driven = "" if off in ("", *self._low) else f" & ~{off}"
        yield f"assign {pin_name(port)} = {cell.wire('I')}{driven};"
        if cell.wire("O", ""):
            yield f"assign {cell.wire('O')} = {cell.wire('I')};"

    def _memory(self, at: str, cell: _Cell) -> Iterator[str]:
        clocks = {side: cell.wire(f"CLK{side}", "") for side in "AB"}
        (clock,) = found if len(found := {*clocks.values()} - {""}) == 1 else ("",)
        if not clock:
            raise ValueError(f"netlist: {cell.name}: {len(found)} clocks; must be 1")
        cell.of("GSR", "DISABLED")
        mode = cell.of("RESETMODE", "SYNC", "ASYNC")
        parameters = {
            "RESETMODE": f'"{mode}"',
            "ASYNC_RESET_RELEASE": f'"{cell.of("ASYNC_RESET_RELEASE", "SYNC", "ASYNC")}"',
        }
        ports = {"CLK": clock}
        for side in "AB":
            parameters |= {
                f"DATA_WIDTH_{side}": str(cell.number(f"DATA_WIDTH_{side}")),
                f"REGMODE_{side}": f'"{cell.of(f"REGMODE_{side}", "NOREG", "OUTREG")}"',
                f"CSDECODE_{side}": f"3'b{cell.of(f'CSDECODE_{side}').removeprefix('0b')}",
                f"WRITEMODE_{side}": f'"{self._write_mode(cell, side)}"',
            }
            if clocks[side]:
                cell.of(f"CLK{side}MUX", f"CLK{side}")
            ports |= {name + side: cell.pin(name + side) for name in ("CE", "OCE", "WE", "RST")}
            if not clocks[side]:
                ports |= {f"CE{side}": LOW, f"OCE{side}": LOW, f"RST{side}": LOW}
            ports[f"CS{side}"] = cell.pins(f"CS{side}", 3)
            ports[f"AD{side}"] = cell.pins(f"AD{side}", _ADDRESS_BITS)
            ports[f"DI{side}"] = cell.pins(f"DI{side}", _DATA_BITS)
            outputs = (cell.wire(f"DO{side}{n}") for n in reversed(range(_DATA_BITS)))
            ports[f"DO{side}"] = "{" + ", ".join(outputs) + "}"
        _check_whole(cell, ports)
        rows = [cell.number(f"INITVAL_{row:02X}") for row in range(_INIT_ROWS)]
        bits = sum(row << 320 * number for number, row in enumerate(rows))
        parameters["INITVAL"] = f"{320 * _INIT_ROWS}'h{bits:x}"
        yield _instance("DP16KD", at, parameters, ports)

    def _write_mode(self, cell: _Cell, side: str) -> str:
        mode = cell.of(f"WRITEMODE_{side}", "NORMAL", "WRITETHROUGH", "READBEFOREWRITE")
        reads = any(cell.wire(f"DO{side}{n}") in self._read for n in range(_DATA_BITS))
        narrow = cell.number(f"DATA_WIDTH_{side}") < _BYTE
        if mode == "READBEFOREWRITE" and narrow and reads and cell.pin(f"WE{side}") != LOW:
            raise ValueError(
                f"netlist: {cell.name}: port {side} of less than {_BYTE} bits cannot read what it "
                "overwrites"
            )
        return mode

    def _multiplier(self, at: str, cell: _Cell) -> Iterator[str]:
        clocks = {cell.of(f"REG_{name}_CLK", "NONE", "CLK0") for name in _REGISTERS}
        if len(clocks) > 1 or cell.of("REG_PIPELINE_CLK", "NONE") != "NONE":
            raise ValueError(f"netlist: {cell.name}: some of its registers, but not all")
        cell.of("MULT_BYPASS", "DISABLED")
        cell.of("RESETMODE", "SYNC")
        for name in ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB"):
            if cell.pin(name) not in (LOW, *self._low):
                raise ValueError(f"netlist: {cell.name}: {name} is not low")
        products = (cell.wire(f"P{n}", "") for n in range(2 * _FACTOR_BITS))
        ports = {name: cell.pins(name, _FACTOR_BITS) for name in "AB"}
        yield f"wire [{2 * _FACTOR_BITS - 1}:0] {at}_p;"
        if clocks == {"CLK0"}:
            ports |= {"CLK": cell.wire("CLK0"), "CE": cell.pin("CE0"), "RST": cell.pin("RST0")}
        ports |= {"P": f"{at}_p"}
        yield _instance("MULT18X18D", at, {"REGISTERS": f"{len(ports) > 3:d}"}, ports)
        for number, wire in enumerate(products):
            if wire:
                yield f"assign {wire} = {at}_p[{number}];"

    def _buffer(self, at: str, cell: _Cell) -> Iterator[str]:
        del at
        yield f"assign {cell.wire('CLKO')} = {cell.wire('CLKI')} & {cell.wire('CE', HIGH)};"

    def _pll(self, at: str, cell: _Cell) -> Iterator[str]:
        del at
        for name, value in _PLL.items():
            cell.of(name, value)
        moving = [name for name in _STILL if cell.wire(name) not in self._low]
        if moving or cell.wire("CLKFB") != cell.wire("CLKOP"):
            what = ", ".join(moving) or "CLKFB"
            raise ValueError(f"netlist: {cell.name}: {what} is not as it is modelled")
        for number, name in enumerate(_OUTPUTS):
            yield f"assign {cell.wire(name)} = {CLOCKS}[{number}];"
        yield f"assign {cell.wire('LOCK')} = {LOCKED};"

    def _source(self, at: str, cell: _Cell) -> Iterator[str]:
        del at
        yield f"assign {cell.wire('OSC')} = {SOURCE};"

    def _clocks(self, pll: _Cell) -> tuple[Fraction, tuple[Fraction, ...]]:
        """Return the PLL's multiplier, and each output's delay after the first in ps.

        Both follow Lattice FPGA-TN-02200 for feedback from CLKOP. Phases are periods of the VCO
        (CPHASE) plus eighths of one (FPHASE).
        """
        divider = pll.number("CLKOP_DIV")
        if any(pll.number(f"{name}_DIV") != divider for name in _OUTPUTS):
            raise ValueError(f"netlist: {pll.name}: outputs of several frequencies; must be one")
        ratio = Fraction(pll.number("CLKFB_DIV"), pll.number("CLKI_DIV"))
        step_ps = 10**6 / (self._clock_mhz * ratio * divider * _PHASE_STEPS)
        steps = [
            pll.number(f"{name}_CPHASE") * _PHASE_STEPS + pll.number(f"{name}_FPHASE")
            for name in _OUTPUTS
        ]
        return ratio, tuple((step - steps[0]) * step_ps for step in steps)


def _check_whole(cell: _Cell, ports: Mapping[str, str]) -> None:
    """Raise ValueError for a whole-word memory that is not modelled, or is not one."""
    widths = [cell.number(f"DATA_WIDTH_{side}") for side in "AB"]
    if _WHOLE not in widths:
        return
    modes = {cell.of(f"REGMODE_{side}", "NOREG", "OUTREG") for side in "AB"}
    # No document says which enable and clock the lower half of the output register has.
    held = modes == {"OUTREG"} and (ports["OCEA"], ports["OCEB"]) != (HIGH, HIGH)
    if (
        widths[0] != _WHOLE
        or ports["WEB"] != LOW
        or (widths[1] == _WHOLE and (len(modes) > 1 or held))
    ):
        raise ValueError(f"netlist: {cell.name}: a memory of {_WHOLE} bits that is not modelled")


def _instance(kind: str, at: str, parameters: Mapping[str, str], ports: Mapping[str, str]) -> str:
    given = ", ".join(f".{name}({value})" for name, value in parameters.items())
    wired = ", ".join(f".{name}({value})" for name, value in ports.items())
    return f"{kind} #({given}) {at} ({wired});" if given else f"{kind} {at} ({wired});"
