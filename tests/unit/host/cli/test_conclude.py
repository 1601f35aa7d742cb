# SPDX-License-Identifier: Apache-2.0
"""The end of a command: figures are shown whatever fails, and the first failure is its code."""

import json
import os
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from plexor import cli
from plexor.base.errors import StoreError, UsageError
from plexor.cli import conclude as conclude_module
from plexor.cli.conclude import (
    RunUse,
    conclude,
    conclude_scan,
    text_width,
    wants_colour,
)
from plexor.cli.options import Shown
from plexor.figures.judge.budget import Budget, Limit, Scope
from plexor.files.store.run_folder import load, save
from plexor.library.run import Run

from .test_cli import STRIKES, document


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ('max = "3 us"', 0),
        ('max = "2999 ns"', 1),
        ('p99 = "1 s"', 4),
        ('p99 = "1 s"\nmissed = 0\nmax = "1 ns"', 1),
    ],
)
def test_exit_codes_tell_the_verdict(bench, capsys, tmp_path, limits, code):
    bench()
    (tmp_path / "b.toml").write_text(f"[all]\n{limits}\n")
    assert cli.main([*STRIKES, "--json", "--budget", str(tmp_path / "b.toml")]) == code
    assert document(capsys)["exit_code"] == code


def test_an_invalid_run_outweighs_its_budget(bench, capsys, run_of, tmp_path):
    bench(run_of([[10**6]], invalid_reasons=("a bin is saturated",)))
    (tmp_path / "b.toml").write_text('[all]\nmax = "1 ns"\n')
    assert cli.main([*STRIKES, "--budget", str(tmp_path / "b.toml")]) == 4
    assert "INVALID RUN: a bin is saturated" in capsys.readouterr().out


def test_an_interrupted_run_is_shown_and_ends_with_130(bench, capsys, run_of):
    bench(run_of([[1000]], interrupted=True))
    assert cli.main([*STRIKES, "--json"]) == 130
    assert document(capsys)["interrupted"] is True


def test_figures_are_shown_where_a_budget_names_a_channel_that_a_stored_run_has_not(
    capsys, tmp_path, run_of
):
    kept = save(run_of([[1000, 2000]]), tmp_path / "kept")
    (tmp_path / "b.toml").write_text('[channel.nosuch]\nmax = "1 s"\n')
    assert cli.main(["show", str(kept), "--budget", str(tmp_path / "b.toml"), "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["channels"][0]["latency"]["count"] == 2
    assert json.loads(out)["exit_code"] == 2
    assert 'channel "nosuch" is not in this run' in err


def failing(path, content):
    raise StoreError(f"{path}: cannot write: No space left on device")


def test_a_run_is_kept_and_shown_where_its_page_cannot_be_written(
    bench, capsys, monkeypatch, tmp_path
):
    bench()
    monkeypatch.setattr("plexor.library.drawing.write_bytes", failing)
    page, out = tmp_path / "page.html", tmp_path / "run"
    assert cli.main([*STRIKES, "--json", "--page", str(page), "--out", str(out)]) == 2
    shown, err = capsys.readouterr()
    assert json.loads(shown)["exit_code"] == 2
    assert err.endswith("page.html: cannot write: No space left on device\n")
    assert load(out).strikes == 3


def test_figures_are_shown_where_a_page_cannot_be_drawn(bench, capsys, monkeypatch, tmp_path):
    bench()

    def broken(*_):
        raise ArithmeticError("a defect of this program")

    monkeypatch.setattr(Run, "page", broken)
    assert cli.main([*STRIKES, "--page", str(tmp_path / "page.html")]) == 70
    assert "max seen" in capsys.readouterr().out


def within(most_us, channel=""):
    """Return a budget of the greatest latency."""
    scope = Scope.CHANNEL if channel else Scope.ALL
    return Budget("b", (Limit(scope, "max", Fraction(most_us, 10**6), channel=channel),))


FULL = StoreError("run: No space left on device")


@pytest.mark.parametrize(
    ("run", "wanted", "code"),
    [
        ({}, {}, 0),
        ({}, {"budget": within(3)}, 0),
        ({}, {"budget": within(2)}, 1),
        ({"invalid_reasons": ("x",)}, {"budget": within(3)}, 4),
        ({"invalid_reasons": ("x",)}, {"budget": within(2)}, 4),
        ({"interrupted": True}, {"budget": within(2)}, 1),
        ({"interrupted": True}, {"budget": within(2), "taken_now": True}, 130),
        ({"interrupted": True, "invalid_reasons": ("x",)}, {"taken_now": True}, 130),
        ({"interrupted": True}, {"taken_now": True, "unsaved": FULL}, 2),
        ({"invalid_reasons": ("x",)}, {"unsaved": FULL}, 2),
        ({}, {"budget": within(2), "unsaved": FULL}, 2),
    ],
)
def test_the_document_and_the_command_end_with_the_same_code(capsys, run_of, run, wanted, code):
    result = Run(run_of([[1000, 2000, 3000]], **run))
    if "unsaved" in wanted:
        with pytest.raises(StoreError, match="run: No space left"):
            conclude(result, RunUse(json=True, **wanted))
    else:
        assert conclude(result, RunUse(json=True, **wanted)) == code
    found = document(capsys)
    assert found["exit_code"] == code
    assert found["channels"][0]["latency"]["count"] == 3


def test_of_several_failures_the_first_is_raised_and_the_others_are_said(
    capsys, run_of, monkeypatch, tmp_path
):
    monkeypatch.setattr("plexor.library.drawing.write_bytes", failing)
    wanted = RunUse(within(3, "nosuch"), page=tmp_path / "page.html", unsaved=FULL)
    with pytest.raises(StoreError) as raised:
        conclude(Run(run_of([[1000]])), wanted)
    assert raised.value is FULL
    out, err = capsys.readouterr()
    assert "max" in out
    assert ['"nosuch"' in line for line in err.splitlines()] == [True, False]
    assert "page.html" in err.splitlines()[1]


def test_a_budget_of_an_unknown_channel_is_wrong_use(capsys, run_of):
    with pytest.raises(UsageError, match=r'"nosuch".* ISR'):
        conclude(Run(run_of([[1000]])), RunUse(within(3, "nosuch")))
    assert "max" in capsys.readouterr().out


def test_a_page_that_was_written_is_named_on_standard_error(capsys, run_of, tmp_path):
    page = tmp_path / "page.html"
    assert conclude(Run(run_of([[1000]])), RunUse(page=page, json=True)) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["valid"]
    assert str(page) in err
    assert page.read_text().endswith("</html>\n")


@pytest.mark.parametrize(
    ("terminal", "no_color", "colour"),
    [(True, None, True), (True, "", True), (True, "1", False), (False, None, False)],
)
def test_colours_are_for_terminals_unless_no_color_says_otherwise(
    monkeypatch, terminal, no_color, colour
):
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    assert wants_colour() is colour


class Scan:
    """A scan with what its end needs."""

    def __init__(self, *, unsaved=None, error=None, interrupted=False, code=0):
        self.unsaved, self.error, self.interrupted = unsaved, error, interrupted
        self.exit_code = lambda: code

    def text(self, *, width, colour):
        return "figures\n"

    def document(self):
        return {"figures": 3}

    def page(self):
        return "page"

    def picture(self):
        return "picture"


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ({}, 0),
        ({"code": 4}, 4),
        ({"interrupted": True}, 130),
        ({"interrupted": True, "code": 4}, 130),
    ],
)
def test_a_scan_ends_as_interrupted_or_by_its_own_code(capsys, end, code):
    assert conclude_scan(Scan(**end), Shown(as_json=True)) == code
    assert document(capsys) == {"figures": 3}


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (None, "plexor: interrupted\n"),
        (Path("kept"), "plexor: interrupted; kept has its steps: the same command goes on\n"),
    ],
)
def test_an_interrupted_scan_says_so_and_how_it_goes_on(capsys, steps, said):
    assert conclude_scan(Scan(interrupted=True), Shown(as_json=True), steps) == 130
    assert capsys.readouterr().err == said
    assert conclude_scan(Scan(), Shown(as_json=True), steps) == 0
    assert not capsys.readouterr().err


