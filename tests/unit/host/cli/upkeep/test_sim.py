# SPDX-License-Identifier: Apache-2.0
"""`plexor board sim` becomes the simulated instrument, with every argument as it is."""

import io
import sys

import pytest

from plexor import cli
from plexor.cli.upkeep import sim


@pytest.fixture(name="started")
def replaced(monkeypatch):
    """Return the programs that take this process's place."""
    started = []
    monkeypatch.setattr(sim.os, "execv", lambda path, argv: started.append((path, argv)))
    return started


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["-h"], ["--dut", "bare", "--once"], ["--nosuch=1", "x"]]
)
def test_the_simulators_own_arguments_are_handed_on(started, arguments):
    assert cli.main(["board", "sim", *arguments]) == 0
    assert started == [(sys.executable, [sys.executable, "-m", "plexor_sim.serve", *arguments])]


def test_what_was_printed_before_is_not_lost(monkeypatch):
    out = io.TextIOWrapper(written := io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr("sys.stdout", out)
    kept = []
    monkeypatch.setattr(sim.os, "execv", lambda *_: kept.append(written.getvalue()))
    print("before")
    assert cli.main(["board", "sim"]) == 0
    assert kept == [b"before\n"]


def test_without_the_simulator_one_line_says_how_to_install_it(started, capsys, monkeypatch):
    monkeypatch.setattr("plexor.library.upkeep.desk.find_spec", {}.get)
    assert cli.main(["board", "sim"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), started) == ("", 1, [])
    assert "pip install '.[sim]'" in err
