# SPDX-License-Identifier: Apache-2.0
"""The page of designs from elsewhere: each design is made, measured and compared as it is shown."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from documented import ROOT
from tools.strangers.__main__ import strikes_of
from tools.strangers.bench import settled
from tools.strangers.icarus import play_in_icarus

from plexor.cli import main
from plexor_sim.design.manifest import load
from plexor_sim.design.player import played, player
from plexor_sim.devices import find_device, option_text
from plexor_sim.packages import default_cache

PAGE = (ROOT / "docs" / "do" / "designs.md").read_text()
ROCKET = "pythondata-cpu-rocket==0.0.post7146"
SHA256 = "5954f2bde8e63e43fe4cbc64649687623b64f849d37b4b0d26b07228127bd592"


def block(generator: str, language: str) -> str:
    """Return what a section of the page shows in a language."""
    section = PAGE.split(f"## Verilog made by {generator}\n")[1].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)[0]


def make_fifo(folder: Path) -> None:
    exec(compile(block("Amaranth", "py"), "designs.md", "exec"), {})


def copy_vexriscv(folder: Path) -> None:
    package = find_spec("pythondata_cpu_vexriscv")
    assert package is not None
    assert package.origin is not None
    shutil.copy(Path(package.origin).parent / "verilog" / "VexRiscv_Min.v", folder)


def fetch_rocket(folder: Path) -> None:
    (folder / "rocket.txt").write_text(f"{ROCKET} --hash=sha256:{SHA256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--require-hashes", "--only-binary=:all:", "--requirement", "rocket.txt"]
    subprocess.run(command, cwd=folder, check=True, timeout=600)
    (wheel,) = folder.glob("*.whl")
    shutil.unpack_archive(wheel, folder, "zip")
    name = "generated-src/freechips.rocketchip.system.LitexConfig.v"
    shutil.copy(folder / "pythondata_cpu_rocket" / "verilog" / name, folder / "rocket.v")


@pytest.mark.parametrize(
    ("generator", "make"),
    [
        ("Amaranth", make_fifo),
        ("SpinalHDL", copy_vexriscv),
        pytest.param("Chisel", fetch_rocket, marks=pytest.mark.full),
    ],
)
def test_a_design_of_a_generator_is_measured_as_shown_and_answers_as_under_icarus(
    generator: str, make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    words = shlex.split(block(generator, "console"))
    path = tmp_path / words[words.index("--dut") + 1]
    path.write_text(block(generator, "toml"))
    assert main(words[1:]) == 0
    manifest = load(path)
    device = find_device(str(path), default_cache())
    strikes, end_ps = strikes_of(manifest)
    own = played(
        player(device, default_cache()), option_text(str(path), device, ""), strikes, end_ps
    )
    expected = play_in_icarus(path, strikes, end_ps, tmp_path)
    assert settled(own.edges) == expected
    assert {channel for _, channel, _ in expected} == set(range(len(manifest.responses)))
