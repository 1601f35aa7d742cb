# SPDX-License-Identifier: Apache-2.0
"""What a command writes: looked at before the first strike; whatever fails later, it is shown."""

import os
from fractions import Fraction

import pytest

from plexor import cli
from plexor.base.errors import StoreError
from plexor.cli.output import check_outputs
from plexor.experiments.burst.model import BurstResult, Lengths, SpacingLimit
from plexor.experiments.stepping import Stepped
from plexor.files.store.run_folder import load, save
from plexor.library.scans.sweep import Sweep

from ..fake_device import FakeDevice
from ..scenario import Scenario
from ..sweeps import swept
from .test_cli import STRIKES, errors_of, shell

COMMANDS = {
    "measure": STRIKES,
    "sweep": ["sweep", "--from", "20k", "--to", "200k"],
    "burst": ["burst", "--from", "1us", "--to", "9us", "--period", "1ms"],
    "phase": ["phase", "--rate", "5k", "--against", "ch1", "--channel", "A=ch0"],
}
FILES = [(name, "--page") for name in COMMANDS]
BUDGET = '[channel.nosuch]\nmax = "1 s"\n'


@pytest.fixture
def unstruck(monkeypatch):
    """Fail where an instrument is started: nothing may be struck."""

    def started(*_):
        raise AssertionError("an instrument was started")

    monkeypatch.setattr("plexor.wire.link.open.SimLink", started)
    monkeypatch.setattr("plexor.experiments.calibration.run.calibrate", started)


def written_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("command", "option"), FILES)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no/page.html", "No such file or directory"),
        ("file/page.html", "Not a directory"),
        ("folder", "is a folder; name a file in it"),
    ],
)
def test_a_file_that_cannot_be_written_is_said_before_the_first_strike(
    unstruck, capsys, tmp_path, command, option, name, reason
):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    line = errors_of(capsys, 2, [*COMMANDS[command], option, str(tmp_path / name)])
    assert line == f"plexor: {tmp_path / name}: cannot write: {reason}\n"
    assert written_in(tmp_path) == ["file", "folder"]


SUFFIXES = {"--page": ".html for a page, or .svg, .png or .pdf for a picture"}
STORED = [
    (["lab", "bound", "check", "--model", ".", "--platform", "."], "--page", ".html for a page"),
    (["archive", "trend", "A"], "--page", SUFFIXES["--page"]),
    (["board", "prove"], "--page", ".html for a page"),
    (["lab", "mixed"], "--csv", ".csv for rows"),
]


@pytest.mark.parametrize(
    ("command", "option", "right"),
    [(COMMANDS[name], option, SUFFIXES[option]) for name, option in FILES] + STORED,
)
@pytest.mark.parametrize("name", ["x.gif", "x", "x.html.gz", "a\0b.htm"])
def test_another_suffix_is_refused_with_those_that_can_be_written(
    unstruck, capsys, tmp_path, monkeypatch, command, option, right, name
):
    monkeypatch.chdir(tmp_path)
    line = errors_of(capsys, 2, [*command, option, name])
    assert line.count("\n") == 1
    assert f"its suffix must be {right}" in line
    assert written_in(tmp_path) == []


def test_measure_writes_a_picture_if_its_name_says_so(capsys, tmp_path):
    files = {name: tmp_path / name for name in ("a.html", "a.svg")}
    for path in files.values():
        with FakeDevice(Scenario([100] * 20)) as device:
            words = ["measure", "--link", device.uri, "--channel", "A=ch0", "--rate", "1M"]
            assert cli.main([*words, "--count", "20", "--page", str(path)]) == 0
    assert "plexor: picture " in capsys.readouterr().err
    assert files["a.html"].read_text().startswith("<!doctype html>")
    assert files["a.svg"].read_text().startswith("<svg")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_cannot_be_made_is_said_before_the_first_strike(
    unstruck, capsys, tmp_path, command
):
    (tmp_path / "file").write_text("mine")
    out = tmp_path / "file" / "below"
    line = errors_of(capsys, 2, [*COMMANDS[command], "--out", str(out)])
    assert line == f"plexor: {out}: cannot write: Not a directory\n"


def test_a_calibration_that_cannot_be_kept_is_said_before_the_first_edge(
    unstruck, capsys, tmp_path
):
    (tmp_path / "file").write_text("mine")
    target = tmp_path / "file" / "c.json"
    with FakeDevice(Scenario([100])) as device:
        line = errors_of(
            capsys, 2, ["board", "calibrate", "--link", device.uri, "--to", str(target)]
        )
    assert "file: cannot write: Not a directory" in line


def test_an_option_that_was_there_once_is_answered_by_what_does_the_same(capsys):
    line = errors_of(capsys, 2, [*COMMANDS["sweep"], "--svg", "x.svg"])
    assert line == (
        "plexor: --svg: no such option any more; write the picture with --page FILE.svg "
        "(see plexor sweep --help)\n"
    )


