# SPDX-License-Identifier: Apache-2.0
"""Frames behind their turn: late, twice, or of an instrument that began anew."""

import pytest

from plexor.wire.link.sequence import MODULUS, RECENT_FRAMES, Disorder, Past


@pytest.fixture
def past():
    """Frames 0 to 9 came, 3 and 4 did not."""
    found = Past()
    found.came(3)
    found.miss(3, 2)
    found.came(5)
    return found


def test_a_frame_that_was_passed_over_is_late_once_and_then_twice(past):
    assert past.disorder_of(3, 7) == Disorder.LATE
    assert past.disorder_of(3, 7) == Disorder.DUPLICATE
    assert past.disorder_of(4, 6) == Disorder.LATE


def test_a_frame_that_came_is_there_twice(past):
    assert past.disorder_of(9, 1) == Disorder.DUPLICATE
    assert past.disorder_of(0, 10) == Disorder.DUPLICATE


def test_a_step_back_before_all_that_is_known_begins_anew_and_forgets_all(past):
    assert past.disorder_of(MODULUS - 1, 11) is None
    # Nothing is known now: not even the frames that were missing.
    assert past.disorder_of(3, 1) is None
    past.came(4)
    assert past.disorder_of(3, 1) == Disorder.DUPLICATE


def test_sequences_wrap_while_frames_are_missed():
    past = Past()
    past.came(10)
    past.miss(MODULUS - 1, 2)
    assert past.disorder_of(0, 1) == Disorder.LATE
    assert past.disorder_of(MODULUS - 1, 2) == Disorder.LATE


def test_what_is_known_reaches_back_over_the_recent_frames_and_no_further():
    past = Past()
    past.came(3 * RECENT_FRAMES)
    assert past.disorder_of(0, RECENT_FRAMES) == Disorder.DUPLICATE
    assert past.disorder_of(0, RECENT_FRAMES + 1) is None


def test_of_a_great_gap_the_last_frames_are_remembered_and_memory_stays_bounded():
    past = Past()
    past.miss(0, 1 << 31)
    first = (1 << 31) - RECENT_FRAMES
    assert past.disorder_of(first, RECENT_FRAMES) == Disorder.LATE
    assert past.disorder_of(first - 1, RECENT_FRAMES) == Disorder.DUPLICATE
    past.miss(1 << 31, RECENT_FRAMES)
    assert past.disorder_of((1 << 31) - 1, RECENT_FRAMES) == Disorder.DUPLICATE
    assert past.disorder_of(1 << 31, RECENT_FRAMES) == Disorder.LATE
