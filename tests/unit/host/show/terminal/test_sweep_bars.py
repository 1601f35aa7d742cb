# SPDX-License-Identifier: Apache-2.0
"""Bars of a sweep in a terminal, each in the column of its rate."""

import math
import re
from dataclasses import replace

from plexor.figures.judge.verdict import Outcome
from plexor.show.terminal.sweep import sweep_text

from ...sweeps import RATES, figures, knee, result, step
from ..sweeps_to_draw import SWEEPS


def test_bars_stand_in_the_columns_of_their_rates():
    lines = sweep_text(SWEEPS["two loads"], width=108, colour=False).splitlines()
    top = lines.index("idle, IST")
    # 100 columns behind a margin of 8 for a decade: 20 kHz is the first, 200 kHz the last of them.
    columns = [8 + min(int(100 * math.log10(rate / 20_000)), 99) for rate in RATES]
    marked = dict(zip(columns, "+++++xx", strict=True))
    assert {n: c for n, c in enumerate(lines[top + 5]) if c in "+x?" and n >= 8} == marked
    foot, missed = lines[top + 3], lines[top + 4]
    assert all(foot[n] != " " for n in columns)
    assert [n for n, c in enumerate(missed) if c != " " and n >= 8] == columns[5:]
    assert foot.startswith(" 2.5 µs ")
    assert lines[top + 1].startswith("  30 µs ")


def test_scans_have_bars_of_their_own_where_they_do_not_agree_with_the_search():
    planted = SWEEPS["up and down"]
    titles = {
        f"{load}, IST, rate {way}" for load in ("idle", "polygons") for way in ("rises", "falls")
    }
    assert titles < set(sweep_text(planted, width=100, colour=False).splitlines())
    agreeing = tuple(replace(k, up=k.bracket, down=k.bracket) for k in planted.knees)
    lines = sweep_text(replace(planted, knees=agreeing), width=100, colour=False).splitlines()
    assert not titles & set(lines)
    bracket = "passes 100 kHz, fails 160 kHz"
    assert any(line.startswith(f"idle, IST: scan up {bracket}; down {bracket}") for line in lines)
    assert "search" in lines


def test_what_could_not_be_decided_is_marked_as_such():
    open_one = figures("IST", missed=9, verdict=Outcome.TOO_FEW)
    planted = [step("none", 20_000, figures("IST")), step("none", 200_000, open_one)]
    found = sweep_text(
        result(planted, [knee("none", "IST", 20_000, None)]), width=100, colour=False
    )
    assert re.search(r"keeps \+ +\?\n", found)
