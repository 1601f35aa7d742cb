"""What came over a link, frame by frame, and memories put together from their dumps."""

from __future__ import annotations

from collections.abc import Iterable

from plexor.batch import EventBatch
from plexor.decode import Decoder, Part
from plexor.device import Device
from plexor.plan import plan_of
from plexor.protocol.frames import (
    SPACE_MASK,
    WORD_BYTES,
    Frame,
    FrameType,
    LogCode,
    MemoryFlag,
    split_place,
)
from plexor.protocol.memory import Space
from plexor.protocol.registers import Action
from plexor.settings import RegisterWrite, Settings
from plexor_sim.golden import instrument as golden

MEMORY_TYPES = (FrameType.HISTOGRAM, FrameType.STATISTICS)


class Frames:
    """Takes all frames of a device; keeps those that are not events."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.events = 0

    def take(self, part: Part) -> None:
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


def final_words(frames: Iterable[Frame]) -> dict[tuple[Space, int], bytes]:
    """Return the memories as dumped after the end of a run."""
    return words(f for f in frames if f.type in MEMORY_TYPES and f.flags & MemoryFlag.FINAL)


def assert_words_equal_truth(found: dict[tuple[Space, int], bytes], truth: golden.Results) -> None:
    """Assert that one bank holds, word for word, what the golden model has, and the other nothing.

    Space.UPLOAD_DROPS is left out: it tells of the link.
    """
    assert {space for space, _ in found} == set(Space)
    for (space, bank), image in sorted(found.items()):
        if space == Space.UPLOAD_DROPS:
            continue
        expected = truth.words(space)
        other = found[space, 1 - bank]
        assert len(image) == len(expected), space.name
        assert {image, other} == {expected, bytes(len(expected))}, space.name


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
