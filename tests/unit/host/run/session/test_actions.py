# SPDX-License-Identifier: Apache-2.0
"""Commands that a run starts: on what, how often, with what they are told, and what fails."""

import shlex
import sys
import threading
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.model.settings import Reaction
from plexor.protocol.memory import ResponseClass
from plexor.run.session import actions
from plexor.run.session.actions import Actions, happened

TICK_FS = 1_000_000
NS = Fraction(1, 10**9)


@pytest.fixture
def channel(run_of):
    """Return the results of a channel with these latencies in ticks; None: missed."""

    def made(*latencies):
        return run_of([list(latencies)]).channels[0]

    return made


def writing(path, *, code=0, wait_s=0.0):
    """Return a command that adds what it is told to a file, says something, and ends."""
    script = (
        "import os, sys, time\n"
        f"time.sleep({wait_s})\n"
        f"with open({str(path)!r}, 'a') as file:\n"
        "    told = [os.environ['PLEXOR_' + n] for n in ('CONDITION', 'CHANNEL', 'COUNT')]\n"
        "    print(*told, file=file)\n"
        "print('noise'); print('noise', file=sys.stderr)\n"
        f"sys.exit({code})\n"
    )
    return (sys.executable, "-c", script)


def test_missed_strikes_and_latencies_above_the_limit_are_counted(channel):
    found = channel(100, None, 5000, 9000, None, 400)
    assert happened(found, None, TICK_FS) == found.classes[ResponseClass.MISSED] == 2
    assert happened(found, 1000 * NS, TICK_FS) == 2
    assert happened(found, 8000 * NS, TICK_FS) == 1
    assert happened(found, 9000 * NS, TICK_FS) == 0


def test_in_the_limits_own_bin_the_greatest_latency_counts(channel):
    # A bin of these results is 2**-6 of its value wide: 8960 to 9087 are in one.
    assert happened(channel(9000, 9010), 8990 * NS, TICK_FS) == 1
    assert happened(channel(9000, 9010), 9010 * NS, TICK_FS) == 0


def test_a_command_is_told_what_came_and_says_nothing(channel, tmp_path, capfd):
    told = tmp_path / "told"
    with Actions([Reaction("missed", None, writing(told))], TICK_FS) as acting:
        acting.look([channel(100, None, None, 100)])
        acting.look([channel(100, None, None, 100)])
    assert told.read_text() == "missed ISR 2\n"
    assert acting.failures == ()
    assert capfd.readouterr() == ("", "")


def test_nothing_is_started_where_nothing_came(channel, tmp_path):
    told = tmp_path / "told"
    late = Reaction("latency>1us", 1000 * NS, writing(told))
    with Actions([late], TICK_FS) as acting:
        acting.look([channel(100, None, 900)])
    assert not told.exists()


def test_what_comes_while_a_command_runs_or_rests_is_told_with_the_next_start(
    channel, tmp_path, monkeypatch
):
    told = tmp_path / "told"
    monkeypatch.setattr(actions, "REST_S", 60.0)
    with Actions([Reaction("missed", None, writing(told))], TICK_FS) as acting:
        acting.look([channel(None)])
        for _ in range(500):
            if told.exists():
                break
            time.sleep(0.02)
        began = time.monotonic()
        for count in range(2, 20):
            acting.look([channel(*[None] * count)])
        assert time.monotonic() - began < 2.0
    lines = told.read_text().splitlines()
    assert lines[0] == "missed ISR 1"
    assert lines[1:] == ["missed ISR 18"]


def test_a_command_that_fails_is_said_with_its_code(channel, tmp_path):
    command = writing(tmp_path / "told", code=3)
    with Actions([Reaction("missed", None, command)], TICK_FS) as acting:
        acting.look([channel(None)])
    assert acting.failures == (f"--on missed: {shlex.join(command)} ended with 3",)


def test_a_command_that_cannot_be_started_is_said(channel, tmp_path):
    with Actions([Reaction("missed", None, (str(tmp_path / "none"),))], TICK_FS) as acting:
        acting.look([channel(None)])
    (line,) = acting.failures
    assert line.endswith("none cannot be started: No such file or directory")


def test_a_command_that_does_not_end_is_left_alone(channel, tmp_path, monkeypatch):
    monkeypatch.setattr(actions, "PATIENCE_S", 0.1)
    command = writing(tmp_path / "told", wait_s=2.0)
    with Actions([Reaction("missed", None, command)], TICK_FS) as acting:
        acting.look([channel(None)])
    (line,) = acting.failures
    assert line.endswith("still runs 0.1 s after the run; it is left alone")
    for thread in threading.enumerate():
        if thread.name == "plexor action":
            thread.join(20)


def test_each_action_has_its_own_count_and_each_channel_too(channel, tmp_path):
    told = tmp_path / "told"
    one = channel(None, 100)
    other = replace(one, number=1, name="TASK")
    with Actions([Reaction("missed", None, writing(told))], TICK_FS) as acting:
        acting.look([one])
        acting.look([one, other])
    assert sum(int(line.split()[-1]) for line in told.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("latency", "count"),
    # The limit, 8990, is in the bin of 8960 to 9087, and 9088 begins the next one.
    [(8959, 0), (8990, 0), (8991, 1), (9087, 1), (9088, 3), (9215, 3), (9216, 3)],
)
def test_every_latency_of_the_bins_behind_the_limits_own_is_counted(channel, latency, count):
    assert happened(channel(100, latency, latency, latency), 8990 * NS, TICK_FS) == count
