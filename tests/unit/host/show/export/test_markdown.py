# SPDX-License-Identifier: Apache-2.0
"""Markdown: figures and checks in tables that every reader draws."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.figures.judge.budget import Budget, Limit, Scope
from plexor.show.export.markdown import plain, write_markdown

from . import planted

BUDGET = Budget(
    "b|c",
    (
        Limit(Scope.ALL, "max", Fraction(250, 10**9)),
        Limit(Scope.ALL, "p99", Fraction(1, 10**6), q=Fraction(99, 100)),
        Limit(Scope.ALL, "mean", Fraction(1, 10**9), goal=True),
    ),
)


def tables(text):
    """Return each table as rows of cells, by the heading or paragraph before it."""
    found, title = {}, ""
    for line in text.splitlines():
        if line.startswith("|"):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            found.setdefault(title, []).append([cell.strip() for cell in cells])
        elif line:
            title = line
    return found


def read(tmp_path, run, budget=None):
    return planted.written(write_markdown, tmp_path / "a.md", run, budget).read_text()


def test_every_table_has_as_many_cells_in_each_row(tmp_path):
    found = tables(read(tmp_path, planted.run(), BUDGET))
    assert "## Where the time goes" not in found  # TASK's answers may be those of other strikes
    assert len(found) == 5
    for title, rows in found.items():
        assert len({len(row) for row in rows}) == 1, title


def test_figures_are_those_of_the_run(tmp_path):
    text = read(tmp_path, planted.run())
    assert text.startswith("# FreeRTOS 11 on a, “board”\n")
    assert "simulated" in text.splitlines()[2]
    head, _, isr, task = tables(text)["## Latency"]
    assert dict(zip(head, isr, strict=True)) | {"late": "1"} == dict(zip(head, isr, strict=True))
    assert isr[0] == "ISR (from strike0)"
    assert isr[-1] == "300 ns (at 1.4 µs)"
    assert task[2] == "1"


def test_checks_of_a_budget_come_first(tmp_path):
    text = read(tmp_path, planted.run(), BUDGET)
    title = r"**FAIL**: over budget b\|c"
    assert title in text
    assert text.index(title) < text.index("## Latency")
    checks = tables(text)[title][2:]
    assert checks[0][:4] == ["ISR", "max seen", "≤ 250 ns", "300 ns"]
    assert checks[0][5].startswith("**broken**")
    assert checks[1][5].startswith("not proven")
    assert checks[2][5] == "goal missed"


def test_an_invalid_run_says_so_above_its_figures(tmp_path):
    text = read(tmp_path, planted.lost(planted.run()))
    assert text.index("**INVALID RUN**: 2 edges were dropped") < text.index("## Latency")


def test_what_a_user_wrote_is_text(tmp_path):
    run = replace(planted.run(), device={"os": "<b>|`x`\n# y"})
    text = read(tmp_path, run)
    assert text.splitlines()[0] == r"# \<b\>\|\`x\` \# y"
    assert plain("a_b*") == r"a\_b\*"


def test_a_budget_for_another_run_is_a_usage_error(tmp_path):
    budget = Budget("b", (Limit(Scope.CHANNEL, "max", Fraction(1), channel="nosuch"),))
    with pytest.raises(UsageError, match="nosuch"):
        read(tmp_path, planted.run(), budget)
