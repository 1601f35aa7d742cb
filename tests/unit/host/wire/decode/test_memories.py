# SPDX-License-Identifier: Apache-2.0
"""Dumps of banks and sets folded into totals, however they come."""

import random
import struct
from dataclasses import replace

import pytest

from plexor.protocol.frames import ZEROS_SHIFT, Frame, FrameType, MemoryFlag, split_place
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import CLASSES, STATISTICS, Space
from plexor.wire.decode.memories import Memories, fold

GEOMETRY = Geometry(channels=2, latency_mantissa_bits=4, interval_mantissa_bits=4, zoom_bits=6)


def dump(space, bank, words, tag=0, final=True, size=250):
    """The frames of one space of one bank."""
    histogram = space >= Space.LATENCY_BINS
    kind = FrameType.HISTOGRAM if histogram else FrameType.STATISTICS
    flags = space | MemoryFlag.BANK * bank | MemoryFlag.FINAL * final
    for start in range(0, len(words), size):
        piece = words[start : start + size]
        payload = struct.pack(f"<{len(piece)}I", *piece)
        last = MemoryFlag.LAST if start + size >= len(words) else 0
        yield Frame(kind, flags | last, tag, 0, start, 0, payload)


def without_zeros(frames, size):
    """Leave out the frames of zeros that are not the last; the next says how many words."""
    zeros = 0
    for frame in frames:
        if any(frame.payload) or frame.flags & MemoryFlag.LAST:
            yield replace(frame, index=frame.index | zeros << ZEROS_SHIFT)
            zeros = 0
        else:
            zeros += size


def counters(*values):
    """Words of 64-bit counts, for Space.CLASSES."""
    words = [part for value in values for part in (value & 0xFFFFFFFF, value >> 32)]
    return words + [0] * (2 * CLASSES * GEOMETRY.channels - len(words))


def feed(memories, *dumps):
    for frames in dumps:
        for frame in frames:
            memories.add(frame)


def test_totals_are_the_sum_of_both_banks_in_64_bits():
    memories = Memories(GEOMETRY)
    feed(
        memories,
        dump(Space.CLASSES, 0, counters(5, 1 << 40)),
        dump(Space.CLASSES, 1, counters(7, 1 << 40)),
    )
    assert memories.counts(Space.CLASSES)[:3].tolist() == [12, 1 << 41, 0]


def test_frames_in_any_order_and_twice_make_the_same_dump():
    words = [random.Random(1).getrandbits(32) for _ in range(4 << 9)]
    frames = list(dump(Space.LATENCY_BINS, 0, words)) * 2
    random.Random(2).shuffle(frames)
    memories = Memories(GEOMETRY)
    feed(memories, frames)
    assert memories.counts(Space.LATENCY_BINS).tolist() == words


def test_a_dump_with_a_hole_is_missing_until_the_hole_is_filled():
    memories = Memories(Geometry(features=ALL_FEATURES & ~Feature.SNAPSHOT, channels=2))
    frames = list(dump(Space.CLASSES, 0, counters(1, 2, 3), size=8))
    feed(memories, frames[:1], frames[2:])
    assert Space.CLASSES in memories.missing(1 << Space.CLASSES)
    assert not memories.known(Space.CLASSES)
    feed(memories, frames)
    assert Space.CLASSES not in memories.missing(1 << Space.CLASSES)


def test_words_left_out_are_zeros_unless_the_frame_that_says_so_is_lost():
    memories = Memories(Geometry(features=ALL_FEATURES & ~Feature.SNAPSHOT, channels=2))
    space, full = Space.LATENCY_BINS, [5] * (4 << 11)
    words = [0] * len(full)
    words[:2], words[1000:1003], words[-1] = (7, 8), (1, 2, 3), 9
    memories.add(next(iter(dump(space, 0, full, tag=1, size=len(full)))))
    assert memories.counts(space).tolist() == full
    frames = list(without_zeros(dump(space, 0, words, tag=2, size=128), 128))
    assert [split_place(frame.index)[1] for frame in frames] == [0, 768, 7040]
    for lost in range(3):
        feed(memories, frames[:lost], frames[lost + 1 :])
        assert memories.counts(space).tolist() == full
        memories.add(replace(frames[0], tag=3))
    feed(memories, frames)
    assert memories.counts(space).tolist() == words


