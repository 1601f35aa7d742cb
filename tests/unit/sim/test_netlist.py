# SPDX-License-Identifier: Apache-2.0
"""The core's Verilog as it is read: what it declares, and the names of that in C++."""

from __future__ import annotations

from pathlib import Path

from plexor_sim.netlist import Logic, encoded, matching, split, unnumbered

CORE = Path(__file__).with_name("dormant_core.v").read_text()


def test_registers_and_memories_are_told_from_wires_whatever_their_names():
    _, (_, _, command, _, _) = split(CORE)
    members = [member for member, _ in command.places]
    assert [(m.name, m.bits) for m in members if m.is_flip_flop] == [
        ("sum", 8),
        ("left", 4),
        ("end", 4),
        ("since", 4),
        ("_0_", 8),
        ("_1_", 4),
    ]
    assert [m.name for m in members if m.is_memory] == ["words", "tags", "late$2"]
    assert {m.name for m in members} >= {"clk", "value", "busy$1", "kept"}


def test_the_parts_of_a_text_make_the_whole():
    before, modules = split(CORE)
    assert before + "".join(module.text for module in modules) == CORE
    assert [module.path for module in modules] == [
        "",
        "capture.stamp",
        "command",
        "dumper",
        "timebase",
    ]


def test_a_name_in_cpp_is_as_verilator_writes_it():
    _, (_, _, command, dumper, _) = split(CORE)
    names = {m.name: m.cpp for m, _ in (*command.places, *dumper.places)}
    assert names["left"] == "plexor_top__DOT__core__DOT__command__DOT__left"
    assert names["late$2"] == "plexor_top__DOT__core__DOT__command__DOT__late__0242"
    assert encoded("a___b__c") == "a___05F_b___05Fc"
    assert names["seen$1"] == "plexor_top__DOT__core__DOT__dumper__DOT__seen__0241"


def test_a_pattern_finds_names_with_and_without_amaranths_numbers():
    _, modules = split(CORE)
    members = [member for module in modules for member, _ in module.places]
    names = {unnumbered(member.path) for member in members}
    by_name = {n: [m for m in members if unnumbered(m.path) == n] for n in names}
    assert [m.path for m in matching("command.busy", by_name)] == ["command.busy$1"]
    found = {m.path for m in matching("dumper.s[a-z]+", by_name)}
    assert found == {"dumper.sum", "dumper.seen", "dumper.seen$1", "dumper.seen$2"}


def test_a_next_state_depends_on_all_that_reaches_it_through_logic_and_ports():
    _, modules = split(CORE)
    logic = Logic(modules)
    blocks = {
        target: block
        for part in logic.blocks.values()
        for block in part
        for target in block.targets
    }

    def cone(target: str) -> set[str]:
        return set(logic.members(blocks[target].cone))

    assert cone("command.left") == {"command.left", "go", "value"}
    assert cone("command.since") == {"command.left", "command.since", "timebase.low"}
    assert cone("command.sum") == {f"command.{n}" for n in ("left", "sum", "_0_", "late$2")}
    assert cone("command._1_") == {"command.left", "command.tags"}
    assert cone("command.tags") == {"command.left", "timebase.low"}
    assert cone("dumper.seen$1") == {"command.sum"}
    assert set(logic.read_at_once) == {"command.late$2"}


def test_a_block_whose_only_condition_is_a_signal_has_it_as_its_gate():
    _, modules = split(CORE)
    gates = {target: b.gate for b in Logic(modules).all_blocks for target in b.targets}
    assert gates["capture.stamp.stamps"] == gates["capture.stamp._0_"] == "capture.stamp.open"
    assert gates["command.words"] == "command.busy$1"
    assert gates["capture.stamp.marks"] == gates["command.left"] == gates["command.since"] == ""
    read = "      _0_ <= stamps[\\event [3:0]];\n"
    assert read in CORE
    _, modules = split(CORE.replace(read, f"{read}    end else begin\n      _0_ <= 4'h0;\n"))
    gates = {target: b.gate for b in Logic(modules).all_blocks for target in b.targets}
    assert gates["capture.stamp._0_"] == ""
