# SPDX-License-Identifier: Apache-2.0
"""Tables of codes: every code and latency at the full rate, as the golden model counts them."""

import random

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CODE_FIGURES, VALUE_MOST, ByCode
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, Kind
from plexor_hdl.results.code_tables import CodeTables
from plexor_sim.golden.codes import Figures, times_by_code, words

from ..simulation import made

OUTSIDE = 1 << SPACE_ADDRESS_BITS - 1
READ_CLOCKS = 10
CHANNEL = 2
SMALL = Geometry(code_bits=6, features=Feature.EVENTS | Feature.CODES)
LONG = Geometry(code_bits=12, features=Feature.EVENTS | Feature.CODES)


async def clear(ctx, dut):
    ctx.set(dut.read.address, OUTSIDE)
    ctx.set(dut.settings.latency_channel, CHANNEL)
    ctx.set(dut.measured_ready, 1)
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    await ctx.tick().until(~dut.clear_busy)


async def code(ctx, dut, time, value, clocks):
    """Tell of a code, and wait for so many clocks in all."""
    ctx.set(dut.time_ticks, time)
    ctx.set(dut.code.code, value)
    ctx.set(dut.code_stb, 1)
    await ctx.tick()
    ctx.set(dut.code_stb, 0)
    ctx.set(dut.time_ticks, 0)
    ctx.set(dut.code.code, ~value & 0x3F)
    await ctx.tick().repeat(clocks - 1)


async def latency(ctx, dut, value, place, channel=CHANNEL, kind=Kind.RISE, and_then=None):
    ctx.set(dut.measured.value_ticks, value)
    ctx.set(dut.measured.code, place)
    ctx.set(dut.measured.channel, channel)
    ctx.set(dut.measured.kind, kind)
    ctx.set(dut.measured_valid, 1)
    await ctx.tick()
    ctx.set(dut.measured_valid, 0)
    if and_then is not None:
        ctx.set(and_then, 0)
    await ctx.tick()
    ctx.set(dut.measured.value_ticks, 0)
    await ctx.tick().repeat(2)


async def table(ctx, dut, kind, count, bits=6):
    """Return the bytes of a table's first `count` records."""
    found, first = b"", kind << bits
    size = CODE_FIGURES.size_bytes // 4
    for word in range(first * size, (first + count) * size):
        ctx.set(dut.read.address, word)
        await ctx.tick().repeat(READ_CLOCKS)
        found += ctx.get(dut.read.data).to_bytes(4, "little")
    ctx.set(dut.read.address, OUTSIDE)
    return found


def planted(seed, count, gaps):
    """Return times and values of codes."""
    rng = random.Random(seed)
    codes, times = [rng.randrange(10) for _ in range(count)], [(1 << 32) - 40]
    while len(times) < len(codes):
        times.append(times[-1] + rng.choice(gaps))
    return times, codes


def test_the_time_of_each_code_is_counted_once_the_next_one_comes(bench):
    dut = made(CodeTables, SMALL)
    gaps = (1, 32, 70_000, VALUE_MOST - 1, VALUE_MOST, VALUE_MOST + 1, 1 << 32, (1 << 33) + 5)
    times, codes = planted(4, 80, gaps)

    async def run(ctx):
        for _ in range(2):
            await clear(ctx, dut)
            for time, value in zip(times, codes, strict=True):
                await code(ctx, dut, time, value, 4)
                assert not ctx.get(dut.hold)
            await ctx.tick().until(dut.idle)
            found = await table(ctx, dut, ByCode.TIMES, 12)
            assert found == words(times_by_code(SMALL, times, codes)[:12])

    bench.simulate(dut, run)