def test_a_snapshot_is_that_bank_and_the_other_as_it_was_last_dumped():
    memories = Memories(GEOMETRY)
    feed(memories, dump(Space.CLASSES, 0, counters(5), tag=1, final=False))
    assert memories.counts(Space.CLASSES)[0] == 5
    feed(memories, dump(Space.CLASSES, 1, counters(2), tag=2, final=False))
    assert memories.counts(Space.CLASSES)[0] == 7
    half = list(dump(Space.CLASSES, 0, counters(50), tag=3, final=False, size=8))
    feed(memories, half[:2])
    assert memories.counts(Space.CLASSES)[0] == 7
    assert Space.CLASSES in memories.missing(1 << Space.CLASSES)
    feed(memories, half[2:])
    assert memories.counts(Space.CLASSES)[0] == 52


def test_a_snapshot_is_coherent_once_all_its_spaces_have_come():
    memories = Memories(GEOMETRY)
    spaces = (Space.CLASSES, Space.LATENCY_BINS)
    bins = [1] * (4 << 9)
    feed(memories, dump(Space.CLASSES, 0, counters(5), tag=1, final=False))
    assert memories.coherent(spaces) is None
    feed(memories, dump(Space.LATENCY_BINS, 0, bins, tag=1, final=False))
    assert memories.coherent(spaces) == 1
    # The next one is of the other bank of the counts, and of the same bins.
    feed(memories, dump(Space.LATENCY_BINS, 0, bins, tag=2, final=False))
    assert memories.coherent(spaces) is None
    feed(memories, dump(Space.CLASSES, 1, counters(5), tag=2, final=False))
    assert memories.coherent(spaces) == 2
    # The end has the number of the last snapshot, and is none.
    feed(memories, dump(Space.CLASSES, 0, counters(9), tag=2, final=True))
    feed(memories, dump(Space.CLASSES, 1, counters(9), tag=2, final=True))
    feed(memories, dump(Space.LATENCY_BINS, 0, bins, tag=2, final=True))
    assert memories.coherent(spaces) is None


def test_bins_are_dumped_whole_and_replace_what_came_before():
    memories = Memories(GEOMETRY)
    feed(memories, dump(Space.LATENCY_BINS, 0, [1] * (4 << 9), tag=1, final=False))
    feed(memories, dump(Space.LATENCY_BINS, 0, [3] * (4 << 9), tag=2, final=True))
    assert set(memories.counts(Space.LATENCY_BINS).tolist()) == {3}
    assert not memories.missing(1 << Space.LATENCY_BINS)


@pytest.mark.parametrize(
    "frame",
    [
        Frame(FrameType.STATISTICS, 15, 0, 0, 0, 0, b"1234"),
        Frame(FrameType.HISTOGRAM, Space.CLASSES, 0, 0, 0, 0, b"1234"),
        Frame(FrameType.STATISTICS, Space.CLASSES, 0, 0, 32, 0, b"1234"),
        Frame(FrameType.STATISTICS, Space.CLASSES, 0, 0, 1 << 63, 0, b"1234"),
        Frame(FrameType.STATISTICS, Space.CLASSES, 0, 0, 3 | 4 << ZEROS_SHIFT, 0, b"1234"),
    ],
)
def test_a_frame_that_fits_in_no_memory_is_counted_and_dropped(frame):
    memories = Memories(GEOMETRY)
    memories.add(frame)
    assert memories.rejected == 1


def record(**values):
    return dict.fromkeys((entry.name for entry in STATISTICS.fields), 0) | values


def test_folding_adds_sums_in_128_bits_and_keeps_the_first_extremes():
    one = record(
        count=2,
        sum_ticks=-5,
        sum_sq_low_ticks2=(1 << 64) - 1,
        min_ticks=-9,
        max_ticks=4,
        min_index=70,
        max_index=80,
        min_time_ticks=700,
        max_time_ticks=800,
    )
    other = record(
        count=1,
        sum_ticks=4,
        sum_sq_low_ticks2=1,
        sum_sq_high_ticks2=3,
        min_ticks=-9,
        max_ticks=4,
        min_index=60,
        max_index=90,
        min_time_ticks=600,
        max_time_ticks=900,
    )
    folded = fold([one, record(), other], ALL_FEATURES)
    assert (folded.count, folded.sum_ticks, folded.sum_sq_ticks2) == (3, -1, 4 << 64)
    assert (folded.min_ticks, folded.min_index, folded.min_time_ticks) == (-9, 60, 600)
    assert (folded.max_ticks, folded.max_index, folded.max_time_ticks) == (4, 80, 800)


def test_what_the_chip_does_not_have_is_none_and_no_zero():
    folded = fold([record(count=1, min_ticks=3, max_ticks=3, sum_ticks=3)], Feature(0))
    assert (folded.sum_sq_ticks2, folded.min_index, folded.max_time_ticks) == (None, None, None)
    empty = fold([record()], ALL_FEATURES)
    assert (empty.count, empty.min_ticks, empty.max_ticks) == (0, None, None)
