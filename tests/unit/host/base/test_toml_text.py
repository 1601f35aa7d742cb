# SPDX-License-Identifier: Apache-2.0
"""TOML that would exhaust its readers, or names no file, is one line for every reader."""

import pytest

from plexor import cli
from plexor.base.errors import UsageError
from plexor.base.toml_text import MOST_DEPTH, parse_toml
from plexor.figures.codes.names import names_of
from plexor.figures.judge.budget_file import parse

DEEP = 5000
HOSTILE = {
    "lists": f"a = {'[' * DEEP}{']' * DEEP}",
    "tables": f"a = {'{b = ' * DEEP}1{'}' * DEEP}",
    "keys": f"{'a.' * DEEP}a = 1",
    "header": f"[{'a.' * DEEP}a]",
    "nul": 'link = "file:a\\u0000b"',
    "nul in a key": '"a\\u0000" = 1',
}
hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


@hostile
def test_it_is_refused_with_what_would_be_right(text):
    with pytest.raises(ValueError, match=r"nested too deep; must be|NUL character; must be"):
        parse_toml(text)


def test_what_any_file_needs_is_read():
    levels = MOST_DEPTH - 2
    assert parse_toml(f"a = {'[' * levels}{']' * levels}")
    assert parse_toml('[a.b]\nc = [{d = "e"}]') == {"a": {"b": {"c": [{"d": "e"}]}}}
    with pytest.raises(ValueError, match="nested too deep"):
        parse_toml(f"a = {'[' * MOST_DEPTH}{']' * MOST_DEPTH}")


@hostile
@pytest.mark.parametrize("reader", [names_of, lambda path: parse(path.read_text(), str(path))])
def test_names_and_budgets_refuse_it(reader, text, tmp_path):
    path = tmp_path / "names.toml"
    path.write_text(text)
    with pytest.raises(UsageError):
        reader(path)


@hostile
@pytest.mark.parametrize(
    "arguments",
    [
        ("farm", "f.toml"),
        ("sweep", "--dut", "f.toml", "--from", "1k", "--to", "2k", "--out", "s"),
        ("lab", "bound", "fit", "f.toml", "--map", "f.toml", "--platform", "f.toml"),
        ("measure", "--rate", "20k", "--count", "1", "--budget", "f.toml"),
        ("measure", "--rate", "20k", "--count", "1", "--codes", "f.toml"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_each_command_that_reads_it_says_so_in_one_line(
    arguments, text, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(text)
    assert cli.main(arguments) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert said.err.startswith("plexor: ")
    assert "recursion" not in said.err


@hostile
def test_defaults_that_are_hostile_are_one_line(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plexor.toml").write_text(text)
    assert cli.main(["board", "devices"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_mark_and_the_line_ends_of_windows_are_read():
    assert parse_toml('\ufeff[all]\r\nmax = "1 us"\r\n') == {"all": {"max": "1 us"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"all": {"max": "1 us"}}', "it looks like JSON, and must be TOML"),
        ("[all]\nmax = \u201c1 us\u201d", 'quotes must be ", hyphens -'),
        ("[all]\nactive\u2013low = 1", 'quotes must be ", hyphens -'),
    ],
)
def test_what_another_program_wrote_is_said(text, said):
    with pytest.raises(ValueError, match=said):
        parse_toml(text)


def test_what_is_no_toml_is_told_what_it_must_be():
    with pytest.raises(ValueError, match=r"column 7\); must be TOML, each key and table once$"):
        parse_toml("hello there\n")
    with pytest.raises(ValueError, match=r"digits.*; must be TOML, each key and table once$"):
        parse_toml(f"a = {'9' * 5000}\n")
