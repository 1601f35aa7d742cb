# SPDX-License-Identifier: Apache-2.0
"""A table of codes: exact integers of each code, at the full rate."""

import random

from plexor.protocol.memory import CODE_FIGURES, VALUE_MOST
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS
from plexor_hdl.results.code_table import AGAIN_CLOCKS, IDLE_CLOCKS, PASSES, CodeTable

from ..simulation import made

OUTSIDE = 1 << SPACE_ADDRESS_BITS - 1
READ_CLOCKS = 10
WORDS = CODE_FIGURES.size_bytes // 4
PLACE_BITS = 6


async def clear(ctx, dut):
    ctx.set(dut.read.address, OUTSIDE)
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    await ctx.tick().until(~dut.clear_busy)


async def add(ctx, dut, place, value, clocks=AGAIN_CLOCKS):
    """Add a value, and wait until the next one may come."""
    ctx.set(dut.place, place)
    ctx.set(dut.stb, 1)
    await ctx.tick()
    ctx.set(dut.stb, 0)
    ctx.set(dut.place, ~place & (1 << PLACE_BITS) - 1)
    ctx.set(dut.value_ticks, value)
    await ctx.tick()
    ctx.set(dut.value_ticks, 0)
    await ctx.tick().repeat(clocks - 2)


async def record(ctx, dut, place):
    """Return the record of a place."""
    found = b""
    for word in range(WORDS):
        ctx.set(dut.read.address, place * WORDS + word)
        await ctx.tick().repeat(READ_CLOCKS)
        found += ctx.get(dut.read.data).to_bytes(4, "little")
    ctx.set(dut.read.address, OUTSIDE)
    return tuple(CODE_FIGURES.unpack(found).values())


def figures(values):
    if not values:
        return 0, 0, 0, 0
    shown = [min(value, VALUE_MOST) for value in values]
    return len(values), sum(values), min(shown), max(shown)


def test_every_value_counts_for_its_code(bench):
    dut, rng = made(CodeTable, PLACE_BITS), random.Random(5)
    edges = (0, 1, -1, VALUE_MOST, -(1 << 31), 0xFFFF, 1 << 32, (1 << 40) + 3)
    values = [(rng.choice((0, 5, 63, rng.randrange(64))), rng.choice(edges)) for _ in range(300)]

    async def run(ctx):
        await clear(ctx, dut)
        for place, value in values:
            await add(ctx, dut, place, value)
        await ctx.tick().until(dut.idle)
        for place in (0, 5, 7, 63):
            assert await record(ctx, dut, place) == figures([v for p, v in values if p == place])
        await clear(ctx, dut)
        assert await record(ctx, dut, 5) == (0, 0, 0, 0)

    bench.simulate(dut, run)


def test_a_value_may_come_each_two_clocks_if_records_take_turns(bench):
    dut, rng = made(CodeTable, PLACE_BITS), random.Random(8)
    values = [(number % 2 * 32 + rng.randrange(2), rng.randrange(1 << 34)) for number in range(200)]

    async def run(ctx):
        await clear(ctx, dut)
        for place, value in values:
            ctx.set(dut.stb, 1)
            ctx.set(dut.place, place)
            await ctx.tick()
            ctx.set(dut.stb, 0)
            ctx.set(dut.value_ticks, value)
            await ctx.tick().repeat(PASSES - 1)
        await ctx.tick().until(dut.idle)
        for place in (0, 1, 32, 33):
            assert await record(ctx, dut, place) == figures([v for p, v in values if p == place])

    bench.simulate(dut, run)


def test_a_frame_without_values_is_told_to_be_empty(bench):
    dut = made(CodeTable, PLACE_BITS)

    async def run(ctx):
        for _ in range(2):
            await clear(ctx, dut)
            for place in (17, 31):
                await add(ctx, dut, place, 3)
            for place in (0, 15, 16, 31, 32, 63):
                ctx.set(dut.read.address, place * WORDS)
                await ctx.tick().repeat(READ_CLOCKS)
                assert ctx.get(dut.read.some) == (16 <= place < 32)

    bench.simulate(dut, run)


def test_a_space_that_is_not_read_gives_zeros_and_idle_tells_when_nothing_is_under_way(bench):
    dut = made(CodeTable, PLACE_BITS)

    async def run(ctx):
        await clear(ctx, dut)
        await add(ctx, dut, 0, 5)
        assert not ctx.get(dut.idle)
        await ctx.tick().repeat(IDLE_CLOCKS)
        assert ctx.get(dut.idle)
        assert await record(ctx, dut, 0) == (1, 5, 5, 5)
        for outside in (OUTSIDE, OUTSIDE + 2, 64 * WORDS):
            ctx.set(dut.read.address, outside)
            await ctx.tick().repeat(READ_CLOCKS)
            assert ctx.get(dut.read.data) == 0

    bench.simulate(dut, run)
