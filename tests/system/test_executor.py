# SPDX-License-Identifier: Apache-2.0
"""The executor at the whole simulated instrument: its time, its fires and its line."""

import random
import time

import numpy as np
import pytest
from code_port import Link
from executor_run import (
    DUE,
    LATEST_TICKS,
    STEP_TICKS,
    TICK_PS,
    TIMECODE,
    Run,
    executor,
    fires,
    paced,
    rises,
)

from plexor.protocol.registers import Trigger, entry_word
from plexor.wire.device.device import Device
from plexor.wire.link.open import open_link
from plexor.wire.link.serial_port import BITS_A_BYTE
from plexor.wire.link.sim import SimLink
from plexor_lab.mixed.device_line import open_line
from plexor_lab.mixed.message import MESSAGE_BYTES, Message, MessageKind, Reply
from plexor_sim.server import Server, SimulatorError

SLOW_STEP_TICKS, SLOW_BAUD = 711_110_000 // TICK_PS, 500_000
"""A hundredth of the study's, so that a client has time for some commands in each step."""
RETIRED = np.dtype([("time_ps", "<i8"), ("pc", "<u4"), ("code", "<u4")])


def stores_of(path):
    """Return (time_ps, code) of each store to the code port that retired."""
    record = np.fromfile(path, RETIRED)
    return [(int(row["time_ps"]), int(row["code"])) for row in record[record["pc"] == 0]]


