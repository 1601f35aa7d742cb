# SPDX-License-Identifier: Apache-2.0
"""`plexor archive` and `plexor compare --archive`: what they say, and how they end."""

import json
import sys

import pytest

from plexor import cli
from plexor.files.store.run_folder import save

from ..files.archive.planted import history, loaded, planted
from ..pictures import texts_of_page


@pytest.fixture(autouse=True)
def apart(monkeypatch, tmp_path):
    """Work in a folder of no repository, on a wide terminal."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)


def plexor(capsys, *arguments):
    code = cli.main([*map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_runs_are_added_and_one_that_is_there_is_said(capsys, tmp_path):
    save(planted(1000), tmp_path / "a")
    save(planted(1001, 1), tmp_path / "b")
    code, out, _ = plexor(capsys, "archive", "add", "a", "b", "--commit", "c1")
    assert code == 0
    assert [line.partition(" as ")[0] for line in out.splitlines()] == ["a: added", "b: added"]
    code, out, _ = plexor(capsys, "archive", "add", "a")
    assert code == 0
    assert out.startswith("a: is there already, as 20261101T080000-")
    assert (tmp_path / "archive" / "archive.json").is_file()


def test_a_log_lists_the_newest_runs_first_and_chooses(capsys, tmp_path):
    history(tmp_path / "archive", [1000] * 3)
    history(tmp_path / "archive", [1000] * 30, of=loaded(planted(1000)), first=3)
    code, out, _ = plexor(capsys, "archive", "log")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split()[:2] == ["began,", "UTC"]
    assert len(lines) == 1 + 20 + 1
    assert lines[1].startswith("2026-11-01 13:20")
    assert "simulated" in lines[1]
    assert lines[-1] == "the newest 20 of 33 runs"
    code, out, _ = plexor(capsys, "archive", "log", "--where", "load=none", "--last", "2", "--json")
    document = json.loads(out)
    assert (code, document["total"], len(document["runs"])) == (0, 3, 2)
    assert document["runs"][0]["started"] == "2026-11-01T08:20:00+00:00"


def test_a_trend_prints_its_changes_and_writes_a_page(capsys, tmp_path):
    history(tmp_path / "archive", [1000 + n % 3 for n in range(30)] + [1050] * 15)
    code, out, err = plexor(capsys, "archive", "trend", "ISR", "--page", "trend.html")
    assert code == 0
    assert "p99 +4.9 % at 006aaaaaa (2026-11-01 13:00): 1.001 µs to 1.05 µs, error 0.1 %" in out
    assert err == "plexor: page trend.html\n"
    texts_of_page((tmp_path / "trend.html").read_text())
    code, out, _ = plexor(
        capsys, "archive", "trend", "ISR", "--by", "load", "--figure", "max", "--json"
    )
    document = json.loads(out)
    assert (code, document["by"]) == (0, "load")
    assert list(document["histories"][0]["figures"]) == ["max"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["log", "--archive", "gone"], "gone: holds no archive; plexor archive add makes one"),
        (["log", "--where", "x"], "'x'; must be KEY=VALUE"),
        (["log", "--where", "color=red"], "color=red: no run has this key"),
        (["trend", "TASK"], "channel 'TASK': no run has its rise; the archive has the channels"),
        (["trend", "ISR", "--figure", "median"], "'--figure': 'median'; must be one of"),
        (["trend", "ISR", "--page", "gone/x/y.html"], "cannot write"),
        (["add", "gone"], "gone"),
        (["add", "empty"], "empty: holds no run, scan or schedule; must be a folder of --out"),
    ],
)
def test_what_is_wrong_is_one_line(capsys, tmp_path, arguments, why):
    history(tmp_path / "archive", [1000])
    (tmp_path / "empty").mkdir()
    code, out, err = plexor(capsys, "archive", *arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert err.count("\n") == 1


def test_a_run_is_compared_with_the_archives_last_good(capsys, tmp_path):
    save(planted(1000), tmp_path / "main")
    save(planted(1100, 1), tmp_path / "branch")
    plexor(capsys, "archive", "add", "main", "--commit", "c1", "--branch", "main")
    compare = ("compare", "branch", "--archive", "archive")
    code, out, err = plexor(capsys, *compare, "--fail-on", "p50>+5%")
    assert code == 1
    assert "A is the last good run: 20261101T080000-" in err
    assert "commit c1, branch main, simulated" in err
    assert "TOO LARGE ISR p50>+5%: +9.5" in out
    code, out, _ = plexor(capsys, *compare, "--fail-on", "p50>+15%", "--json")
    document = json.loads(out)
    assert (code, document["outcome"], document["differing_keys"]) == (0, "pass", [])
    # A run of its own branch that was added later does not hide that it got slower.
    plexor(capsys, "archive", "add", "branch", "--commit", "c2", "--branch", "topic")
    assert plexor(capsys, *compare, "--fail-on", "p50>+5%")[0] == 1
    assert plexor(capsys, *compare, "--where", "branch=main", "--fail-on", "p50>+5%")[0] == 1


def test_an_archive_without_a_like_run_says_what_is_otherwise(capsys, tmp_path):
    save(planted(1000), tmp_path / "idle")
    save(loaded(planted(1100, 1)), tmp_path / "busy")
    plexor(capsys, "archive", "add", "idle")
    compare = ("compare", "busy", "--archive", "archive")
    code, out, err = plexor(capsys, *compare)
    assert (code, out) == (2, "")
    assert (
        "no earlier good run has the same configuration; the nearest has load none, not on" in err
    )
    code, out, _ = plexor(capsys, *compare, "--across", "load", "--json")
    assert (code, json.loads(out)["differing_keys"]) == (0, ["load"])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["a"], "name a result B, or an archive with --archive"),
        (["a", "a", "--archive", "archive"], "--archive is for one run"),
        (["a", "a", "--where", "load=on"], "--where is for one run"),
        (["a", "--archive", "gone"], "holds no archive"),
    ],
)
def test_what_cannot_be_compared_is_one_line(capsys, tmp_path, arguments, why):
    save(planted(1000), tmp_path / "a")
    code, out, err = plexor(capsys, "compare", *arguments)
    assert (code, out) == (2, "")
    assert why in err


def test_an_archive_in_plexor_toml_is_that_of_all_commands(capsys, tmp_path):
    (tmp_path / "plexor.toml").write_text('[all]\narchive = "kept"\n[archive]\nlast = 1\n')
    save(planted(1000), tmp_path / "a")
    save(planted(1000, 1), tmp_path / "b")
    plexor(capsys, "archive", "add", "a", "b")
    assert (tmp_path / "kept" / "archive.json").is_file()
    assert "the newest 1 of 2 runs" in plexor(capsys, "archive", "log")[1]
    code, _, err = plexor(capsys, "compare", "b")
    assert code == 0
    assert "A is the last good run" in err
    # Two results that are named have nothing to do with it.
    assert plexor(capsys, "compare", "a", "b")[0] == 0


def test_without_duckdb_a_question_is_one_line(capsys, tmp_path, monkeypatch):
    history(tmp_path / "archive", [1000])
    monkeypatch.setitem(sys.modules, "duckdb", None)
    code, out, err = plexor(capsys, "archive", "log")
    assert (code, out) == (2, "")
    assert err.endswith("in a clone: pip install '.[archive]'\n")
