# SPDX-License-Identifier: Apache-2.0
"""Simulators with the core of probe.v, which plays strike words and reads back the samples."""

from __future__ import annotations

import re
import socket
import struct
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from plexor.protocol.geometry import Geometry
from plexor_sim import build as builds
from plexor_sim.build import build
from plexor_sim.packages import default_cache, make_once, sha256
from plexor_sim.riscv import DeviceBuild
from plexor_sim.server import Server

DEPTH = 256
_HERE = Path(__file__).parent

Truth = list[tuple[int, int, int]]
"""(time_ps, source, level) of each record."""


def compiled(harness: str, *beside: str) -> Path:
    """Return the program of a harness of this folder and of files of runtime/."""
    runtime = Path(builds.__file__).parent / "runtime"
    files = [_HERE / harness, *(runtime / name for name in beside)]

    def fill(directory: Path) -> None:
        sources = [str(path) for path in files if path.suffix == ".cpp"]
        command = [*builds.find_tools().compiler, "-std=gnu++17", "-O1", f"-I{runtime}", *sources]
        subprocess.run([*command, "-o", str(directory / "harness")], check=True)

    text = "".join(path.read_text() for path in files)
    return make_once(default_cache() / "harness" / sha256(text.encode())[:32], fill) / "harness"


def make_simulator(geometry: Geometry, device: DeviceBuild, select: int = 0) -> Path:
    """Return the simulator of probe.v with that device and selection of what is sampled."""
    text = (_HERE / "probe.v").read_text()
    text = re.sub(r"(INPUT =) \d+", rf"\1 {select}", text)
    text = re.sub(r"(STRIKE_BITS =) \d+", rf"\1 {geometry.strikes * geometry.samples}", text)
    text = re.sub(r"(SAMPLE_BITS =) \d+", rf"\1 {geometry.channels * geometry.samples}", text)

    def fill(directory: Path) -> None:
        (directory / "probe.v").write_text(text)

    folder = make_once(default_cache() / "probe" / sha256(text.encode())[:32], fill)
    return build(geometry, device, default_cache(), core=folder / "probe.v")


@dataclass(frozen=True)
class Played:
    """What one play of DEPTH words left; tick 0 is the first tick of the first word."""

    samples: list[list[int]]
    """Levels of each channel, one a tick."""
    truth: Truth


def play_words(
    simulator: Path,
    geometry: Geometry,
    strikes: list[int],
    options: str,
    log: Path,
    arguments: Sequence[str] = (),
) -> Played:
    """Drive the words of strikes (short lists are padded with zero) and return what came."""
    width = (geometry.strikes * geometry.samples + 7) // 8
    words = strikes + [0] * (DEPTH - len(strikes))
    back = (geometry.channels * geometry.samples + 7) // 8
    with Server(simulator, options, ["--truth", str(log), *arguments]) as server:
        with socket.create_connection(server.address, 120) as client:
            client.sendall(b"".join(word.to_bytes(width, "little") for word in words))
            record = b""
            while len(record) < back * DEPTH:
                got = client.recv(65536)
                if not got:
                    break
                record += got
        if len(record) < back * DEPTH:
            server.wait(120)
    channels: list[list[int]] = [[] for _ in range(geometry.channels)]
    for start in range(0, len(record), back):
        word = int.from_bytes(record[start : start + back], "little")
        for channel, samples in enumerate(channels):
            bits = word >> channel * geometry.samples
            samples += [bits >> tick & 1 for tick in range(geometry.samples)]
    return Played(channels, read_truth(log))


def read_truth(path: Path) -> Truth:
    """Return the records of a truth log."""
    records = struct.iter_unpack("<qBB6x", path.read_bytes())
    return [(time_ps, source, level) for time_ps, source, level in records]


@pytest.fixture(scope="session")
def compile_harness() -> Callable[..., Path]:
    """Return `compiled`."""
    return compiled


@pytest.fixture(scope="session")
def simulator() -> Callable[..., Path]:
    return make_simulator


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., Played]:
    """Return a function of simulator, geometry, strike words, device options and arguments."""

    def run(
        simulator: Path,
        geometry: Geometry,
        strikes: list[int],
        options: str = "",
        arguments: Sequence[str] = (),
    ) -> Played:
        return play_words(simulator, geometry, strikes, options, tmp_path / "truth", arguments)

    return run


@pytest.fixture(scope="session")
def scripted() -> DeviceBuild:
    """Return the device of scripted_device.cpp."""
    cpp = (_HERE / "scripted_device.cpp",)
    return DeviceBuild(name="scripted", verilog=(), top="", prefix="", cpp=cpp, key="")
