# SPDX-License-Identifier: Apache-2.0
"""Finds frames in a link's bytes; resynchronises after damage and counts every fault.

Input never raises. Each stretch of bytes between two delimiters becomes a frame or one fault, which
has the stretch's offset.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from plexor.protocol.frames import (
    CRC_BYTES,
    HEADER,
    MAX_OPERATIONS,
    MAX_WORDS,
    OPERATION,
    SOURCE_SHIFT,
    SOURCES,
    WORD_BYTES,
    EventFlag,
    Frame,
    FrameType,
)
from plexor.wire.decode.batch import SOURCE_MASK, EventBatch
from plexor.wire.decode.cobs import Bytes, Offsets, unstuff, unstuff_one
from plexor.wire.link.sequence import MODULUS, Disorder, Past

Sequences = NDArray[np.uint32]

LEAST_FRAME_BYTES = HEADER.size_bytes + CRC_BYTES
MOST_FRAME_BYTES = LEAST_FRAME_BYTES + MAX_WORDS * WORD_BYTES
MOST_STRETCH_BYTES = MOST_FRAME_BYTES + 1 + MOST_FRAME_BYTES // 254
"""Maximum length of an encoded frame, in bytes."""
MAX_FAULTS = 10_000
"""Maximum number of faults kept with their offsets. All faults are counted."""

_RESIDUE = zlib.crc32(b"\0" * CRC_BYTES)
"""CRC of any body that ends with its own CRC."""
_HEADER_DTYPE = np.dtype([(field.name, f"<u{field.bits // 8}") for field in HEADER.fields])
_LAST_SOURCE = SOURCES - 1 << SOURCE_SHIFT
_RECEIVED = (
    FrameType.EVENTS,
    FrameType.HISTOGRAM,
    FrameType.STATISTICS,
    FrameType.LOG,
    FrameType.RESPONSE,
    FrameType.TRACE,
)


class FaultKind(StrEnum):
    """Why a stretch of bytes is not a frame."""

    LENGTH = "length"  # longer or shorter than any frame
    COBS = "cobs"
    CRC = "crc"
    TYPE = "type"  # intact, but of a type that no instrument sends
    WORDS = "words"  # intact, but of a length or a source that its type does not have
    TRUNCATED = "truncated"  # the data ends before the delimiter


@dataclass(frozen=True, slots=True)
class Fault:
    """A stretch of bytes that is not a frame."""

    kind: FaultKind
    offset: int
    """Offset of the first byte in the whole stream."""
    length: int


Decoded = EventBatch | Frame
"""A run of consecutive EVENTS frames, or one frame of another type."""


class Decoder:
    """A resynchronising decoder of one byte stream.

    `faults` holds the first MAX_FAULTS faults; `fault_counts` counts all, by kind.
    `frames_received` and `frames_lost` are counted from the headers' sequence numbers. Repeated
    frames and frames overtaken by others are left out; `disorder` counts both. A sequence number
    older than all that `Past` knows is taken as a restart.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.fault_counts: Counter[FaultKind] = Counter()
        self.frames_received = 0
        self.frames_lost = 0
        self.disorder: Counter[Disorder] = Counter()
        self.bytes_received = 0
        self._new_faults: list[Fault] = []
        self._tail = b""
        self._tail_skipped = 0
        self._sequence: int | None = None
        self._past = Past()
        self._loss_waits = False

    def feed(self, data: bytes) -> list[Decoded]:
        """Decode the next bytes of the stream, cut anywhere; return the frames they complete."""
        offset = self.bytes_received - len(self._tail)
        self.bytes_received += len(data)
        last = data.rfind(b"\0")
        if last < 0:
            self._keep(self._tail + data)
            return []
        stretches = self._tail + data[: last + 1] if self._tail else data[: last + 1]
        skipped, self._tail_skipped, self._tail = self._tail_skipped, 0, b""
        self._keep(data[last + 1 :])
        array = np.frombuffer(stretches, dtype=np.uint8)
        first = 0
        if skipped:
            first = stretches.index(0)
            self._fault(FaultKind.LENGTH, offset - skipped, first + skipped)
        # Consecutive delimiters count as one, so that a flood of them costs little.
        filled = array[first:] != 0
        previous = np.empty_like(filled)
        previous[0], previous[1:] = False, filled[:-1]
        starts = np.flatnonzero(filled & ~previous) + first
        ends = np.flatnonzero(previous & ~filled) + first
        return self._frames(array, stretches, starts, ends, offset)

    def finish(self) -> None:
        """End the stream. Bytes without a delimiter become a fault."""
        length = len(self._tail) + self._tail_skipped
        if length:
            kind = FaultKind.LENGTH if self._tail_skipped else FaultKind.TRUNCATED
            self._fault(kind, self.bytes_received - length, length)
            self._settle_faults()
        self._tail, self._tail_skipped = b"", 0

    def _keep(self, tail: bytes) -> None:
        """Keep bytes without a delimiter so far. If no frame is that long, only count them."""
        if self._tail_skipped or len(tail) > MOST_STRETCH_BYTES:
            self._tail_skipped += len(tail)
            tail = b""
        self._tail = tail

    def _fault(self, kind: FaultKind, offset: int, length: int) -> None:
        self.fault_counts[kind] += 1
        self._new_faults.append(Fault(kind, offset, length))

    def _settle_faults(self) -> None:
        """Add the last call's faults, sorted by offset."""
        room = MAX_FAULTS - len(self.faults)
        self.faults += sorted(self._new_faults, key=lambda fault: fault.offset)[:room]
        self._new_faults.clear()

    def _frames(
        self, array: Bytes, data: bytes, starts: Offsets, ends: Offsets, offset: int
    ) -> list[Decoded]:
        starts, ends = self._of_length(starts, ends, offset)
        lengths = ends - starts
        # A frame is a whole number of words. Other lengths mean that there are 255 codes.
        regular = (lengths - 1) % WORD_BYTES == 0
        regular &= (lengths > LEAST_FRAME_BYTES) & (lengths <= MOST_FRAME_BYTES + 1)
        decoded_bytes, fits = unstuff(array, starts[regular], ends[regular])
        fit = np.zeros(len(starts), dtype=np.bool_)
        fit[regular] = fits
        view = memoryview(decoded_bytes.data)
        crc32 = zlib.crc32
        bodies: list[memoryview] = []
        stretches: list[tuple[int, int]] = []
        for start, end, good in zip(starts.tolist(), ends.tolist(), fit.tolist(), strict=True):
            body = view[start + 1 : end]
            if not good or crc32(body) != _RESIDUE:
                decoded = self._slow(data[start:end], offset + start)
                if decoded is None:
                    continue
                body = memoryview(decoded)
            bodies.append(body)
            stretches.append((offset + start, end - start))
        parts = self._sort(bodies, stretches)
        self._settle_faults()
        return parts

    def _of_length(self, starts: Offsets, ends: Offsets, offset: int) -> tuple[Offsets, Offsets]:
        """Return the stretches whose length fits a frame; count the others as faults."""
        lengths = ends - starts
        wrong = (lengths <= LEAST_FRAME_BYTES) | (lengths > MOST_STRETCH_BYTES)
        if not wrong.any():
            return starts, ends
        self.fault_counts[FaultKind.LENGTH] += int(wrong.sum())
        stretches = zip(starts[wrong].tolist(), lengths[wrong].tolist(), strict=True)
        for start, length in islice(stretches, MAX_FAULTS - len(self.faults)):
            self._new_faults.append(Fault(FaultKind.LENGTH, offset + start, length))
        return starts[~wrong], ends[~wrong]

    def _slow(self, stretch: bytes, offset: int) -> bytearray | None:
        """Decode a single stretch; return None and count a fault if it is not a frame."""
        body = unstuff_one(stretch)
        if body is None:
            self._fault(FaultKind.COBS, offset, len(stretch))
            return None
        if len(body) % WORD_BYTES or not LEAST_FRAME_BYTES <= len(body) <= MOST_FRAME_BYTES:
            self._fault(FaultKind.LENGTH, offset, len(stretch))
            return None
        if zlib.crc32(body) != _RESIDUE:
            self._fault(FaultKind.CRC, offset, len(stretch))
            return None
        return body

    def _sort(self, bodies: list[memoryview], stretches: list[tuple[int, int]]) -> list[Decoded]:
        """Separate intact frames by type, and count the frames lost between them."""
        if not bodies:
            return []
        header_bytes = HEADER.size_bytes
        headers = np.frombuffer(
            b"".join([body[:header_bytes] for body in bodies]), dtype=_HEADER_DTYPE
        )
        missing, in_turn = self._missing(headers["sequence"])
        if not in_turn.all():
            headers, missing = headers[in_turn], missing[in_turn]
            bodies = [bodies[n] for n in np.flatnonzero(in_turn)]
            stretches = [stretches[n] for n in np.flatnonzero(in_turn)]
            if not bodies:
                return []
        self.frames_received += len(bodies)
        self.frames_lost += int(missing.sum(dtype=np.int64))
        is_events = headers["type"] == FrameType.EVENTS
        lost = self._before_events(missing > 0, is_events)
        chosen: list[int] = np.flatnonzero(is_events).tolist()
        payloads = [bodies[number][header_bytes:-CRC_BYTES] for number in chosen]
        other_frames: list[tuple[int, Frame]] = []
        for number in np.flatnonzero(~is_events).tolist():
            body = bodies[number]
            payload = body[header_bytes:-CRC_BYTES]
            fault = _fault_of(int(headers["type"][number]), payload)
            if fault is not None:
                self._fault(fault, *stretches[number])
                continue
            fields = HEADER.unpack(bytes(body[:header_bytes]))
            other_frames.append((number, Frame(**fields, payload=bytes(payload))))
        if not chosen:
            return [frame for _, frame in other_frames]
        return _interleave(*self._events(headers, lost, chosen, payloads, stretches), other_frames)

    def _events(
        self,
        headers: NDArray[np.void],
        lost: NDArray[np.bool_],
        chosen: list[int],
        payloads: list[memoryview],
        stretches: list[tuple[int, int]],
    ) -> tuple[EventBatch, list[int]]:
        words = np.frombuffer(b"".join(payloads), dtype="<u4")
        if len(words) and (words & np.uint32(SOURCE_MASK)).max() > _LAST_SOURCE:
            good: list[int] = []
            good_payloads: list[memoryview] = []
            for number, payload in zip(chosen, payloads, strict=True):
                if _sources_exist(payload):
                    good.append(number)
                    good_payloads.append(payload)
                else:
                    self._fault(FaultKind.WORDS, *stretches[number])
            chosen, payloads = good, good_payloads
            words = np.frombuffer(b"".join(payloads), dtype="<u4")
        heads = headers[chosen]
        batch = EventBatch(
            words,
            np.array([len(payload) // WORD_BYTES for payload in payloads], dtype=np.int64),
            heads["base_ticks"].copy(),
            heads["index"].copy(),
            (heads["flags"] & np.uint8(EventFlag.GAP)) != 0,
            lost[chosen],
        )
        return batch, chosen

    def _before_events(
        self, lost: NDArray[np.bool_], is_events: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return a flag for each frame: whether frames were lost since the last EVENTS frame."""
        losses = np.cumsum(lost, dtype=np.int64) + self._loss_waits
        reported = np.maximum.accumulate(np.where(is_events, losses, 0))
        reported_before = np.concatenate((np.zeros(1, dtype=np.int64), reported[:-1]))
        self._loss_waits = bool(losses[-1] > reported[-1])
        return losses > reported_before

    def _missing(self, sequence: Sequences) -> tuple[Sequences, NDArray[np.bool_]]:
        """Return how many frames are missing before each frame, and which frames are in order."""
        previous = np.empty_like(sequence)
        previous[1:] = sequence[:-1]
        first = int(sequence[0])
        previous[0] = (first - 1) % MODULUS if self._sequence is None else self._sequence
        missing = sequence - previous - np.uint32(1)
        in_turn = np.ones(len(sequence), dtype=np.bool_)
        if (missing >= MODULUS >> 1).any():
            self._in_turn(sequence, missing, in_turn, int(previous[0]))
            return missing, in_turn
        for position in np.flatnonzero(missing).tolist():
            self._past.miss(int(previous[position]) + 1, int(missing[position]))
        self._past.came(len(sequence))
        self._sequence = int(sequence[-1])
        return missing, in_turn

    def _in_turn(
        self, sequence: Sequences, missing: Sequences, in_turn: NDArray[np.bool_], last: int
    ) -> None:
        """Correct `missing` and `in_turn` in place, frame by frame, where numbers step back."""
        for position, number in enumerate(sequence.tolist()):
            ahead = (number - last - 1) % MODULUS
            missing[position] = 0
            if ahead >= MODULUS >> 1:
                disorder = self._past.disorder_of(number, MODULUS - ahead)
                if disorder is not None:
                    self.disorder[disorder] += 1
                    in_turn[position] = False
                    continue
            elif ahead:
                self._past.miss(last + 1, ahead)
                missing[position] = ahead
            self._past.came(1)
            last = number
        self._sequence = last


def _interleave(
    batch: EventBatch, numbers: list[int], other_frames: list[tuple[int, Frame]]
) -> list[Decoded]:
    """Cut the batch at each frame of another type; return all pieces in order."""
    parts: list[Decoded] = []
    done = 0
    for number, frame in other_frames:
        until = bisect_left(numbers, number)
        if until > done:
            parts.append(batch.frames(done, until))
            done = until
        parts.append(frame)
    if not done:
        parts.append(batch)
    elif done < len(numbers):
        parts.append(batch.frames(done, len(numbers)))
    return parts


def _sources_exist(payload: bytes | memoryview) -> bool:
    words = np.frombuffer(payload, dtype="<u4")
    return not len(words) or bool((words & np.uint32(SOURCE_MASK)).max() <= _LAST_SOURCE)


def _fault_of(kind: int, payload: memoryview) -> FaultKind | None:
    """Return what is wrong with an intact frame of any type but EVENTS; None if nothing is."""
    if kind not in _RECEIVED:
        return FaultKind.TYPE
    size = len(payload)
    fits = {
        FrameType.LOG: size == 0,
        FrameType.RESPONSE: size % OPERATION.size_bytes == 0
        and size <= MAX_OPERATIONS * OPERATION.size_bytes,
    }.get(FrameType(kind), True)
    if kind == FrameType.TRACE:
        fits = _sources_exist(payload)
    return None if fits else FaultKind.WORDS
