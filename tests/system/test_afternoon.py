# SPDX-License-Identifier: Apache-2.0
"""Each of the 138 rows of four studies has a command, and shows what the page says."""

import io
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click
import pytest
from tools import afternoon
from tools.afternoon import EXAMPLES, PAGE, ROOT, needed, redo, rows_of, seen

from plexor.cli import main
from plexor_lab.study import lists

TEXT = PAGE.read_text()
FIRST, ROWS = rows_of(TEXT)
COMMANDS = list(dict.fromkeys(command for row in ROWS for command in row.commands))
GROUPS = {"A": 35, "B": 39, "C": 27, "D": 24}
"""Rows of each study. A16 has seven more within it, and A21 six."""
SHORT = ("A20", "A34", "B33", "B34", "B37", "C09", "C26", "D05", "D10", "D15", "D16", "D21")
"""Rows whose commands take a part of a second."""
PAGE_OF_ONE = """
```sh
python -m plexor_lab.study.lists
```

| row | in the study | command | shows |
|---|---|---|---|
| A01 | a | `plexor lab bound eval createthread.toml --platform platform-2.toml --n 13` | `14,182` |
| A02 | another | as A01 | `T(N) = 9,372 + 370 N … ns` |
| A03 | none | `plexor lab bound eval createthread.toml --platform sram.toml` | `exit code 2` |
"""


def in_process(command: str, folder: Path) -> str:
    """Type a command of plexor's without a new Python."""
    name, *words = shlex.split(command)
    if name != "plexor":
        assert words == ["-m", "plexor_lab.study.lists"]
        return "\n".join(lists.write(folder))
    printed, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            code = main(words)
    finally:
        os.chdir(before)
    return printed.getvalue() + (f"exit code {code}\n" if code else "")


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("NO_COLOR", "1")


def test_the_page_has_each_row_once_and_in_order():
    numbers = [f"{group}{n:02}" for group, most in GROUPS.items() for n in range(1, most + 1)]
    within = [f"A16.{n}" for n in range(1, 8)] + [f"A21.{n}" for n in range(1, 7)]
    assert [row.number for row in ROWS] == sorted(numbers + within)
    assert len(ROWS) == 138


def test_rows_that_take_no_time_show_what_the_page_says(tmp_path, capsys):
    assert redo(TEXT, SHORT, tmp_path, in_process) == [], capsys.readouterr().out


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("study", GROUPS)
def test_every_row_of_a_study_shows_what_the_page_says(study):
    command = [sys.executable, "-m", "tools.afternoon", study]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    numbers = [line.split()[0] for line in done.stdout.splitlines() if line.startswith(study)]
    assert numbers == [row.number for row in ROWS if row.number.startswith(study)]


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("plexor ")])
def test_a_command_has_the_options_that_there_are(command, tmp_path, monkeypatch, capsys):
    """The words are read as `plexor` reads them; no command is carried out."""
    monkeypatch.setattr(click.Command, "invoke", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    for path in EXAMPLES.iterdir():
        shutil.copy(path, tmp_path)
    code, said = main(shlex.split(command)[1:]), capsys.readouterr().err
    assert code == 0 or "does not exist" in said or "missing; --strict" in said, said


def test_all_other_commands_are_known():
    others = [command for command in COMMANDS if not command.startswith("plexor ")]
    assert all(command.startswith("cat ") for command in others), others
    assert FIRST == ["python -m plexor_lab.study.lists"]


@pytest.mark.parametrize(
    ("told", "otherwise", "fault"),
    [
        ("`14,182`", "`14,183`", "A01: not shown: 14,183"),
        ("370 N … ns", "371 N … ns", "A02: not shown: T(N) = 9,372 + 371 N … ns"),
        ("`exit code 2`", "`no region`", "A03: exit code 2"),
        ("`exit code 2`", "`exit code 1`", "A03: not shown: exit code 1"),
    ],
)
def test_another_figure_or_ending_is_a_fault(told, otherwise, fault, tmp_path, capsys):
    assert redo(PAGE_OF_ONE, [""], tmp_path / "right", in_process) == []
    wrong = PAGE_OF_ONE.replace(told, otherwise)
    assert wrong != PAGE_OF_ONE
    assert fault in redo(wrong, [""], tmp_path / "wrong", in_process)
    printed = capsys.readouterr().out
    assert (
        printed.count("$ plexor lab bound eval createthread.toml --platform platform-2.toml") == 2
    )


def test_a_command_comes_with_those_that_it_needs():
    one, two = "plexor measure --out one", "plexor explain one --view why --out two"
    three = "plexor compare two/run.json zero"
    assert needed(three, [one, two, three]) == [one, two]
    assert needed(one, [one, two, three]) == []


def test_blanks_do_not_count_and_other_lines_do_not_help():
    assert seen("IST … 7 µs", "x\n IST   1 µs   7  µs\n") == " IST   1 µs   7  µs"
    assert seen("IST … 7 µs", "IST\n7 µs\n") is None
    assert seen("a.c", "abc") is None


@pytest.mark.parametrize("printed", ["UNSAFE", "SAFER", "1SAFE"])
def test_a_part_of_a_word_is_not_the_word(printed):
    assert seen("SAFE", f"{printed}: nothing exceeds it") is None
    assert seen("SAFE", "SAFE: nothing exceeds it")


@pytest.mark.parametrize("printed", ["12.5 µs", "1,2.5 µs", "-2.5 µs", "2.5 µs²", "2.5 µs.5"])
def test_a_part_of_a_figure_is_not_the_figure(printed):
    assert seen("2.5 µs", f"mean {printed}") is None
    assert seen("2.5 µs", "mean 2.5 µs, no more")


def test_a_row_without_a_command_or_a_text_is_refused():
    row = "| A01 | a | {} | {} |\n"
    for command, shows in (("as B01", "`x`"), ("`plexor x`", "nothing"), ("none", "`x`")):
        with pytest.raises(ValueError, match="A01: must have a command and a text"):
            rows_of(row.format(command, shows))


def test_a_row_that_there_is_not_is_told(capsys):
    assert afternoon.main(["A01", "E"]) == 2
    assert capsys.readouterr().out == "E: no such row; must be such as A, or A08\n"
