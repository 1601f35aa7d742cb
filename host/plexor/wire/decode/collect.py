# SPDX-License-Identifier: Apache-2.0
"""Collects and counts everything that an instrument sends in a run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from plexor.base.constraints import MOST_TICKS
from plexor.model.code_array import CodeArray
from plexor.model.results import EVENT_DTYPE, EventArray
from plexor.protocol.frames import (
    POLARITY_BITS,
    SOURCE_BITS,
    SOURCE_CODE,
    SOURCE_CODE_VALUE,
    SOURCE_SHIFT,
    Frame,
    FrameType,
    LogCode,
    MemoryFlag,
)
from plexor.protocol.geometry import Geometry
from plexor.wire.decode.batch import EventBatch, batch_of
from plexor.wire.decode.codes import codes_in
from plexor.wire.decode.decoder import Decoded
from plexor.wire.decode.live import LiveMatching
from plexor.wire.decode.memories import Memories

_KEYS = 1 << (SOURCE_BITS + POLARITY_BITS)
_WORDS_A_PIECE = 1 << 20
MOST_KEPT_BYTES = 1 << 28
"""Memory for a run's undecoded events, in bytes: 2**26 events. Later ones are only counted."""
_MOST_TRACES = 4096


class Collector:
    """Everything that came in one run. A `STARTED` message begins a new run.

    - `gap_dropped`: events that the stream's index skips where no frame was lost
    - `gap_lost`: events that the index skips where frames were lost
    - `disorder`: frames whose index steps back
    - `unmarked`: gaps without the flag for dropped events
    - `backwards`: events that are earlier than the event before them
    - `misplaced`: events left out because no run reaches their time or index

    On a busy link, events of the previous run may still follow `STARTED`. The collector forgets
    events from before the start once it sees the new run's index 0.
    """

    def __init__(self, geometry: Geometry, keep_events: bool = True) -> None:
        self.geometry = geometry
        self.keep_events = keep_events
        self.on_events: Callable[[EventArray], None] | None = None
        """Called with the run's events as they arrive (EVENT_DTYPE)."""
        self.matches: Callable[[], LiveMatching | None] | None = None
        """Called before a run's first event for what is to match its events as they arrive."""
        self.reset()

    def reset(self) -> None:
        """Forget everything, for a new run."""
        self.memories = Memories(self.geometry)
        self.started_ticks: int | None = None
        self.stopped: tuple[int, int] | None = None
        """(StopReason, end_ticks)."""
        self.triggered: tuple[int, int] | None = None
        """(index, time in ticks)."""
        self.dumps = 0
        self.snapshot_ticks = 0
        """Time of the snapshot whose dump came last."""
        self.trace_events = 0
        """Number of trace events received."""
        self._trace: dict[int, Frame] = {}
        self._forget_events()

    def _forget_events(self) -> None:
        self.received: NDArray[np.int64] = np.zeros(_KEYS, dtype=np.int64)
        self.next_index = 0
        self.gap_dropped = 0
        self.gap_lost = 0
        self.disorder = 0
        self.unmarked = 0
        self.backwards = 0
        self.misplaced = 0
        self.first_ticks: int | None = None
        """Time of the first event; None before it came."""
        self.last_ticks = 0
        """Time of the last event."""
        self.too_many = False
        """Whether MOST_KEPT_BYTES was reached. Later events are only counted."""
        self._batches: list[EventBatch] = []
        self._kept_bytes = 0
        self._matching: LiveMatching | None = None
        self._begun = False
        """Whether `matches` was called for this run."""

    def take(self, part: Decoded) -> None:
        """Take the next frames, in the order of arrival."""
        if isinstance(part, Frame):
            self._frame(part)
        else:
            self._events(part)

    def _events(self, batch: EventBatch) -> None:
        start_ticks = self.started_ticks
        if start_ticks is not None and self.last_ticks < start_ticks:
            begins = np.flatnonzero(batch.first_index == 0)
            if len(begins):
                own = int(begins[-1])
                self._add(batch.frames(0, own))
                # The last time is the maximum, unless times have stepped back.
                if self.last_ticks < start_ticks and not self.backwards and not self.misplaced:
                    self._forget_events()
                batch = batch.frames(own, len(batch.counts))
        self._add(batch)

    def _add(self, batch: EventBatch) -> None:
        far = (batch.base_ticks >= MOST_TICKS) | (batch.first_index >= MOST_TICKS)
        if far.any():
            self.misplaced += int(batch.counts[far].sum())
            batch = batch.only(~far)
        if not len(batch.counts):
            return
        keys = batch.words >> np.uint32(SOURCE_SHIFT)
        for start in range(0, len(keys), _WORDS_A_PIECE):
            piece = keys[start : start + _WORDS_A_PIECE]
            self.received += np.bincount(piece, minlength=_KEYS)
        first = batch.first_index.astype(np.int64)
        ends = first + batch.counts
        expected = np.empty_like(ends)
        expected[0], expected[1:] = self.next_index, ends[:-1]
        gaps = first - expected
        steps_back = gaps < 0
        self.disorder += int(steps_back.sum())
        gaps[steps_back] = 0
        missing = gaps.copy()
        lost = batch.after_loss
        self.gap_lost += sum(gaps[lost].tolist())
        self.gap_dropped += sum(gaps[~lost].tolist())
        self.unmarked += int(((gaps > 0) & ~lost & ~batch.gap).sum())
        self.next_index = int(ends[-1])
        if len(batch):
            self._times(batch)
        self._match(batch, missing)
        if self.on_events is not None and len(batch):
            events = batch.array()
            self.on_events(events[events["time_ticks"] >= (self.started_ticks or 0)])
        if self.keep_events and len(batch) and not self.too_many:
            self._keep(batch)

    def _match(self, batch: EventBatch, missing: NDArray[np.int64]) -> None:
        """Match the batch as it comes, if that is asked for."""
        if not self._begun and self.matches is not None:
            self._matching, self._begun = self.matches(), True
        if not self.in_order:
            self._matching = None
        if self._matching is not None:
            self._matching.take(batch, missing)

    @property
    def must_end(self) -> bool:
        """Whether what ends the run has come, if the host looks for that."""
        return self._matching is not None and self._matching.found() is not None

    def matching(self, begin: Callable[[], LiveMatching | None]) -> LiveMatching | None:
        """Return the matching of all events so far; None if they are not in order.

        If they were not matched as they came, they are now, by what `begin` returns. Then all of
        them must be kept.
        """
        if not self.in_order or self._matching is not None or self.too_many:
            return self._matching if self.in_order else None
        if not self.keep_events:
            return None
        matching = begin()
        if matching is not None:
            next_index = 0
            for batch in self._batches:
                first = batch.first_index.astype(np.int64)
                ends = first + batch.counts
                expected = np.append(next_index, ends[:-1])
                matching.take(batch, first - expected)
                next_index = int(ends[-1])
        return matching

    def _keep(self, batch: EventBatch) -> None:
        """Keep the batch's first frames, as many as fit into MOST_KEPT_BYTES."""
        room = MOST_KEPT_BYTES - self._kept_bytes
        if batch.size_bytes > room:
            frames = len(batch.counts)
            a_frame = (batch.size_bytes - batch.words.nbytes) // frames
            ends = np.cumsum(batch.counts) * batch.words.itemsize
            ends += np.arange(1, frames + 1) * a_frame
            batch = batch.frames(0, int(np.searchsorted(ends, room, "right")))
            self.too_many = True
        if len(batch):
            self._batches.append(batch)
            self._kept_bytes += batch.size_bytes

    def _times(self, batch: EventBatch) -> None:
        """Record the batch's first and last time, and count times that step back."""
        filled = batch.counts > 0
        ends = np.cumsum(batch.counts[filled])
        starts = ends - batch.counts[filled]
        deltas = batch.deltas()
        steps_back = deltas[1:] < deltas[:-1]
        steps_back[starts[1:] - 1] = False
        bases = batch.base_ticks[filled]
        firsts, lasts = bases + deltas[starts], bases + deltas[ends - 1]
        self.backwards += int(steps_back.sum()) + int((firsts[1:] < lasts[:-1]).sum())
        first = int(firsts[0])
        if self.first_ticks is None:
            self.first_ticks = first
        elif first < self.last_ticks:
            self.backwards += 1
        self.last_ticks = int(lasts[-1])

    def _frame(self, frame: Frame) -> None:
        if frame.type == FrameType.LOG:
            self._log(frame)
        elif frame.type in (FrameType.HISTOGRAM, FrameType.STATISTICS):
            self.memories.add(frame)
            if not frame.flags & MemoryFlag.FINAL and frame.base_ticks < MOST_TICKS:
                self.snapshot_ticks = frame.base_ticks
        elif frame.type == FrameType.TRACE and max(frame.base_ticks, frame.index) < MOST_TICKS:
            self._traced(frame)

    def _traced(self, frame: Frame) -> None:
        """Keep a TRACE frame, up to as many events as the instrument can send."""
        replaced = self._trace.pop(frame.index, None)
        self.trace_events += (len(frame.payload) - len(replaced.payload if replaced else b"")) // 4
        self._trace[frame.index] = frame
        # A code and its value share one slot of the ring.
        most = self.geometry.ring_depth * (2 if self.geometry.code_bits else 1)
        while self.trace_events > most or len(self._trace) > _MOST_TRACES:
            self.trace_events -= len(self._trace.pop(next(iter(self._trace))).payload) // 4

    def _log(self, frame: Frame) -> None:
        if frame.tag == LogCode.STARTED:
            self.reset()
            self.started_ticks = frame.base_ticks
        elif frame.tag == LogCode.STOPPED:
            self.stopped = (frame.index, frame.base_ticks)
        elif frame.tag == LogCode.TRIGGERED:
            self.triggered = (frame.index, frame.base_ticks)
        elif frame.tag == LogCode.DUMPED:
            self.dumps += 1

    def has_ring_of(self, events: int) -> bool:
        """Return whether the ring's whole content after `events` events has arrived.

        A code and its value are two events in one slot, so the number of slots is only known if all
        events arrived; otherwise return False.
        """
        if self.received_total != events:
            return False
        slots = events - self.received_of(SOURCE_CODE_VALUE)
        traced = self.trace_events
        for frame in self._trace.values():
            keys = np.frombuffer(frame.payload, "<u4") >> SOURCE_SHIFT
            traced -= int(np.count_nonzero(keys & ((1 << SOURCE_BITS) - 1) == SOURCE_CODE_VALUE))
        return traced >= min(slots, self.geometry.ring_depth)

    def received_of(self, source: int) -> int:
        """Return how many events of a source came, of either polarity."""
        return int(self.received[source] + self.received[source | 1 << SOURCE_BITS])

    @property
    def received_total(self) -> int:
        """Number of events received."""
        return int(self.received.sum())

    @property
    def complete(self) -> bool:
        """Whether every event so far came, in order."""
        return self.in_order and not (self.gap_dropped or self.gap_lost)

    @property
    def in_order(self) -> bool:
        """Whether events came in time order and none was left out as misplaced."""
        return not (self.disorder or self.backwards or self.misplaced)

    def event_array(self) -> EventArray | None:
        """Return the events in the order of arrival (EVENT_DTYPE); None if they are not kept."""
        if not self.keep_events:
            return None
        events = np.empty(sum(map(len, self._batches)), dtype=EVENT_DTYPE)
        position = 0
        for batch in self._batches:
            events[position : position + len(batch)] = batch.array()
            position += len(batch)
        return events

    def code_array(self) -> CodeArray:
        """Return the codes of the code port among the events (CODE_DTYPE)."""
        coded = self.received_of(SOURCE_CODE) > 0
        return codes_in(self._batches if coded else ())

    def trace_array(self) -> EventArray | None:
        """Return the events around the trigger (EVENT_DTYPE); None if none came."""
        if not self._trace:
            return None
        return batch_of([self._trace[index] for index in sorted(self._trace)]).array()
