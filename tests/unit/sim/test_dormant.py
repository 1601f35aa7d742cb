# SPDX-License-Identifier: Apache-2.0
"""Dormant stages: who belongs to them, what wakes them, and that a core does not change by them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from plexor.protocol.geometry import Feature
from plexor_hdl.build import boards
from plexor_sim.build import core_verilog
from plexor_sim.dormant import AWAKE, RESTLESS, RHYTHMIC, STAGES, Stage, gated
from plexor_sim.netlist import Module, split, unnumbered
from plexor_sim.packages import default_cache
from plexor_sim.toolchain import BuildError

CORE = Path(__file__).with_name("dormant_core.v").read_text()
CLOCKS = 200_000


@pytest.fixture(scope="module")
def harness(compile_harness: Callable[..., Path]) -> Path:
    """Return a core of three stages, run with all of its clocks and with those that are due."""
    return compile_harness("dormant_harness.cpp", "dormant.h")


@pytest.mark.parametrize("seed", range(20))
def test_a_core_does_the_same_in_each_clock_with_most_of_its_stages_clocks_withheld(
    harness: Path, seed: int
) -> None:
    command = [str(harness), str(seed), str(CLOCKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert int(done.stdout) < 3 * CLOCKS // 2


def inputs(stage: Stage) -> dict[int, list[str]]:
    """Return the paths of a stage's inputs by their clocks."""
    return {clock: [m.path for m in members] for clock, members in stage.inputs.items()}


def test_a_stage_is_woken_by_what_its_next_state_depends_on_and_nothing_else():
    _, (capture, dumper, command) = gated(CORE)
    assert (command.ports, inputs(command)) == (("go", "value"), {})
    assert (dumper.ports, inputs(dumper)) == ((), {3: ["command.sum"]})
    assert (capture.ports, inputs(capture)) == ((), {3: ["command.sum"]})


def test_a_stage_stands_still_with_what_it_reads_of_its_own_without_a_clock():
    _, (_, dumper, command) = gated(CORE)
    assert {m.name for m in command.state} == {"sum", "left", "_0_", "late$2"}
    assert {m.path for m in dumper.state} == {"dumper.seen$1"}


def test_a_stage_with_a_rhythm_stands_still_with_all_of_its_registers():
    _, (capture, _, _) = gated(CORE)
    assert {m.name for m in capture.state} == {"hold", "open", "event", "_0_"}


def test_a_stage_that_writes_no_memory_is_known():
    _, (capture, dumper, command) = gated(CORE)
    assert (capture.writes, dumper.writes, command.writes) == (True, False, True)


def test_a_stage_may_depend_on_a_rhythm_and_then_on_what_that_depends_on():
    _, (capture, dumper, command) = gated(CORE)
    assert [m.path for m in capture.rhythm] == ["capture.stamp.i_ready"]
    assert (dumper.rhythm, command.rhythm) == ((), ())
    text = CORE.replace("i_ready <= ~i_ready & ~hold;", "i_ready <= ~i_ready & ~sum[0];")
    text = text.replace("? sum : \\event ;", "? 8'h01 : \\event ;").replace("| sum[1:0]", "| _0_")
    _, (capture, _, _) = gated(text.replace("open <= sum[2];", "open <= hold;"))
    assert inputs(capture) == {3: ["command.sum"]}


def test_what_a_restless_register_writes_is_in_a_stage_if_a_gate_of_the_stage_lets_it_through():
    _, (capture, dumper, command) = gated(CORE)
    assert [m.path for m in capture.gates] == ["capture.stamp.open"]
    assert (dumper.gates, command.gates) == ((), ())
    _, (capture, _, _) = gated(CORE.replace("if (open)", "if (hold | open)"))
    assert capture.gates == ()
    assert "_0_" not in {m.name for m in capture.state}
    _, (capture, _, _) = gated(CORE.replace("open <= sum[2];", "open <= low[0];"))
    assert capture.gates == ()
    assert {m.name for m in capture.state} == {"hold", "event"}


