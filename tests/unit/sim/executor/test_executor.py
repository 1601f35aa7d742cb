# SPDX-License-Identifier: Apache-2.0
"""The executor alone: a timecode at its pins, messages on its line, codes at its port.

Expected codes and times are worked out from the schedule here. The host's own encoder makes the
messages; tests/unit/host/mixed/test_message.py has their bytes from the standard.
"""

import random
from pathlib import Path

import numpy as np
import pytest

from plexor_lab.mixed.message import MESSAGE_BYTES, Message, MessageKind, Reply, Stretches
from plexor_sim.packages import default_cache
from plexor_sim.riscv import DeviceBuild, riscv_device

from ..riscv_player import CLOCK_PS, Edges, Played, play_inputs

STEP_PS = 200_123_413
"""5 kHz, in no simple ratio to the device's clock."""
BAUD = 1_000_000
BYTE_PS = 10_000_000
STROBE, FIRST_PIN, LINE = 7, 8, -1
MOST_LATE_PS = 1500 * CLOCK_PS
"""Interrupt and task answer within so much, even if they meet the kernel's tick."""


@pytest.fixture(scope="module")
def build() -> DeviceBuild:
    return riscv_device("freertos", default_cache(), {"program": "executor"})


def gray(count: int) -> int:
    return count ^ count >> 1


def steps(first: int, last: int, at: object = lambda count: count % 256) -> list[tuple[int, str]]:
    """Return the timecode's changes; step n is at n steps' time."""
    return [(n * STEP_PS, f"timecode {n * STEP_PS} {at(n)}") for n in range(first, last + 1)]


def line(time_ps: int, data: bytes) -> list[tuple[int, str]]:
    return [(time_ps, f"serial {time_ps} {byte}") for byte in data]


def run(
    build: DeviceBuild, timed: list[tuple[int, str]], end_ps: int, options: str = "", **how: int
) -> Played:
    inputs = [text for _, text in sorted(timed, key=lambda item: item[0])]
    played = play_inputs(build, inputs, end_ps, f"baud={BAUD},{options}".rstrip(","), **how)
    assert played.code == 0, played.text
    return played


def fires(edges: Edges) -> list[tuple[int, int]]:
    """Return time and code at each rise of the strobe."""
    code, found = 0, []
    for time_ps, pin, level in edges:
        if pin >= FIRST_PIN:
            code = code & ~(1 << pin - FIRST_PIN) | level << pin - FIRST_PIN
        elif (pin, level) == (STROBE, 1):
            found.append((time_ps, code))
    return found


def replies(edges: Edges) -> list[Reply]:
    data = bytes(value for _, pin, value in edges if pin == LINE)
    return [Reply.decode(stretch) for stretch in Stretches().feed(data)]


def coded(ids: list[int]) -> list[int]:
    """Return the codes of ids: every second one has bit 7."""
    return [0x10 + number + 0x80 * (place % 2) for place, number in enumerate(ids)]


def check_fires(found: list[tuple[int, int]], ids: list[int], due: list[int]) -> None:
    """Check codes, and that each came within the core's time after its step and not before."""
    assert [code for _, code in found] == coded(ids)
    late = [time_ps - step * STEP_PS for (time_ps, _), step in zip(found, due, strict=True)]
    assert min(late) > 0
    assert max(late) < MOST_LATE_PS


@pytest.mark.parametrize("code", ["binary", "gray"])
def test_each_entry_is_fired_at_its_step(build: DeviceBuild, code: str) -> None:
    entries = [(5, 3), (6, 0), (8, 7), (9, 7), (40, 15)]
    data = b"".join(
        Message(MessageKind.ENTRY, number, due).encode(n) for n, (due, number) in enumerate(entries)
    )
    at = gray if code == "gray" else lambda count: count
    played = run(build, line(STEP_PS, data) + steps(1, 45, at), 46 * STEP_PS, f"timecode={code}")
    check_fires(fires(played.edges), [n for _, n in entries], [due for due, _ in entries])


def test_entries_are_fired_in_the_order_of_their_due_times(build: DeviceBuild) -> None:
    due = [20, 11, 30, 11, 12, 29, 9]
    data = b"".join(Message(MessageKind.ENTRY, n, step).encode(n) for n, step in enumerate(due))
    played = run(build, line(0, data) + steps(1, 31), 32 * STEP_PS)
    order = sorted(range(len(due)), key=lambda n: due[n])  # equal ones as they came
    check_fires(fires(played.edges), order, sorted(due))


