# SPDX-License-Identifier: Apache-2.0
"""The words of records: each address asks for its field's row, and no two fields share one."""

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import STATISTICS
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, kinds_of
from plexor_hdl.results.record_words import (
    ENTRY_WORDS,
    EVENT,
    FIELDS,
    LEAST,
    MOST,
    ROW_BITS,
    SQUARES,
    SUM,
    RecordWords,
    key_bits_of,
)

from ..simulation import made, simulate

NOT_READ = 1 << SPACE_ADDRESS_BITS - 1
LATENCY = 3
GEOMETRIES = {
    "all": Geometry(channels=3, features=ALL_FEATURES),
    "one": Geometry(channels=1, features=Feature(0)),
    "one of all": Geometry(channels=1, features=ALL_FEATURES),
    "most": Geometry(channels=8, features=ALL_FEATURES),
    "four": Geometry(channels=4, features=Feature.MATCH),
}


def answer(geometry, entry, field, half, interval, bank):
    """Return what is asked for by a word of a record: key, memory and row, and if it is there."""
    channel, part = entry % (1 << geometry.key_bits), entry >> geometry.key_bits
    kinds = len(kinds_of(geometry))
    key, place = channel, geometry.key_bits
    if kinds > 1:
        key |= part << place
        place += 1
    if kinds > 2:
        key |= interval << place
        place += 1
    if Feature.SNAPSHOT in geometry.features:
        key |= bank << place
    memory, first = FIELDS[field.name]
    # Least and greatest have one word, whose sign is above it.
    row = first if memory in (LEAST, MOST) else first + half
    there = {
        SUM: True,
        LEAST: True,
        MOST: True,
        SQUARES: Feature.SUM_SQUARES in geometry.features and row < 3,
        EVENT: Feature.EXTREMES in geometry.features,
    }[memory]
    return key, memory, row, half, there


async def ask(ctx, dut, interval, address, bank):
    ctx.set(dut.latency_address, NOT_READ | 5 if interval else address)
    ctx.set(dut.interval_address, address if interval else NOT_READ | 5)
    ctx.set(dut.latency_bank, bank ^ interval)
    ctx.set(dut.interval_bank, bank ^ (not interval))
    await ctx.tick().repeat(LATENCY)
    asked = ctx.get(dut.asked)
    row = asked.place & (1 << ROW_BITS) - 1
    assert asked.place >> ROW_BITS == asked.key
    return asked.key, asked.memory, row, asked.high, asked.there


@pytest.mark.parametrize("name", GEOMETRIES)
def test_each_word_of_each_record_is_asked_for_where_it_is_kept(name):
    geometry = GEOMETRIES[name]
    dut = made(RecordWords, geometry)
    intervals = Feature.INTERVALS in geometry.features
    parts = 1 + intervals

    async def bench(ctx):
        for interval in range(1 + intervals):
            for bank in range(2):
                address = 0
                for entry in range(parts << geometry.key_bits):
                    for field in STATISTICS.fields:
                        for half in range(2):
                            found = await ask(ctx, dut, interval, address, bank)
                            expected = answer(geometry, entry, field, half, interval, bank)
                            *where, there = expected
                            assert bool(found[-1]) == there, (entry, field.name, half)
                            if there:
                                assert [*found[:-1]] == where, (entry, field.name, half)
                                assert found[0] < 1 << key_bits_of(geometry)
                            address += 1
                for beyond in (address, address + ENTRY_WORDS - 1, NOT_READ - 1):
                    assert not (await ask(ctx, dut, interval, beyond, bank))[-1]

    simulate(dut, bench)


def test_no_two_fields_have_a_row_in_common():
    taken = set()
    for field in STATISTICS.fields:
        memory, row = FIELDS[field.name]
        rows = {(memory, row + half) for half in range(1 if memory in (LEAST, MOST) else 2)}
        assert not rows & taken
        assert row + 1 < 1 << ROW_BITS
        taken |= rows
