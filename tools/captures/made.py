# SPDX-License-Identifier: Apache-2.0
"""Makes captures with what is at hand: simulators, GTKWave's tools, sigrok-cli and libraries."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.sim import Simulator
from vcd.writer import VCDWriter

from plexor_sim.packages import PackageMissing
from plexor_sim.toolchain import find_tools
from tools.captures.tools import Tools

_DESIGNS = Path(__file__).parent / "designs"
_TIMEOUT_S = 300
_PROGRAMS = ("iverilog", "vvp", "ghdl", "sigrok-cli")
_COCOTB = """
import cocotb
from cocotb.triggers import Timer
from cocotb_tools.runner import get_runner

@cocotb.test()
async def turn(dut):
    dut.rst.value = 0
    for number in range(60):
        dut.clk.value = number & 1
        dut.d.value = number * 7 & 0xFF
        await Timer(2500 + number, unit="ps")

if __name__ == "__main__":
    runner = get_runner("icarus")
    runner.build(sources=["top.v"], hdl_toplevel="top", waves=True, timescale=("1ns", "1ps"))
    runner.test(hdl_toplevel="top", test_module="turn", waves=True)
"""
_COCOTB_TOP = """
module top(input clk, input rst, input [7:0] d, output reg [7:0] q, output reg r);
  always @(posedge clk) begin q <= d; r <= ^d; end
