# SPDX-License-Identifier: Apache-2.0
"""Events as frames carry them: one word for each event, and what the frame's header adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plexor.model.results import EVENT_DTYPE, EventArray
from plexor.protocol.frames import (
    MAX_DELTA_TICKS,
    POLARITY_SHIFT,
    SOURCE_BITS,
    SOURCE_CODE_VALUE,
    SOURCE_SHIFT,
    WORD_BYTES,
    EventFlag,
    Frame,
)

SOURCE_MASK = ((1 << SOURCE_BITS) - 1) << SOURCE_SHIFT


@dataclass(frozen=True, slots=True, eq=False)
class EventBatch:
    """Events of consecutive EVENTS or TRACE frames.

    `words` has one entry for each event; every other array has one entry for each frame.
    """

    words: NDArray[np.uint32]
    counts: NDArray[np.int64]
    base_ticks: NDArray[np.uint64]
    first_index: NDArray[np.uint64]
    gap: NDArray[np.bool_]
    """Whether the chip dropped events just before the frame."""
    after_loss: NDArray[np.bool_]
    """Whether the link lost frames just before the frame."""

    def __len__(self) -> int:
        return len(self.words)

    @property
    def size_bytes(self) -> int:
        """Memory that the arrays occupy, in bytes."""
        arrays = (self.words, self.counts, self.base_ticks, self.first_index)
        return sum(array.nbytes for array in arrays) + 2 * len(self.gap)

    def frames(self, first: int, last: int) -> EventBatch:
        """Return the events of frames `first` to `last` - 1."""
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

    def only(self, frames: NDArray[np.bool_]) -> EventBatch:
        """Return the events of the marked frames."""
        return EventBatch(
            self.words[np.repeat(frames, self.counts)],
            self.counts[frames],
            self.base_ticks[frames],
            self.first_index[frames],
            self.gap[frames],
            self.after_loss[frames],
        )

    def deltas(self) -> NDArray[np.uint32]:
        """Return the time of each event since its frame's base, in ticks."""
        deltas = self.words & np.uint32(MAX_DELTA_TICKS)
        # A code and its value are never in two frames.
        value_positions = 1 + np.flatnonzero(self.sources()[1:] == SOURCE_CODE_VALUE)
        deltas[value_positions] = deltas[value_positions - 1]
        return deltas

    def time_ticks(self) -> NDArray[np.uint64]:
        """Return the time of each event, in ticks."""
        return np.repeat(self.base_ticks, self.counts) + self.deltas()

    def values(self) -> NDArray[np.uint32]:
        """Return the value of each code whose value is an event; of other events 0."""
        is_value = self.sources() == SOURCE_CODE_VALUE
        return np.where(is_value, self.words & np.uint32(MAX_DELTA_TICKS), np.uint32(0))

    def sources(self) -> NDArray[np.uint8]:
        """Return the source of each event."""
        return ((self.words & np.uint32(SOURCE_MASK)) >> np.uint32(SOURCE_SHIFT)).astype(np.uint8)

    def polarities(self) -> NDArray[np.uint8]:
        """Return the polarity of each event: 0 or 1."""
        return (self.words >> np.uint32(POLARITY_SHIFT)).astype(np.uint8)

    def indices(self) -> NDArray[np.uint64]:
        """Return the index of each event."""
        first_word = np.cumsum(self.counts) - self.counts
        return np.repeat(self.first_index - first_word.astype(np.uint64), self.counts) + np.arange(
            len(self.words), dtype=np.uint64
        )

    def array(self) -> EventArray:
        """Return the events as an array of EVENT_DTYPE."""
        events = np.empty(len(self.words), dtype=EVENT_DTYPE)
        events["time_ticks"] = self.time_ticks()
        events["index"] = self.indices()
        events["source"] = self.sources()
        events["polarity"] = self.polarities()
        return events


def batch_of(frames: Sequence[Frame]) -> EventBatch:
    """Return the events of EVENTS or TRACE frames, assuming that no frame was lost between them."""
    return EventBatch(
        np.frombuffer(b"".join(frame.payload for frame in frames), dtype="<u4"),
        np.array([len(frame.payload) // WORD_BYTES for frame in frames], dtype=np.int64),
        np.array([frame.base_ticks for frame in frames], dtype=np.uint64),
        np.array([frame.index for frame in frames], dtype=np.uint64),
        np.array([bool(frame.flags & EventFlag.GAP) for frame in frames], dtype=np.bool_),
        np.zeros(len(frames), dtype=np.bool_),
    )
