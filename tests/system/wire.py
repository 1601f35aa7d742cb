# SPDX-License-Identifier: Apache-2.0
"""What came over a link, frame by frame, and memories put together from their dumps."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from plexor.model.settings import RegisterWrite, Settings
from plexor.protocol.frames import (
    SPACE_MASK,
    WORD_BYTES,
    Frame,
    FrameType,
    LogCode,
    MemoryFlag,
    split_place,
)
from plexor.protocol.memory import Space, banks, entries
from plexor.protocol.registers import Action
from plexor.run.plan.registers import plan_of
from plexor.wire.decode.batch import EventBatch
from plexor.wire.decode.decoder import Decoded, Decoder
from plexor.wire.decode.memories import Memories
from plexor.wire.device.device import Device
from plexor_sim.golden import instrument as golden

MEMORY_TYPES = (FrameType.HISTOGRAM, FrameType.STATISTICS)
ALL_SPACES = sum(1 << space for space in Space)
LOOKS = 50
"""Chunks from the link between two looks at the instrument's time."""


class Frames:
    """Takes all frames of a device; keeps those that are not events."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.events = 0

    def take(self, part: Decoded) -> None:
        """Take the next frames."""
        if isinstance(part, EventBatch):
            self.events += len(part)
        else:
            self.frames.append(part)

    def logged(self, code: LogCode) -> list[Frame]:
        """Return the LOG frames with a code."""
        return [f for f in self.frames if f.type == FrameType.LOG and f.tag == code]


def frames_of(wire: bytes) -> list[Frame]:
    """Return the frames in a recording, events left out."""
    frames = Frames()
    for part in Decoder().feed(wire):
        frames.take(part)
    return frames.frames


def words(frames: Iterable[Frame]) -> dict[tuple[Space, int], bytes]:
    """Return each space of each bank as these dumps leave it; what never came is missing."""
    found: dict[tuple[Space, int], bytearray] = {}
    for frame in frames:
        if frame.type not in MEMORY_TYPES:
            continue
        place = Space(frame.flags & SPACE_MASK), int(bool(frame.flags & MemoryFlag.BANK))
        image = found.setdefault(place, bytearray())
        offset, zeros = split_place(frame.index)
        start = WORD_BYTES * (offset - zeros)
        piece = bytes(WORD_BYTES * zeros) + frame.payload
        image.extend(bytes(max(start + len(piece) - len(image), 0)))
        image[start : start + len(piece)] = piece
    return {place: bytes(image) for place, image in found.items()}


def await_frames(device: Device, done: Callable[[], bool], what: str, most_ticks: int) -> None:
    """Handle frames until `done`; fail once so much of the instrument's time has passed.

    However slow the machine is, its time is the instrument's.
    """
    began_ticks = device.read("status", "time_ticks")
    pumped = 0
    while not done():
        pumped += 1
        if not device.pump(0.1) or not pumped % LOOKS:
            ticks = device.read("status", "time_ticks") - began_ticks
            assert ticks < most_ticks, what


class AllDumped:
    """Whether every word of every space and bank has come since the end of a run."""

    def __init__(self, device: Device, frames: Frames) -> None:
        self._frames = frames
        self._seen = 0
        self._memories = Memories(device.identity.geometry)

    def __call__(self) -> bool:
        for frame in self._frames.frames[self._seen :]:
            if frame.type in MEMORY_TYPES and frame.flags & MemoryFlag.FINAL:
                self._memories.add(frame)
        self._seen = len(self._frames.frames)
        return not self._memories.missing(ALL_SPACES)


def await_end(device: Device, frames: Frames, most_ticks: int) -> None:
    """Handle frames until a run has ended and all that it dumps has come."""
    await_frames(device, lambda: bool(frames.logged(LogCode.STOPPED)), "no end", most_ticks)
    await_frames(device, AllDumped(device, frames), "no end of the dump", most_ticks)


def final_words(frames: Iterable[Frame]) -> dict[tuple[Space, int], bytes]:
    """Return the memories as dumped after the end of a run."""
    return words(f for f in frames if f.type in MEMORY_TYPES and f.flags & MemoryFlag.FINAL)


def assert_words_equal_truth(found: dict[tuple[Space, int], bytes], truth: golden.Results) -> None:
    """Assert that one bank holds, word for word, what the golden model has, and the other nothing.

    Space.UPLOAD_DROPS is left out: it tells of the link.
    """
    assert {space for space, _ in found} == {n for n in Space if entries(truth.geometry, n)}
    for (space, bank), image in sorted(found.items()):
        if space == Space.UPLOAD_DROPS:
            continue
        expected = truth.words(space)
        assert len(image) == len(expected), space.name
        if banks(truth.geometry, space) == 2:
            other = found[space, 1 - bank]
            assert {image, other} == {expected, bytes(len(expected))}, space.name
        else:
            assert (bank, image) == (0, expected), space.name


def start(device: Device, settings: Settings, *others: RegisterWrite, **control: int) -> Frames:
    """Set an instrument up and start a run by hand.

    `control` overrides registers of that block, `others` any.
    """
    frames = Frames()
    device.consumer = frames
    device.write_all(plan_of(settings, device.identity).registers)
    device.write_all(RegisterWrite("control", 0, name, value) for name, value in control.items())
    device.write_all(others)
    device.write("control", "action", Action.START)
    return frames