def clocks_of(text: str) -> list[tuple[str, int]]:
    """Return the name of each register or memory that has a clock, and the clock."""
    _, *blocks = text.split("@(edge clk[")
    found = [
        (
            re.findall(r"(?m)^ +(?:\\(\S+)|(\w+))(?: ?\[\S+)? +<=", block),
            int(block.partition("]")[0]),
        )
        for block in blocks
    ]
    return [(name or word, bit) for names, bit in found for name, word in names]


def test_what_depends_on_a_restless_register_has_the_clock_that_always_comes():
    clocks = clocks_of(gated(CORE)[0])
    always = {"low", "since", "tags", "_1_", "i_ready", "marks"}
    assert {name for name, bit in clocks if bit == 0} == always
    assert {name for name, bit in clocks if bit == 1} == {"hold", "open", "event", "stamps", "_0_"}
    assert {name for name, bit in clocks if bit == 2} == {"seen$1", "seen$2"}
    in_command = {"sum", "left", "end", "_0_", "late$2", "words"}
    assert {name for name, bit in clocks if bit == 3} == in_command


def test_what_others_write_too_is_an_input():
    text = CORE.replace("since <= \\busy$1  ? since : later;", "sum[0] <= later[0];")
    _, (_, dumper, command) = gated(text)
    assert inputs(command) == inputs(dumper) == {0: ["command.sum"]}


def test_what_others_write_too_keeps_a_stage_with_a_rhythm_awake_even_if_it_does_not_read_it():
    _, (capture, _, _) = gated(CORE.replace("    _1_ <= marks[0];", "    _0_[0] <= marks[0][0];"))
    assert inputs(capture) == {0: ["capture.stamp._0_"], 3: ["command.sum"]}


def test_nothing_but_clocks_changes_in_the_text():
    text, _ = gated(CORE)
    assert text.count("  input [3:0] clk;\n  wire [3:0] clk;\n") == 5
    plain = re.sub(r"@\(edge clk\[\d\]\)", "@(posedge clk)", text).replace("[3:0] clk;", "clk;")
    assert plain == CORE


@pytest.mark.parametrize(
    ("line", "signal"),
    [
        ("assign \\busy$1  = | left;", r"command\.busy\$1"),
        ("assign later = \\low$1  + 4'h1;", r"command\.later"),
    ],
)
def test_a_signal_that_nothing_assigns_is_an_error_of_the_build_that_names_it(
    line: str, signal: str
):
    with pytest.raises(BuildError, match=rf"^{signal}: nothing "):
        gated(CORE.replace(f"  {line}\n", ""))


@pytest.fixture(scope="module")
def core() -> list[Module]:
    """Return the modules of the core that has the most."""
    board = boards.read("ulx3s-25f").geometry
    geometry = replace(board, features=board.features | Feature.SIMULATED)
    return split(core_verilog(geometry, default_cache()))[1]


def test_each_stage_and_each_register_that_is_named_is_of_the_core(core: list[Module]):
    paths = {unnumbered(module.path) for module in core}
    for pattern, *_ in STAGES:
        assert any(re.fullmatch(pattern, path) for path in paths), pattern
    registers = {
        f"{unnumbered(module.path)}.{m.name}"
        for module in core
        for m, _ in module.places
        if m.is_flip_flop
    }
    single = [pattern for _, *registers in STAGES for pattern in registers]
    for pattern in (*RESTLESS, *RHYTHMIC, *AWAKE, *single):
        assert any(re.fullmatch(pattern, path) for path in registers), pattern


def test_most_registers_are_of_a_stage(core: list[Module]):
    text, _ = gated("".join(module.text for module in core))
    bits = dormant = 0
    for module in split(text)[1]:
        clocks = dict(clocks_of(module.text))
        for register in (member for member, _ in module.places if member.is_flip_flop):
            bits += register.bits
            dormant += register.bits * (clocks[register.name] > 0)
    assert 8 * dormant > 7 * bits
