# SPDX-License-Identifier: Apache-2.0
"""`plexor show --to`: the page of what was kept, or its picture."""

import json
from dataclasses import replace

import pytest

from plexor import cli
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
    files = ["--to", str(tmp_path / "x.html"), "--budget", str(tmp_path / "b.toml")]
    assert cli.main(["show", str(kept), *files]) == code
    assert capsys.readouterr().out.splitlines()[-1] == words


def test_report_writes_the_page_and_the_picture(folder, capsys, tmp_path):
    files = ["--to", str(folder / "report.html"), "--to", str(tmp_path / "p.svg")]
    assert cli.main(["show", str(folder), *files]) == 0
    assert capsys.readouterr().out == ""
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "p.svg").read_text().startswith("<svg")


def test_a_picture_of_several_is_of_runs(folder, capsys, tmp_path):
    arguments = ["show", str(folder), str(folder), "--to", str(tmp_path / "p.svg")]
    assert cli.main(arguments) == 2
    assert "several runs make one picture, but one of these is a" in capsys.readouterr().err


@pytest.fixture
def kept(tmp_path, run_of):
    """Return a function that keeps a run in a folder of that name."""
    return lambda name, **other: save(run_of([[1000, 2000, 3000]], **other), tmp_path / name)


def test_several_runs_are_printed_one_after_the_other_each_under_its_path(kept, capsys):
    one, two = str(kept("a")), str(kept("b", invalid_reasons=("x",)))
    texts = []
    for path in (one, two):
        cli.main(["show", path])
        texts.append(capsys.readouterr().out)
    assert cli.main(["show", one, two]) == 4
    assert capsys.readouterr().out == f"{one}\n{texts[0]}\n{two}\n{texts[1]}"
    assert cli.main(["show", one, two, "--json"]) == 2
    assert capsys.readouterr().err == "plexor: --json is of one run; name one RUN\n"


def test_a_document_is_printed_beside_the_files(kept, capsys, tmp_path):
    page = tmp_path / "x.html"
    assert cli.main(["show", str(kept("run")), "--json", "--to", str(page)]) == 0
    assert json.loads(capsys.readouterr().out)["strikes"] == 3
    assert page.read_text().endswith("</html>\n")


def test_several_runs_make_one_picture_and_the_worst_code(kept, capsys, tmp_path):
    page = tmp_path / "both.svg"
    runs = [str(kept("a")), str(kept("b", invalid_reasons=("x",)))]
    assert cli.main(["show", *runs, "--to", str(page)]) == 4
    assert page.read_text().startswith("<svg")


def test_several_runs_make_one_page_that_compares_them(kept, capsys, tmp_path):
    page, picture = tmp_path / "both.html", tmp_path / "both.svg"
    runs = [str(kept("a")), str(kept("b"))]
    assert cli.main(["show", *runs, "--to", str(page), "--to", str(picture)]) == 0
    assert "<h1>b against a<" in page.read_text()
    assert picture.read_text().startswith("<svg")
    assert cli.main(["show", *runs, "--base", "120ns", "--to", str(page)]) == 0
    assert "<h1>B against A<" in page.read_text()


def test_several_scans_make_a_page_if_something_of_them_is_compared(folder, capsys, tmp_path):
    page = tmp_path / "both.html"
    code = cli.main(["show", str(folder), str(folder), "--to", str(page)])
    if code:
        assert "nothing is compared" in capsys.readouterr().err
    else:
        assert " against " in page.read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["--to", "x.csv"],
            "several runs make one page or picture; give --to FILE.html, .svg, .png or .pdf",
        ),
        (["--to", "x.svg", "--budget", "limits.toml"], "--budget is of one run; name one RUN"),
    ],
)
def test_several_runs_make_neither_a_table_nor_a_verdict(kept, capsys, tmp_path, options, says):
    runs = [str(kept("a")), str(kept("b"))]
    assert cli.main(["show", *runs, *options]) == 2
    assert capsys.readouterr().err == f"plexor: {says}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_runs_of_different_ticks_are_refused_with_both(kept, capsys, tmp_path):
    slow = Identity(replace(Geometry(), tick_fs=500_000), 1)
    runs = [str(kept("a")), str(kept("b", identity=slow))]
    assert cli.main(["show", *runs, "--to", str(tmp_path / "x.svg")]) == 2
    assert "[500000, 1000000] fs" in capsys.readouterr().err
    assert not (tmp_path / "x.svg").exists()


def test_a_budget_of_an_unknown_channel_writes_no_page(kept, capsys, tmp_path):
    run = kept("run")
    (tmp_path / "b.toml").write_text('[channel.nosuch]\nmax = "1 s"\n')
    page = ["--to", str(run / "report.html")]
    assert cli.main(["show", str(run), *page, "--budget", str(tmp_path / "b.toml")]) == 2
    assert '"nosuch"' in capsys.readouterr().err
    assert not (run / "report.html").exists()


def test_a_page_that_cannot_be_written_is_one_line_behind_the_verdict(kept, capsys, tmp_path):
    (tmp_path / "b.toml").write_text('[all]\nmax = "2 us"\n')
    page = tmp_path / "no" / "page.html"
    budget = ["--budget", str(tmp_path / "b.toml")]
    assert cli.main(["show", str(kept("run")), *budget, "--to", str(page)]) == 2
    out, err = capsys.readouterr()
    assert "FAIL" in out
    assert err.count("\n") == 1
    assert str(page) in err


def test_a_note_is_kept_beside_a_run_and_stands_in_text_page_and_document(kept, capsys, tmp_path):
    run = str(kept("a"))
    assert cli.main(["show", run, "--note", "board was <warm>"]) == 0
    out, err = capsys.readouterr()
    assert " UTC: board was <warm>\n" in out
    assert err == f"plexor: noted in {run}/notes.json\n"
    page = tmp_path / "x.html"
    assert cli.main(["show", f"{run}/run.json", "--to", str(page)]) == 0
    assert "board was &lt;warm&gt;" in page.read_text()
    capsys.readouterr()
    assert cli.main(["show", run, "--json"]) == 0
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    assert note["text"] == "board was <warm>"
    assert cli.main(["show", run, "--base", "100ns", "--note", "door open"]) == 0
    out, _ = capsys.readouterr()
    assert out.index("board was <warm>") < out.index("door open")


def test_a_note_is_on_one_run_that_has_a_folder(kept, capsys, tmp_path):
    one, two = str(kept("a")), str(kept("b"))
    wire = tmp_path / "wire.bin"
    wire.write_bytes(b"")
    assert cli.main(["show", one, two, "--note", "x"]) == 2
    assert capsys.readouterr().err == "plexor: --note is on one run; name one RUN\n"
    for path in (str(wire), str(tmp_path)):
        assert cli.main(["show", path, "--note", "x"]) == 2
        assert "name a folder of --out" in capsys.readouterr().err
    assert cli.main(["show", one, "--note", " "]) == 2
    assert capsys.readouterr().err == "plexor: note: 0 letters; must be 1 to 2000\n"
    assert not (tmp_path / "a" / "notes.json").exists()
