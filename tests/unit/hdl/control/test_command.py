# SPDX-License-Identifier: Apache-2.0
"""The command port: good frames are executed and answered, nothing else does anything."""

import random
from dataclasses import replace

import pytest

from plexor.protocol.frames import (
    MAX_OPERATIONS,
    OPERATION,
    Frame,
    FrameType,
    LogCode,
    OpCode,
    OpStatus,
    cobs_decode,
    cobs_encode,
    to_stream,
)
from plexor.protocol.registers import StopReason, address, register
from plexor_hdl.control.command import Command

from ..simulation import made

TIME = 0x1122334455667788
LIVE = {
    ("control", "action"): 0,
    ("status", "stop_reason"): StopReason.TIME,
    ("status", "time_ticks"): TIME,
    ("status", "start_ticks"): TIME - (5 << 32),
    ("status", "end_ticks"): TIME - 7,
    ("status", "trigger_index"): 0x876543210FED,
    ("status", "trigger_ticks"): TIME - 99,
    ("status", "command_errors"): 0,
}
READ_ONLY_FROM = 0x8000
STILL_CLOCKS = 300


def operation(code, address, value=0):
    return {"address": address, "code": code, "status": 0, "value": value}


def command(operations, sequence=0, **fields):
    payload = b"".join(OPERATION.pack(each) for each in operations)
    frame = Frame(FrameType.COMMAND, 0, 0, sequence, 0, 0, payload)
    return replace(frame, **fields)


def read_value(at, errors=0):
    """What the bus of these tests reads."""
    live = {**LIVE, ("status", "command_errors"): errors}
    for (block, name), value in live.items():
        first = address(block, name)
        if first <= at < first + register(block, name).words:
            return value >> 32 * (at - first) & 0xFFFFFFFF
    return at * 0x10001 ^ 0xDEADBEEF


def random_command(rng, sequence):
    operations = [
        operation(rng.choice([*OpCode, *OpCode, 0, 77]), rng.getrandbits(16), rng.getrandbits(32))
        for _ in range(rng.randrange(1, MAX_OPERATIONS + 1))
    ]
    return command(operations, sequence)


def operations_of(frame):
    size = OPERATION.size_bytes
    return [
        OPERATION.unpack(frame.payload[at : at + size]) for at in range(0, len(frame.payload), size)
    ]


def expected_answer(frame):
    """Return the response to a good command, and the writes that it makes."""
    answers, writes = [], []
    for each in operations_of(frame):
        code, address, value, status = each["code"], each["address"], each["value"], OpStatus.OK
        if code == OpCode.READ:
            value = read_value(address)
        elif code != OpCode.WRITE:
            status = OpStatus.NO_OPERATION
        elif address >= READ_ONLY_FROM:
            status = OpStatus.READ_ONLY
        else:
            writes.append((address, value))
        answers.append({**each, "status": status, "value": value})
    payload = b"".join(OPERATION.pack(each) for each in answers)
    return (
        Frame(FrameType.RESPONSE, 0, len(answers), 0, frame.sequence, 0, payload),
        writes,
    )


def run(bench, stream, seed=None, logs=(), quiet=False):
    """Send bytes and ask for LOG frames; return frames sent, writes made, errors counted."""
    dut, beats, writes, done = made(Command), [], [], []
    rng = random.Random(seed)
    errors = []

    async def drive(ctx):
        ctx.set(dut.quiet, quiet)
        await bench.send(ctx, dut.i_bytes, stream, seed)
        # Until nothing has come of it for longer than an operation takes; then it must take bytes.
        still = 0
        while still < STILL_CLOCKS:
            _, _, sends, asks = await ctx.tick().sample(dut.o_bytes.valid, dut.bus.request_stb)
            still = 0 if sends or asks else still + 1
        assert ctx.get(dut.i_bytes.ready)
        errors.append(ctx.get(dut.errors))
        done.append(True)

    async def answer(ctx):
        while not done:
            _, _, asked, write, at, data = await ctx.tick().sample(
                dut.bus.request_stb, dut.bus.write, dut.bus.address, dut.bus.write_data
            )
            if not asked:
                continue
            for _ in range(rng.randrange(5) if seed else 2):
                await ctx.tick()
            refused = write and at >= READ_ONLY_FROM
            if write and not refused:
                writes.append((at, data))
            ctx.set(dut.bus.status, OpStatus.READ_ONLY if refused else OpStatus.OK)
            ctx.set(dut.bus.read_data, read_value(at, ctx.get(dut.errors)))
            ctx.set(dut.bus.done_stb, 1)
            await ctx.tick()
            ctx.set(dut.bus.done_stb, 0)

    async def ask(ctx):
        if quiet:
            ctx.set(dut.i_logs.payload, logs[0])
            ctx.set(dut.i_logs.valid, 1)
        else:
            await bench.send(ctx, dut.i_logs, logs, seed)

    bench.simulate(dut, drive, answer, ask, bench.receiver(dut.o_bytes, beats, seed))
    frames, rest = bench.frames_of_beats(beats)
    assert rest == b""
    return frames, writes, errors[0]


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.full) for n in (None, 2))])
def test_commands_are_executed_in_order_and_answered(bench, seed):
    rng = random.Random(seed)
    commands = [random_command(rng, rng.getrandbits(32)) for _ in range(6)]
    commands.append(command([operation(OpCode.READ, 5)] * MAX_OPERATIONS, 9))
    answers = [expected_answer(each) for each in commands]
    stream = b"\0\0" + b"".join(to_stream(each) for each in commands)
    frames, writes, errors = run(bench, stream, seed)
    assert frames == [answer for answer, _ in answers]
    assert writes == [write for _, writes in answers for write in writes]
    assert errors == 0


