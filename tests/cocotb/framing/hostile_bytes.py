# SPDX-License-Identifier: Apache-2.0
"""cocotb side: whole, correct COMMAND frames are executed and answered; all else is rejected."""

import os
import random
import zlib

import cocotb
from clocked import Driver, Monitor, Packing, clocks, start

from plexor.protocol.frames import (
    CRC_BYTES,
    DELIMITER,
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
from plexor.protocol.registers import address
from plexor_hdl.lib.frame_bytes import FrameByte

FRAMES = int(os.environ["FRAMES"])
FRAME_BYTE = Packing(FrameByte)
TIME = 0x1122_3344_5566_7788
READ_ONLY_FROM = 0x8000
SIZE = OPERATION.size_bytes
NOTHING, ERRORS = address("control", "action"), address("status", "command_errors")
NOW = address("status", "time_ticks")
LIVE = (NOTHING, ERRORS, NOW, NOW + 1)
"""Registers that LOG frames are made of; no command of this test asks for them."""
OTHERS = tuple(where for where in range(1 << 16) if where not in LIVE)


class Bus:
    """An Agent: registers that answer after a random while; low addresses keep what is written."""

    def __init__(self, dut, rng: random.Random) -> None:
        self._dut, self._rng, self._left = dut, rng, 0
        self.registers: dict[int, int] = {}
        dut.bus__done_stb.value = 0

    def clock(self) -> None:
        """See Agent."""
        dut = self._dut
        dut.bus__done_stb.value = 0
        if dut.bus__request_stb.value:
            self._left = self._rng.randrange(1, 6)
        elif not self._left:
            return
        self._left -= 1
        if self._left:
            return
        live = {
            NOTHING: 0,
            ERRORS: int(dut.errors.value),
            NOW: TIME & 0xFFFFFFFF,
            NOW + 1: TIME >> 32,
        }
        operation = {
            "address": int(dut.bus__address.value),
            "code": OpCode.WRITE if dut.bus__write.value else OpCode.READ,
            "status": 0,
            "value": int(dut.bus__write_data.value),
        }
        result = executed({**self.registers, **live}, operation)
        if operation["code"] == OpCode.WRITE and operation["address"] < READ_ONLY_FROM:
            self.registers[operation["address"]] = operation["value"]
        dut.bus__status.value = int(result["status"])
        dut.bus__read_data.value = result["value"] if result["code"] == OpCode.READ else 0
        dut.bus__done_stb.value = 1


def executed(registers: dict[int, int], operation: dict[str, int]) -> dict[str, int]:
    """Return an operation as answered, and do it."""
    where, code = operation["address"], operation["code"]
    if code == OpCode.READ:
        value = registers.get(where, where * 0x10001 ^ 0xDEADBEEF)
        return {**operation, "status": OpStatus.OK, "value": value}
    if code != OpCode.WRITE:
        return {**operation, "status": OpStatus.NO_OPERATION}
    if where >= READ_ONLY_FROM:
        return {**operation, "status": OpStatus.READ_ONLY}
    registers[where] = operation["value"]
    return {**operation, "status": OpStatus.OK}


def random_command(rng: random.Random, sequence: int) -> Frame:
    """Return a good command."""
    payload = b"".join(
        OPERATION.pack(
            {
                "address": rng.choice((rng.randrange(4), rng.choice(OTHERS))),
                "code": rng.choice((*OpCode, *OpCode, 0, 77)),
                "status": 0,
                "value": rng.choice((0, rng.getrandbits(32))),
            }
        )
        for _ in range(rng.randrange(1, MAX_OPERATIONS + 1))
    )
    return Frame(FrameType.COMMAND, 0, 0, sequence, 0, 0, payload)


def hostile(rng: random.Random, good: bytes) -> bytes:
    """Return a stream of one or more frames made from a good one's bytes, or of none."""
    body = bytearray(cobs_decode(good[:-1]))
    match rng.randrange(7):
        case 0:  # a bit flipped anywhere
            out = bytearray(good)
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
            return bytes(out) + b"\0"
        case 1:  # the end missing
            return good[: rng.randrange(1, len(good))] + b"\0"
        case 2:  # noise, delimiters among it
            return rng.randbytes(rng.randrange(1, 60)) + b"\0"
        case 3:  # far too long
            return bytes(rng.randrange(1, 256) for _ in range(rng.randrange(300, 1500))) + b"\0"
        case 4:  # right CRC, another type
            body[0] = rng.choice([kind for kind in range(256) if kind != FrameType.COMMAND])
        case 5:  # right CRC, any length
            body = body[:24] + rng.randbytes(rng.choice((0, 4, 7, 12, 136, 1000)))
            body += bytes(CRC_BYTES)
        case _:  # right CRC, shorter than a header
            body = body[: rng.randrange(1, 20)] + bytes(CRC_BYTES)
    content = bytes(body[:-CRC_BYTES])
    return cobs_encode(content + zlib.crc32(content).to_bytes(CRC_BYTES, "little")) + b"\0"


def expected(stream: bytes) -> list[tuple[FrameType, int, bytes]]:
    """Return (type, index, payload) of every answer, by the contract alone."""
    answers, registers, errors = [], {}, 0
    *encoded, rest = stream.split(bytes([DELIMITER]))
    assert not rest
    for part in filter(None, encoded):
        try:
            frame = Frame.decode(cobs_decode(part))
            count, odd = divmod(len(frame.payload), SIZE)
            if frame.type != FrameType.COMMAND or odd or not 1 <= count <= MAX_OPERATIONS:
                raise ValueError("no command")
        except ValueError:
            errors += 1
            answers.append((FrameType.LOG, errors, b""))
            continue
        operations = [
            OPERATION.unpack(frame.payload[at : at + SIZE])
            for at in range(0, len(frame.payload), SIZE)
        ]
        payload = b"".join(OPERATION.pack(executed(registers, each)) for each in operations)
        answers.append((FrameType.RESPONSE, frame.sequence, payload))
    return answers


class Answers:
    """Frames out of the bytes for the packetizer."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._body = b""

    def take(self, bits: int) -> None:
        """Take the next byte."""
        beat = FRAME_BYTE.unpack(bits)
        if not beat["end"]:
            self._body += bytes([beat["byte"]])
            return
        crc = zlib.crc32(self._body).to_bytes(CRC_BYTES, "little")
        self.frames.append(Frame.decode(self._body + crc))
        self._body = b""


@cocotb.test()
async def each_frame_is_answered_as_the_contract_says(dut):
    for seed, stalls in enumerate((0.0, 0.5)):
        rng = random.Random(seed)
        if not seed:
            await start(dut)
            dut.quiet.value = dut.i_logs__valid.value = 0
        else:
            dut.rst.value = 1
            await clocks(dut, 2)
            dut.rst.value = 0
        parts = []
        for number in range(FRAMES):
            good = to_stream(random_command(rng, number))
            parts.append(good if rng.random() < 0.5 else hostile(rng, good))
        stream = b"".join(parts)
        truth, answers = expected(stream), Answers()
        driver = Driver(dut, "i_bytes", stream, rng, pauses=0.1)
        agents = [driver, Monitor(dut, "o_bytes", answers.take, rng, stalls), Bus(dut, rng)]
        most = 40 * len(stream) + 10_000
        await clocks(dut, most, *agents, until=lambda driver=driver: driver.done)
        await clocks(dut, 3000, *agents)
        found = [(frame.type, frame.index, frame.payload) for frame in answers.frames]
        assert found == truth
        for frame in answers.frames:
            if frame.type == FrameType.LOG:
                assert (frame.tag, frame.base_ticks) == (LogCode.REJECTED, TIME)
        rejected = sum(kind == FrameType.LOG for kind, *_ in truth)
        assert int(dut.errors.value) == rejected
        dut._log.info("%d frames answered, %d rejected", len(truth) - rejected, rejected)
