"""Serves a board's bitstream, turned back into Verilog, with a simulated device at its pins.

    .venv/bin/python -m tools.gateware.run_bitstream BOARD [--bitstream FILE] [--dut NAME[:OPTIONS]]
        [SIMULATOR'S OPTIONS]

Prints `listening 127.0.0.1:PORT` for `plexor --link tcp://127.0.0.1:PORT`: the board's UART, bit by
bit. Only boards with an iCE40. What answers is the gateware of a board, and says so: its figures
are called measured, though they are simulated.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import plexor_sim
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
from tools.gateware import bitstream as bits
from tools.gateware.board import Board, BoardError, load
from tools.gateware.build import built
from tools.gateware.flow import BUILD, ToolError

_SIM = Path(plexor_sim.__file__).parent
_SOURCES = _SIM / "bitstream"
_PREFIX = "Vboard"
_TOP = "board"
_MHZ_FS = 10**9
"""Femtoseconds in a period of 1 MHz."""
RING_TABLE_PS = 1300
"""Of one table of the ring and the way to the next: a guess, as in primitives/ice40.v."""
LINE_STEPS = 10
"""How often a bit time the host's end of the UART looks at the line."""


def simulator(board: Board, bitstream: Path, device: DeviceBuild, cache: Path) -> Path:
    """Return the simulator of a bitstream with a device at the board's pins.

    Raises ValueError for a bitstream that cannot be simulated, ToolError, BuildError and
    PackageMissing.
    """
    unpacked = make_once(
        cache / "bitstream" / digest(bitstream, Path(bits.__file__), Path(__file__), str(board)),
        lambda folder: _unpack(board, bitstream, cache, folder),
    )
    sources = (unpacked / "board.v", unpacked / "chip.v", _SOURCES / "pll.v", _SOURCES / "ram.v")
    verilated = verilate(
        Verilation("the bitstream", sources, _TOP, _PREFIX, flags=("--flatten",)), cache, _say
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
        _say("compiling the bitstream")
        units = model_units(verilated, _PREFIX, directory)
        compile_units(find_tools(), units, directory, [verilated])

    key = digest("bitstream", verilated.name, find_tools().model_key, *COMPILE)
    return sorted(make_once(cache / "objects" / f"bitstream-{key}", fill).glob("*.o"))


def _main(unpacked: Path, verilated: Path, cache: Path) -> list[Path]:
    source = _SOURCES / "main.cpp"
    includes = (unpacked, verilated, _SOURCES, _SIM / "runtime", _SIM / "device")
    headers = [item for folder in includes for item in sorted(folder.glob("*.h"))]

    def fill(directory: Path) -> None:
        compile_units(find_tools(), [Unit(source, (FAST,))], directory, includes)

    key = digest("board's main", find_tools().key, *COMPILE, source, *headers)
    return sorted(make_once(cache / "objects" / f"board-{key}", fill).glob("*.o"))


def _unpack(board: Board, bitstream: Path, cache: Path, folder: Path) -> None:
    _say("turning the bitstream into Verilog")
    # Where the tools as WebAssembly see files: not everywhere.
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as work:
        chip = bits.chip_of(bitstream, board, icestorm(cache), Path(work))
    (folder / "chip.v").write_text(chip.verilog)
    (folder / "board.v").write_text(_board(board))
    (folder / "board.h").write_text(_header(board, chip))


def _board(board: Board) -> str:
    """Return the top around the chip: its pins by port, and what its PLL and its ring do."""
    ports = ["input oscillator, gate, uart_rx, locked, ring", "input [1:0] fast", "output uart_tx"]
    connections = [f".{name}({name})" for name in ("gate", "uart_rx", "uart_tx", bits.RING)]
    connections.append(".reference(oscillator)")
    for port, way in (("channels", "input"), ("outputs", "output")):
        count = sum(name.startswith(f"{port}[") for name in board.pins)
        ports.append(f"{way} [{count - 1}:0] {port}")
        connections += [
            f".{bits.pin_name(f'{port}[{number}]')}({port}[{number}])" for number in range(count)
        ]
    return (
        f"module {_TOP} ({', '.join(ports)});\n"
        f"  {bits.CHIP} chip ({', '.join(connections)});\nendmodule\n"
    )


def _header(board: Board, chip: bits.Chip) -> str:
    """Return the figures that main.cpp needs. Raises ValueError where the phases have no order."""
    reference_half = Fraction(_MHZ_FS) / board.clock_mhz / 2
    fast_half = reference_half / chip.ratio
    late_fs = chip.late_ps * 1000
    if late_fs >= fast_half:
        raise ValueError(
            f"bitstream: PLL output A is {chip.late_ps} ps after B; must be less than half a "
            f"period, {float(fast_half) / 1000:.0f} ps"
        )
    line = Fraction(_MHZ_FS * 10**6, board.baud * LINE_STEPS)
    parts = math.lcm(*(time.denominator for time in (reference_half, fast_half, line)))
    return (
        "#pragma once\n#include <cstdint>\nnamespace plexor {\n"
        f"constexpr int kChannels = {board.geometry.channels};\n"
        f"constexpr int kOutputs = {board.geometry.strikes + 1};\n"
        "// In parts of a femtosecond.\n"
        f"constexpr int64_t kFsParts = {parts};\n"
        f"constexpr int64_t kReferenceHalfFs = {int(reference_half * parts)};\n"
        f"constexpr int64_t kFastHalfFs = {int(fast_half * parts)};\n"
        f"constexpr int64_t kLineStepFs = {int(line * parts)};\n"
        f"constexpr int64_t kLateFs = {late_fs};\n"
        f"constexpr int64_t kRingHalfFs = {chip.ring_tables * RING_TABLE_PS * 1000};\n"
        f"constexpr int kLineSteps = {LINE_STEPS};\n"
        "}\n"
    )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Build, then become the simulator; return an exit code if that fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.gateware.run_bitstream")
    parser.add_argument("board", metavar="BOARD")
    parser.add_argument("--bitstream", type=Path, help="build/BOARD/seed1/top.bit if not given")
    parser.add_argument("--dut", default="synthetic", help=", ".join(NAMES))
    chosen, rest = parser.parse_known_args(arguments)
    name, _, own = chosen.dut.partition(":")
    try:
        board = load(chosen.board)
        if board.build.family != "ice40":
            raise BoardError(f"{board.name}: {board.build.family}; must be a board with an ice40")
        device = find_device(name, default_cache())
        bitstream = chosen.bitstream or built(board)
        executable = simulator(board, bitstream, device, default_cache())
    except (BoardError, BuildError, OSError, PackageMissing, ToolError, ValueError) as error:
        _say(f"error: {error}")
        return 1
    options = option_text(device, own)
    os.execv(executable, [str(executable), "--device", options, *rest])


if __name__ == "__main__":
    sys.exit(main())
