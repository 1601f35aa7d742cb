# SPDX-License-Identifier: Apache-2.0
"""`plexor report`: the page of what was kept, or its picture."""

from dataclasses import replace
from pathlib import Path

import pytest

from plexor import cli
from plexor.cli.report import _names
from plexor.files.store.run_folder import save
from plexor.model.identity import Identity
from plexor.protocol.geometry import Geometry


@pytest.mark.parametrize(
    ("limit", "code", "words"),
    [
        ("3 us", 0, "PASS: within budget b"),
        ("2 us", 1, "FAIL: 1 of 1 checks of budget b broken"),
    ],
)
def test_a_report_by_a_budget_prints_the_verdict(capsys, tmp_path, run_of, limit, code, words):
    kept = save(run_of([[1000, 2000, 3000]]), tmp_path / "kept")
    (tmp_path / "b.toml").write_text(f'[all]\nmax = "{limit}"\n')
    assert cli.main(["report", str(kept), "--budget", str(tmp_path / "b.toml")]) == code
    assert capsys.readouterr().out.splitlines()[-1] == words


def test_report_writes_the_page_and_the_picture(folder, capsys, tmp_path):
    assert cli.main(["report", str(folder)]) == 0
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert cli.main(["report", str(folder), "--page", str(tmp_path / "p.svg")]) == 0
    assert (tmp_path / "p.svg").read_text().startswith("<svg")


def test_a_picture_of_several_is_of_runs(folder, capsys, tmp_path):
    arguments = ["report", str(folder), str(folder), "--page", str(tmp_path / "p.svg")]
    assert cli.main(arguments) == 2
    assert "several runs make one picture, but one of these is a" in capsys.readouterr().err


@pytest.fixture
def kept(tmp_path, run_of):
    """Return a function that keeps a run in a folder of that name."""
    return lambda name, **other: save(run_of([[1000, 2000, 3000]], **other), tmp_path / name)


def test_without_a_page_named_it_lies_beside_the_run(kept, capsys):
    run = kept("run")
    for path in (run, run / "run.json"):
        assert cli.main(["report", str(path)]) == 0
        out, err = capsys.readouterr()
        assert out == ""
        assert str(run / "report.html") in err
        assert (run / "report.html").read_text().endswith("</html>\n")
        (run / "report.html").unlink()


def test_several_runs_make_one_picture_and_the_worst_code(kept, capsys, tmp_path):
    page = tmp_path / "both.svg"
    runs = [str(kept("a")), str(kept("b", invalid_reasons=("x",)))]
    assert cli.main(["report", *runs, "--page", str(page)]) == 4
    assert page.read_text().startswith("<svg")


@pytest.mark.parametrize(
    "options", [[], ["--page", "x.html"], ["--page", "x.svg", "--budget", "b"]]
)
def test_several_runs_make_neither_a_page_nor_a_verdict(kept, capsys, tmp_path, options):
    runs = [str(kept("a")), str(kept("b"))]
    assert cli.main(["report", *runs, *options]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "--page FILE.svg" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_runs_of_different_ticks_are_refused_with_both(kept, capsys, tmp_path):
    slow = Identity(replace(Geometry(), tick_fs=500_000), 1)
    runs = [str(kept("a")), str(kept("b", identity=slow))]
    assert cli.main(["report", *runs, "--page", str(tmp_path / "x.svg")]) == 2
    assert "[500000, 1000000] fs" in capsys.readouterr().err
    assert not (tmp_path / "x.svg").exists()


def test_a_budget_of_an_unknown_channel_writes_no_page(kept, capsys, tmp_path):
    run = kept("run")
    (tmp_path / "b.toml").write_text('[channel.nosuch]\nmax = "1 s"\n')
    assert cli.main(["report", str(run), "--budget", str(tmp_path / "b.toml")]) == 2
    assert '"nosuch"' in capsys.readouterr().err
    assert not (run / "report.html").exists()


def test_a_page_that_cannot_be_written_is_one_line_behind_the_verdict(kept, capsys, tmp_path):
    (tmp_path / "b.toml").write_text('[all]\nmax = "2 us"\n')
    page = tmp_path / "no" / "page.html"
    budget = ["--budget", str(tmp_path / "b.toml")]
    assert cli.main(["report", str(kept("run")), *budget, "--page", str(page)]) == 2
    out, err = capsys.readouterr()
    assert "FAIL" in out
    assert err.count("\n") == 1
    assert str(page) in err


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/runs/a", "/runs/b"], ["a", "b"]),
        (["/mon/a", "/tue/a"], ["mon/a", "tue/a"]),
        (["/runs/a"], ["a"]),
        (["/runs/a", "/runs/a"], ["a", "a"]),
        (["/x/mon/a", "/y/mon/a", "/y/tue/a"], ["x/mon/a", "y/mon/a", "y/tue/a"]),
    ],
)
def test_runs_are_named_by_as_much_of_their_paths_as_tells_them_apart(paths, names):
    assert _names(tuple(map(Path, paths))) == names
