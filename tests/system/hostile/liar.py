# SPDX-License-Identifier: Apache-2.0
"""A recording whose frames are intact and whose content lies, field by field."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from plexor.model.settings import Channel, Settings, Stimulus, TableStep
from plexor.protocol.frames import (
    OPERATION,
    SPACE_MASK,
    Frame,
    FrameType,
    MemoryFlag,
    cobs_decode,
    to_stream,
)
from plexor.protocol.memory import STATISTICS, STEP, ResponseClass, Space, entry_words, key
from plexor.protocol.records import Record
from plexor.protocol.registers import address, register
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...unit.host.fake_device import FakeDevice
from ...unit.host.scenario import PERIOD_TICKS, START_TICKS, Scenario

LATENCIES = [50, 61, 300, None, 50, 55, 61] * 6
TICK = Fraction(1, 10**9)
Lie = Callable[[Frame], Frame]


class Stepped(Scenario):
    """A strike in the first step of a table of two, all others in the second.

    Channel 1 answers none: the first step's strike is missed in the second.
    """

    def memories(self) -> dict[tuple[Space, int], list[int]]:
        words = super().memories()
        # Counts and sums go on from step to step; extremes are a step's own.
        so_far = (self.latencies[:1], self.latencies)
        parts = (self.latencies[:1], self.latencies[1:])
        for step, end_ticks in ((0, START_TICKS + PERIOD_TICKS), (1, self.end_ticks)):
            answered = [value for value in so_far[step] if value is not None]
            own = [value for value in parts[step] if value is not None]
            for channel in range(2):
                record = dict.fromkeys((field.name for field in STEP.fields), 0)
                record["end_ticks"] = end_ticks
                record["strikes"] = len(so_far[step])
                if channel:
                    record["missed"] = step * len(self.latencies)
                    record["pending"] = 1 - step
                else:
                    record |= {
                        "missed": len(so_far[step]) - len(answered),
                        "answered": len(answered),
                        "count": len(answered),
                        "sum_ticks": sum(answered),
                        "sum_sq_low_ticks2": sum(value**2 for value in answered),
                        "min_ticks": min(own),
                        "max_ticks": max(own),
                    }
                size = STEP.size_bytes // 4
                place = ((step << self.geometry.key_bits) + channel) * size
                packed = struct.unpack(f"<{size}I", STEP.pack(record))
                words[Space.STEPS, 0][place : place + size] = packed
        return words


SETTINGS = Settings(
    strikes=(Stimulus(0, PERIOD_TICKS * TICK),),
    channels=(Channel(0), Channel(1)),
    table=(TableStep(PERIOD_TICKS * TICK, 1), TableStep(PERIOD_TICKS * TICK, len(LATENCIES) - 1)),
)


def recorded(path: Path) -> list[Frame]:
    """Return the frames of a run that is as it should be, with steps, events and a trigger."""
    steps = {("status", "step", 0): 2}
    with (
        FakeDevice(Stepped(LATENCIES), trace=True, overrides=steps) as fake,
        path.open("wb") as tap,
    ):
        with Device(open_link(fake.uri), tap) as device:
            assert measure(device, SETTINGS).invalid_reasons == ()
    stretches = path.read_bytes().split(b"\0")
    return [Frame.decode(cobs_decode(part)) for part in stretches if part]


def told(frames: Sequence[Frame], *lies: Lie) -> bytes:
    """Return the recording as one who lies would have sent it."""
    found = list(frames)
    for lie in lies:
        found = [lie(frame) for frame in found]
    return b"".join(map(to_stream, found))


def in_memory(space: Space, first: int, words: Sequence[int], banks: Sequence[int] = (0, 1)) -> Lie:
    """Put words into a memory, from one on."""

    def lie(frame: Frame) -> Frame:
        if frame.type not in (FrameType.HISTOGRAM, FrameType.STATISTICS):
            return frame
        bank = int(bool(frame.flags & MemoryFlag.BANK))
        if frame.flags & SPACE_MASK != space or bank not in banks:
            return frame
        payload = bytearray(frame.payload)
        for place, word in enumerate(words, first - frame.index):
            if 0 <= place < len(payload) // 4:
                payload[4 * place : 4 * place + 4] = word.to_bytes(4, "little")
        return replace(frame, payload=bytes(payload))

    return lie


def _halves(value: int) -> list[int]:
    return [value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF]


def _offset(record: Record, name: str) -> int:
    return 2 * [field.name for field in record.fields].index(name)


def in_statistics(space: Space, kind: int, name: str, value: int) -> Lie:
    """Put a value into the statistics of channel 0, in the first bank."""
    place = key(Scenario([]).geometry, kind, 0) * STATISTICS.size_bytes // 4
    return in_memory(space, place + _offset(STATISTICS, name), _halves(value), (0,))


def in_step(step: int, name: str, value: int) -> Lie:
    """Put a value into the record of channel 0 in a step."""
    place = (step << Scenario([]).geometry.key_bits) * STEP.size_bytes // 4
    return in_memory(Space.STEPS, place + _offset(STEP, name), _halves(value), (0,))


def in_class(kind: ResponseClass, value: int) -> Lie:
    """Put a count of channel 0 into the first bank."""
    return in_entry(Space.CLASSES, kind, value)


def in_entry(space: Space, entry: int, value: int) -> Lie:
    """Put a count into the first bank."""
    size = entry_words(space)
    return in_memory(space, entry * size, _halves(value)[:size], (0,))


def in_register(block: str, name: str, value: int, copy: int = 0) -> Lie:
    """Answer every read and write of a register with a value."""
    base = address(block, name, copy)
    words = {base + n: value >> 32 * n & 0xFFFFFFFF for n in range(register(block, name).words)}

    def lie(frame: Frame) -> Frame:
        if frame.type != FrameType.RESPONSE:
            return frame
        size, payload = OPERATION.size_bytes, b""
        for start in range(0, len(frame.payload), size):
            operation = OPERATION.unpack(frame.payload[start : start + size])
            operation["value"] = words.get(operation["address"], operation["value"])
            payload += OPERATION.pack(operation)
        return replace(frame, payload=payload)

    return lie


def in_frames(kind: FrameType, only: int | None = None, words: int | None = None, **fields) -> Lie:
    """Send other header fields with frames of a type; `words`: all of the payload's are this."""

    def lie(frame: Frame) -> Frame:
        if frame.type != kind or only not in (None, frame.tag):
            return frame
        payload = frame.payload
        if words is not None:
            payload = words.to_bytes(4, "little") * (len(payload) // 4)
        return replace(frame, payload=payload, **fields)

    return lie
