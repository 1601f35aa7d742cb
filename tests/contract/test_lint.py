# SPDX-License-Identifier: Apache-2.0
"""Lint, types and import rules hold, in every package."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools import lint, typed

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    str(file.parent.relative_to(ROOT))
    for pattern in ("*/__init__.py", "*/plexor*/__init__.py")
    for file in ROOT.glob(pattern)
}
PLANTED = """import os


def given(count: int) -> int:
    left = 1
    return "text"


given("text")
"""
FOUND = {"reportArgumentType", "reportReturnType", "reportUnusedImport", "reportUnusedVariable"}
HIGHER = ("capture/pins.py", "stimulus/table_stage.py", "uplink/uplink.py")
"""They wire stages of higher rooms, which they may not import."""


@pytest.mark.parametrize("command", lint.CHECKS, ids=lambda command: " ".join(command[:2]))
def test_a_check_finds_nothing(command, capsys):
    code = lint.check(command)
    assert code == 0, capsys.readouterr().out


def test_wrong_types_are_found_in_every_package(tmp_path):
    assert {
        "hdl/plexor_hdl",
        "host/plexor",
        "host/plexor_lab",
        "sim/plexor_sim",
        "soc/plexor_soc",
        "tools",
    } <= PACKAGES
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "planted.py").write_text(PLANTED)
    pyright = Path(sys.executable).with_name("pyright")
    command = (pyright, "--project", tmp_path, "--outputjson", "--pythonpath", sys.executable)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = {package: set() for package in PACKAGES}
    for entry in json.loads(done.stdout)["generalDiagnostics"]:
        package = Path(entry["file"]).relative_to(tmp_path.resolve()).parent
        found[str(package)].add(entry["rule"])
    missed = {package: FOUND - rules for package, rules in found.items()}
    assert not any(missed.values()), missed


@pytest.mark.parametrize("package", ["hdl/plexor_hdl", "soc/plexor_soc"])
def test_public_functions_have_all_types(package):
    assert [
        f"{file}:{one.line}: {'.'.join(one.name)}"
        for file in sorted((ROOT / package).rglob("*.py"))
        if not str(file).endswith(HIGHER)
        for one in typed.functions(file.read_text())
        if one.is_public and one.name[-1] != "elaborate"
        if one.untyped or not one.has_result
    ] == []
