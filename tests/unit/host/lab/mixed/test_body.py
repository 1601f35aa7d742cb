# SPDX-License-Identifier: Apache-2.0
"""The end of a schedule on the command line: all is shown, and the first failure is its code."""

from types import SimpleNamespace

import pytest

from plexor.base.errors import ExitCode, StoreError
from plexor_lab.mixed import body


def found(**changes):
    """Return a schedule that was run, with what is said of it."""
    usual = {
        "unsaved": None,
        "interrupted": False,
        "exit_code": lambda: ExitCode.BUDGET,
        "text": lambda **how: f"rows {how['rows']}\n",
        "document": lambda: {"schema": "x"},
        "csv": lambda: "a,b\n",
    }
    return SimpleNamespace(**(usual | changes))


@pytest.mark.parametrize(("interrupted", "code"), [(False, 1), (True, 130)])
@pytest.mark.parametrize(
    ("as_json", "said"), [(False, "rows True\n"), (True, '{\n  "schema": "x"\n}\n')]
)
def test_a_schedule_is_printed_and_ends_with_its_code(capsys, interrupted, code, as_json, said):
    assert body._conclude(found(interrupted=interrupted), as_json, None, rows=True) == code
    assert capsys.readouterr() == (said, "")


def test_its_lists_are_written_and_named(capsys, tmp_path):
    path = tmp_path / "lists.csv"
    body._conclude(found(), False, path, rows=False)
    assert path.read_text() == "a,b\n"
    assert capsys.readouterr() == ("rows False\n", f"plexor: lists {path}\n")


def test_the_first_that_could_not_be_written_is_raised_when_all_is_shown(capsys, tmp_path):
    unsaved = StoreError("runs: the disk is full")
    path = tmp_path / "nowhere" / "lists.csv"
    with pytest.raises(StoreError, match="the disk is full"):
        body._conclude(found(unsaved=unsaved), False, path, rows=False)
    assert capsys.readouterr().out == "rows False\n"
    with pytest.raises(StoreError, match=r"lists\.csv"):
        body._conclude(found(), False, path, rows=False)
