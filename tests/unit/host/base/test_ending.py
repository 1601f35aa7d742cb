# SPDX-License-Identifier: Apache-2.0
"""The second interrupt ends the program within 3 s, whatever it does. The first one does not."""

import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from plexor.base import ending

MOST_S = 3.0
BUSY = """
import sys, time
from plexor.base import ending
from plexor.cli.interrupts import stop_on_signals
ending.own_signals()
def deaf(said=""):
    try:
        print(said, flush=True)
        while True:
            sum(range(1000))
    except KeyboardInterrupt:
        pass
{way}
print("stopped", flush=True)
while True:
    deaf()
"""
WAYS = {
    "a run": (
        "with stop_on_signals() as stop:\n    print('ready', flush=True)\n"
        "    while not stop.asked: time.sleep(0.01)"
    ),
    "other work": "deaf('ready')",
}


@pytest.mark.parametrize(
    ("way", "second"),
    [
        ("a run", signal.SIGINT),
        ("other work", signal.SIGTERM),
        pytest.param("a run", signal.SIGTERM, marks=pytest.mark.full),
        pytest.param("other work", signal.SIGINT, marks=pytest.mark.full),
    ],
)
def test_two_interrupts_end_what_ignores_them(way, second):
    with subprocess.Popen(
        [sys.executable, "-c", BUSY.format(way=WAYS[way])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        began = time.monotonic()
        process.send_signal(second)
        try:
            code = process.wait(MOST_S + 5)
        finally:
            process.kill()
        assert time.monotonic() - began < MOST_S
        assert code == 130
        assert process.stderr.read().startswith("plexor: interrupted twice; ended before")


def test_a_program_that_did_not_give_its_signals_is_left_alone(monkeypatch):
    monkeypatch.setattr(ending, "END_S", 0.0)
    for _ in range(3):
        ending.interrupted()
    time.sleep(0.2)


def test_the_second_interrupt_alone_begins_the_time_that_is_left(monkeypatch):
    begun = []

    def timer(seconds, end):
        return SimpleNamespace(start=lambda: begun.append((seconds, end)))

    monkeypatch.setattr(ending.threading, "Timer", timer)
    interrupts = ending._Interrupts()
    interrupts.owned = True
    counts = []
    for _ in range(3):
        interrupts.count_one()
        counts.append(len(begun))
    assert counts == [0, 1, 1]
    assert begun == [(ending.END_S, ending._end)]