def test_lateness_is_that_of_the_stores_that_retire(tmp_path):
    path, steps = tmp_path / "retired.bin", 60
    with paced(executor(retired=path)) as run:
        run.line.send(Message(MessageKind.VERIFY, 1, 1, 8))
        run.prepare(steps)
        run.start()
        batch = run.until_end()
        start = run.start_ticks()
    due = rises(batch, TIMECODE)
    assert due.tolist() == [start + STEP_TICKS * n for n in range(1, steps + 1)]
    stores = stores_of(path)
    found = fires(batch)
    assert len(found) == steps
    # A tick shows an edge at or before it.
    assert found.tolist() == [[-(-time_ps // TICK_PS), code] for time_ps, code in stores]
    assert [code & 0x7F for _, code in stores] == [0x10 + n % 8 for n in range(steps)]
    late = found[:, 0] - due
    assert late.min() > 0
    assert late.max() < LATEST_TICKS


def ask(run: Run, timeout_s: float = 60.0) -> Reply:
    """Return the device's reply, while simulated time goes on with each command."""
    run.line.send(Message(MessageKind.QUERY))
    ends = time.monotonic() + timeout_s
    while time.monotonic() < ends:
        run.link.get("status", "time_ticks")
        if found := run.line.replies(0.01):
            return found[0]
    raise AssertionError("no reply")


@pytest.mark.parametrize("code", ["binary", pytest.param("gray", marks=pytest.mark.full)])
def test_the_devices_time_is_right_over_three_wraps(code):
    steps = 3 * 256 + 33
    with paced(executor(timecode=code)) as run:
        run.line.send(Message(MessageKind.VERIFY, 64, 64, 16))
        run.prepare(steps, gray=code == "gray")
        run.start()
        batch = run.until_end()
        reply = ask(run)
    due = rises(batch, TIMECODE)
    assert len(due) == steps
    assert reply == Reply(sequence=1, time_steps=steps, good=2, damaged=0, missing=0)
    # Each fire is behind its own step, and ahead of the next.
    found = fires(batch)
    assert (np.searchsorted(due, found[:, 0])).tolist() == list(range(64, steps + 1, 64))


def mixed(run: Run, steps: int, distance: int, rest_s: float) -> dict[str, object]:
    """Issue each step's entry to device and instrument `distance` steps ahead; return what came."""
    run.prepare(steps, step_ticks=SLOW_STEP_TICKS)
    run.link.write("stimulus", "enable", 1, copy=1)
    run.link.write("stimulus", "trigger", Trigger.DUE, copy=1)
    run.link.write("stimulus", "width_ticks", 100, copy=1)
    run.link.write("stimulus", "strike_count", 1, copy=1)
    issued: list[tuple[int, int]] = []
    draw = random.Random()
    start = 0

    def issue(now_ticks: int) -> None:
        nonlocal start
        start = start or run.start_ticks()
        passed = (now_ticks - start) // SLOW_STEP_TICKS if start else 0
        time.sleep(draw.random() * rest_s)
        for due in range(len(issued) + 1, min(passed + distance, steps) + 1):
            run.line.send(Message(MessageKind.ENTRY, due % 8, due))
            run.link.write("schedule", "due_ticks", due * SLOW_STEP_TICKS)
            run.link.write("schedule", "entry", entry_word(len(issued), due % 8))
            issued.append((due, passed))

    run.start()
    batch = run.until_end(issue)
    return {
        "issued": issued,
        "start": run.start_ticks(),
        "due": rises(batch, DUE).tolist(),
        "fires": fires(batch).tolist(),
        "events": [batch.sources().tolist(), batch.time_ticks().tolist()],
        "reply": ask(run),
        "past": run.link.get("status", "schedule_past"),
        "waiting": run.link.get("status", "schedule_waiting"),
    }


@pytest.mark.parametrize("distance", [1, 2])
def test_device_and_instrument_have_one_schedule(distance):
    steps = 20
    with paced(executor(baud=SLOW_BAUD)) as run:
        found = mixed(run, steps, distance, 0)
    assert [due for due, _ in found["issued"]] == list(range(1, steps + 1))
    assert {due - passed for due, passed in found["issued"][distance:]} == {distance}
    assert (found["past"], found["waiting"]) == (0, 0)
    assert found["reply"] == Reply(steps % 256, steps, steps + 1, 0, 0)
    assert found["due"] == [found["start"] + n * SLOW_STEP_TICKS for n in range(1, steps + 1)]
    codes = [code & 0x7F for _, code in found["fires"]]
    assert codes == [0x10 + n % 8 for n in range(1, steps + 1)]
    late = np.array(found["fires"])[:, 0] - np.array(found["due"])
    assert late.min() > 0
    assert late.max() < LATEST_TICKS


@pytest.mark.parametrize(("distance", "in_time"), [(1, False), (2, True)])
def test_a_delay_of_the_line_decides_which_distance_is_safe(distance, in_time):
    steps, delay_ps = 10, 720_000_000
    with paced(executor(baud=SLOW_BAUD, serial_delay=f"{delay_ps}ps")) as run:
        found = mixed(run, steps, distance, 0)
    # A fire after the run's end is not in it.
    fired = np.array(found["fires"])[:, 0]
    late = fired - np.array(found["due"])[: len(fired)]
    assert len(late) >= steps - 1
    message_ticks = MESSAGE_BYTES * BITS_A_BYTE * 10**12 // TICK_PS // SLOW_BAUD
    least = delay_ps // TICK_PS + message_ticks - distance * SLOW_STEP_TICKS
    assert late[distance:].min() > least
    assert bool(late[distance:].max() < LATEST_TICKS) is in_time


def test_a_paced_run_is_the_same_however_slow_its_client_is(tmp_path):
    found = []
    for number, rest_s in enumerate((0, 0, 0.01)):
        log = tmp_path / f"truth{number}.bin"
        with paced(executor(baud=SLOW_BAUD), ("--truth", str(log))) as run:
            found.append(mixed(run, 12, 1, rest_s))
        found[-1]["truth"] = log.read_bytes()
    assert found[0] == found[1] == found[2]
    assert len(found[0]["fires"]) == 12


@pytest.mark.full
def test_skipped_clocks_change_no_event_and_no_reply():
    found = []
    for arguments in ((), ("--no-skip",), ("--prove",)):
        with paced(executor(baud=SLOW_BAUD), arguments) as run:
            found.append(mixed(run, 4, 2, 0))
    assert found[0] == found[1] == found[2]
    assert len(found[0]["fires"]) == 4


def test_a_message_ahead_of_a_run_has_arrived_when_it_begins():
    # It takes 6 ms, which are 84 steps.
    with paced(executor(baud=20_000)) as run:
        run.prepare(10)
        run.line.send(Message(MessageKind.VERIFY, 1, 1, 8))
        run.start()
        batch = run.until_end()
    late = fires(batch)[:, 0] - rises(batch, TIMECODE)
    assert len(late) == 10
    assert late.max() < LATEST_TICKS


def test_replies_come_that_wait_for_the_kernels_tick():
    # A reply is longer than the device's queue. It finds that full until the next tick, which may
    # be a millisecond away: 48 replies.
    with paced(executor(baud=9_600_000)) as run:
        for number in range(4):
            run.line.send(Message(MessageKind.QUERY))
            assert run.line.await_reply(20).sequence == number


def test_damaged_messages_on_the_whole_line_are_counted_and_the_others_carried_out():
    with paced(executor()) as run:
        good = [Message(MessageKind.ENTRY, n, 5 + n).encode(n) for n in range(6)]
        wrong = bytearray(good[1])
        wrong[5] ^= 4
        line = good[0] + bytes(wrong) + good[2] + good[3][:4] + good[3][5:] + good[5]
        run.line.send_bytes(line)
        run.line.sent = 6
        run.prepare(12)
        run.start()
        batch = run.until_end()
        reply = ask(run)
    assert reply == Reply(6, 12, good=4, damaged=2, missing=3)
    assert [code for _, code in fires(batch)] == [0x10, 0x92, 0x15]


def test_a_sim_link_knows_its_devices_line_and_takes_a_pace():
    link = open_link("sim:freertos:program=executor,baud=1000000?pace=100us")
    assert isinstance(link, SimLink)
    with Device(link) as device:
        with open_line(None, link.device_line) as line:
            line.send(Message(MessageKind.RESET, due_steps=7), Message(MessageKind.QUERY))
            replies = []
            while not replies:
                device.read("status", "time_ticks")
                replies = line.replies(0.01)
    # The pins are 0: the first time from 7 on that shows this.
    assert replies == [Reply(1, 256, good=2, damaged=0, missing=0)]


def test_a_line_works_without_a_pace_too():
    ready = executor()
    with Server(ready.executable, ready.options) as server, Link(server.port) as link:
        assert server.serial_port is not None
        with open_line(f"tcp://127.0.0.1:{server.serial_port}") as line:
            line.send(Message(MessageKind.RESET), Message(MessageKind.VERIFY, 1, 1, 8))
            run = Run(link, line)
            run.prepare(30)
            run.start()
            batch = run.until_end()
    late = fires(batch)[:, 0] - rises(batch, TIMECODE)
    assert len(late) == 30
    assert late.min() > 0
    assert late.max() < LATEST_TICKS


@pytest.mark.parametrize("arguments", [("--pace", "20000000", "--free"), ("--pace", "19999999")])
def test_a_pace_that_cannot_be_is_a_wrong_usage(arguments):
    ready = executor()
    with pytest.raises(SimulatorError, match="--pace") as raised:
        Server(ready.executable, ready.options, arguments)
    assert raised.value.exit_code == 2
