# SPDX-License-Identifier: Apache-2.0
"""Several strikes in a word: how many are let through, and the pulses that they become."""

import random

import pytest

from plexor_hdl.stimulus.burst_painter import FLIP_CLOCKS, LIMIT_CLOCKS, Flips, Limiter

from ..simulation import made, simulate

LOAD_CLOCKS = 8


def random_starts(rng, samples, words, least):
    """Return random starts `least` ticks apart or more, some words dense and some empty."""
    tick, found = 0, set()
    while tick < words * samples:
        tick += rng.choice((least, least, least + 1, least + rng.randrange(3 * samples)))
        found.add(tick)
    return [
        sum(1 << bit for bit in range(samples) if word * samples + bit in found)
        for word in range(words)
    ]


async def limited(ctx, dut, count, words, single=False):
    """Load a number of strikes and give words; return what is kept, and the clocks of `spent`."""
    ctx.set(dut.strike_count, count)
    await ctx.tick().repeat(5)
    ctx.set(dut.load, 1)
    await ctx.tick()
    ctx.set(dut.load, 0)
    await ctx.tick().repeat(LOAD_CLOCKS)
    kept, spent = [], []
    for clock in range(len(words) + LIMIT_CLOCKS):
        word = words[clock] if clock < len(words) else 0
        ctx.set(dut.strike if single else dut.starts, word)
        if clock >= LIMIT_CLOCKS:
            kept.append(ctx.get(dut.o_strike if single else dut.o_starts))
            inside = any(words[clock - LIMIT_CLOCKS : clock])
            assert ctx.get(dut.pending) == inside
            if ctx.get(dut.spent):
                spent.append(clock - LIMIT_CLOCKS)
        await ctx.tick()
    return kept, spent


def first_of(words, count):
    """Return the words with no more than the first `count` starts, and that of the last one."""
    kept, left, last = [], count, None
    for number, word in enumerate(words):
        bits = [bit for bit in range(16) if word >> bit & 1][:left]
        kept.append(sum(1 << bit for bit in bits))
        left -= len(bits)
        if bits and not left:
            last = number
    return kept, last


@pytest.mark.parametrize(
    "samples", [*(pytest.param(n, marks=pytest.mark.full) for n in (4, 8)), 16]
)
@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 64, 127, 128, 129, 257])
def test_so_many_strikes_are_let_through_and_the_last_one_is_told(samples, count):
    dut, rng = made(Limiter, samples), random.Random(count)
    words = random_starts(rng, samples, 400, 2)

    async def bench(ctx):
        kept, spent = await limited(ctx, dut, count, words)
        expected, last = first_of(words, count)
        assert kept == expected
        assert spent == [last]

    simulate(dut, bench)


@pytest.mark.parametrize("count", [1, 5, 130])
def test_single_strikes_are_counted_like_those_of_words(count):
    dut, rng = made(Limiter, 8), random.Random(count)
    strikes = [rng.getrandbits(1) for _ in range(600)]

    async def bench(ctx):
        kept, spent = await limited(ctx, dut, count, strikes, single=True)
        expected, last = first_of(strikes, count)
        assert (kept, spent) == (expected, [last])

    simulate(dut, bench)


def test_a_count_of_0_lets_all_through_also_behind_one_that_was_spent():
    dut, rng = made(Limiter, 16), random.Random(0)
    words = random_starts(rng, 16, 100, 2)

    async def bench(ctx):
        await limited(ctx, dut, 3, words)
        assert not ctx.get(dut.endless)
        assert await limited(ctx, dut, 0, words) == (words, [])
        assert ctx.get(dut.endless)

    simulate(dut, bench)


def test_a_clear_empties_what_is_inside():
    dut = made(Limiter, 8)

    async def bench(ctx):
        for clocks in range(1, LIMIT_CLOCKS + 2):
            await limited(ctx, dut, 50, [])
            for _ in range(clocks):
                ctx.set(dut.starts, 0b0101)
                await ctx.tick()
            ctx.set(dut.starts, 0)
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)
            for _ in range(2 * LIMIT_CLOCKS):
                told = ctx.get(dut.o_starts), ctx.get(dut.spent), ctx.get(dut.pending)
                assert told == (0, 0, 0)
                await ctx.tick()

    simulate(dut, bench)


@pytest.mark.parametrize("samples", [4, 8, 16])
def test_pulses_of_every_width_below_a_word_are_drawn_in_their_ticks(samples):
    dut = made(Flips, samples)

    async def bench(ctx):
        for width in range(1, samples):
            words = random_starts(random.Random(width), samples, 60, width + 1) + [0] * 4
            starts = [n * samples + b for n, w in enumerate(words) for b in range(16) if w >> b & 1]
            high = {start + tick for start in starts for tick in range(width)}
            ctx.set(dut.width, width)
            await ctx.tick().repeat(4)
            for clock in range(len(words) + FLIP_CLOCKS):
                ctx.set(dut.starts, words[clock] if clock < len(words) else 0)
                if clock:
                    before = clock - 1 < len(words) and words[clock - 1]
                    assert ctx.get(dut.strike_stb) == bool(before)
                if clock >= FLIP_CLOCKS:
                    first = (clock - FLIP_CLOCKS) * samples
                    level = first - 1 in high
                    flips = [(first + tick in high) != level for tick in range(samples)]
                    assert ctx.get(dut.flips) == sum(it << n for n, it in enumerate(flips))
                await ctx.tick()

    simulate(dut, bench)


def test_pulses_are_pending_from_their_start_to_the_clock_before_their_end():
    dut, samples = made(Flips, 8), 8

    async def bench(ctx):
        for width, words in ((7, [0x80, 0, 0, 0]), (1, [1, 0, 0, 0]), (3, [0x20, 0x02, 0x40, 0])):
            ctx.set(dut.width, width)
            await ctx.tick().repeat(4)
            last = max(n for n, word in enumerate(words) if word)
            end = (last * samples + words[last].bit_length() - 1 + width) // samples
            for clock in range(len(words) + FLIP_CLOCKS + 2):
                ctx.set(dut.starts, words[clock] if clock < len(words) else 0)
                pending = 1 <= clock < end + FLIP_CLOCKS
                assert ctx.get(dut.pending) == pending, (width, clock)
                await ctx.tick()

    simulate(dut, bench)


def test_a_clear_leaves_nothing_of_a_pulse():
    dut = made(Flips, 8)

    async def bench(ctx):
        ctx.set(dut.width, 7)
        await ctx.tick().repeat(4)
        for clocks in range(FLIP_CLOCKS + 1):
            ctx.set(dut.starts, 0x80)
            await ctx.tick()
            ctx.set(dut.starts, 0)
            for _ in range(clocks):
                await ctx.tick()
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)
            for _ in range(2 * FLIP_CLOCKS):
                assert (ctx.get(dut.flips), ctx.get(dut.pending)) == (0, 0)
                await ctx.tick()

    simulate(dut, bench)
