# SPDX-License-Identifier: Apache-2.0
"""A link in a row: what the host encodes is received, what is sent the host reads, and when."""

import random

import pytest

from plexor.protocol.rows import ROW_VALUES, RowReader, row_delimiter, row_request, to_row
from plexor_hdl.uplink.link_rows import LinkRows

from ..simulation import made

SHORT = (1, 6, 15)
ROWS = [
    row if row in SHORT else pytest.param(row, marks=pytest.mark.full)
    for row in range(1, ROW_VALUES)
]


def some(rng, length):
    """Return bytes of a stream, with delimiters among them."""
    return bytes(rng.choice([0, *range(256)]) for _ in range(length))


def passed(bench, received=b"", sent=b"", seed=None):
    """Return what the command port gets of received bytes, and the link of what is sent then."""
    dut, inside, outside = made(LinkRows), [], []

    async def drive(ctx):
        await bench.send(ctx, dut.i_received, received, seed)
        await ctx.tick().repeat(20)
        await bench.send(ctx, dut.i_sent, sent, seed)
        await ctx.tick().repeat(20)

    receivers = (
        bench.receiver(dut.o_received, inside, seed),
        bench.receiver(dut.o_sent, outside, seed and seed + 1),
    )
    bench.simulate(dut, drive, *receivers)
    return bytes(inside), bytes(outside)


def behind(whole, start):
    """Return what is behind `start`."""
    assert whole.startswith(start)
    return whole[len(start) :]


@pytest.mark.parametrize("seed", [None, 1])
def test_bytes_go_as_they_are_before_a_row_is_asked_for(bench, seed):
    stream = some(random.Random(2), 40) + bytes(range(256))
    # Row 0, a row with a gap, one of two rows' values and one without its first are no requests.
    none = bytes(range(16)) + b"\x40\x41" + bytes(range(0x43, 0x50))
    none += bytes([*range(0x70, 0x78), *range(0x88, 0x90), *range(0x61, 0x70)])
    assert passed(bench, none, stream, seed) == (none, stream)


@pytest.mark.parametrize("row", ROWS)
def test_in_a_row_both_directions_are_as_the_contract_says(bench, row):
    rng = random.Random(row)
    stream, answer, mark = some(rng, 40), some(rng, 40), bytes([row_delimiter(row)])
    received = row_request(row) + mark + to_row(stream, row)
    inside, outside = passed(bench, received, answer, row if row % 2 else None)
    # The request itself came before the row, and each of its values has passed.
    assert behind(inside, row_request(row) + b"\0") == stream
    assert outside == to_row(answer, row)


@pytest.mark.parametrize("row", [2, 15])
def test_a_link_in_a_row_never_sends_another_value(bench, row):
    _, outside = passed(bench, row_request(row), bytes(range(256)))
    assert set(outside) == {*row_request(row), row_delimiter(row)}
    assert RowReader(row).feed(outside) == bytes(range(256))


def test_a_zero_byte_ends_the_row(bench):
    raw = bytes(range(0x90, 0x20, -1))
    inside, outside = passed(bench, row_request(9) + b"\0" + raw, raw)
    assert behind(inside, row_request(9)) == b"\0" + raw
    assert outside == raw


@pytest.mark.parametrize("other", [5, 4])
def test_a_row_can_be_asked_for_in_a_row(bench, other):
    received = row_request(4) + to_row(b"\0", 4) + row_request(other)
    stream, mark = b"\x01\x02\0", bytes([row_delimiter(other)])
    inside, outside = passed(bench, received + mark + to_row(stream, other), b"\xa5\0")
    # Of the same row it is eight bytes, which the delimiter ends; of another row delimiters.
    asked = bytes.fromhex("0123456789abcdef") if other == 4 else bytes(16)
    assert behind(inside, row_request(4) + b"\0" + asked + b"\0") == stream
    assert outside == to_row(b"\xa5\0", other)


def test_half_a_byte_ends_with_its_frame(bench):
    row = 7
    mark = bytes([row_delimiter(row)])
    damaged = row_request(row) + mark + b"\x71" + mark + to_row(b"\x99\0", row)
    inside, _ = passed(bench, damaged)
    assert behind(inside, row_request(row) + b"\0") == b"\0\x99\0"


def test_each_value_outside_a_row_is_its_delimiter(bench):
    row = 3
    others = [value for value in range(1, 256) if value not in row_request(row)]
    # In order they would be requests.
    others = bytes(reversed(others))
    inside, _ = passed(bench, row_request(row) + others)
    assert behind(inside, row_request(row)) == bytes(len(others))