def test_an_entry_that_is_past_is_fired_at_once(build: DeviceBuild) -> None:
    sent_ps = 20 * STEP_PS + STEP_PS // 3
    data = Message(MessageKind.ENTRY, 4, 11).encode(0)
    played = run(build, line(sent_ps, data) + steps(1, 25), 26 * STEP_PS)
    ((time_ps, code),) = fires(played.edges)
    assert code == 0x14
    arrived_ps = sent_ps + MESSAGE_BYTES * BYTE_PS
    assert arrived_ps - BYTE_PS < time_ps < arrived_ps + 4000 * CLOCK_PS


def test_verify_fires_ids_in_turn_by_itself(build: DeviceBuild) -> None:
    data = Message(MessageKind.VERIFY, 3, 7, 5).encode(0)
    played = run(build, line(0, data) + steps(1, 50), 51 * STEP_PS)
    due = list(range(7, 51, 3))
    check_fires(fires(played.edges), [n % 5 for n in range(len(due))], due)


@pytest.mark.parametrize("code", ["binary", "gray"])
def test_the_time_is_right_over_three_wraps_of_the_timecode(build: DeviceBuild, code: str) -> None:
    last = 3 * 256 + 40
    due = [255, 256, 257, 511, 512, 513, 767, 768, 769, last - 1]
    data = b"".join(Message(MessageKind.ENTRY, n, step).encode(n) for n, step in enumerate(due))
    asked_ps = last * STEP_PS + STEP_PS // 2
    timed = line(0, data) + line(asked_ps, Message(MessageKind.QUERY).encode(len(due)))
    at = (lambda count: gray(count % 256)) if code == "gray" else (lambda count: count % 256)
    played = run(build, timed + steps(1, last, at), asked_ps + 10 * STEP_PS, f"timecode={code}")
    check_fires(fires(played.edges), list(range(len(due))), due)
    (reply,) = replies(played.edges)
    assert reply == Reply(len(due), last, good=len(due) + 1, damaged=0, missing=0)


def test_reset_sets_the_time_by_its_due_and_the_pins(build: DeviceBuild) -> None:
    base = 0xFFFF_FF40  # the pins say 4 by then: the first such time is over the end of 32 bits
    timed = steps(1, 9)
    timed += line(4 * STEP_PS, Message(MessageKind.RESET, due_steps=base).encode(9))
    timed += line(5 * STEP_PS, Message(MessageKind.ENTRY, 6, 8).encode(10))
    timed += line(9 * STEP_PS, Message(MessageKind.QUERY).encode(11))
    played = run(build, timed, 20 * STEP_PS)
    check_fires(fires(played.edges), [6], [8])
    (reply,) = replies(played.edges)
    assert (reply.time_steps, reply.good, reply.missing) == (9, 3, 0)


def test_reset_forgets_entries_and_ids_in_turn(build: DeviceBuild) -> None:
    data = Message(MessageKind.ENTRY, 1, 9).encode(0) + Message(MessageKind.VERIFY, 1, 9, 3).encode(
        1
    )
    timed = line(0, data) + line(5 * STEP_PS, Message(MessageKind.RESET).encode(2)) + steps(1, 12)
    assert fires(run(build, timed, 13 * STEP_PS).edges) == []


def test_an_entry_that_finds_no_room_is_refused_and_counted(build: DeviceBuild) -> None:
    count = 40
    data = b"".join(Message(MessageKind.ENTRY, n % 8, 200 + n).encode(n) for n in range(count))
    timed = line(0, data) + line(50 * STEP_PS, Message(MessageKind.QUERY).encode(count))
    played = run(build, timed + steps(1, 250), 251 * STEP_PS)
    check_fires(fires(played.edges), [n % 8 for n in range(32)], [200 + n for n in range(32)])
    (reply,) = replies(played.edges)
    assert (reply.good, reply.refused) == (count + 1, count - 32)


def test_every_damaged_message_is_detected_and_every_gap_counted(build: DeviceBuild) -> None:
    draw = random.Random(21)
    data, sent, damaged = b"", [], 0
    count = 250
    for n in range(count):
        message = Message(MessageKind.ENTRY, n % 16, 0).encode(n)
        fault = draw.choice(["none", "none", "bit", "byte", "whole"])
        if fault == "none":
            sent.append(n % 16)
        elif fault == "bit":  # neither the zero at the end, nor one in the middle
            message = bytearray(message)
            place = draw.randrange(len(message) - 1)
            wrong = [message[place] ^ 1 << bit for bit in range(8)]
            message[place] = draw.choice([byte for byte in wrong if byte])
            damaged += 1
        elif fault == "byte":
            place = draw.randrange(len(message) - 1)
            message = message[:place] + message[place + 1 :]
            damaged += 1
        else:
            message = b""
        data += bytes(message)
    data += Message(MessageKind.QUERY).encode(count)
    end_ps = (len(data) + 100) * BYTE_PS
    played = run(build, line(0, data), end_ps)
    assert [code for _, code in fires(played.edges)] == coded(sent)
    (reply,) = replies(played.edges)
    assert reply == Reply(count % 256, 0, len(sent) + 1, damaged, count - len(sent))
    assert damaged > 50
    assert len(sent) > 50


