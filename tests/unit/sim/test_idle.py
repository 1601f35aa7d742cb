# SPDX-License-Identifier: Apache-2.0
"""Idle clocks: what the simulation looks at in the core, and that its models count as the core."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl.build import boards
from plexor_hdl.build.profiles import PROFILES
from plexor_sim.build import core_verilog
from plexor_sim.idle import WATCHED, MissingRegisterError, observed
from plexor_sim.netlist import split, unnumbered
from plexor_sim.packages import default_cache

GEOMETRIES = {
    name: boards.simulated(board)
    for name, board in (
        *(("ecp5", "ulx3s-25f"), ("ecp5-12k", "ulx3s-12f")),
        *(("hx8k", "hx8k-evn"), ("hx8k-counts", "hx8k-evn-counts")),
        *(("up5k", "icebreaker"), ("up5k-counts", "icebreaker-counts")),
    )
}
"""Those of one board of each profile, whose cores are emitted for other tests too."""
EACH = [
    pytest.param(name, marks=pytest.mark.full) if name == "ecp5-12k" else name
    for name in GEOMETRIES
]
"""The 12K's core has the stages of the 25K's, and fewer."""
CLOCKS = 200_000


@pytest.fixture(scope="module")
def harness(compile_harness: Callable[..., Path]) -> Path:
    """Return a small core of counters, run with skips and without."""
    return compile_harness("idle_harness.cpp", "idle.cpp", "idle.h")


@pytest.mark.parametrize("seed", range(20))
def test_what_counters_bring_about_comes_at_the_same_clock_with_skips(
    harness: Path, seed: int
) -> None:
    command = [str(harness), str(seed), str(CLOCKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert int(done.stdout) < CLOCKS * 2 // 3


def flip_flops(text: str) -> int:
    """Return how many registers, memories apart, a core has that are assigned by the clock."""
    names: set[tuple[int, str]] = set()
    for number, module in enumerate(text.split("\nmodule ")):
        lines = module.splitlines()
        memories = {line.split()[-2] for line in lines if re.search(r"^  reg .* \[\d+:0\];$", line)}
        assigned = {line.split("<=")[0].split("[")[0].strip() for line in lines if " <= " in line}
        compared = {name for name in assigned if name.startswith(("assign", "if"))}
        names |= {(number, name) for name in assigned - memories - compared}
    return len(names)


def test_each_profile_has_a_board():
    assert GEOMETRIES.keys() == PROFILES.keys()


@pytest.mark.parametrize("name", EACH)
def test_every_flip_flop_of_a_core_is_compared_or_follows_from_those_that_count(name: str) -> None:
    geometry = GEOMETRIES[name]
    text = core_verilog(geometry, default_cache())
    staged, cpp = observed(text, geometry)
    registers = {
        member.path
        for module in split(text)[1]
        for member, _ in module.places
        if member.is_flip_flop
    }
    assert len(registers) == flip_flops(text) > 500
    others = registers.difference(re.findall(r'idle\.still\(core\.\w+, "(.+)"\);', cpp))
    named = [rf"{w.module}\.({'|'.join((*w.registers, *w.passing))})" for w in WATCHED]
    assert all(any(re.fullmatch(n, unnumbered(path)) for n in named) for path in others)
    assert 0 < staged.count("public_flat_rw") < len(others) < len(registers) / 10
    assert re.sub(r" /\*verilator public_flat_r[dw]\*/", "", staged) == text


def test_a_register_that_is_gone_is_an_error_of_the_build_that_names_it() -> None:
    geometry = GEOMETRIES["up5k"]
    text = core_verilog(geometry, default_cache()).replace("chunk0_29", "chunk_of_old")
    with pytest.raises(MissingRegisterError, match=r"^run\.time_left\.chunk0_.*has none$"):
        observed(text, geometry)


def test_what_follows_from_a_counter_must_be_there_too() -> None:
    geometry = GEOMETRIES["up5k"]
    text = core_verilog(geometry, default_cache()).replace("visit_place", "place_of_old")
    with pytest.raises(MissingRegisterError, match=r"^counts\.visit_place: "):
        observed(text, geometry)


def test_no_simulation_alone_has_a_deep_memory() -> None:
    with pytest.raises(ValueError, match=r"^deep_depth: 4096; must be 0 in a simulation$"):
        core_verilog(replace(Geometry(), deep_depth=4096), default_cache())