@pytest.mark.parametrize(("name", "what"), [("p.html", "page"), ("p.svg", "picture")])
def test_a_scan_writes_its_page_or_its_picture_by_the_suffix(capsys, tmp_path, name, what):
    path = tmp_path / name
    conclude_scan(Scan(), Shown(page=path))
    assert capsys.readouterr() == ("figures\n", f"plexor: {what} {path}\n")
    assert path.read_text() == what


def test_the_figures_of_a_scan_are_shown_whatever_failed(capsys, tmp_path):
    scan = Scan(unsaved=FULL, error=UsageError("at 3 Hz: no"))
    with pytest.raises(StoreError) as raised:
        conclude_scan(scan, Shown(page=tmp_path / "no" / "p.html"))
    assert raised.value is FULL
    out, err = capsys.readouterr()
    assert out == "figures\n"
    assert "p.html: cannot write" in err
    with pytest.raises(UsageError, match="at 3 Hz"):
        conclude_scan(Scan(error=UsageError("at 3 Hz: no")), Shown())


def test_a_run_is_shown_as_text_unless_a_document_is_wanted(capsys, run_of):
    assert conclude(Run(run_of([[1000, 2000, 3000]])), RunUse()) == 0
    out = capsys.readouterr().out
    assert "max seen" in out
    assert not out.startswith("{")


def test_without_a_terminal_texts_are_100_columns_wide(monkeypatch):
    monkeypatch.setattr(conclude_module.shutil, "get_terminal_size", os.terminal_size)
    assert text_width() == 100


@pytest.mark.parametrize(
    ("terminal", "no_colour", "coloured"),
    [(True, None, True), (True, "", True), (True, "1", False), (False, None, False)],
)
def test_colour_is_for_terminals_where_it_is_not_refused(
    monkeypatch, terminal, no_colour, coloured
):
    monkeypatch.setattr(conclude_module.sys, "stdout", SimpleNamespace(isatty=lambda: terminal))
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_colour is not None:
        monkeypatch.setenv("NO_COLOR", no_colour)
    assert wants_colour() == coloured
