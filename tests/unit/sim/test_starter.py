# SPDX-License-Identifier: Apache-2.0
"""The process that starts simulators ends with its input, and they with it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from plexor_sim import starter as module


class Starter:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "plexor_sim.starter"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def ask(self, *arguments: str) -> int:
        """Ask for a simulator; return its port."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(arguments) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("listening "):
                return int(line.rpartition(":")[2])
        raise AssertionError("it does not listen")


@pytest.fixture
def starter():
    found = Starter()
    yield found
    with found.process as process:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except ConnectionRefusedError:
        return False
    return True


def ends(port: int) -> bool:
    deadline = time.monotonic() + 60
    while listens(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_the_simulator_before_has_ended_when_the_next_one_listens(starter):
    first = starter.ask("--dut", "synthetic")
    second = starter.ask("--dut", "synthetic:seed=2")
    assert not listens(first)
    assert listens(second)


def test_a_client_that_leaves_ends_a_simulator_without_a_signal(monkeypatch, capfd):
    monkeypatch.setattr(module, "_GRACE_S", 60)
    simulator = module._Starter().start(["--dut", "synthetic", "--once"])
    assert isinstance(simulator, module._Simulator)
    for number in ("terminate", "kill"):
        monkeypatch.setattr(simulator.process, number, lambda: pytest.fail("it had to be ended"))
    deadline, printed = time.monotonic() + 60, ""
    while not printed.endswith("\n") or "listening" not in printed:
        assert time.monotonic() < deadline
        printed += capfd.readouterr().out
        time.sleep(0.01)
    port = int(printed.rpartition(":")[2])
    socket.create_connection(("127.0.0.1", port), 5).close()
    simulator.end()
    assert simulator.process.returncode == 0


def test_the_end_of_its_input_ends_it_and_the_simulator(starter):
    port = starter.ask("--dut", "synthetic")
    starter.process.stdin.close()
    assert starter.process.wait(60) == 0
    assert not listens(port)


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGTERM, marks=pytest.mark.full), signal.SIGKILL]
)
def test_a_starter_that_is_killed_takes_the_simulator_along(starter, number):
    port = starter.ask("--dut", "synthetic", "--once")
    starter.process.send_signal(number)
    starter.process.wait(60)
    assert ends(port)


def test_a_device_that_is_refused_ends_it_with_code_2(starter):
    with pytest.raises(AssertionError, match="does not listen"):
        starter.ask("--dut", "synthetic:volume=11")
    assert starter.process.wait(60) == 2
    assert "volume" in starter.process.stderr.read()
