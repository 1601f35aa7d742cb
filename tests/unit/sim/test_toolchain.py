# SPDX-License-Identifier: Apache-2.0
"""Compilers of a simulator, where the system has none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from plexor_sim import toolchain
from plexor_sim.toolchain import Unit, compile_units, find_tools, installed_tools

SHIFT = "int shifted(int value) { return value << 2; }\n"
"""As Verilator writes it of signed values: for one below 0 it is not defined in C++17."""


def test_without_a_compiler_of_the_system_ziglang_s_adds_no_checks_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None)
    tools = installed_tools.__wrapped__()
    assert "ziglang" in tools.compiler
    assert not tools.zig
    (tmp_path / "shift.cpp").write_text(SHIFT)
    compile_units(tools, [Unit(tmp_path / "shift.cpp", ("-O0",))], tmp_path, ())
    (made,) = tmp_path.glob("shift*.o")
    assert b"ubsan" not in made.read_bytes()


def test_files_of_one_name_make_an_object_each(tmp_path: Path) -> None:
    """A design's own file may be called as one of ours."""
    for folder in ("own", "ours"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "glue.cpp").write_text(f"int {folder}() {{ return 1; }}\n")
    units = [Unit(tmp_path / folder / "glue.cpp", ("-O0",)) for folder in ("own", "ours")]
    compile_units(find_tools(), units, tmp_path, (), verilated=False)
    objects = [path.read_bytes() for path in tmp_path.glob("*.o")]
    assert [any(name in data for data in objects) for name in (b"own", b"ours")] == [True, True]


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_a_simulator_is_built_and_runs_where_the_system_has_no_program(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path / "empty")}
    strikes = ("--rate", "20k", "--count", "20")
    command = (sys.executable, "-m", "plexor", "measure", "--dut", "synthetic", *strikes)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
