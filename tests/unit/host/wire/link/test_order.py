# SPDX-License-Identifier: Apache-2.0
"""Frames back into order: each comes out once and in its place, or is counted."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.wire.link.order import HELD_FRAMES, FrameOrder
from plexor.wire.link.sequence import RECENT_FRAMES, Disorder


def name(sequence):
    return sequence.to_bytes(4, "little")


def put_all(order, sequences):
    """Put frames in; return the sequences that come out."""
    out = []
    for sequence in sequences:
        out += order.put(sequence % (1 << 32), name(sequence % (1 << 32)))
    while order.waits:
        out += order.release()
    return [int.from_bytes(frame, "little") for frame in out]


def overtaken(sequences):
    """Return how many come behind one that is later."""
    highest, count = -1, 0
    for sequence in sequences:
        count += sequence < highest
        highest = max(highest, sequence)
    return count


def shuffled(length, most, seed):
    """Return 0 to length - 1, the first in place, none further off than `most`."""
    rng = random.Random(seed)
    return [0, *sorted(range(1, length), key=lambda n: n + rng.uniform(0, most))]


@pytest.mark.parametrize("start", [0, 12345, (1 << 32) - 20])
@pytest.mark.parametrize("seed", range(4))
def test_frames_that_overtook_each_other_are_put_back(start, seed):
    order, sequences = FrameOrder(), shuffled(400, HELD_FRAMES / 2, seed)
    out = put_all(order, [start + n for n in sequences])
    assert out == [(start + n) % (1 << 32) for n in range(400)]
    assert order.counts == {Disorder.REORDERED: overtaken(sequences)}
    assert order.counts[Disorder.REORDERED] > 50


@settings(max_examples=200)
@given(
    seed=st.integers(0, 1 << 30),
    lost=st.sets(st.integers(1, 299), max_size=40),
    twice=st.sets(st.integers(1, 299), max_size=20),
)
def test_each_frame_comes_out_once_or_is_counted(seed, lost, twice):
    rng = random.Random(seed)
    sequences = [n for n in shuffled(300, rng.choice([1, 5, 400]), seed) if n not in lost]
    for number in twice - lost:
        sequences.insert(rng.randrange(sequences.index(number) + 1, len(sequences) + 1), number)
    order = FrameOrder()
    out = put_all(order, sequences)
    assert out == sorted(set(out))
    counts = order.counts
    assert len(sequences) == len(out) + counts[Disorder.LATE] + counts[Disorder.DUPLICATE]
    assert counts[Disorder.DUPLICATE] == len(sequences) - len(set(sequences))
    missing = set(range(300)) - lost - set(out)
    assert counts[Disorder.LATE] == len(missing)


def test_a_missing_frame_holds_others_up_for_so_many_only():
    order = FrameOrder()
    assert order.put(0, name(0)) == [name(0)]
    for sequence in range(2, HELD_FRAMES + 2):
        assert order.put(sequence, name(sequence)) == []
    out = order.put(HELD_FRAMES + 2, name(HELD_FRAMES + 2))
    assert out == [name(n) for n in range(2, HELD_FRAMES + 3)]
    assert order.put(1, name(1)) == []
    assert order.counts == {Disorder.LATE: 1}


def test_an_instrument_that_begins_anew_is_followed():
    order = FrameOrder()
    first = RECENT_FRAMES + 500
    assert put_all(order, [first, first + 1, first + 3]) == [first, first + 1, first + 3]
    assert put_all(order, [0, 1, 2]) == [0, 1, 2]
    assert order.counts == {}


def test_what_the_first_frame_has_overtaken_is_late_and_no_duplicate():
    order = FrameOrder()
    assert put_all(order, [8, 7, 9]) == [8, 9]
    assert order.counts == {Disorder.LATE: 1}
    order = FrameOrder()
    assert put_all(order, [1, 0, 2, 0]) == [1, 2]
    assert order.counts == {Disorder.LATE: 1, Disorder.DUPLICATE: 1}