def test_a_wrong_or_lost_zero_damages_what_it_joins_or_parts(build: DeviceBuild) -> None:
    whole = [Message(MessageKind.ENTRY, n, 0).encode(n) for n in range(6)]
    whole[1] = whole[1][:-1]  # runs into message 2
    whole[4] = whole[4][:3] + b"\0" + whole[4][4:]  # two stretches
    data = b"".join(whole) + Message(MessageKind.QUERY).encode(6)
    played = run(build, line(0, data), (len(data) + 100) * BYTE_PS)
    assert [code for _, code in fires(played.edges)] == coded([0, 3, 5])
    (reply,) = replies(played.edges)
    assert (reply.good, reply.damaged, reply.missing) == (4, 3, 3)


@pytest.mark.parametrize(
    "body",
    [Message(MessageKind.ENTRY, 0), Message(MessageKind.VERIFY, 1, 0, 1)],
    ids=["entry", "verify"],
)
def test_a_message_with_a_field_out_of_range_counts_as_damaged(
    build: DeviceBuild, body: Message
) -> None:
    object.__setattr__(body, "id", 16 if body.kind is MessageKind.ENTRY else 0)
    data = body.encode(0) + Message(MessageKind.QUERY).encode(1)
    played = run(build, line(0, data), (len(data) + 100) * BYTE_PS)
    assert fires(played.edges) == []
    (reply,) = replies(played.edges)
    assert (reply.good, reply.damaged, reply.missing) == (1, 1, 1)


def test_a_step_that_is_seen_late_is_served_with_the_next(build: DeviceBuild) -> None:
    """Steps 50 cycles apart: interrupts merge, and no entry is lost or out of order."""
    due = list(range(10, 42))
    data = b"".join(
        Message(MessageKind.ENTRY, n % 16, step).encode(n) for n, step in enumerate(due)
    )
    times = [10**10 + n * 50 * CLOCK_PS for n in range(1, 60)]
    timed = line(0, data) + [
        (time_ps, f"timecode {time_ps} {n}") for n, time_ps in enumerate(times, 1)
    ]
    played = run(build, timed, 10**10 + 10**9)
    found = fires(played.edges)
    assert [code for _, code in found] == coded([n % 16 for n in range(len(due))])
    late = [time_ps - times[step - 1] for (time_ps, _), step in zip(found, due, strict=True)]
    assert min(late) > 0
    assert max(late) < 6000 * CLOCK_PS


@pytest.mark.parametrize("step_ps", [0, 7_000_001])
def test_skipped_loops_change_no_edge_and_no_byte(build: DeviceBuild, step_ps: int) -> None:
    data = Message(MessageKind.VERIFY, 2, 3, 7).encode(0) + Message(MessageKind.QUERY).encode(1)
    timed = line(STEP_PS // 7, data) + steps(1, 30)
    end_ps = 31 * STEP_PS
    evaluated = run(build, timed, end_ps, "every_cycle=1")
    assert run(build, timed, end_ps, step_ps=step_ps).edges == evaluated.edges


def test_fires_are_the_stores_that_retire(build: DeviceBuild, tmp_path: Path) -> None:
    told = riscv_device("freertos", default_cache(), {"program": "executor", "retired": "x"})
    data = Message(MessageKind.VERIFY, 1, 2, 8).encode(0)
    path = tmp_path / "retired.bin"
    options = f"retired={path},clk_to_q_ps=3000"
    played = run(told, line(0, data) + steps(1, 20), 21 * STEP_PS, options)
    record = np.dtype([("time_ps", "<i8"), ("pc", "<u4"), ("code", "<u4")])
    truth = np.fromfile(path, record)
    stores = truth[truth["pc"] == 0]
    assert [(int(s["time_ps"]) + 3000, int(s["code"])) for s in stores] == fires(played.edges)
    assert len(stores) == 19


def test_a_delay_of_the_line_is_that_of_the_answer(build: DeviceBuild) -> None:
    data, tick_ps = Message(MessageKind.ENTRY, 4, 0).encode(0), 10**9
    ((early_ps, _),), ((late_ps, _),) = (
        fires(run(build, line(0, data), 10**11, f"serial_delay_ps={ticks * tick_ps}").edges)
        for ticks in (5, 15)
    )
    # At the same phase of the kernel's tick, and within a round of its idle task.
    assert abs(late_ps - early_ps - 10 * tick_ps) < 100 * CLOCK_PS


def test_codes_cannot_be_off() -> None:
    with pytest.raises(ValueError, match="codes=off: the executor's ids are codes; must be port"):
        riscv_device("freertos", default_cache(), {"program": "executor", "codes": "off"})
