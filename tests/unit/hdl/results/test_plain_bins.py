# SPDX-License-Identifier: Apache-2.0
"""Plain bins: pairs that come as fast as they may are all counted, each in its first counter."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from plexor_hdl.interfaces import PACE_CLOCKS
from plexor_hdl.results import plain_bins
from plexor_hdl.results.plain_bins import PlainBins

from ..simulation import made, simulate

ENTRIES = 64
COUNTED_CLOCKS = 7
READ_CLOCKS = 7
"""From an address to its word, with what holds the read up behind a pair."""


async def clear(ctx, dut):
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    await ctx.tick().until(~dut.clear_busy)
    await ctx.tick().repeat(2)


async def count(ctx, dut, pairs):
    for first, second in pairs:
        ctx.set(dut.i_pair.payload, {"first": first, "second": second})
        ctx.set(dut.i_pair.valid, 1)
        await ctx.tick()
        ctx.set(dut.i_pair.valid, 0)
        await ctx.tick().repeat(PACE_CLOCKS - 1)


async def read(ctx, dut, entries=ENTRIES, there=1):
    found = Counter()
    ctx.set(dut.there, there)
    for address in range(entries):
        ctx.set(dut.address, address)
        await ctx.tick().repeat(READ_CLOCKS)
        found[address] = ctx.get(dut.word)
    return found


def pairs_of(seed, number, spread):
    rng = random.Random(seed)
    for _ in range(number):
        yield rng.randrange(spread), rng.randrange(ENTRIES)


@pytest.mark.parametrize("spread", [1, 2, ENTRIES])
def test_every_pair_is_counted_in_its_first_counter(spread):
    dut = made(PlainBins, ENTRIES)
    pairs = list(pairs_of(spread, 300, spread))

    async def bench(ctx):
        await clear(ctx, dut)
        await count(ctx, dut, pairs)
        await ctx.tick().repeat(COUNTED_CLOCKS)
        expected = Counter(first for first, _ in pairs)
        assert await read(ctx, dut) == expected
        assert not any((await read(ctx, dut, there=0)).values())
        assert not ctx.get(dut.saturated)
        await clear(ctx, dut)
        assert not any((await read(ctx, dut)).values())

    simulate(dut, bench)


def test_a_counter_that_is_full_says_so_until_a_clear(monkeypatch):
    monkeypatch.setattr(plain_bins, "WORD_BITS", 2)
    dut = PlainBins(ENTRIES)

    async def bench(ctx):
        await clear(ctx, dut)
        await count(ctx, dut, [(50, 0)] * 3)
        await ctx.tick().repeat(COUNTED_CLOCKS)
        assert not ctx.get(dut.saturated)
        await count(ctx, dut, [(50, 0)])
        await ctx.tick().repeat(COUNTED_CLOCKS)
        assert ctx.get(dut.saturated)
        assert max((await read(ctx, dut)).values()) == 3
        await clear(ctx, dut)
        assert not ctx.get(dut.saturated)

    simulate(dut, bench)


def test_no_pair_may_be_announced_within_a_pace_of_the_one_before():
    dut = made(PlainBins, ENTRIES)

    async def bench(ctx):
        await clear(ctx, dut)
        assert ctx.get(dut.room)
        announced = []
        for clock in range(60):
            # Who announces has looked at `room` a clock before.
            ctx.set(dut.expect_stb, ctx.get(dut.room))
            announced += [clock] * ctx.get(dut.room)
            await ctx.tick()
        apart = [after - before for before, after in pairwise(announced)]
        assert min(apart) >= PACE_CLOCKS
        assert len(announced) > 5

    simulate(dut, bench)
