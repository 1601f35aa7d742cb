# SPDX-License-Identifier: Apache-2.0
"""A service is measured at one N after the other: the device's pulses are N µs wide, exactly."""

import json
import shutil
from dataclasses import replace

import pytest

import plexor
from plexor.cli import main
from plexor_lab.bound import body
from plexor_lab.bound.kept import BEGUN

MODEL = """
[section.once]
repetition = 1
blocking = false
ram.read = 1

[section.walk]
repetition = "N"
blocking = false
flash.read = 1
"""
SWEPT = ["N=3,10,200", "--dut", "synthetic:width={N}us", "--rate", "1k", "--count", "50"]


@pytest.fixture
def sweep(tmp_path, monkeypatch):
    """Return a function that sweeps with so many nanoseconds for each step of N."""

    def swept(step_ns, *more):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "model.toml").write_text(MODEL)
        platform = f"[ns]\nram = 500\nflash = {step_ns}\n"
        (tmp_path / "platform.toml").write_text(platform)
        files = ["--model", "model.toml", "--platform", "platform.toml", "--of", "on-width"]
        return main(["lab", "bound", "sweep", *SWEPT, "--channel", "A=ch0", *files, *more])

    return swept


def test_each_n_has_its_own_run_bound_and_margin(sweep, capsys, tmp_path):
    """The bound is 500 + 1000 N ns: 500 ns more than what each takes."""
    assert sweep(1000, "--out", "kept", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["outcome"] == "pass"
    found = [
        (c["n"], c["estimate_ns"], c["measured_ns"], c["margin_ns"]) for c in document["checks"]
    ]
    assert found == [
        (3, "3500", "3000", "500"),
        (10, "10500", "10000", "500"),
        (200, "200500", "200000", "500"),
    ]
    for n, folder in zip((3, 10, 200), document["folders"], strict=True):
        run = plexor.load(tmp_path / folder)
        assert (run.device["N"], run.result.strikes) == (str(n), 50)
        assert "bound sweep" in run.result.command
    # What it names is what a fit takes.
    assert main(["lab", "bound", "fit", "kept/measured.csv", "--json"]) == 0
    fitted = json.loads(capsys.readouterr().out)["fitted"]
    assert [service["n"] for service in fitted["services"]] == [3, 10, 200]
    assert [service["measured_ns"] for service in fitted["services"]] == ["3000", "10000", "200000"]


@pytest.fixture
def taken(monkeypatch):
    """Return the devices of the runs that are taken."""
    devices, take = [], body.take

    def noted(source, *rest, **options):
        devices.append(source.dut)
        return take(source, *rest, **options)

    monkeypatch.setattr(body, "take", noted)
    return devices


def test_a_sweep_continues_and_one_with_more_n_measures_only_those(sweep, capsys, taken, tmp_path):
    assert sweep(1000, "--out", "kept", "--json") == 0
    first = json.loads(capsys.readouterr().out)
    assert len(taken) == 3
    assert sweep(1000, "--out", "kept", "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == first
    assert err.splitlines()[0] == "plexor: N = 3, 1 of 3, kept"
    assert len(taken) == 3
    # What is not whole, or was not measured, is measured: nothing else.
    (tmp_path / "kept" / "N=10" / "run.json").write_text("{")
    shutil.rmtree(tmp_path / "kept" / "N=200")
    assert sweep(1000, "--out", "kept", "--json") == 0
    assert json.loads(capsys.readouterr().out) == first
    assert taken[3:] == ["synthetic:width=10us", "synthetic:width=200us"]


def test_a_folder_of_another_sweep_is_refused_with_what_differs(sweep, capsys, taken, tmp_path):
    assert sweep(1000, "--out", "kept") == 0
    capsys.readouterr()
    assert sweep(1000, "--out", "kept", "--width", "2us", "--label", "os=none") == 2
    assert capsys.readouterr().err == (
        "plexor: --out kept: already exists, with --width 2us, there not given; another --label; "
        "--force replaces it\n"
    )
    assert sweep(1000, "--out", "kept", "--width", "2us", "--force") == 0
    assert len(taken) == 6
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "notes.txt").touch()
    assert sweep(1000, "--out", "own") == 2
    assert "own: already exists, and holds no sweep of N; name" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["notes.txt"]


def test_a_run_of_other_files_of_the_device_is_refused(sweep, capsys, tmp_path):
    assert sweep(1000, "--out", "kept") == 0
    begun = tmp_path / "kept" / "bound-sweep.json"
    known = BEGUN.read(begun)
    BEGUN.write(replace(known, measured={**known.measured, "10": "N of other files"}), begun)
    capsys.readouterr()
    assert sweep(1000, "--out", "kept") == 2
    assert "N = 10 was measured with other files of the device" in capsys.readouterr().err


def test_a_bound_that_one_n_exceeds_is_unsafe(sweep, capsys):
    """500 + 990 N ns is above N µs up to N = 50."""
    assert sweep(990) == 1
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    verdicts = {row[0]: row[-1] for row in rows if row and row[0] in ("3", "10", "200")}
    assert verdicts == {"3": "SAFE", "10": "SAFE", "200": "UNSAFE"}
    assert ["UNSAFE:", "what", "was", "measured", "exceeds", "the", "estimate"] in rows


def test_what_cannot_be_swept_is_one_line(sweep, capsys):
    words = ["lab", "bound", "sweep", *SWEPT, "--model", "m.toml", "--platform", "p.toml"]
    for wrong, says in (
        (["M=1,2"], "'M=1,2': it names no N; must be such as N=0,1,13,50"),
        (["N=1,x"], "'x'; must be a whole number from 0 to"),
        (["N="], "must be such as N=0,1,13,50"),
    ):
        assert main([*words[:3], *wrong, *words[4:]]) == 2
        assert says in capsys.readouterr().err
    at = words.index("synthetic:width={N}us")
    assert main([*words[:at], "synthetic", *words[at + 1 :]]) == 2
    assert "must have {N} where N goes" in capsys.readouterr().err


def test_what_was_measured_when_it_is_stopped_is_kept_and_judged(
    sweep, capsys, monkeypatch, tmp_path
):
    """The second run is interrupted. The same command measures it again, and the third."""
    taken = body.take

    def take(source, *rest, **options):
        run = taken(source, *rest, **options)
        if "width=10us" in source.dut:
            run.result = replace(run.result, interrupted=True)
        return run

    monkeypatch.setattr(body, "take", take)
    assert sweep(1000, "--out", "kept", "--json") == 130
    assert [check["n"] for check in json.loads(capsys.readouterr().out)["checks"]] == [3]
    assert (tmp_path / "kept" / "N=10" / "run.json").exists()
    assert (tmp_path / "kept" / "measured.csv").read_text().count("\n") == 2
    monkeypatch.setattr(body, "take", taken)
    assert sweep(1000, "--out", "kept", "--json") == 0
    assert [check["n"] for check in json.loads(capsys.readouterr().out)["checks"]] == [3, 10, 200]
    assert not plexor.load(tmp_path / "kept" / "N=10").result.interrupted
    shutil.rmtree(tmp_path / "kept")
