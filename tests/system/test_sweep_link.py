# SPDX-License-Identifier: Apache-2.0
"""Sweeps of one instrument that stays: what is left of a step meets the next one."""

import json

import pytest
from bench import SMALL, simulator

from plexor import cli
from plexor.base.errors import ExitCode
from plexor.experiments import job
from plexor.experiments.store import FILE

FOREVER_PS = 10**15
RANGE = ("--from", "20k", "--to", "80k", "--points", "3", "--resolution", "20%", "--width", "100ns")
CRITERION = ("--criterion", "missed<10%", "--channel", "pin=ch0")


@pytest.fixture(scope="module", autouse=True)
def built():
    """Build the simulator before what a sweep prints is looked at."""
    with simulator("synthetic", SMALL):
        pass


def swept(device, *arguments):
    """Sweep a served instrument by the command line; return its exit code."""
    with simulator(f"synthetic:seed=6,ch1.after=none,{device}", SMALL, once=False) as server:
        link = ("--link", f"tcp://127.0.0.1:{server.port}")
        return cli.main(["sweep", *link, *RANGE, *CRITERION, *arguments])


@pytest.mark.full
def test_each_load_is_put_on_and_every_step_waits_for_the_device(tmp_path, capsys):
    on, off = tmp_path / "on", tmp_path / "off"
    load = ("--load", "none,stress", "--load-on", f"touch {on}", "--load-off", f"touch {off}")
    # Its queue lasts for a millisecond behind an overload; loaded it takes twice as long.
    device = "service=20us,load_service=30us,queue=1,latency=300ns"
    assert swept(device, *load, "--json") == ExitCode.PASS
    assert on.exists()
    assert off.exists()
    document = json.loads(capsys.readouterr().out)
    knees = {knee["load"]: knee["bracket"] for knee in document["knees"]}
    for name, service_s in (("none", 20e-6), ("stress", 30e-6)):
        assert eval_rate(knees[name]["passing_hz"]) <= 1 / service_s / 0.9
        assert eval_rate(knees[name]["failing_hz"]) >= 1 / service_s
    assert all(step["recovery_s"] is not None for step in document["steps"])


def eval_rate(text):
    """Return a rate of JSON as a number."""
    numerator, _, denominator = text.partition("/")
    return int(numerator) / int(denominator or 1)


def test_a_device_that_never_recovers_ends_the_sweep_with_what_was_measured(tmp_path, capsys):
    device = f"service=20us,overload={FOREVER_PS}ps,rest={FOREVER_PS}ps,queue=1,latency=300ns"
    assert swept(device, "--out", str(tmp_path / "kept")) == ExitCode.INVALID
    said = capsys.readouterr()
    (line,) = [line for line in said.err.splitlines() if "step" not in line]
    assert "pin: did not answer all of 16 strikes at 20 kHz within 5 s; restart the device" in line
    # The question, and two steps.
    assert len((tmp_path / "kept" / FILE).read_text().splitlines()) == 1 + 2
    assert "20 kHz  80 kHz" in said.out


def test_a_device_that_never_answers_ends_the_sweep_at_once(monkeypatch, capsys):
    monkeypatch.setattr(job, "RECOVERY_S", 1.0)
    assert swept("drop=1") == ExitCode.INVALID
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert "pin: did not answer all of 16 strikes" in said.err


def test_ends_above_the_toggle_limit_are_refused_before_a_strike(tmp_path, capsys):
    out = tmp_path / "out"
    assert swept("queue=1", "--to", "900M", "--out", str(out)) == ExitCode.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert "900 MHz" in said.err
    assert not out.exists()


def test_both_ways_of_a_board_without_a_table_are_refused_before_a_strike(tmp_path, capsys):
    out = tmp_path / "out"
    board = ("--link", "sim:synthetic?board=icebreaker")
    asked = ["sweep", *board, *RANGE, *CRITERION, "--both-ways", "--out", str(out)]
    assert cli.main(asked) == ExitCode.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    line = said.err.splitlines()[-1]
    assert "--both-ways: table: board icebrkr was built without SWEEP" in line
    assert not any("step" in line for line in said.err.splitlines())
    assert not out.exists()
