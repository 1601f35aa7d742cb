# SPDX-License-Identifier: Apache-2.0
"""The memory of step records: what is written of each record is what its words read as."""

import random
from functools import partial

import pytest

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, STEP, ResponseClass
from plexor_hdl.interfaces import READ_CLOCKS
from plexor_hdl.results.step_memory import (
    COUNT_LOW,
    GREATEST,
    LEAST,
    RECORD_WORDS,
    SQUARES_HIGH,
    SQUARES_LOW,
    SQUARES_MIDDLE,
    SUM_HIGH,
    SUM_LOW,
    StepMemory,
)

from ..simulation import made, simulate

WORD, HALF = 32, 16


def part(value, start, bits=WORD):
    return value >> start & (1 << bits) - 1


def random_record(rng, end_ticks):
    """Return a record: counts of 48 bits, squares of 96, outstanding strikes of 16."""
    squares = rng.getrandbits(96)
    record = {kind.name.lower(): rng.getrandbits(48) for kind in ResponseClass}
    return record | {
        "count": rng.getrandbits(48),
        "sum_ticks": rng.getrandbits(64),
        "sum_sq_low_ticks2": part(squares, 0, 64),
        "sum_sq_high_ticks2": part(squares, 64, 64),
        "min_ticks": rng.randrange(-(1 << 31), 1 << 31),
        "max_ticks": rng.randrange(-(1 << 31), 1 << 31),
        "pending": rng.getrandbits(16),
        "end_ticks": end_ticks,
    }


def words_of(record):
    """Return the words of a record, by the contract."""
    assert list(record) == [field.name for field in STEP.fields]
    return [part(value, start) for value in record.values() for start in (0, WORD)]


async def write(ctx, dut, memory, place, word, channel, is_time=0):
    ctx.set(dut.is_time, is_time)
    ctx.set(getattr(dut, memory), {"place": place, "channel": channel})
    ctx.set(getattr(dut, f"{memory}_word"), word)
    ctx.set(getattr(dut, f"{memory}_valid"), 1)
    await ctx.tick()
    ctx.set(getattr(dut, f"{memory}_valid"), 0)


async def keep(ctx, dut, channel, record):
    """Write a record into the step that is under way."""
    main, side, rest = (
        partial(write, ctx, dut, name, channel=channel) for name in ("main", "side", "rest")
    )
    values = list(record.values())
    for kind in range(CLASSES):
        await main(kind, part(values[kind], 0))
    for pair in range(CLASSES // 2):
        one, other = (part(values[2 * pair + half], WORD, HALF) for half in range(2))
        await main(CLASSES + pair, one | other << HALF)
    squares = record["sum_sq_low_ticks2"]
    await main(COUNT_LOW, part(record["count"], 0))
    await main(SUM_LOW, part(record["sum_ticks"], 0))
    await main(SUM_HIGH, part(record["sum_ticks"], WORD))
    await main(SQUARES_LOW, part(squares, 0))
    await side(SQUARES_MIDDLE, part(squares, WORD))
    await side(SQUARES_HIGH, record["sum_sq_high_ticks2"])
    await side(LEAST, part(record["min_ticks"], 0))
    await side(GREATEST, part(record["max_ticks"], 0))
    await rest(0, part(record["count"], WORD, HALF) | record["pending"] << HALF)
    for half in range(2):
        await rest(half, part(record["end_ticks"], half * WORD), is_time=1)


async def read(ctx, dut, addresses, bank=0):
    """Return the word of each address, and whether it may be another than 0, one a clock."""
    found, some = [], []
    ctx.set(dut.read.bank, bank)
    for clock in range(len(addresses) + READ_CLOCKS):
        if clock >= READ_CLOCKS:
            found.append(ctx.get(dut.read.data))
        ctx.set(dut.read.address, addresses[min(clock, len(addresses) - 1)])
        await ctx.tick()
        some.append(ctx.get(dut.read.some))
    return found, some[:-READ_CLOCKS]


@pytest.mark.parametrize(
    ("channels", "steps"), [(1, 2), (3, 4), pytest.param(8, 16, marks=pytest.mark.full)]
)
def test_every_word_of_every_record_reads_as_it_was_kept(channels, steps):
    geometry = Geometry(channels=channels, table_steps=steps)
    dut, rng = made(StepMemory, geometry), random.Random(channels)
    kept = {}

    async def bench(ctx):
        for step in range(steps):
            ctx.set(dut.step, step)
            end_ticks = rng.getrandbits(64)
            for channel in range(channels):
                record = random_record(rng, end_ticks)
                await keep(ctx, dut, channel, record)
                first = (step << geometry.key_bits | channel) * RECORD_WORDS
                kept.update(enumerate(words_of(record), first))
        ctx.set(dut.step, steps)
        await ctx.tick()
        addresses = list(kept)
        rng.shuffle(addresses)
        found, _ = await read(ctx, dut, addresses)
        assert found == [kept[address] for address in addresses]

    simulate(dut, bench)


def test_a_step_that_has_not_ended_and_the_other_bank_read_as_0():
    geometry = Geometry(channels=2, table_steps=4)
    dut, rng = made(StepMemory, geometry), random.Random(2)
    step_words = RECORD_WORDS << geometry.key_bits

    async def bench(ctx):
        for step in range(4):
            ctx.set(dut.step, step)
            for channel in range(2):
                await keep(ctx, dut, channel, random_record(rng, rng.getrandbits(64)))
        addresses = list(range(4 * step_words))
        for step in range(5):
            ctx.set(dut.step, step)
            await ctx.tick()
            found, some = await read(ctx, dut, addresses)
            ended = step * step_words
            # Of the words of an ended step some are any number: none is 0 by chance in all of it.
            assert not any(found[ended:])
            assert all(any(found[at : at + RECORD_WORDS]) for at in range(0, ended, RECORD_WORDS))
            assert not any(some[ended + 2 :])
            found, some = await read(ctx, dut, addresses, bank=1)
            assert not any(found)
            assert not any(some[2:])

    simulate(dut, bench)
