# SPDX-License-Identifier: Apache-2.0
"""Commands that put a load on: when they run, when they end, and what failing ones say."""

import time
from pathlib import Path

import pytest

from plexor.base.errors import UsageError
from plexor.wire.desk import load
from plexor.wire.desk.load import switched


def alive(pid):
    """Return whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_command_runs_as_long_as_its_load_and_takes_all_it_started_with_it(tmp_path):
    pids = tmp_path / "pids"
    switch = switched(f"sleep 60 & echo $! $$ > {pids}; wait", None)
    with switch("stress"):
        running = pids.read_text().split()
        assert len(running) == 2
        assert all(map(alive, running))
    deadline = time.monotonic() + 60
    while any(map(alive, running)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, running))


def test_a_command_that_switches_and_ends_is_undone_by_the_other(tmp_path):
    flag = tmp_path / "on"
    with switched(f"touch {flag}", f"rm {flag}")("stress"):
        assert flag.exists()
    assert not flag.exists()


def test_without_a_load_no_command_runs(tmp_path):
    flag = tmp_path / "on"
    with switched(f"touch {flag}", f"touch {flag}")("none"):
        assert not flag.exists()
    assert not flag.exists()


def test_what_fails_is_said_in_one_line():
    with pytest.raises(UsageError, match=r"^load_on 'exit 7': ended with exit code 7; must be 0$"):
        with switched("exit 7", None)("stress"):
            pytest.fail("must not be entered")
    with pytest.raises(UsageError, match=r"^load_off 'exit 3': ended with exit code 3; must be 0$"):
        with switched("true", "exit 3")("stress"):
            pass
    with pytest.raises(UsageError, match=r"^--load-on 'exit 7'"):
        with switched("exit 7", None, ("--load-on", "--load-off"))("stress"):
            pytest.fail("must not be entered")


def test_an_error_under_load_still_ends_it(tmp_path):
    pid = tmp_path / "pid"

    def fail():
        with switched(f"echo $$ > {pid}; exec sleep 60", None)("stress"):
            raise RuntimeError("within")

    with pytest.raises(RuntimeError, match="within"):
        fail()
    assert not alive(pid.read_text().strip())


def test_a_command_that_does_not_end_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(load, "END_S", 0.3)
    pid = tmp_path / "pid"
    with switched(f"trap '' TERM; echo $$ > {pid}; while :; do sleep 0.05; done", None)("stress"):
        running = pid.read_text().strip()
    assert not alive(running)
    with pytest.raises(UsageError, match=r"did not end within 0.3 s"):
        with switched("true", "sleep 30")("stress"):
            pass
