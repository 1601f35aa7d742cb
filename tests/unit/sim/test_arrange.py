# SPDX-License-Identifier: Apache-2.0
"""Arrangement: which members of the core form a group, and where they lie."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from plexor_sim.arrange import Group, arranged, groups
from plexor_sim.build import find_tools
from plexor_sim.dormant import gated
from plexor_sim.toolchain import BuildError

CORE = Path(__file__).with_name("dormant_core.v").read_text()
CAPTURE, DUMPER, COMMAND = 1, 2, 4
HEADER = """#include <cstddef>
#include <cstdint>
using CData = uint8_t;
using SData = uint16_t;
using QData = uint64_t;
template <int Words> struct VlWide { uint32_t words[Words]; };
template <typename Value, int Rows> struct VlUnpacked { Value rows[Rows]; };
class alignas(64) Root final {
  public:

    // DESIGN SPECIFIC STATE
    // Anonymous structures
    struct {
        struct {
            CData/*0:0*/ valid;
            CData/*3:0*/ state;
        };
        struct {
            SData/*9:0*/ place;
            VlWide<3>/*70:0*/ word;
            QData/*40:0*/ sum;
            VlUnpacked<CData/*7:0*/, 5> rows;
        };
    };
};
"""
GROUPS = [Group(0, 1, ("sum", "valid")), Group(1, 1, ("word",)), Group(1, 2, ("rows", "state"))]


def test_what_has_the_same_clock_and_matters_to_the_same_stages_is_a_group():
    found = groups(gated(CORE)[1])
    names = [
        (group.clock, group.stages, {name.rpartition("__DOT__")[2] for name in group.names})
        for group in found
    ]
    assert names == [
        (1, CAPTURE, {"event", "hold", "open", "_0_"}),
        (2, DUMPER, {"seen__0241"}),
        (3, COMMAND, {"left", "_0_", "late__0242"}),
        (3, CAPTURE | DUMPER | COMMAND, {"sum"}),
    ]


def test_groups_lie_in_a_row_and_each_has_words_of_its_own(tmp_path: Path):
    text = arranged(HEADER, GROUPS)
    places = {"sum": 0, "valid": 8, "word": 16, "rows": 32, "state": 37, "plexor_end": 40}
    checks = "".join(
        f"static_assert(offsetof(Root, {name}) == {place});\n" for name, place in places.items()
    )
    source = tmp_path / "places.cpp"
    source.write_text(text + checks + "static_assert(offsetof(Root, place) >= 48);\n")
    subprocess.run(
        [*find_tools().compiler, "-std=gnu++17", "-c", source.name], cwd=tmp_path, check=True
    )


def test_each_member_is_declared_once_with_its_type():
    lines = [line.strip() for line in arranged(HEADER, GROUPS).splitlines()]
    for line in ("CData/*3:0*/ state;", "SData/*9:0*/ place;", "VlUnpacked<CData/*7:0*/, 5> rows;"):
        assert sum(found.endswith(line) for found in lines) == 1, line
    for line in ("CData/*0:0*/ valid;", "VlWide<3>/*70:0*/ word;", "QData/*40:0*/ sum;"):
        assert sum(found.endswith(line) for found in lines) == 1, line


def test_a_structure_that_lost_all_of_its_members_is_left_out():
    assert arranged(HEADER, GROUPS).count("struct {\n") == HEADER.count("struct {\n") - 1


def test_a_member_that_the_model_lacks_is_an_error_of_the_build_that_names_it():
    with pytest.raises(BuildError, match=r"^gone: Verilator's model has no such member$"):
        arranged(HEADER, [Group(0, 1, ("gone",))])
