# SPDX-License-Identifier: Apache-2.0
"""`plexor phase` and `plexor burst`: what they refuse, and what they keep."""

import importlib
import json
import re
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor import cli

PHASE = ["phase", "--rate", "5k"]
BURST = ["burst", "--from", "1us", "--to", "9us", "--period", "1ms"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (PHASE, "Missing option '--against'"),
        ([*PHASE, "--against", "strike0"], "must be ch0 to ch7 or strike1 to strike7"),
        ([*PHASE, "--against", "load"], "must be ch0 to ch7 or strike1"),
        ([*PHASE, "--against", "ch9"], "reference: 'ch9'"),
        ([*PHASE, "--against", "strike1"], "give its --period too"),
        ([*PHASE, "--against", "ch1", "--period", "1ms"], "the period of ch1 is measured"),
        ([*PHASE, "--against", "ch1", "--step", "0"], "--step: must be above 0"),
        ([*PHASE, "--against", "ch1", "--step", "1us", "--points", "9"], "give one"),
        (
            [*PHASE, "--against", "strike1", "--period", "1ms", "--span", "1us"],
            "the phases of strike1 cover its period",
        ),
        ([*PHASE, "--against", "ch1", "--link", "tcp://h:1"], "name the device's response pins"),
        (
            [*PHASE, "--against", "ch1", "--link", "tcp://h:1", "--dut", "x", "--channel", "ch0"],
            "has a device of its own",
        ),
        ([*BURST, "--to", "1us"], "--from and --to: both must be above 0"),
        ([*BURST, "--period", "17us"], "--to: must be at most half of --period"),
        ([*BURST, "--criterion", "late<1%"], "must limit missed"),
        ([*BURST, "--link", "tcp://h:1"], "name the device's response pins"),
        (
            [*BURST, "--link", "tcp://h:1", "--channel", "ch0", "--executor", "local:2"],
            "--executor applies only to simulated instruments",
        ),
    ],
)
def test_wrong_use_ends_with_2_and_one_line(capsys, arguments, message):
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_a_folder_that_is_there_is_refused_before_the_scan(capsys, tmp_path):
    (tmp_path / "x").touch()
    assert cli.main([*PHASE, "--against", "ch1", "--out", str(tmp_path)]) == 2
    assert "already exists" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["phase", "burst"])
def test_every_option_is_explained(capsys, command):
    assert cli.main([command, "--help"]) == 0
    assert capsys.readouterr().out


def test_each_step_of_a_burst_scan_is_told_with_its_length_its_spacing_and_its_verdicts(
    capsys, monkeypatch
):
    def scanned(asked, target):
        for number, (burst, spacing_s) in enumerate(((1, None), (4, Fraction(2, 10**6))), 1):
            swept = SimpleNamespace(burst=burst, spacing_s=spacing_s)
            job = SimpleNamespace(settings=SimpleNamespace(strikes=(swept,)))
            entries = [
                SimpleNamespace(name=name, verdict=verdict)
                for name, verdict in (("ISR", "pass"), ("TASK", "fail"))
            ]
            asked.on_step(job, SimpleNamespace(channels=entries), number, 9)
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module("plexor.cli.scans.burst"), "scanned", scanned)
    assert cli.main(BURST) == 130
    first, second, _ = capsys.readouterr().err.splitlines()
    assert re.fullmatch(
        r"plexor: step 1 of about 9, \d+ s left: bursts of 1: ISR pass, TASK fail", first
    )
    assert re.fullmatch(
        r"plexor: step 2 of about 9, \d+ s left: bursts of 4, 2 µs apart: ISR pass, TASK fail",
        second,
    )


def test_a_scan_is_printed_and_kept(capsys, tmp_path):
    out = tmp_path / "s"
    dut = "synthetic:after=none,ch0.after=strike0,ch0.latency=300ns,ch0.width=1ns"
    arguments = [
        *["phase", "--against", "strike1", "--period", "2us", "--points", "20", "--repeats", "1"],
        "--json",
    ]
    arguments += ["--rate", "100k", "--channel", "A=ch0", "--dut", dut, "--out", str(out)]
    assert cli.main(arguments) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["schema"] == "plexor.phase/2"
    (scan,) = printed["scans"]
    assert [entry["strikes"] for entry in scan["bins"]] == [1] * 20
    assert {entry["max_ticks"] for entry in scan["bins"]} == {600}  # of half a nanosecond
    kept = json.loads((out / "phase.json").read_text())
    del kept["sha256"]
    assert kept == printed
    assert "over the phase of strike1" in (out / "phase.html").read_text()
    assert (Fraction(printed["rate_hz"]), printed["asked_rate_hz"]) == (
        # The first multiple of 2 µs that with a step of 100 ns is not below 10 µs.
        1 / Fraction(101, 10_000_000),
        "100000",
    )
    assert cli.main(["show", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == printed
    assert cli.main(["show", str(out / "run.json"), "--json"]) == 0
    assert (
        json.loads(capsys.readouterr().out)["strikes"]
        == printed["strikes"] + scan["reference"]["edges"]
    )