def failing(path, content):
    raise StoreError(f"{path}: cannot write: No space left on device")


def test_a_sweep_is_kept_and_shown_where_its_page_cannot_be_written(capsys, monkeypatch, tmp_path):
    found = swept({"none": 100_000})
    monkeypatch.setattr("plexor.library.scans.steps.stepped", lambda *_: Stepped(found))
    monkeypatch.setattr("plexor.library.drawing.write_bytes", failing)
    out = tmp_path / "s"
    arguments = ["--page", str(tmp_path / "p.html"), "--out", str(out)]
    assert cli.main([*COMMANDS["sweep"], *arguments]) == 2
    shown, err = capsys.readouterr()
    assert "100 kHz  160 kHz" in shown
    assert err == f"plexor: {tmp_path / 'p.html'}: cannot write: No space left on device\n"
    assert Sweep.load(out).result.knees == found.knees


def test_a_sweep_is_shown_where_it_cannot_be_kept(capsys, monkeypatch, tmp_path):
    found = swept({"none": 100_000})
    monkeypatch.setattr("plexor.library.scans.steps.stepped", lambda *_: Stepped(found))

    def full(scan, folder):
        raise StoreError(f"{folder}: cannot write: No space left on device")

    monkeypatch.setattr(Sweep, "write", full)
    page = tmp_path / "p.html"
    arguments = ["--page", str(page), "--out", str(tmp_path / "s")]
    assert cli.main([*COMMANDS["sweep"], *arguments]) == 2
    assert "100 kHz  160 kHz" in capsys.readouterr().out
    assert page.read_text().endswith("</html>\n")


def test_a_burst_scan_is_shown_where_its_page_cannot_be_written(capsys, monkeypatch, tmp_path):
    limit = SpacingLimit(1, "ISR", Lengths(4, 5), 64, 99)
    found = BurstResult(1000, True, "missed<1%@95%", Fraction(1), Fraction(1), (limit,))
    monkeypatch.setattr("plexor.library.scans.steps.stepped", lambda *_: Stepped(found))
    monkeypatch.setattr("plexor.library.drawing.write_bytes", failing)
    assert cli.main([*COMMANDS["burst"], "--page", str(tmp_path / "p.html")]) == 2
    assert "survives" in capsys.readouterr().out


def test_nothing_is_left_by_the_look_and_what_can_be_written_passes(tmp_path):
    (tmp_path / "old.html").write_text("old")
    new = tmp_path / "a" / "run"
    check_outputs(tmp_path / "old.html", tmp_path / "new.html", new / "page.html", folder=new)
    assert written_in(tmp_path) == ["old.html"]
    assert (tmp_path / "old.html").read_text() == "old"


@pytest.mark.parametrize("name", ["x" * 300, "nul\0byte"])
def test_a_name_that_no_file_can_have_is_one_line(tmp_path, name):
    for arguments, folder in (((tmp_path / name,), None), ((), tmp_path / name)):
        with pytest.raises(StoreError, match="cannot write: "):
            check_outputs(*arguments, folder=folder)


def test_a_page_cannot_be_the_folder_of_its_run(tmp_path):
    with pytest.raises(StoreError, match="is also the folder to be written"):
        check_outputs(tmp_path / "x", folder=tmp_path / "x")


def test_two_results_cannot_have_one_file(tmp_path):
    with pytest.raises(StoreError, match="is named twice"):
        check_outputs(tmp_path / "x", tmp_path / "." / "x")


@pytest.mark.parametrize("ends", ["| true", pytest.param("2>&1 | true", marks=pytest.mark.full)])
def test_a_reader_that_leaves_early_does_not_hide_a_broken_budget(tmp_path, run_of, ends):
    kept = save(run_of([[1000, 2000, 3000] * 300]), tmp_path / "kept")
    (tmp_path / "b.toml").write_text('[all]\nmax = "1 us"\n')
    command = f"$P show {kept} --json --budget {tmp_path}/b.toml"
    # The status of the first command of a pipe, by a file: sh keeps only that of the last.
    found = shell(f"( {command}; echo $? > {tmp_path}/code ) {ends}")
    assert (tmp_path / "code").read_text() == "1\n"
    assert found.stderr == ""


def test_a_program_whose_outputs_are_closed_judges_all_the_same(tmp_path, run_of):
    kept = save(run_of([[1000]]), tmp_path / "kept")
    (tmp_path / "b.toml").write_text('[all]\nmax = "1 ns"\n')
    found = shell(f"$P show {kept} --budget {tmp_path}/b.toml >&- 2>&-")
    assert found.returncode == 1


def test_a_reader_that_leaves_early_costs_neither_page_nor_run(tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "run"
    with FakeDevice(Scenario([100] * 20)) as device:
        command = f"$P measure --link {device.uri} --channel A=ch0 --rate 1M --count 20"
        shell(f"{command} --page {page} --out {out} 2>&1 | true")
    assert page.read_text().endswith("</html>\n")
    assert load(out).strikes == 20
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]
