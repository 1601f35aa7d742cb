"""A table of codes: exact integers of each code, at the full rate."""

import random

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CODE_FIGURES, VALUE_MOST
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS
from plexor_hdl.results.code_table import IDLE_CLOCKS, STAND_CLOCKS, CodeTable

from ..simulation import made

OUTSIDE = 1 << SPACE_ADDRESS_BITS - 1
READ_CLOCKS = 10
WORDS = CODE_FIGURES.size_bytes // 4
GEOMETRY = Geometry(code_bits=6, features=Feature.EVENTS | Feature.CODES)


async def clear(ctx, dut):
    ctx.set(dut.read.address, OUTSIDE)
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    await ctx.tick().until(~dut.clear_busy)


async def add(ctx, dut, place, value):
    """Add a value, and wait until the next one may come."""
    ctx.set(dut.place, place)
    ctx.set(dut.value_ticks, value)
    ctx.set(dut.extreme_ticks, min(value, VALUE_MOST))
    ctx.set(dut.stb, 1)
    await ctx.tick()
    ctx.set(dut.stb, 0)
    await ctx.tick().repeat(STAND_CLOCKS - 1)


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
    dut, rng = made(CodeTable, GEOMETRY), random.Random(5)
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


def test_a_frame_without_values_is_told_to_be_empty(bench):
    dut = made(CodeTable, GEOMETRY)

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
    dut = made(CodeTable, GEOMETRY)

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
