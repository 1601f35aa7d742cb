# SPDX-License-Identifier: Apache-2.0
"""Frames of the model's results: cut where the protocol says, whole when put together."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.protocol.frames import (
    MAX_DELTA_TICKS,
    EventFlag,
    Frame,
    FrameType,
    MemoryFlag,
    split_event_word,
    split_place,
)
from plexor.protocol.memory import Space
from plexor_sim.golden.edges import Events
from plexor_sim.golden.frames import event_frames, memory_frames


def events(times, index=None):
    count = len(times)
    return Events(
        np.array(times, np.int64),
        np.array([(8, 0, 16)[n % 3] for n in range(count)], np.uint8),
        np.array([n % 2 == 0 for n in range(count)], np.bool_),
        np.array(range(count) if index is None else index, np.int64),
    )


def decoded(frames):
    """Return (time, source, polarity, index) of every event."""
    rows = []
    for frame in frames:
        words = np.frombuffer(frame.payload, "<u4").tolist()
        for number, word in enumerate(words):
            delta, source, polarity = split_event_word(word)
            rows.append((frame.base_ticks + delta, source, bool(polarity), frame.index + number))
    return rows


def rows_of(stream):
    return list(
        zip(
            stream.time_ticks.tolist(),
            stream.source.tolist(),
            stream.polarity.tolist(),
            stream.index.tolist(),
            strict=True,
        )
    )


def test_an_event_word_is_as_worked_by_hand():
    (frame,) = event_frames(events([1000, 1005]))
    assert frame == Frame(
        FrameType.EVENTS,
        0,
        0,
        0,
        0,
        1000,
        # source 8, polarity 1, delta 0: 1<<31 | 8<<26; source 0, polarity 0, delta 5.
        bytes.fromhex("000000a0 05000000"),
    )


def test_a_delta_that_does_not_fit_starts_a_frame_without_a_gap():
    frames = list(event_frames(events([0, MAX_DELTA_TICKS, MAX_DELTA_TICKS + 1, 2**60 // 8])))
    assert [(f.base_ticks, len(f.payload), f.flags) for f in frames] == [
        (0, 8, 0),
        (MAX_DELTA_TICKS + 1, 4, 0),
        (2**60 // 8, 4, 0),
    ]


def test_a_full_frame_is_followed_by_the_next():
    frames = list(event_frames(events(range(7)), max_words=3, sequence=2**32 - 1))
    assert [len(frame.payload) // 4 for frame in frames] == [3, 3, 1]
    assert [frame.sequence for frame in frames] == [2**32 - 1, 0, 1]
    assert [frame.index for frame in frames] == [0, 3, 6]


def test_a_gap_starts_a_frame_that_says_so():
    frames = list(event_frames(events([1, 2, 3, 4], index=[0, 1, 5, 6])))
    assert [(frame.index, frame.flags) for frame in frames] == [(0, 0), (5, EventFlag.GAP)]


def test_events_lost_before_the_first_are_a_gap():
    (frame,) = event_frames(events([1, 2], index=[3, 4]))
    assert (frame.index, frame.flags) == (3, EventFlag.GAP)


@given(
    st.lists(st.tuples(st.sampled_from([0, 1, 50, 2**25, 2**27]), st.booleans()), max_size=40),
    st.integers(1, 5),
)
@settings(max_examples=200)
def test_what_the_link_keeps_decodes_to_the_same_events(raw, max_words):
    stream = events(np.cumsum([step for step, _ in raw]).astype(np.int64).tolist())
    lost = np.array([drop for _, drop in raw], np.bool_)
    frames = list(event_frames(stream, max_words=max_words, link_dropped=lost))
    assert decoded(frames) == rows_of(stream.chosen(~lost))
    following = 0
    for frame in frames:
        assert bool(frame.flags & EventFlag.GAP) == (frame.index != following)
        following = frame.index + len(frame.payload) // 4
        assert len(frame.payload) <= 4 * max_words


def test_a_memory_space_is_cut_into_frames_and_the_last_says_so():
    words = bytes(range(40))
    frames = list(memory_frames(Space.LATENCY_ZOOM, words, max_words=4, snapshot=9, base_ticks=5))
    assert [frame.index for frame in frames] == [0, 4, 8]
    assert b"".join(frame.payload for frame in frames) == words
    assert {(frame.type, frame.tag, frame.base_ticks) for frame in frames} == {
        (FrameType.HISTOGRAM, 9, 5)
    }
    final = MemoryFlag.FINAL | Space.LATENCY_ZOOM
    assert [frame.flags for frame in frames] == [final, final, final | MemoryFlag.LAST]
    (counts,) = memory_frames(Space.CLASSES, bytes(8), flags=MemoryFlag.BANK)
    assert counts.type == FrameType.STATISTICS
    assert counts.flags == MemoryFlag.BANK | MemoryFlag.LAST


def test_frames_of_zeros_are_left_out_but_for_the_last():
    words = np.zeros(20, dtype="<u4")
    words[9] = 5
    frames = list(memory_frames(Space.LATENCY_ZOOM, words.tobytes(), max_words=4, sequence=3))
    assert [split_place(frame.index) for frame in frames] == [(8, 8), (16, 4)]
    assert [frame.sequence for frame in frames] == [3, 4]
    assert frames[0].payload == words[8:12].tobytes()
