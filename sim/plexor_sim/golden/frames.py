# SPDX-License-Identifier: Apache-2.0
"""Frames that a device could send: the model's events and dumped memories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from plexor.protocol.frames import (
    MAX_DELTA_TICKS,
    MAX_WORDS,
    POLARITY_SHIFT,
    SOURCE_SHIFT,
    WORD_BYTES,
    ZEROS_SHIFT,
    EventFlag,
    Frame,
    FrameType,
    MemoryFlag,
)
from plexor.protocol.memory import HISTOGRAM_SPACES, Space
from plexor_sim.golden.edges import Events, Levels


def event_frames(
    events: Events,
    *,
    sequence: int = 0,
    max_words: int = MAX_WORDS,
    link_dropped: Levels | None = None,
) -> Iterator[Frame]:
    """Yield EVENTS frames of the events that the link's FIFO did not drop.

    A frame ends at `max_words`, before a gap in the indices, and where a delta would not fit. Its
    base is its first event's time. GAP is set if the index does not continue that of the frame
    before, from 0 on. Sequence numbers count up from `sequence`.
    """
    kept = events if link_dropped is None else events.chosen(~link_dropped)
    if not len(kept):
        return
    times, index = kept.time_ticks, kept.index
    gap = np.concatenate(([index[0] != 0], np.diff(index) != 1))
    breaks = [0, *(np.flatnonzero(gap[1:]) + 1).tolist(), len(kept)]
    high = kept.source.astype(np.int64) << SOURCE_SHIFT
    high |= kept.polarity.astype(np.int64) << POLARITY_SHIFT
    for first, last in pairwise(breaks):
        start = first
        while start < last:
            base = int(times[start])
            fits = int(np.searchsorted(times, base + MAX_DELTA_TICKS, side="right"))
            end = min(start + max_words, last, fits)
            words = (times[start:end] - base) | high[start:end]
            yield Frame(
                FrameType.EVENTS,
                EventFlag.GAP if gap[start] else 0,
                0,
                sequence & 0xFFFFFFFF,
                int(index[start]),
                base,
                words.astype("<u4").tobytes(),
            )
            sequence += 1
            start = end


def memory_frames(
    space: Space,
    words: bytes,
    *,
    sequence: int = 0,
    snapshot: int = 0,
    base_ticks: int = 0,
    flags: MemoryFlag = MemoryFlag.FINAL,
    max_words: int = MAX_WORDS,
) -> Iterator[Frame]:
    """Yield the frames of one dumped space. `flags` holds bank and FINAL; LAST is added.

    Frames of zeros are left out, except the last frame.
    """
    kind = FrameType.HISTOGRAM if space in HISTOGRAM_SPACES else FrameType.STATISTICS
    size = max_words * WORD_BYTES
    zeros = 0
    for start in range(0, len(words), size):
        piece, is_last = words[start : start + size], start + size >= len(words)
        if not any(piece) and not is_last:
            zeros += max_words
            continue
        yield Frame(
            kind,
            space | flags | (MemoryFlag.LAST if is_last else 0),
            snapshot,
            sequence & 0xFFFFFFFF,
            start // WORD_BYTES | zeros << ZEROS_SHIFT,
            base_ticks,
            piece,
        )
        sequence += 1
        zeros = 0
