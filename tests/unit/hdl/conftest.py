# SPDX-License-Identifier: Apache-2.0
"""Drivers of streams, with random stalls on both sides, for the gateware's unit tests."""

import random
import zlib
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from amaranth.lib import data

from plexor.protocol.frames import CRC_BYTES, DELIMITER, HEADER, Frame, cobs_decode

from . import memories, simulation


def simulate(dut, *testbenches, clocks=60_000):
    """Run until every testbench is done; receivers run as long as the others.

    Raises TimeoutError after `clocks` clocks.
    """
    drivers = [each for each in testbenches if not isinstance(each, Receiver)]
    done = []

    def counted(testbench):
        async def run(ctx):
            await testbench(ctx)
            done.append(testbench)

        return run

    async def watch(ctx):
        for _ in range(clocks):
            if len(done) == len(drivers):
                return
            await ctx.tick()
        done.extend(drivers)
        raise TimeoutError(f"not done after {clocks} clocks")

    scripts = [watch, *map(counted, drivers)]
    for testbench in testbenches:
        if isinstance(testbench, Receiver):
            scripts.append(testbench.until(lambda: len(done) == len(drivers)))
    simulation.simulate(dut, *scripts)


async def send(ctx, port, items, seed=None):
    """Send `items` over a stream, with random pauses where a seed is given."""
    stalls = random.Random(seed)
    for item in items:
        while seed is not None and stalls.random() < 0.4:
            await ctx.tick()
        ctx.set(port.payload, item)
        ctx.set(port.valid, 1)
        await ctx.tick().until(port.ready)
        ctx.set(port.valid, 0)


@dataclass(frozen=True)
class Receiver:
    """Appends what a stream carries to `into`, as integers, with random pauses given a seed."""

    port: Any
    into: list[int]
    seed: int | None = None

    def until(self, done):
        """Return the testbench that receives until `done()`."""
        payload = self.port.payload
        raw = payload.as_value() if isinstance(payload, data.View) else payload

        async def receive(ctx):
            stalls = random.Random(self.seed)
            while not done():
                ctx.set(self.port.ready, self.seed is None or stalls.random() < 0.6)
                _, _, valid, ready, value = await ctx.tick().sample(
                    self.port.valid, self.port.ready, raw
                )
                if valid and ready:
                    self.into.append(value)

        return receive


def frames_of(stream_bytes):
    """Return the frames of a byte stream; fail where it is not one of whole frames."""
    *encoded, rest = bytes(stream_bytes).split(bytes([DELIMITER]))
    assert not rest
    try:
        return [Frame.decode(cobs_decode(part)) for part in encoded]
    except ValueError as error:
        pytest.fail(str(error))


def whole(encoded):
    """Return the frame that the bytes are; fail where they are none."""
    try:
        return Frame.decode(encoded)
    except ValueError as error:
        pytest.fail(str(error))


def beats_of(frame):
    """Return the FrameByte beats of a Frame, as a source of the packetizer sends them."""
    body = frame.encode()[:-CRC_BYTES]
    return [{"byte": byte, "end": 0} for byte in body] + [{"byte": 0, "end": 1}]


def parts_of(frame):
    """Return the FramePart beats of a Frame, as a framer sends them: its payload in words."""
    header = [{"word": byte, "whole": 0, "end": 0} for byte in frame.encode()[: HEADER.size_bytes]]
    words = [
        {"word": int.from_bytes(frame.payload[at : at + 4], "little"), "whole": 1, "end": 0}
        for at in range(0, len(frame.payload), 4)
    ]
    return [*header, *words, {"word": 0, "whole": 0, "end": 1}]


def frames_of_parts(parts):
    """Return the frames in FramePart beats given as integers, and what is behind the last."""
    beats = []
    for part in parts:
        word, whole, end = part & 0xFFFFFFFF, part >> 32 & 1, part >> 33
        assert not (whole and end)
        beats += word.to_bytes(4, "little") if whole else [word & 0xFF | end << 8]
    return frames_of_beats(beats)


def frames_of_beats(beats):
    """Return the frames in a list of FrameByte beats given as integers, and the rest.

    Sequences are as sent; fails where a frame is none.
    """
    frames, body = [], b""
    for beat in beats:
        if beat >> 8:
            frames.append(whole(body + zlib.crc32(body).to_bytes(CRC_BYTES, "little")))
            body = b""
        else:
            body += bytes([beat])
    return frames, body


@pytest.fixture(autouse=True)
def _memories(monkeypatch):
    """Let no test pass because a simulator's memory is kinder than a device's."""
    for module, kind in memories.MEMORIES.items():
        monkeypatch.setattr(f"{module}.Memory", kind)


@pytest.fixture
def bench():
    return SimpleNamespace(
        simulate=simulate,
        send=send,
        receiver=Receiver,
        frames_of=frames_of,
        beats_of=beats_of,
        frames_of_beats=frames_of_beats,
        whole=whole,
        parts_of=parts_of,
        frames_of_parts=frames_of_parts,
    )
