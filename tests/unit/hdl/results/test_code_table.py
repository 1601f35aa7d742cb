"""A table of codes: exact integers of each code and bank, at full rate and while it is read."""

import random

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import CODE_FIGURES, VALUE_MOST
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS
from plexor_hdl.results.code_table import IDLE_CLOCKS, STAND_CLOCKS, CodeTable

from ..simulation import made

OUTSIDE = 1 << SPACE_ADDRESS_BITS - 1
READ_CLOCKS = 10
WORDS = CODE_FIGURES.size_bytes // 4
BUILDS = [
    pytest.param(Geometry(code_bits=6, features=Feature.EVENTS | Feature.CODES), id="one bank"),
    pytest.param(
        Geometry(code_bits=6, features=(ALL_FEATURES & ~Feature.SWEEP) | Feature.CODES),
        id="two banks",
    ),
]


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


async def record(ctx, dut, place, bank):
    """Return the record of a place."""
    found = b""
    ctx.set(dut.read.bank, bank)
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


@pytest.mark.parametrize("geometry", BUILDS)
def test_every_value_counts_for_its_code_and_bank(bench, geometry):
    dut, rng = made(CodeTable, geometry), random.Random(5)
    edges = (0, 1, -1, VALUE_MOST, -(1 << 31), 0xFFFF, 1 << 32, (1 << 40) + 3)
    values = [
        (rng.choice((0, 5, 63, rng.randrange(64))), rng.choice(edges), rng.randrange(2))
        for _ in range(300)
    ]
    banks = Feature.SNAPSHOT in geometry.features

    async def run(ctx):
        await clear(ctx, dut)
        for place, value, bank in sorted(values, key=lambda each: each[2]):
            if ctx.get(dut.bank) != bank:
                await ctx.tick().until(dut.idle)
                ctx.set(dut.bank, bank)
            await add(ctx, dut, place, value)
        await ctx.tick().until(dut.idle)
        for bank in range(1 + banks):
            for place in (0, 5, 7, 63):
                ours = [v for p, v, b in values if p == place and (b == bank or not banks)]
                assert await record(ctx, dut, place, bank) == figures(ours)
        await clear(ctx, dut)
        assert await record(ctx, dut, 5, 0) == (0, 0, 0, 0)

    bench.simulate(dut, run)


def test_words_are_read_while_values_come_at_the_full_rate(bench):
    dut = made(CodeTable, BUILDS[1].values[0])
    ended = []

    async def values(ctx):
        await clear(ctx, dut)
        for value in (-3, 40, 7):
            await add(ctx, dut, 9, value)
        ctx.set(dut.bank, 1)
        while not ended:
            await add(ctx, dut, 9, 11)

    async def read(ctx):
        await ctx.tick().until(dut.bank)
        await ctx.tick().repeat(3)
        assert await record(ctx, dut, 9, 0) == (3, 44, -3, 40)
        ended.append(True)

    bench.simulate(dut, values, read)


def test_a_frame_without_values_is_told_to_be_empty(bench):
    dut = made(CodeTable, BUILDS[1].values[0])

    async def run(ctx):
        for _ in range(2):
            await clear(ctx, dut)
            for place in (17, 31):
                await add(ctx, dut, place, 3)
            for bank in range(2):
                ctx.set(dut.read.bank, bank)
                for place in (0, 15, 16, 31, 32, 63):
                    ctx.set(dut.read.address, place * WORDS)
                    await ctx.tick().repeat(READ_CLOCKS)
                    assert ctx.get(dut.read.some) == (16 <= place < 32 and not bank)

    bench.simulate(dut, run)


def test_a_space_that_is_not_read_gives_zeros_and_idle_tells_when_nothing_is_under_way(bench):
    dut = made(CodeTable, BUILDS[0].values[0])

    async def run(ctx):
        await clear(ctx, dut)
        await add(ctx, dut, 0, 5)
        assert not ctx.get(dut.idle)
        await ctx.tick().repeat(IDLE_CLOCKS)
        assert ctx.get(dut.idle)
        assert await record(ctx, dut, 0, 0) == (1, 5, 5, 5)
        for outside in (OUTSIDE, OUTSIDE + 2, 64 * WORDS):
            ctx.set(dut.read.address, outside)
            await ctx.tick().repeat(READ_CLOCKS)
            assert ctx.get(dut.read.data) == 0

    bench.simulate(dut, run)
