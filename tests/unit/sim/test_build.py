# SPDX-License-Identifier: Apache-2.0
"""Builds: what is compiled again and what is not, and what a failed one says."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from plexor.protocol.frames import (
    DELIMITER,
    HEADER,
    OPERATION,
    Frame,
    FrameType,
    OpCode,
    cobs_decode,
    to_stream,
)
from plexor.protocol.geometry import MAGIC, Geometry
from plexor.protocol.registers import address
from plexor_sim import build as under_test
from plexor_sim.build import BuildError, build, device_objects
from plexor_sim.packages import default_cache
from plexor_sim.riscv import DeviceBuild
from plexor_sim.server import Server

GEOMETRY = Geometry(channels=2, strikes=1, samples=8)
PROBE = Path(__file__).with_name("probe.v")
ETHERNET = """
module plexor (
  input clk, rst, gate, clock_lost, input [15:0] samples, output [7:0] strikes, output load,
  output [1:0] input_select, output [2:0] loopback_output,
  input eth_sink_valid, input [7:0] eth_sink_data,
  output eth_source_valid, output [7:0] eth_source_data
);
  assign {strikes, load, input_select, loopback_output} = 0;
  assign {eth_source_valid, eth_source_data} = 0;
endmodule
"""
"""A core with the ports of one whose link is Ethernet; it does nothing."""


def built(
    device: DeviceBuild, cache: Path, geometry: Geometry = GEOMETRY
) -> tuple[Path, list[str]]:
    """Return the executable and what was reported."""
    report: list[str] = []
    return build(geometry, device, cache, core=PROBE, report=report.append), report


@pytest.fixture(scope="module")
def twice(
    tmp_path_factory: pytest.TempPathFactory, scripted: DeviceBuild
) -> tuple[Path, set[Path]]:
    """Return a cache into which the same was built twice at once, and the executables."""
    folder = tmp_path_factory.mktemp("cache")
    # What no build but the first compiles is there already: it takes longer than all the rest.
    for item in device_objects(scripted, default_cache()):
        if item.parent.name.startswith(("run-time-", "verilator-")):
            shutil.copytree(item.parent, folder / "objects" / item.parent.name, dirs_exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        paths = [pool.submit(built, scripted, folder) for _ in range(2)]
        return folder, {path.result()[0] for path in paths}


@pytest.fixture(scope="module")
def cache(twice: tuple[Path, set[Path]]) -> Path:
    """Return a cache that has one build in it."""
    return twice[0]


def test_a_second_build_compiles_nothing(cache: Path, scripted: DeviceBuild) -> None:
    executable, report = built(scripted, cache)
    assert report == []
    assert os.access(executable, os.X_OK)


def test_another_device_leaves_the_core_as_it_is(
    cache: Path, scripted: DeviceBuild, tmp_path: Path
) -> None:
    source = tmp_path / "other.cpp"
    source.write_text(scripted.cpp[0].read_text() + "// other\n")
    first, _ = built(scripted, cache)
    second, report = built(replace(scripted, name="other", cpp=(source,)), cache)
    assert report == ["compiling other"]
    assert first != second


@pytest.mark.full
def test_another_tick_compiles_the_core_and_not_the_device(
    cache: Path, scripted: DeviceBuild
) -> None:
    _, report = built(scripted, cache, replace(GEOMETRY, tick_fs=500_000))
    assert "compiling the core" in report
    assert "compiling scripted" not in report


@pytest.mark.full
def test_a_core_with_ethernet_listens_for_datagrams(
    cache: Path, scripted: DeviceBuild, tmp_path: Path
) -> None:
    core = tmp_path / "ethernet.v"
    core.write_text(ETHERNET)
    script = tmp_path / "script.txt"
    script.write_text("")
    with Server(build(GEOMETRY, scripted, cache, core=core), f"script={script}") as server:
        assert server.read_line().startswith("etherbone 127.0.0.1:")


def test_builds_at_the_same_time_give_one_whole_executable(
    twice: tuple[Path, set[Path]],
) -> None:
    folder, (executable,) = twice
    done = subprocess.run([executable, "--bogus"], capture_output=True, check=False)
    assert done.returncode == 2
    assert not list(folder.rglob(".making-*"))


def test_a_device_that_does_not_compile_is_the_first_error_and_leaves_nothing(
    cache: Path, scripted: DeviceBuild, tmp_path: Path
) -> None:
    source = tmp_path / "broken.cpp"
    source.write_text("int broken( { }\n")
    before = sorted(cache.rglob("*"))
    with pytest.raises(
        BuildError, match=r"^compiling broken\.cpp: .*broken\.cpp:1:\d+: error:"
    ) as e:
        built(replace(scripted, cpp=(source,)), cache)
    assert "\n" not in str(e.value)
    assert sorted(cache.rglob("*")) == before


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "plexor_sim.serve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=800)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--dut", "abacus"],
            "error: device 'abacus': must be synthetic, ce30, cenet, bare, freertos or",
        ),
        (["--dut", "no.toml"], "error: no.toml: No such file or directory"),
        (["--channels", "9"], "error: channels: 9; must be 1 to 8"),
        (["--samples", "5"], "error: samples: 5; must be one of"),
    ],
)
def test_serving_what_is_not_there_is_one_line_and_code_2(
    arguments: list[str], sentence: str
) -> None:
    done = serve(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.timeout(900)
def test_the_served_instrument_is_that_of_a_ulx3s() -> None:
    command = [sys.executable, "-m", "plexor_sim.serve", "--dut", "synthetic:latency=1ns"]
    with subprocess.Popen([*command, "--once"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().split() == ["link", "300000"]
            assert process.stdout.readline().split() == ["device", "synthetic"]
            assert process.stdout.readline().split() == ["core", "twin"]
            assert process.stdout.readline().split() == ["load"]
            port = int(process.stdout.readline().removeprefix("listening tcp://127.0.0.1:"))
            names = ("magic", "channels", "samples", "tick_fs")
            assert read_registers(port, names) == [MAGIC, 8, 16, 500_000]
            assert process.wait(20) == 0
        finally:
            process.kill()


def read_registers(port: int, names: tuple[str, ...]) -> list[int]:
    """Return registers of the identity block, over the link."""
    operations = b"".join(
        OPERATION.pack(
            {"address": address("identity", name), "code": OpCode.READ, "status": 0, "value": 0}
        )
        for name in names
    )
    command = Frame(FrameType.COMMAND, 0, len(names), 0, 0, 0, operations)
    with socket.create_connection(("127.0.0.1", port), 20) as client:
        client.sendall(bytes([DELIMITER]) + to_stream(command))
        data = b""
        while True:
            data += client.recv(65536)
            for part in data.split(bytes([DELIMITER]))[:-1]:
                frame = Frame.decode(cobs_decode(part)) if len(part) > HEADER.size_bytes else None
                if frame and frame.type == FrameType.RESPONSE:
                    size = OPERATION.size_bytes
                    chunks = (
                        frame.payload[n : n + size] for n in range(0, len(frame.payload), size)
                    )
                    return [OPERATION.unpack(chunk)["value"] for chunk in chunks]


@pytest.mark.parametrize("damage", [b"", b"\0" * 60 + b"\n", b"[]\n", b'{"a.v": "12', b"\xff\n"])
def test_a_damaged_list_of_what_a_build_has_read_is_made_again(tmp_path, monkeypatch, damage):
    (tmp_path / "a.v").write_text("one")
    monkeypatch.setattr(under_test, "_read_by", lambda *_: ["a.v"])
    made: list[Path] = []

    def followed() -> Path:
        return under_test._followed(None, tmp_path, tmp_path / "cache", "key", made.append)

    first = followed()
    (tmp_path / "cache" / "key.read").write_bytes(damage)
    assert [followed(), followed()] == [first, first]
    assert len(made) == 2