endmodule
"""


def made_captures(folder: Path, tools: Tools) -> Iterator[tuple[str, list[Path]]]:
    """Make captures in a folder, and yield those of each maker. Raises PackageMissing.

    If the first one is a VCD, further ones are of the same run.
    """
    for program in _PROGRAMS:
        if shutil.which(program) is None:
            raise PackageMissing(program, "not on the path", f"on Debian: apt install {program}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, maker in _MAKERS.items():
        yield name, maker(folder, tools)


def _icarus(folder: Path, _tools: Tools) -> list[Path]:
    paths: list[Path] = []
    for suffix, option in (("vcd", ""), ("fst", "-fst"), ("lxt", "-lxt"), ("lxt2", "-lxt2")):
        path = folder / f"icarus.{suffix}"
        define = f'-DFILE="{path.name}"'
        _run(["iverilog", "-g2012", define, "-o", "bench.vvp", str(_DESIGNS / "bench.v")], folder)
        _run(["vvp", "bench.vvp", *option.split()], folder)
        paths.append(path)
    return paths


def _verilator(folder: Path, tools: Tools) -> list[Path]:
    paths: list[Path] = []
    root = find_tools().verilator
    (libraries,) = (tools.lz4 / "lib").glob("*/liblz4.a")
    flags = (
        "-CFLAGS",
        f"-std=c++20 -I{tools.lz4 / 'include'}",
        "-LDFLAGS",
        f"-L{libraries.parent}",
    )
    for suffix, option in (("vcd", "--trace-vcd"), ("fst", "--trace-fst")):
        path = folder / f"verilator.{suffix}"
        own = folder / f"verilator-{suffix}"
        command = [str(root / "bin" / "verilator"), "--binary", option, "--Mdir", str(own)]
        command += [
            *flags,
            "-Wno-fatal",
            "-Wno-lint",
            f'-DFILE="{path.name}"',
            "--top",
            "bench",
        ]
        _run([*command, str(_DESIGNS / "bench.v")], folder)
        _run([str(own / "Vbench")], folder)
        paths.append(path)
    return paths


def _ghdl(folder: Path, _tools: Tools) -> list[Path]:
    _run(["ghdl", "-a", "--std=08", str(_DESIGNS / "bench.vhdl")], folder)
    _run(["ghdl", "-e", "--std=08", "bench"], folder)
    names = {"vcd": "ghdl.vcd", "wave": "ghdl.ghw", "fst": "ghdl.fst"}
    options = [f"--{option}={name}" for option, name in names.items()]
    _run(["ghdl", "-r", "--std=08", "bench", "--stop-time=1us", *options], folder)
    return [folder / name for name in names.values()]


def _amaranth(folder: Path, _tools: Tools) -> list[Path]:
    m = Module()
    count, gray, odd = Signal(9), Signal(9), Signal(name="odd$name")
    m.d.sync += count.eq(count + 5)
    m.d.comb += gray.eq(count ^ count >> 1)
    m.d.sync += odd.eq(Cat(count).xor())
    simulator: Any = Simulator(m)
    simulator.add_clock(1e-6 / 48)
    path = folder / "amaranth.vcd"
    with simulator.write_vcd(str(path), traces=[count, gray, odd]):
        simulator.run_until(5e-6)
    return [path]


def _cocotb(folder: Path, _tools: Tools) -> list[Path]:
    own = folder / "cocotb"
    own.mkdir()
    (own / "turn.py").write_text(_COCOTB)
    (own / "top.v").write_text(_COCOTB_TOP)
    _run([sys.executable, "turn.py"], own)
    return sorted(own.rglob("*.fst"))


def _gtkwave(folder: Path, tools: Tools) -> list[Path]:
    """Convert a dump into the other formats."""
    source, paths = folder / "icarus.vcd", [folder / "gtkwave.vcd"]
    shutil.copy(source, paths[0])
    for suffix, program in (
        ("fst", "vcd2fst"),
        ("lxt", "vcd2lxt"),
        ("lx2", "vcd2lxt2"),
        ("vzt", "vcd2vzt"),
    ):
        path = folder / f"gtkwave.{suffix}"
        _run([str(tools.gtkwave(program)), str(source), str(path)], folder, tools.environment)
        paths.append(path)
    return paths


def _sigrok(folder: Path, _tools: Tools) -> list[Path]:
    """Record what libsigrok's demo device makes, and give it on in other formats."""
    logic = ["-C", ",".join(f"D{number}" for number in range(8))]
    demo = ["-d", "demo", "-c", "samplerate=3MHz", "--samples", "20000"]
    paths = [folder / name for name in ("sigrok.sr", "sigrok.vcd", "sigrok.csv", "sigrok-volts.sr")]
    _run(["sigrok-cli", *demo, *logic, "-o", paths[0].name], folder)
    for path in paths[1:3]:
        _run(["sigrok-cli", "-i", paths[0].name, "-O", path.suffix[1:], "-o", path.name], folder)
    _run(["sigrok-cli", *demo, "-o", paths[3].name], folder)
    return paths


def _writer(file: IO[str]) -> Any:
    return VCDWriter(file, timescale="100 fs", init_timestamp=7)


def _pyvcd(folder: Path, _tools: Tools) -> list[Path]:
    path, packed = folder / "pyvcd.vcd", folder / "pyvcd-packed.vcd.gz"
    with path.open("w") as file, _writer(file) as writer:
        bit = writer.register_var("top.sub", "bit", "wire", size=1, init="z")
        word = writer.register_var("top", "word", "reg", size=13, init="x")
        volts = writer.register_var("top", "volts", "real", init=0.5)
        for time in range(7, 4_000, 13):
            writer.change(bit, time, "01xz"[time * time % 4])
            writer.change(word, time, time * 5 % 8192)
            writer.change(volts, time, time / 7)
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return [path, packed]


_MAKERS: dict[str, Callable[[Path, Tools], list[Path]]] = {
    "Icarus Verilog": _icarus,
    "Verilator": _verilator,
    "GHDL": _ghdl,
    "Amaranth": _amaranth,
    "cocotb": _cocotb,
    "GTKWave": _gtkwave,
    "sigrok-cli": _sigrok,
    "pyvcd": _pyvcd,
}


def _run(command: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
        env=environment,
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise PackageMissing(Path(command[0]).name, (said or ["it failed"])[-1], "report it")
