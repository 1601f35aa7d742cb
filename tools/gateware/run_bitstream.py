# SPDX-License-Identifier: Apache-2.0
"""Serves a board's build, turned back into Verilog, with a simulated device at its pins.

    .venv/bin/python -m tools.gateware.run_bitstream BOARD [--design FILE] [--baud RATE]
        [--dut NAME[:OPTIONS]] [SIMULATOR'S OPTIONS]

For an iCE40 it takes the bitstream. For an ECP5 it takes the placed and routed netlist, because no
tool turns its bitstream back. Prints `listening tcp://127.0.0.1:PORT` for `plexor --link
tcp://127.0.0.1:PORT`, which is the board's UART, bit by bit. The gateware takes itself for a real
board. So the simulator first tells the host that it is not, and the host marks all as simulated.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import plexor_sim
from plexor.protocol.frames import simulated_frame, to_stream
from plexor.wire.link.serial_port import LEAST_BAUD
from plexor_hdl.uplink.link_uart import LEAST_CLOCKS
from plexor_sim.build import (
    BuildError,
    Verilation,
    device_objects,
    digest,
    find_tools,
    model_units,
    verilate,
)
from plexor_sim.devices import NAMES, find_device, option_text
from plexor_sim.packages import PackageMissing, default_cache, make_once
from plexor_sim.riscv import DeviceBuild
from plexor_sim.toolchain import COMPILE, FAST, Unit, compile_units, run_tool
from tools.debian import icestorm
from tools.gateware import bitstream, netlist
from tools.gateware.board import Board, BoardError, load
from tools.gateware.build import built
from tools.gateware.chip import CHIP, CLOCKS, LOCKED, SOURCE, Chip, pin_name
from tools.gateware.flow import BUILD, ToolError

_SIM = Path(plexor_sim.__file__).parent
_SOURCES = _SIM / "board"
_MAKERS = ("bitstream.py", "chip.py", "netlist.py", "run_bitstream.py")
_PREFIX = "Vboard"
_TOP = "board"
_MHZ_FS = 10**9
"""Femtoseconds in a period of 1 MHz."""
_PS_FS = 1000
_BITS_A_BYTE = 10
LINE_STEPS = 10
"""Number of times in each bit that the host's end of the UART samples the line."""
_MODELS = {"ice40": ("ice40.v", "ice40_ram.v"), "ecp5": ("ecp5.v", "ecp5_memory.v")}
_DESIGNS = {"ice40": ".bit", "ecp5": ".json"}


def design_of(board: Board) -> Path:
    """Return the part of a board's build to simulate, built again if its sources changed.

    Raises BoardError for a board whose cells are not modelled, and ToolError.
    """
    family = board.profile.family
    if family not in _DESIGNS:
        raise BoardError(f"{board.name}: {family}; must be a board with an {' or '.join(_DESIGNS)}")
    return built(board, suffix=_DESIGNS[family])


def simulator(board: Board, design: Path, device: DeviceBuild, cache: Path, baud: int = 0) -> Path:
    """Return the simulator of a built design with a device at the board's pins.

    `baud` replaces the rate of the board's UART. Raises BoardError for a rate that the board does
    not have, ValueError for a design that cannot be simulated, ToolError, BuildError and
    PackageMissing.
    """
    most = int(board.core_mhz * 10**6 / LEAST_CLOCKS)
    if baud and (board.uart_period or not LEAST_BAUD <= baud <= most):
        right = f"{board.baud}, set" if board.uart_period else f"{LEAST_BAUD} to {most}"
        raise BoardError(f"{board.name}: baud {baud}; must be {right}")
    board = replace(board, baud=baud or board.baud)
    makers = (Path(__file__).parent / name for name in _MAKERS)
    unpacked = make_once(
        cache / "board" / digest(design, *makers, str(board)),
        lambda folder: _unpack(board, design, cache, folder),
    )
    models = (_SOURCES / name for name in _MODELS[board.profile.family])
    sources = (unpacked / "board.v", unpacked / "chip.v", *models)
    verilated = verilate(
        Verilation("the board", sources, _TOP, _PREFIX, flags=("--flatten",)), cache, _say
    )
    objects = [*_model(verilated, cache), *_main(unpacked, verilated, cache)]
    objects += device_objects(device, cache)
    tools = find_tools()

    def link(directory: Path) -> None:
        command = (*tools.compiler, *map(str, objects), "-o", str(directory / "board"), "-pthread")
        run_tool("link", command, directory)

    key = digest("board", *(item.parent.name for item in objects))
    return make_once(cache / "sim" / f"board-{key}", link) / "board"


def _model(verilated: Path, cache: Path) -> list[Path]:
    def fill(directory: Path) -> None:
        _say("compiling the board")
        units = model_units(verilated, _PREFIX, directory)
        compile_units(find_tools(), units, directory, [verilated])

    key = digest("chip", verilated.name, find_tools().model_key, *COMPILE)
    return sorted(make_once(cache / "objects" / f"chip-{key}", fill).glob("*.o"))


def _main(unpacked: Path, verilated: Path, cache: Path) -> list[Path]:
    source = _SOURCES / "main.cpp"
    includes = (unpacked, verilated, _SOURCES, _SIM / "runtime", _SIM / "device")
    headers = [item for folder in includes for item in sorted(folder.glob("*.h"))]

    def fill(directory: Path) -> None:
        compile_units(find_tools(), [Unit(source, (FAST,))], directory, includes)

    key = digest("board's main", find_tools().key, *COMPILE, source, *headers)
    return sorted(make_once(cache / "objects" / f"board-{key}", fill).glob("*.o"))


