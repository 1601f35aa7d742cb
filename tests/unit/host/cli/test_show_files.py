# SPDX-License-Identifier: Apache-2.0
"""`plexor show --to`: a stored run as files; what cannot be written is one line."""

import json

import pytest

from plexor import cli
from plexor.files.store.run_folder import save
from plexor.show.export.formats import ALIASES, FORMATS

from ..show.export import planted


@pytest.fixture
def kept(tmp_path):
    """Return a function that keeps a run in a folder of that name."""
    return lambda name="run", **other: save(planted.run(**other), tmp_path / name)


def test_each_suffix_makes_its_file(kept, capsys, tmp_path):
    run = kept()
    files = [tmp_path / f"x{suffix}" for suffix in (*FORMATS, *ALIASES)]
    options = [word for path in files for word in ("--to", str(path))]
    (tmp_path / "b.toml").write_text('[all]\np99 = "1 s"\n')
    budget = ["--budget", str(tmp_path / "b.toml")]
    assert cli.main(["show", str(run), *options, *budget]) == 4
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].startswith("NOT PROVEN")
    assert err.splitlines() == [f"plexor: wrote {path}" for path in files]
    assert all(path.stat().st_size > 100 for path in files)


def test_every_suffix_is_in_the_help(capsys):
    assert cli.main(["show", "--help"]) == 0
    text = capsys.readouterr().out
    for suffix in FORMATS:
        assert suffix in text


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--to", "x.foo"], "x.foo: its suffix must be one of .html, .svg, .png, .pdf, .csv, "),
        (["--to", "x.xml"], "x.xml: holds the checks of a budget; give --budget too"),
        (["--to", "x.md", "--budget", "no.toml"], "budget no.toml: No such file"),
        (["--to", "no/x.vcd"], "no/x.vcd: cannot write: No such file or directory"),
    ],
)
def test_what_is_wrong_is_one_line(kept, capsys, tmp_path, monkeypatch, options, line):
    monkeypatch.chdir(tmp_path)
    run = kept()
    assert cli.main(["show", str(run), *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"plexor: {line}")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_run_without_events_is_one_line(kept, capsys, tmp_path):
    run = kept(events=None)
    assert cli.main(["show", str(run), "--to", str(tmp_path / "x.vcd")]) == 2
    assert "needs the events of the run, which kept none" in capsys.readouterr().err
    assert cli.main(["show", str(run), "--to", str(tmp_path / "x.npz")]) == 0


def test_a_scan_is_refused_as_what_it_is(folder, capsys, tmp_path):
    assert cli.main(["show", str(folder), "--to", str(tmp_path / "x.md")]) == 2
    assert "; only runs are written to such a file" in capsys.readouterr().err


def exactly(figures):
    exact = ("count", "min_ticks", "max_ticks", "sum_ticks", "p50_ticks")
    return None if figures is None else [figures[key] for key in exact]


def test_an_import_of_an_export_is_the_same_run(kept, capsys, tmp_path):
    run = kept()
    path = tmp_path / "x.vcd"
    assert cli.main(["show", str(run), "--to", str(path)]) == 0
    words = ["import", str(path), "--strike", "strike0", "--timeout", "900ns"]
    words += ["--channel", "ISR=ISR:deadline=200ns", "--channel", "TASK=TASK"]
    assert cli.main([*words, "--out", str(tmp_path / "again")]) == 0
    capsys.readouterr()
    found = []
    for name in ("run", "again"):
        assert cli.main(["show", str(tmp_path / name), "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["channels"])
    counts = ("answered", "late", "missed", "pending", "duplicate", "spurious")
    for one, other in zip(*found, strict=True):
        assert [one[key] for key in counts] == [other[key] for key in counts]
        for kind in ("latency", "fall_latency", "width", "period"):
            assert exactly(one[kind]) == exactly(other[kind])
    assert found[0][0]["latency"] is not None
