"""Dormant stages: who belongs to them, what wakes them, and that a core does not change by them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from plexor.protocol.geometry import Feature
from plexor_hdl.build import boards
from plexor_sim import build as builds
from plexor_sim.build import core_verilog
from plexor_sim.dormant import RESTLESS, STAGES, gated
from plexor_sim.netlist import split, unnumbered
from plexor_sim.packages import default_cache, make_once, sha256

CORE = Path(__file__).with_name("dormant_core.v").read_text()
HARNESS = Path(__file__).with_name("dormant_harness.cpp")
CLOCKS = 200_000


@pytest.fixture(scope="module")
def harness() -> Path:
    """Return a core of two stages, run with all of its clocks and with those that are due."""
    runtime = Path(builds.__file__).parent / "runtime"
    parts = [path.read_text() for path in (HARNESS, runtime / "dormant.h")]

    def fill(directory: Path) -> None:
        compiler = builds.find_tools().compiler
        command = [*compiler, "-std=gnu++17", "-O1", f"-I{runtime}", str(HARNESS)]
        subprocess.run([*command, "-o", str(directory / "harness")], check=True)

    return make_once(default_cache() / "harness" / sha256("".join(parts).encode())[:32], fill)


@pytest.mark.parametrize("seed", range(20))
def test_a_core_does_the_same_in_each_clock_with_most_of_its_stages_clocks_withheld(
    harness: Path, seed: int
) -> None:
    command = [str(harness / "harness"), str(seed), str(CLOCKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert int(done.stdout) < 2 * CLOCKS // 2


def test_a_stage_is_woken_by_what_comes_from_outside_and_sleeps_if_all_that_it_keeps_stands_still():
    _, (command, dumper) = gated(CORE)
    assert [m.name for m in command.inputs] == ["go", "value"]
    assert [m.name for m in command.state] == ["sum", "left", "_0_", "late$2"]
    assert [m.name for m in dumper.inputs] == ["sum"]
    assert [m.path for m in dumper.state] == [f"dumper.seen${k}" for k in (1, 2, 3)]


def test_each_register_has_the_clock_of_its_stage_and_all_others_the_first_one():
    text, _ = gated(CORE)
    modules = [module.text for module in split(text)[1]]
    assert [set(re.findall(r"@\((.*?)\)", each)) for each in modules] == [
        {"edge clk[0]"},
        {"edge clk[1]"},
        {"edge clk[2]"},
    ]
    assert [each.count("  input [2:0] clk;\n  wire [2:0] clk;\n") for each in modules] == [1, 1, 1]
    plain = re.sub(r"@\(edge clk\[\d\]\)", "@(posedge clk)", text).replace("[2:0] clk;", "clk;")
    assert plain == CORE


@pytest.fixture(scope="module")
def paths() -> set[str]:
    """Return the modules of the core that has the most."""
    board = boards.read("ulx3s-25f").geometry
    geometry = replace(board, features=board.features | Feature.SIMULATED)
    return {unnumbered(module.path) for module in split(core_verilog(geometry, default_cache()))[1]}


def test_each_pattern_is_of_modules_of_a_board(paths: set[str]):
    for pattern in (*chain.from_iterable(STAGES), RESTLESS):
        assert any(re.fullmatch(pattern, path) for path in paths), pattern


def test_no_module_is_of_two_stages(paths: set[str]):
    for path in paths:
        found = [s for s in STAGES if any(re.fullmatch(pattern, path) for pattern in s)]
        assert len(found) <= 1, path
