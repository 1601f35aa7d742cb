# SPDX-License-Identifier: Apache-2.0
"""What came of a cell: figures, a verdict, or why there are none."""

import re

import pytest

from plexor.base.errors import ExitCode, LinkError
from plexor.library.cells.cell import Cell
from plexor.library.cells.outcome import CellFigures, CellOutcome, CellState, failed, outcome
from plexor.library.run import Run

from ...conftest import make_run
from ...files.archive.planted import planted

CELL = Cell(names={"instrument": "left"}, link="sim:")


def of(run, **cell):
    changed = Cell(names=CELL.names, link="sim:", **cell)
    return outcome(changed, Run(run), CellState.MEASURED, "the run")


def test_an_outcome_has_the_figures_of_each_channel():
    values = [1000] * 394 + [1004] * 5 + [1009]
    found = of(make_run([values, [None] * 400]))
    assert found.figures == (
        CellFigures("ISR", 400, 0, pytest.approx(1.004e-6), pytest.approx(1.009e-6)),
        CellFigures("TASK", 0, 400, None, None),
    )
    assert (found.run, found.code, found.reason, found.simulated) == ("the run", 0, "", True)
    assert found.done


def test_a_percentile_of_too_few_samples_is_not_known():
    (own,) = of(make_run([[1000] * 300])).figures
    assert (own.p99_s, own.max_s) == (None, pytest.approx(1e-6))


def test_an_invalid_run_proves_nothing_whatever_its_budget(tmp_path):
    (tmp_path / "budget.toml").write_text('[all]\nmax = "2us"')
    invalid = planted(1000, invalid_reasons=("a bin is full",))
    found = of(invalid, budget=str(tmp_path / "budget.toml"))
    assert (found.code, found.reason) == (ExitCode.INVALID, "a bin is full")


@pytest.mark.parametrize(
    ("limits", "code", "reason"),
    [
        ('[all]\nmax = "2us"', ExitCode.PASS, "$"),
        ('[all]\nmax = "1us"', ExitCode.BUDGET, "ISR max .*1 µs.*: fail"),
        ('[all]\np9999 = "2us"', ExitCode.INVALID, r"ISR p99\.99 .*: too few"),
        ('[all]\nmax = { goal = "1us" }', ExitCode.PASS, "$"),
    ],
)
def test_a_budget_is_judged(tmp_path, limits, code, reason):
    path = tmp_path / "budget.toml"
    path.write_text(limits)
    found = of(planted(1000), budget=str(path))
    assert found.code == code
    assert re.match(reason, found.reason)


def test_a_budget_of_another_device_fails_the_cell(tmp_path):
    path = tmp_path / "budget.toml"
    path.write_text('[channel.TASK]\nmax = "2us"')
    found = of(planted(1000), budget=str(path))
    assert (found.state, found.code) == (CellState.FAILED, ExitCode.USAGE)
    assert "TASK" in found.reason


def test_a_cell_without_a_run_says_why():
    found = failed(CELL, LinkError("tcp://h:1: refused"))
    assert found == CellOutcome(
        CELL, CellState.FAILED, code=ExitCode.LINK, reason="tcp://h:1: refused"
    )
    assert not found.done
    assert not CellOutcome(CELL).done
