# SPDX-License-Identifier: Apache-2.0
"""Wheels: what the host's has, and that the instrument's measures without a compiler."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from tools import bitstreams
from tools.wheels import PLATFORMS, boards_wheel, host_wheel, simulated_wheel, to_toml

from plexor.protocol.geometry import PLACED

from ..host.library.upkeep.test_flash import NEW, Desk
from ..host.wire.desk.test_bitstreams import ICE40


def test_tables_are_written_as_they_are_read():
    project = {
        "name": "x",
        "dependencies": ["a>=1; python_version < '3.13'"],
        "optional-dependencies": {"sim": ["b==2"], "none": []},
        "entry-points": {"plexor.commands": {"bench": "a:b"}, "pytest11": {"plexor": "c"}},
    }
    read = tomllib.loads(to_toml(project, ["one", "two"], "any"))
    assert read["project"] == project
    assert read["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["one", "two"]


def test_the_host_s_wheel_is_pure_and_has_the_host_alone(tmp_path):
    wheel = host_wheel(tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        head = Parser().parsestr(archive.read(metadata).decode())
    folders = {name.partition("/")[0] for name in names}
    assert {name for name in folders if not name.endswith("-info")} == {"plexor", "plexor_lab"}
    assert "plexor/firmware/plexor_trace.h" in names
    assert "plexor/constraints/icebreaker.toml" in names
    version = head["Version"]
    needs = head.get_all("Requires-Dist")
    assert f"plexor-sim=={version}; extra == 'sim'" in needs
    assert not any("amaranth" in need or "litex" in need for need in needs)


def test_without_a_build_there_is_no_wheel_of_bitstreams(monkeypatch, tmp_path):
    monkeypatch.setattr(bitstreams, "BUILD", tmp_path)
    monkeypatch.setattr(bitstreams, "board_hash", lambda board: 0)
    said: list[str] = []
    assert boards_wheel(tmp_path / "to", said.append, ["icebreaker"]) is None
    assert said[0].startswith("no bitstream of today's gateware of icebreaker: make gateware ")


def test_from_two_wheels_a_board_gets_its_bitstream_without_a_clone_or_its_tools(
    monkeypatch, tmp_path
):
    folder = tmp_path / "build" / "hx8k-evn" / "seed1"
    folder.mkdir(parents=True)
    (folder / f"{NEW:016x}.bit").write_bytes(ICE40)
    cells = {"board": "hx8k-evn", "seed": 1, "core MHz": "131.8 of 120", "cells": "93%"}
    row = {"failures": [], "cells": cells | {"build id": f"{NEW:016x}"}}
    (folder / "figures.json").write_text(json.dumps(row))
    monkeypatch.setattr(bitstreams, "BUILD", tmp_path / "build")
    monkeypatch.setattr(bitstreams, "board_hash", lambda board: 0)
    monkeypatch.setattr(bitstreams, "build_id", lambda board, seed, _: NEW if seed == 1 else PLACED)
    wheels = [host_wheel(tmp_path), boards_wheel(tmp_path, print, ["hx8k-evn"])]
    assert all(str(wheel).endswith("-py3-none-any.whl") for wheel in wheels)
    site = tmp_path / "site"
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    desk = Desk(tmp_path)
    desk.program("openFPGALoader")
    program = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "for name in ('amaranth', 'plexor_hdl', 'plexor_sim', 'tools'):\n"
        "    sys.modules[name] = None\n"
        "from plexor import cli; sys.exit(cli.main(sys.argv[1:]))\n"
    )
    with desk.instrument("hx8k-evn") as fake:
        words = ["board", "flash", "hx8k-evn", "--link", fake.uri, "--json"]
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            env={**os.environ, "PATH": str(tmp_path / "bin")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    path = site / "plexor_boards" / "hx8k-evn.bit"
    assert desk.calls == ["--board", "ice40_generic", "--write-sram", str(path)]
    assert found["identity"]["build_id"] == found["build_id"] == f"{NEW:016x}"
    assert found["figures"]["core MHz"] == "131.8 of 120"


@pytest.mark.full
def test_a_wheel_measures_without_compiler_network_or_verilator(tmp_path):
    # It is found among the host's own packages, which are as the lock file has them.
    wheel = simulated_wheel(PLATFORMS["linux-x86_64"], tmp_path, (), print)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    prebuilt = tmp_path / "site" / "plexor_sim" / "prebuilt"
    for path in prebuilt.glob("twin-*"):
        path.chmod(0o755)
    empty = tmp_path / "bin"
    empty.mkdir()
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "for name in ('amaranth', 'verilator', 'ziglang', 'pythondata_cpu_vexriscv'):\n"
        "    sys.modules[name] = None\n"
        "import plexor_sim.serve as serve, pathlib\n"
        "from plexor_hdl.build import boards\n"
        "geometry = boards.simulated(boards.DEFAULT)\n"
        f"cache = pathlib.Path({str(tmp_path / 'cache')!r})\n"
        "ready = serve.prepare(sys.argv[1], geometry, cache, core='twin')\n"
        "import json; print(json.dumps([str(ready.executable), ready.options]))\n"
    )
    for dut in ("synthetic", "bare", "freertos:program=malloc"):
        done = subprocess.run(
            [sys.executable, "-c", program, dut],
            env={**os.environ, "PATH": str(empty)},
            capture_output=True,
            text=True,
            check=True,
        )
        executable, options = json.loads(done.stdout)
        assert Path(executable).parent == prebuilt
        if dut != "synthetic":
            assert Path(options.partition("=")[2].partition(",")[0]).is_file()
    assert not (tmp_path / "cache").exists()
