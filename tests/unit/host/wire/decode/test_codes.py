# SPDX-License-Identifier: Apache-2.0
"""Codes of a code port come from pairs of events, with what is missing between them."""

import struct

from plexor.protocol.frames import Frame, FrameType, event_word
from plexor.wire.decode.batch import batch_of
from plexor.wire.decode.codes import codes_in

CODE, VALUE = 18, 19
BASE = 1 << 40


def batch(index, *rows):
    """Events of one frame: (delta or value, source)."""
    words = [event_word(delta, source, 1) for delta, source in rows]
    payload = struct.pack(f"<{len(words)}I", *words)
    return batch_of([Frame(FrameType.EVENTS, 0, 0, 0, index, BASE, payload)])


def rows_of(*batches):
    return codes_in(batches).tolist()


def test_a_code_has_the_time_of_its_first_event_and_the_value_of_its_second():
    found = rows_of(batch(0, (5, 0), (10, CODE), (0x2A5 | 3 << 16, VALUE), (20, 8)))
    assert found == [(BASE + 10, 1, 0x2A5, 3, False, False)]


def test_a_torn_code_says_so():
    assert rows_of(batch(0, (1, CODE), (9 | 1 << 20, VALUE)))[0][4] is True


def test_a_code_behind_missing_events_says_so_wherever_they_are_missing():
    one, two = (1, CODE), (2, CODE)
    first = batch(0, one, (1, VALUE), two, (2, VALUE))
    assert [row[5] for row in rows_of(first, batch(4, one, (3, VALUE)))] == [False] * 3
    assert [row[5] for row in rows_of(first, batch(5, one, (3, VALUE)))] == [False, False, True]
    # Other events between the gap and the code do not hide it.
    later = batch(9, (0, 0), (0, 8), one, (3, VALUE), two, (4, VALUE))
    assert [row[5] for row in rows_of(first, later)] == [False, False, True, False]


def test_half_a_code_is_none():
    assert rows_of(batch(0, (3, VALUE), (5, CODE), (6, 0), (7, CODE))) == []


def test_nothing_gives_nothing():
    assert rows_of() == rows_of(batch(0)) == rows_of(batch(0, (1, 0))) == []
