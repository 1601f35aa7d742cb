"""The core's Verilog as it is read: what it declares, and the names of that in C++."""

from __future__ import annotations

from pathlib import Path

from plexor_sim.netlist import matching, split, unnumbered

CORE = Path(__file__).with_name("dormant_core.v").read_text()


def test_registers_and_memories_are_told_from_wires_whatever_their_names():
    _, (_, command, _) = split(CORE)
    members = [member for member, _ in command.places]
    assert [(m.name, m.bits) for m in members if m.is_flip_flop] == [
        ("sum", 8),
        ("left", 4),
        ("_0_", 8),
    ]
    assert [m.name for m in members if m.is_memory] == ["words", "late$2"]
    assert {m.name for m in members} >= {"clk", "value", "busy$1", "kept"}


def test_the_parts_of_a_text_make_the_whole():
    before, modules = split(CORE)
    assert before + "".join(module.text for module in modules) == CORE
    assert [(module.path, module.above) for module in modules] == [
        ("", None),
        ("command", ""),
        ("dumper", ""),
    ]


def test_a_name_in_cpp_is_as_verilator_writes_it():
    _, (_, command, dumper) = split(CORE)
    names = {m.name: m.cpp for m, _ in (*command.places, *dumper.places)}
    assert names["left"] == "plexor_top__DOT__core__DOT__command__DOT__left"
    assert names["late$2"] == "plexor_top__DOT__core__DOT__command__DOT__late__0242"
    assert names["seen$1"] == "plexor_top__DOT__core__DOT__dumper__DOT__seen__0241"


def test_a_pattern_finds_names_with_and_without_amaranths_numbers():
    _, modules = split(CORE)
    members = [member for module in modules for member, _ in module.places]
    names = {unnumbered(member.path) for member in members}
    by_name = {n: [m for m in members if unnumbered(m.path) == n] for n in names}
    assert [m.path for m in matching("command.busy", by_name)] == ["command.busy$1"]
    found = {m.path for m in matching("dumper.s[a-z]+", by_name)}
    assert found == {"dumper.sum", "dumper.seen", *(f"dumper.seen${k}" for k in (1, 2, 3))}
