# SPDX-License-Identifier: Apache-2.0
"""Event words and their frames' headers as arrays, against the scalar reference word by word."""

import struct

import numpy as np
import pytest

from plexor.protocol.frames import (
    MAX_DELTA_TICKS,
    SOURCE_STEP,
    EventFlag,
    Frame,
    FrameType,
    event_word,
    split_event_word,
)
from plexor.wire.decode.batch import batch_of

BASES = (1000, (1 << 63) + 5, 2**40)
ROWS = (
    ((0, 8, 1), (MAX_DELTA_TICKS, 0, 0)),
    (),
    ((1, SOURCE_STEP, 1), (2, 16, 0), (2, 3, 1)),
)
INDICES = (7, 9, 1 << 62)


def frame(number, flags=0):
    words = [event_word(*row) for row in ROWS[number]]
    payload = struct.pack(f"<{len(words)}I", *words)
    return Frame(FrameType.EVENTS, flags, 0, 0, INDICES[number], BASES[number], payload)


@pytest.fixture
def batch():
    return batch_of([frame(0), frame(1, EventFlag.GAP), frame(2)])


def test_every_event_has_the_time_index_source_and_polarity_of_its_word(batch):
    expected = []
    for number in range(3):
        payload = frame(number).payload
        for place, word in enumerate(struct.unpack(f"<{len(payload) // 4}I", payload)):
            delta, source, polarity = split_event_word(word)
            expected.append((BASES[number] + delta, INDICES[number] + place, source, polarity))
    assert batch.array().tolist() == expected


def test_a_gap_marks_its_own_frame_and_nothing_is_taken_as_lost(batch):
    assert batch.gap.tolist() == [False, True, False]
    assert not batch.after_loss.any()


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])
def test_a_part_is_as_its_frames_by_themselves(batch, first, last):
    part, alone = batch.frames(first, last), batch_of([frame(n) for n in range(first, last)])
    assert part.array().tolist() == alone.array().tolist()
    assert part.counts.tolist() == alone.counts.tolist()


@pytest.mark.parametrize("marks", [(True, False, True), (False, True, True), (False,) * 3])
def test_only_the_frames_that_are_marked_keep_their_events(batch, marks):
    kept = batch.only(np.array(marks))
    alone = batch_of([frame(number) for number in range(3) if marks[number]])
    assert kept.array().tolist() == alone.array().tolist()
    assert kept.first_index.tolist() == alone.first_index.tolist()


def test_its_size_is_that_of_its_words_and_26_bytes_a_frame():
    # A frame has a count, a base and an index of eight bytes each, and two marks of one.
    assert batch_of([]).size_bytes == 0
    assert batch_of([frame(0)] * 3).size_bytes == 6 * 4 + 3 * (3 * 8 + 2)
