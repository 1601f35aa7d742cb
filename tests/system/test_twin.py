# SPDX-License-Identifier: Apache-2.0
"""The twin is the gateware: the same documents, frames and pins, or a run that it hands over."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from tools.twin.conform import compared, differences, prepared, taken
from tools.twin.draw import Measurement, drawn
from tools.twin.faults import run as plant
from tools.twin.planted import planted

import plexor
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.registers import Stream
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor.wire.link.tcp import TcpLink
from plexor_lab.mixed.device_line import open_line
from plexor_lab.mixed.message import Message, MessageKind
from plexor_sim.serve import GATEWARE, TWIN
from plexor_sim.server import Server, SimulatorError

NS = Fraction(1, 1_000_000_000)
BOARD = "ulx3s-25f"


def measured(period_s: Fraction, count: int, dut: str = "synthetic:latency=300ns,width=40ns"):
    strikes = (Stimulus(period_s=period_s, width_s=20 * NS),)
    return Measurement(BOARD, dut, Settings(strikes=strikes, channels=(Channel(0),), count=count))


def assert_identical(measurement):
    found = taken(measurement, prepared(measurement, TWIN))
    expected = taken(measurement, prepared(measurement, GATEWARE))
    assert not found.handed_over
    assert differences(found, expected) == []
    assert found.document["valid"]


@pytest.mark.parametrize("seed", [2, 3, 8])
def test_random_runs_are_identical(seed):
    assert compared(drawn(seed))[2] == []


def test_a_strike_that_expires_right_before_a_snapshot_is_missed_in_the_same_bank():
    # In this one a strike expires 6 clocks before the snapshot, and no event comes behind it.
    measurement = drawn(364, (BOARD, "hx8k-evn", "icebreaker"))
    assert measurement.board == BOARD
    assert compared(measurement)[2] == []


@pytest.mark.parametrize(
    "name",
    [
        "a snapshot while a step is recorded",
        "a zero in an answer's CRC",
        "a code that strikes",
        "an end before a code that strikes",
        "codes",
        "decisions behind a snapshot among answers",
        "due times at their least distance",
        "full queue",
        "latency at the deadline",
        "no events",
        "over the rate of early answers",
        "strobes close to each other",
        *(f"a run that begins among codes, {phase}" for phase in range(5)),
        *(f"a code that strikes as the run begins, {number}" for number in range(4)),
    ],
)
def test_a_measurement_made_for_one_rule_is_identical(name):
    assert compared(planted()[name])[2] == []


@pytest.mark.full
def test_a_fault_in_the_twin_is_seen(capsys):
    assert plant(1, ["a latency at the deadline is late"]) == 0
    assert "1 of 1 faults in the twin were seen" in capsys.readouterr().out


def test_a_run_at_a_rate_that_it_sustains_is_identical():
    assert_identical(measured(1000 * NS, 500))


def test_a_device_that_draws_answers_both_the_same():
    assert_identical(measured(4000 * NS, 200, "synthetic:latency=normal:1us:50ns,seed=5"))


def test_a_run_over_the_sustained_rate_is_handed_over_and_then_identical():
    measurement = measured(80 * NS, 2000)
    measurement = replace(measurement, settings=replace(measurement.settings, stream=Stream.OFF))
    found = taken(measurement, prepared(measurement, TWIN))
    assert "may have been full" in found.handed_over
    assert differences(found, taken(measurement, prepared(measurement, GATEWARE))) == []


class Noisy(TcpLink):
    """A link on which what is no frame follows each command."""

    def write(self, data):
        super().write(data + b"\x05noise\0")


def test_what_is_no_command_waits_until_the_gateware_has_caught_up():
    measurement = measured(80 * NS, 2000)
    settings = replace(measurement.settings, stream=Stream.OFF)
    ready = prepared(measurement, TWIN)
    with Server(ready.executable, ready.options, (*ready.arguments, "--once")) as server:
        with Device(Noisy("127.0.0.1", server.port)) as device:
            result = measure(device, settings)
            rejected = device.read("status", "command_errors")
        server.wait(10)
        assert "may have been full" in server.handed_over()
    assert result.strikes == 2000
    assert rejected > 10


def measured_by(core, *arguments):
    link = f"sim:synthetic:latency=300ns,width=40ns?core={core}&board={BOARD}"
    command = (sys.executable, "-m", "plexor", "measure", "--link", link, "--json")
    return subprocess.run(
        (*command, *arguments), capture_output=True, text=True, timeout=600, check=False
    )


def test_one_line_and_the_document_say_that_a_run_was_handed_over():
    arguments = ("--rate", "12.5M", "--count", "2000", "--mode", "dump")
    twin, gateware = (measured_by(core, *arguments) for core in (TWIN, GATEWARE))
    found, expected = json.loads(twin.stdout), json.loads(gateware.stdout)
    why = found["device"].pop("handed_over")
    assert (
        f"plexor: the gateware itself is simulated, which is slower: {why}"
        in twin.stderr.splitlines()
    )
    assert "may have been full" in why
    for name in ("channels", "accounting", "device", "strikes"):
        assert found[name] == expected[name]


def test_an_option_that_only_the_gateware_has_starts_that():
    link = f"sim:synthetic?core=twin&board={BOARD}&clock-lost=1000000"
    command = (sys.executable, "-m", "plexor", "board", "identify", "--link", link)
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0
    assert "the gateware itself is simulated, which is slower: its option clock-lost" in done.stderr


def test_a_self_test_compares_both():
    link = f"sim:synthetic:latency=300ns?core={TWIN}&board={BOARD}"
    command = (
        sys.executable,
        "-m",
        "plexor",
        "board",
        "selftest",
        "--link",
        link,
        "--against",
        GATEWARE,
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"twin and gateware: [1-9][\d,]* events identical", done.stdout)


def test_a_second_run_of_a_session_is_handed_over_too():
    first, second = measured(1000 * NS, 300), measured(80 * NS, 2000)
    second = replace(second, settings=replace(second.settings, stream=Stream.OFF))
    ready = prepared(first, TWIN)
    with Server(ready.executable, ready.options, (*ready.arguments, "--once")) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            results = [measure(device, each.settings) for each in (first, second, first)]
        server.wait(10)
        assert "may have been full" in server.handed_over()
    assert all(result.valid or result.accounting.dropped_on_chip for result in results)
    assert results[1].strikes == 2000
    assert results[0].channels[0].classes == results[2].channels[0].classes


def test_snapshots_that_no_event_comes_right_before_are_identical():
    wanted = measured(4000 * NS, 1500)
    wanted = replace(wanted, settings=replace(wanted.settings, report_s=2_602_000 * NS))
    found = taken(wanted, prepared(wanted, TWIN))
    expected = taken(wanted, prepared(wanted, GATEWARE))
    assert not found.handed_over
    assert differences(found, expected) == []
    assert found.snapshots.keys() & expected.snapshots.keys()


def test_each_snapshot_is_shown_though_the_run_is_simulated_in_an_instant():
    wanted = measured(20_000 * NS, 1000)
    settings = replace(wanted.settings, report_s=3_000_000 * NS)
    ready, seen = prepared(wanted, TWIN), []
    with Server(ready.executable, ready.options, (*ready.arguments, "--once")) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            measure(device, settings, on_snapshot=seen.append)
    numbers = [snapshot.number for snapshot in seen]
    assert numbers[0] <= 2  # a first may come while the run is being started
    assert numbers == list(range(numbers[0], 7))


def test_an_endless_run_is_stopped_at_a_snapshot():
    with plexor.open(f"sim:synthetic?core={TWIN}&board={BOARD}") as instrument:
        measurement = instrument.measure(rate="100k", every="1ms")
        for snapshot in measurement:
            if snapshot.number >= 3:
                measurement.stop()
    assert measurement.run.interrupted
    assert measurement.run.valid
    assert 300 <= measurement.run["ch0"].strikes < 100_000


def test_what_passed_on_a_serial_line_is_not_taken_again_and_that_is_said():
    wanted = replace(measured(80 * NS, 2000), dut="bare")
    settings = replace(wanted.settings, stream=Stream.OFF)
    ready = prepared(wanted, TWIN)
    with Server(ready.executable, ready.options, (*ready.arguments, "--once")) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            with socket.create_connection(("127.0.0.1", server.serial_port)) as line:
                line.sendall(b"\n")
                device.read("status", "state")
                result = measure(device, settings)
        assert not result.valid
        with pytest.raises(SimulatorError, match="serial line cannot be taken again: use core"):
            server.wait(10)


@pytest.mark.full
def test_a_device_replies_on_its_serial_line_before_and_behind_a_hand_over():
    for first in (), (measured(80 * NS, 2000),):
        wanted = replace(measured(4000 * NS, 20), dut="freertos:program=executor,baud=5000000")
        ready = prepared(wanted, TWIN)
        with Server(ready.executable, ready.options, (*ready.arguments, "--once")) as server:
            with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
                for run in first:
                    measure(device, replace(run.settings, stream=Stream.OFF))
                with open_line(f"tcp://127.0.0.1:{server.serial_port}") as line:
                    line.send(Message(MessageKind.RESET), Message(MessageKind.QUERY))
                    assert line.await_reply(60).good == 2
                measure(device, wanted.settings)
            server.wait(10)
            assert bool(server.handed_over()) == bool(first)


def test_whatever_ends_it_waits_for_the_gateware_whose_log_is_whole(tmp_path):
    measurement = measured(80 * NS, 2000)
    settings = replace(measurement.settings, stream=Stream.OFF)
    ready, log = prepared(measurement, TWIN), tmp_path / "truth.bin"
    with Server(ready.executable, ready.options, (*ready.arguments, "--truth", str(log))) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            measure(device, settings)
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text()
            core = int(children)
            os.kill(core, signal.SIGSTOP)
        for _ in range(20):
            os.kill(server.pid, signal.SIGTERM)
            time.sleep(0.01)
        state = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()[0]
        os.kill(core, signal.SIGCONT)
        assert state != "Z"
    # Two edges of each strike and of its answers on two channels, 16 bytes each.
    assert log.stat().st_size == 2000 * 6 * 16
