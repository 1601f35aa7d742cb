# SPDX-License-Identifier: Apache-2.0
"""Rows: what goes over a link has 17 values, and comes back as it was, in any pieces."""

import random

import pytest

from plexor.protocol.rows import RowReader, row_delimiter, row_request, to_row

STREAM = bytes([0, 1, 0x10, 0x12, 0xFF, 0, 0, *range(256), 7, 0])


def test_the_row_of_letters_is_as_the_documentation_has_it():
    assert row_request(4) == b"@ABCDEFGHIJKLMNO"
    # 0x10 is 1 and 0, 0x2F is 2 and 15; the delimiter is 0x5F.
    assert to_row(b"\x10\x2f\0\0", 4) == b"A@BO__"


@pytest.mark.parametrize("row", range(1, 16))
def test_17_values_carry_every_stream(row):
    values = {*row_request(row), row_delimiter(row)}
    assert values == {*range(16 * row, 16 * row + 16), 16 * (row ^ 1) + 15}
    sent = to_row(STREAM, row)
    assert set(sent) == values
    rng, reader, received, at = random.Random(row), RowReader(row), b"", 0
    while at < len(sent):
        end = at + rng.randrange(1, 9)
        received += reader.feed(sent[at:end])
        at = end
    assert received == STREAM


def test_what_is_outside_a_row_ends_a_frame_and_half_a_byte_is_left_out():
    reader = RowReader(4)
    assert reader.feed(b"AB\x00A") == b"\x12\0"
    assert reader.feed(b"\xffCDE") == b"\0\x34"
    assert reader.feed(b"F_") == b"\x56\0"


@pytest.mark.parametrize("row", [0, 16, -1])
def test_what_is_no_row_is_refused(row):
    with pytest.raises(ValueError, match=f"row: {row}; must be 1 to 15"):
        row_request(row)


@pytest.mark.parametrize("cut", range(7))
def test_a_byte_whose_halves_come_apart_is_whole(cut):
    """In row 4, `A` is the half 1, and `F` is the half 6."""
    reader, sent = RowReader(4), b"ABCDEF"
    first, rest = reader.feed(sent[:cut]), reader.feed(sent[cut:])
    assert first + rest == b"\x12\x34\x56"
    assert len(first) == cut // 2