def test_codes_that_come_faster_are_held_and_none_is_lost(bench):
    dut = made(CodeTables, SMALL)
    times, codes = planted(5, 120, (1, 16))
    held = []

    async def run(ctx):
        await clear(ctx, dut)
        more = 2
        for time, value in zip(times, codes, strict=True):
            # Two more come after a hold, as the stamp gives them.
            more = more - 1 if ctx.get(dut.hold) else 2
            held.append(more < 0)
            if more < 0:
                await ctx.tick().until(~dut.hold)
            await code(ctx, dut, time, value, 2)
        assert any(held)
        await ctx.tick().until(dut.idle)
        assert await table(ctx, dut, ByCode.TIMES, 12) == words(
            times_by_code(SMALL, times, codes)[:12]
        )

    bench.simulate(dut, run)


def test_latencies_of_the_chosen_channel_count_for_their_code(bench):
    dut, rng = made(CodeTables, SMALL), random.Random(6)
    values = [(rng.randrange(-5, 1000), rng.randrange(6)) for _ in range(60)]
    expected = [Figures() for _ in range(8)]
    for value, place in values:
        expected[place].add(value)

    async def run(ctx):
        await clear(ctx, dut)
        for value, place in values:
            await latency(ctx, dut, value, place)
        await latency(ctx, dut, 3, 1, channel=CHANNEL + 1)
        await latency(ctx, dut, 3, 1, kind=Kind.FALL)
        await ctx.tick().until(dut.idle)
        assert await table(ctx, dut, ByCode.LATENCY, 8) == words(expected)
        assert not any(await table(ctx, dut, ByCode.TIMES, 8))

    bench.simulate(dut, run)


def test_times_and_latencies_that_come_together_each_four_clocks_are_all_counted(bench):
    dut, rng = made(CodeTables, SMALL), random.Random(7)
    times, codes = planted(7, 90, (1, 32, 1 << 33))
    values = [(rng.randrange(-5, 1 << 31), rng.randrange(8)) for _ in codes]
    expected = [Figures() for _ in range(8)]
    for value, place in values:
        expected[place].add(value)

    async def run(ctx):
        for start in range(1, 5):
            await clear(ctx, dut)
            await ctx.tick().repeat(start)
            for time, code, (value, place) in zip(times, codes, values, strict=True):
                ctx.set(dut.time_ticks, time)
                ctx.set(dut.code.code, code)
                ctx.set(dut.code_stb, 1)
                await latency(ctx, dut, value, place, and_then=dut.code_stb)
            await ctx.tick().until(dut.idle)
            assert await table(ctx, dut, ByCode.LATENCY, 8) == words(expected)
            found = await table(ctx, dut, ByCode.TIMES, 12)
            assert found == words(times_by_code(SMALL, times, codes)[:12])

    bench.simulate(dut, run)


def test_of_a_long_code_the_upper_bits_say_where_it_counts(bench):
    dut = made(CodeTables, LONG)
    times, codes = [5, 12, 20, 45], [0x008, 0x00B, 0x015, 0x001]

    async def run(ctx):
        await clear(ctx, dut)
        for time, value in zip(times, codes, strict=True):
            await code(ctx, dut, time, value, 4)
        await ctx.tick().until(dut.idle)
        assert await table(ctx, dut, ByCode.TIMES, 8, bits=8) == words(
            times_by_code(LONG, times, codes)[:8]
        )

    bench.simulate(dut, run)


@pytest.mark.parametrize("stop", [5, 7])
def test_the_code_to_stop_at_is_told_with_its_value(bench, stop):
    dut, told = made(CodeTables, SMALL), []

    async def run(ctx):
        await clear(ctx, dut)
        ctx.set(dut.settings.stop_code, stop)
        for value in (4, 5, 6, 5):
            ctx.set(dut.code.code, value)
            await ctx.tick()
            for sent in (0, 1):
                ctx.set(dut.sent_stb, sent)
                await ctx.delay(1e-9)
                told.append(ctx.get(dut.stop_stb))
                await ctx.tick()
            ctx.set(dut.sent_stb, 0)

    bench.simulate(dut, run)
    assert told == ([0, 0, 0, 1, 0, 0, 0, 1] if stop == 5 else [0] * 8)