def _unpack(board: Board, design: Path, cache: Path, folder: Path) -> None:
    _say(f"turning {design.name} into Verilog")
    if board.profile.family == "ecp5":
        chip = netlist.chip_of(design, board)
    else:
        # The WebAssembly tools do not see files everywhere.
        BUILD.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILD) as work:
            chip = bitstream.chip_of(design, board, icestorm(cache), Path(work))
    (folder / "chip.v").write_text(chip.verilog)
    (folder / "board.v").write_text(_board(board, chip))
    (folder / "board.h").write_text(_header(board, chip))


def _board(board: Board, chip: Chip) -> str:
    """Return the top around the chip: its pins by port, and models of its PLL and source."""
    fast, locked, source = (name.removeprefix(f"{_TOP}.") for name in (CLOCKS, LOCKED, SOURCE))
    ports = [f"input oscillator, gate, uart_rx, {locked}, {source}", "output uart_tx"]
    ports.append(f"input [{len(chip.lates_ps) - 1}:0] {fast}")
    connections = [f".{name}({name})" for name in ("gate", "uart_rx", "uart_tx")]
    connections.append(".reference(oscillator)")
    if "uart_hold" in board.pins:
        connections.append(".uart_hold(1'b0)")
    ways = {"channels": "input", "codes": "input"}
    ways |= dict.fromkeys(("outputs", "timecode", "lamps"), "output")
    for port, way in ways.items():
        count = sum(name.startswith(f"{port}[") for name in board.pins)
        if not count:
            continue
        ports.append(f"{way} [{count - 1}:0] {port}")
        connections += [
            f".{pin_name(f'{port}[{number}]')}({port}[{number}])" for number in range(count)
        ]
    return (
        f"module {_TOP} ({', '.join(ports)});\n"
        f"  {CHIP} {CHIP} ({', '.join(connections)});\nendmodule\n"
    )


def _header(board: Board, chip: Chip) -> str:
    """Return the constants for main.cpp. Raises ValueError if the phases are not in order."""
    reference_half = Fraction(_MHZ_FS) / board.clock_mhz / 2
    fast_half = reference_half / chip.ratio
    lates = [late_ps * _PS_FS for late_ps in chip.lates_ps]
    if not (lates == sorted(set(lates)) and lates[0] == 0 and lates[-1] < fast_half):
        raise ValueError(
            f"PLL: outputs {', '.join(f'{float(late):g}' for late in chip.lates_ps)} ps after the "
            f"first; must rise, to less than half a period, {float(fast_half) / _PS_FS:.0f} ps"
        )
    source_half = chip.source_half_ps * _PS_FS
    line = Fraction(_MHZ_FS * 10**6, board.baud * LINE_STEPS)
    times = (reference_half, fast_half, *lates, source_half, line)
    parts = math.lcm(*(time.denominator for time in times))
    said = to_stream(simulated_frame(board.baud // _BITS_A_BYTE))
    return (
        "#pragma once\n#include <cstdint>\nnamespace plexor {\n"
        f"constexpr int kChannels = {board.geometry.channels};\n"
        f"constexpr int kOutputs = {board.geometry.strikes + 1};\n"
        f"constexpr int kCodes = {board.geometry.code_bits};\n"
        "// In parts of a femtosecond.\n"
        f"constexpr int64_t kFsParts = {parts};\n"
        f"constexpr int64_t kReferenceHalfFs = {int(reference_half * parts)};\n"
        f"constexpr int64_t kFastHalfFs = {int(fast_half * parts)};\n"
        f"constexpr int64_t kLineStepFs = {int(line * parts)};\n"
        f"constexpr int64_t kLatesFs[] = {{{_listed(late * parts for late in lates)}}};\n"
        f"constexpr int64_t kSourceHalfFs = {int(source_half * parts)};\n"
        f"constexpr int kLineSteps = {LINE_STEPS};\n"
        f"constexpr bool kRateIsSet = {str(bool(board.uart_period)).lower()};\n"
        "// What a client is told ahead of the gateware's own bytes.\n"
        f"constexpr uint8_t kSaid[] = {{{_listed(said)}}};\n"
        "}\n"
    )


def _listed(values: Iterable[int | Fraction]) -> str:
    return ", ".join(str(int(value)) for value in values)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Build, then become the simulator; return an exit code if that fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.gateware.run_bitstream")
    parser.add_argument("board", metavar="BOARD")
    parser.add_argument(
        "--design", type=Path, help="bitstream to run; default: that of build/BOARD/seed1"
    )
    parser.add_argument(
        "--baud", type=int, default=0, help="baud rate, for a board that measures it"
    )
    parser.add_argument("--dut", default="synthetic", help=", ".join(NAMES))
    chosen, rest = parser.parse_known_args(arguments)
    name, _, own = chosen.dut.partition(":")
    try:
        board = load(chosen.board)
        device = find_device(name, default_cache(), own)
        options = option_text(name, device, own)
        design = chosen.design or design_of(board)
        executable = simulator(board, design, device, default_cache(), chosen.baud)
    except (BoardError, BuildError, OSError, PackageMissing, ToolError, ValueError) as error:
        _say(f"error: {error}")
        return 1
    os.execv(executable, [str(executable), "--device", options, *rest])


if __name__ == "__main__":
    sys.exit(main())
