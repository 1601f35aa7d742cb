# SPDX-License-Identifier: Apache-2.0
"""A budget's checks as cases: none that is not proven passes."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from plexor.base.errors import UsageError
from plexor.figures.judge.budget import Budget, Limit, Scope
from plexor.show.export.checks import cases, judged
from plexor.show.export.source import ExportSource

from . import planted

NS = Fraction(1, 10**9)
BUDGET = Budget(
    "motor", (Limit(Scope.ALL, "max", 250 * NS), Limit(Scope.ALL, "missed", Fraction(0)))
)


def test_without_a_budget_there_are_no_checks():
    with pytest.raises(
        UsageError, match=r"a\.xml: holds the checks of a budget; give --budget too"
    ):
        judged(ExportSource(planted.run(), None), Path("a.xml"))


def test_no_case_of_an_invalid_run_passes():
    run = planted.run()
    assert {case.tag for case in cases(ExportSource(run, BUDGET))} > {""}
    wrong = replace(run, invalid_reasons=("the clock was lost",))
    first, *others = cases(ExportSource(wrong, BUDGET))
    assert (first.tag, first.message) == ("failure", "the clock was lost")
    assert {case.tag for case in others} == {"skipped"}