def rejected(count):
    return Frame(FrameType.LOG, 0, LogCode.REJECTED, 0, count, TIME)


GOOD = command([operation(OpCode.WRITE, 3, 4), operation(OpCode.READ, 5)], 77)


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(cobs_encode(command([]).encode()), id="no operation"),
        pytest.param(
            cobs_encode(command([operation(OpCode.WRITE, 1)] * (MAX_OPERATIONS + 1)).encode()),
            id="too many operations",
        ),
        pytest.param(
            cobs_encode(replace(GOOD, payload=GOOD.payload[:12]).encode()), id="half an operation"
        ),
        pytest.param(cobs_encode(replace(GOOD, type=FrameType.EVENTS).encode()), id="no command"),
        pytest.param(cobs_encode(GOOD.encode()[:-1] + b"\x99"), id="wrong CRC"),
        pytest.param(cobs_encode(GOOD.encode())[:-1], id="truncated"),
        pytest.param(cobs_encode(GOOD.encode()) + b"\x07", id="a byte too many"),
        pytest.param(
            cobs_encode(bytes(range(256)) * 2), id="five hundred bytes", marks=pytest.mark.full
        ),
        pytest.param(
            cobs_encode(bytes(range(256)) * 8), id="two thousand bytes", marks=pytest.mark.full
        ),
        pytest.param(b"\x01", id="empty body"),
        pytest.param(b"\xff", id="an open block"),
    ],
)
def test_a_bad_frame_is_told_and_counted_and_the_next_is_executed(bench, bad):
    frames, writes, errors = run(bench, bad + b"\0" + to_stream(GOOD))
    answer, expected_writes = expected_answer(GOOD)
    assert frames == [rejected(1), answer]
    assert writes == expected_writes
    assert errors == 1


def hostile_stream(rng):
    """Good frames, flipped, cut, doubled and mixed with noise; the last one is good."""
    stream = bytearray()
    for _ in range(14):
        part = bytearray(to_stream(random_command(rng, rng.getrandbits(32))))
        kind = rng.randrange(6)
        if kind == 1:
            part[rng.randrange(len(part))] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del part[rng.randrange(len(part)) :]
        elif kind == 3:
            del part[rng.randrange(len(part))]
        elif kind == 4:
            part = bytearray(rng.randbytes(rng.randrange(60)))
        stream += part
    return bytes(stream) + b"\0" + to_stream(command([operation(OpCode.READ, 1)], 1))


def is_command(part):
    """Whether the contract calls this a good command frame."""
    try:
        frame = Frame.decode(cobs_decode(part))
    except ValueError:
        return None
    whole = len(frame.payload) % OPERATION.size_bytes == 0
    count = len(frame.payload) // OPERATION.size_bytes
    good = frame.type == FrameType.COMMAND and whole and 1 <= count <= MAX_OPERATIONS
    return frame if good else None


@pytest.mark.parametrize(
    "seed", [10, *(pytest.param(n, marks=pytest.mark.full) for n in range(11, 18))]
)
def test_whatever_bytes_come_only_good_frames_are_executed(bench, seed):
    stream = hostile_stream(random.Random(seed))
    expected, all_writes, errors = [], [], 0
    for part in stream.split(b"\0"):
        if not part:
            continue
        frame = is_command(part)
        if frame is None:
            errors += 1
            expected.append(rejected(errors))
        else:
            answer, writes = expected_answer(frame)
            expected.append(answer)
            all_writes += writes
    assert run(bench, stream, seed) == (expected, all_writes, errors)


LOGS = {
    LogCode.STARTED: (0, TIME - (5 << 32)),
    LogCode.TRIGGERED: (0x876543210FED, TIME - 99),
    LogCode.STOPPED: (StopReason.TIME, TIME - 7),
}


@pytest.mark.parametrize("seed", [3, *(pytest.param(n, marks=pytest.mark.full) for n in (None, 4))])
def test_logs_say_what_the_registers_say_between_and_amid_commands(bench, seed):
    rng = random.Random(seed)
    commands = [random_command(rng, rng.getrandbits(32)) for _ in range(4)]
    stream = b"".join(to_stream(each) for each in commands)
    frames, _, errors = run(bench, stream, seed, [*LOGS])
    logs = [frame for frame in frames if frame.type == FrameType.LOG]
    assert logs == [Frame(FrameType.LOG, 0, code, 0, *said) for code, said in LOGS.items()]
    answers = [frame for frame in frames if frame.type != FrameType.LOG]
    assert answers == [expected_answer(each)[0] for each in commands]
    assert errors == 0


def test_while_quiet_commands_are_answered_and_logs_wait(bench):
    frames, _, errors = run(bench, b"\1\0" + to_stream(GOOD), logs=[*LOGS], quiet=True)
    assert frames == [rejected(1), expected_answer(GOOD)[0]]
    assert errors == 1
