"""Bytes of a link to frames: vectorised, resynchronising, every fault counted with its offset.

Data never raises: a stretch of bytes between two delimiters is a frame, or one fault.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from plexor.cobs import Bytes, Positions, unstuff, unstuff_one
from plexor.protocol.frames import (
    CRC_BYTES,
    HEADER,
    MAX_DELTA_TICKS,
    MAX_OPERATIONS,
    MAX_WORDS,
    OPERATION,
    POLARITY_SHIFT,
    SOURCE_BITS,
    SOURCE_SHIFT,
    SOURCES,
    WORD_BYTES,
    EventFlag,
    Frame,
    FrameType,
)
from plexor.results import EVENT_DTYPE, EventArray

LEAST_FRAME_BYTES = HEADER.size_bytes + CRC_BYTES
MOST_FRAME_BYTES = LEAST_FRAME_BYTES + MAX_WORDS * WORD_BYTES
MOST_STRETCH_BYTES = MOST_FRAME_BYTES + 1 + MOST_FRAME_BYTES // 254
"""The longest encoding of a frame."""
MAX_FAULTS = 10_000
"""Faults kept with their offsets; all are counted."""

_RESIDUE = zlib.crc32(b"\0" * CRC_BYTES)
"""CRC of any body with its CRC appended."""
_HEADER_DTYPE = np.dtype([(entry.name, f"<u{entry.bits // 8}") for entry in HEADER.fields])
_SOURCE_MASK = (1 << SOURCE_BITS) - 1 << SOURCE_SHIFT
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
    """Why a stretch of bytes is no frame."""

    LENGTH = "length"  # longer or shorter than any frame
    COBS = "cobs"
    CRC = "crc"
    TYPE = "type"  # intact, but of a type that no instrument sends
    WORDS = "words"  # intact, but of a length or a source that its type does not have
    TRUNCATED = "truncated"  # the data ends before the delimiter


@dataclass(frozen=True, slots=True)
class Fault:
    """A stretch of bytes that is no frame."""

    kind: FaultKind
    offset: int
    """Of its first byte, in the whole stream."""
    length: int


@dataclass(frozen=True, slots=True, eq=False)
class EventBatch:
    """Events of some EVENTS or TRACE frames, in order; all but `words` has one entry a frame."""

    words: NDArray[np.uint32]
    counts: NDArray[np.int64]
    base_ticks: NDArray[np.uint64]
    first_index: NDArray[np.uint64]
    gap: NDArray[np.bool_]
    """Events were dropped on the chip just before the frame."""
    after_loss: NDArray[np.bool_]
    """Frames were lost on the link just before the frame."""

    def __len__(self) -> int:
        return len(self.words)

    def part(self, first: int, last: int) -> EventBatch:
        """Return the events of some of its frames."""
        start = int(self.counts[:first].sum())
        length = int(self.counts[first:last].sum())
        return EventBatch(
            self.words[start : start + length],
            self.counts[first:last],
            self.base_ticks[first:last],
            self.first_index[first:last],
            self.gap[first:last],
            self.after_loss[first:last],
        )

    def time_ticks(self) -> NDArray[np.uint64]:
        """Return the time of each event."""
        return np.repeat(self.base_ticks, self.counts) + (self.words & np.uint32(MAX_DELTA_TICKS))

    def sources(self) -> NDArray[np.uint8]:
        """Return the source of each event."""
        return ((self.words & np.uint32(_SOURCE_MASK)) >> np.uint32(SOURCE_SHIFT)).astype(np.uint8)

    def polarities(self) -> NDArray[np.uint8]:
        """Return the polarity of each event."""
        return (self.words >> np.uint32(POLARITY_SHIFT)).astype(np.uint8)

    def indices(self) -> NDArray[np.uint64]:
        """Return the index of each event."""
        before = np.cumsum(self.counts) - self.counts
        return np.repeat(self.first_index - before.astype(np.uint64), self.counts) + np.arange(
            len(self.words), dtype=np.uint64
        )

    def array(self) -> EventArray:
        """Return the events as EVENT_DTYPE."""
        events = np.empty(len(self.words), dtype=EVENT_DTYPE)
        events["time_ticks"] = self.time_ticks()
        events["index"] = self.indices()
        events["source"] = self.sources()
        events["polarity"] = self.polarities()
        return events


def batch_of(frames: Sequence[Frame]) -> EventBatch:
    """Return the events of EVENTS or TRACE frames; none is taken as lost between them."""
    return EventBatch(
        np.frombuffer(b"".join(frame.payload for frame in frames), dtype="<u4"),
        np.array([len(frame.payload) // WORD_BYTES for frame in frames], dtype=np.int64),
        np.array([frame.base_ticks for frame in frames], dtype=np.uint64),
        np.array([frame.index for frame in frames], dtype=np.uint64),
        np.array([bool(frame.flags & EventFlag.GAP) for frame in frames], dtype=np.bool_),
        np.zeros(len(frames), dtype=np.bool_),
    )


Part = EventBatch | Frame
"""Some EVENTS frames in a row, or one frame of another type."""


class Decoder:
    """A resynchronising decoder of one byte stream.

    `faults` has the first MAX_FAULTS faults, `fault_counts` counts all, by kind. `frames_received`
    and `frames_lost` count by the header's sequence; a sequence that steps back is a restart.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.fault_counts: Counter[FaultKind] = Counter()
        self.frames_received = 0
        self.frames_lost = 0
        self.bytes_received = 0
        self._new_faults: list[Fault] = []
        self._tail = b""
        self._tail_skipped = 0
        self._sequence: int | None = None

    def feed(self, data: bytes) -> list[Part]:
        """Take the next bytes of the stream, cut anywhere; return the frames they complete."""
        offset = self.bytes_received - len(self._tail)
        self.bytes_received += len(data)
        last = data.rfind(b"\0")
        if last < 0:
            self._keep(self._tail + data)
            return []
        whole = self._tail + data[: last + 1] if self._tail else data[: last + 1]
        skipped, self._tail_skipped, self._tail = self._tail_skipped, 0, b""
        self._keep(data[last + 1 :])
        array = np.frombuffer(whole, dtype=np.uint8)
        ends = np.flatnonzero(array == 0)
        starts = np.empty_like(ends)
        starts[0], starts[1:] = 0, ends[:-1] + 1
        if skipped:
            self._fault(FaultKind.LENGTH, offset - skipped, int(ends[0]) + skipped)
            starts, ends = starts[1:], ends[1:]
        return self._frames(array, whole, starts, ends, offset)

    def finish(self) -> None:
        """Take the end of the stream: bytes without a delimiter are a fault."""
        length = len(self._tail) + self._tail_skipped
        if length:
            kind = FaultKind.LENGTH if self._tail_skipped else FaultKind.TRUNCATED
            self._fault(kind, self.bytes_received - length, length)
            self._settle_faults()
        self._tail, self._tail_skipped = b"", 0

    def _keep(self, tail: bytes) -> None:
        """Keep what no delimiter has ended yet; what is too long for a frame is only counted."""
        if self._tail_skipped or len(tail) > MOST_STRETCH_BYTES:
            self._tail_skipped += len(tail)
            tail = b""
        self._tail = tail

    def _fault(self, kind: FaultKind, offset: int, length: int) -> None:
        self.fault_counts[kind] += 1
        self._new_faults.append(Fault(kind, offset, length))

    def _settle_faults(self) -> None:
        """Add the faults of the last call, by their offset."""
        room = MAX_FAULTS - len(self.faults)
        self.faults += sorted(self._new_faults, key=lambda fault: fault.offset)[:room]
        self._new_faults.clear()

    def _frames(
        self, array: Bytes, data: bytes, starts: Positions, ends: Positions, offset: int
    ) -> list[Part]:
        lengths = ends - starts
        some = lengths > 0
        if not some.all():
            starts, ends, lengths = starts[some], ends[some], lengths[some]
        # A frame has whole words: where the length says otherwise there are 255 codes.
        regular = (lengths - 1) % WORD_BYTES == 0
        regular &= (lengths > LEAST_FRAME_BYTES) & (lengths <= MOST_FRAME_BYTES + 1)
        out, fits = unstuff(array, starts[regular], ends[regular])
        fit = np.zeros(len(starts), dtype=np.bool_)
        fit[regular] = fits
        view = memoryview(out.data)
        crc32 = zlib.crc32
        bodies: list[memoryview] = []
        places: list[tuple[int, int]] = []
        for start, end, good in zip(starts.tolist(), ends.tolist(), fit.tolist(), strict=True):
            body = view[start + 1 : end]
            if not good or crc32(body) != _RESIDUE:
                decoded = self._slow(data[start:end], offset + start)
                if decoded is None:
                    continue
                body = memoryview(decoded)
            bodies.append(body)
            places.append((offset + start, end - start))
        parts = self._sort(bodies, places)
        self._settle_faults()
        return parts

    def _slow(self, stretch: bytes, offset: int) -> bytearray | None:
        """Decode one stretch by itself; return None and count the fault where it is no frame."""
        if not LEAST_FRAME_BYTES < len(stretch) <= MOST_STRETCH_BYTES:
            self._fault(FaultKind.LENGTH, offset, len(stretch))
            return None
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

    def _sort(self, bodies: list[memoryview], places: list[tuple[int, int]]) -> list[Part]:
        """Part intact frames by type, and count those lost between them."""
        if not bodies:
            return []
        header_bytes = HEADER.size_bytes
        headers = np.frombuffer(
            b"".join([body[:header_bytes] for body in bodies]), dtype=_HEADER_DTYPE
        )
        lost = self._lost(headers["sequence"])
        is_events = headers["type"] == FrameType.EVENTS
        chosen: list[int] = np.flatnonzero(is_events).tolist()
        payloads = [bodies[number][header_bytes:-CRC_BYTES] for number in chosen]
        others: list[tuple[int, Frame]] = []
        for number in np.flatnonzero(~is_events).tolist():
            body = bodies[number]
            payload = body[header_bytes:-CRC_BYTES]
            fault = _fault_of(int(headers["type"][number]), payload)
            if fault is not None:
                self._fault(fault, *places[number])
                continue
            fields = HEADER.unpack(bytes(body[:header_bytes]))
            others.append((number, Frame(**fields, payload=bytes(payload))))
        if not chosen:
            return [frame for _, frame in others]
        return _interleave(*self._events(headers, lost, chosen, payloads, places), others)

    def _events(
        self,
        headers: NDArray[np.void],
        lost: NDArray[np.bool_],
        chosen: list[int],
        payloads: list[memoryview],
        places: list[tuple[int, int]],
    ) -> tuple[EventBatch, list[int]]:
        words = np.frombuffer(b"".join(payloads), dtype="<u4")
        if len(words) and (words & np.uint32(_SOURCE_MASK)).max() > _LAST_SOURCE:
            good: list[int] = []
            for place, payload in zip(chosen, payloads, strict=True):
                if _sources_exist(payload):
                    good.append(place)
                else:
                    self._fault(FaultKind.WORDS, *places[place])
            payloads = [p for n, p in zip(chosen, payloads, strict=True) if n in set(good)]
            chosen = good
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

    def _lost(self, sequence: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Count frames lost by their sequence; return which frames have a loss before them."""
        self.frames_received += len(sequence)
        before = np.empty_like(sequence)
        before[1:] = sequence[:-1]
        first = int(sequence[0])
        before[0] = (first - 1) % (1 << 32) if self._sequence is None else self._sequence
        missing = sequence - before - np.uint32(1)
        missing[missing >= 1 << 31] = 0
        self.frames_lost += int(missing.sum(dtype=np.int64))
        self._sequence = int(sequence[-1])
        return missing > 0


def _interleave(
    batch: EventBatch, numbers: list[int], others: list[tuple[int, Frame]]
) -> list[Part]:
    """Return the batch, cut where a frame of another type came, and those frames, in order."""
    parts: list[Part] = []
    done = 0
    for number, frame in others:
        until = bisect_left(numbers, number)
        if until > done:
            parts.append(batch.part(done, until))
            done = until
        parts.append(frame)
    if not done:
        parts.append(batch)
    elif done < len(numbers):
        parts.append(batch.part(done, len(numbers)))
    return parts


def _sources_exist(payload: bytes | memoryview) -> bool:
    words = np.frombuffer(payload, dtype="<u4")
    return not len(words) or bool((words & np.uint32(_SOURCE_MASK)).max() <= _LAST_SOURCE)


def _fault_of(kind: int, payload: memoryview) -> FaultKind | None:
    """Return what is wrong with an intact frame that is not of EVENTS."""
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
