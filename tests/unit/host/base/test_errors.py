# SPDX-License-Identifier: Apache-2.0
"""What nothing foresaw is one line, a code of its own, and a file for a report."""

import re
import sys

import pytest

from plexor import cli
from plexor.base import errors
from plexor.cli.measure import take

STRIKES = ["measure", "--rate", "20k", "--count", "10"]
UNEXPECTED = 70
"""EX_SOFTWARE of sysexits.h."""


def deep():
    return deep()


def broken():
    raise ArithmeticError("two\nlines\x1b[2J")


def full():
    raise MemoryError("Unable to allocate 9. GiB")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (deep, "a fault of Plexor itself: RecursionError: "),
        (broken, "a fault of Plexor itself: ArithmeticError: two lines\\u001b[2J; "),
        (full, "not enough memory: MemoryError: Unable to allocate 9. GiB; "),
    ],
)
def test_a_fault_is_one_line_and_a_report(fault, said, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(take, "take", lambda *_, **__: fault())
    assert cli.main(STRIKES) == UNEXPECTED
    line = capsys.readouterr().err
    assert line.startswith(f"plexor: {said}")
    assert line.count("\n") == 1
    (path,) = tmp_path.iterdir()
    assert str(path) in line
    report = path.read_text()
    assert re.search(rf"command: .*\nplexor \S+, python {sys.version.split()[0]}", report)
    assert f"in {fault.__name__}\n" in report


def test_a_fault_without_a_place_for_the_report_is_one_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    monkeypatch.setattr(take, "take", lambda *_, **__: broken())
    assert cli.main(STRIKES) == UNEXPECTED
    assert "which could not be written; report it\n" in capsys.readouterr().err


def test_a_fault_in_another_process_has_the_same_code():
    assert errors.UnexpectedError("x").exit_code == UNEXPECTED
