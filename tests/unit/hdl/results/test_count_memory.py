# SPDX-License-Identifier: Apache-2.0
"""Many counts in one memory: each is added to where it is, whatever came before it."""

import random
from collections import Counter

import pytest

from plexor_hdl.results import count_memory as counts
from plexor_hdl.results.count_memory import COUNT_CHUNKS, QUIET_CLOCKS, CountMemory

PLACE_BITS, SAMPLE_BITS, CHUNK_BITS = 3, 3, 4
COUNTED, VISITED = range(5), range(5, 8)
MOST = 1 << CHUNK_BITS * COUNT_CHUNKS


@pytest.fixture
def dut(monkeypatch):
    """Counts of short chunks, which carry often."""
    monkeypatch.setattr(counts, "CHUNK_BITS", CHUNK_BITS)
    return CountMemory(PLACE_BITS, SAMPLE_BITS)


async def cleared(ctx, dut):
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    assert ctx.get(dut.clear_busy)
    while ctx.get(dut.clear_busy):
        await ctx.tick()
    await ctx.tick().repeat(2)


async def read(ctx, dut, place):
    """Return the chunks of a place, each read in a second clock."""
    count = 0
    for chunk in range(COUNT_CHUNKS):
        ctx.set(dut.read_row, chunk << PLACE_BITS | place)
        while not ctx.get(dut.second):
            await ctx.tick()
        await ctx.tick().repeat(2)
        count |= ctx.get(dut.word) << chunk * CHUNK_BITS
    return count


async def give(ctx, dut, rng, slots, given, shorts, used, live=0.8):
    """Count and visit as it comes; what stood in the clock of taking is what is counted."""
    visiting = None
    while ctx.get(dut.second):
        await ctx.tick()
    for _ in range(slots):
        place = rng.choice(used)
        ctx.set(dut.valid, rng.random() < live)
        ctx.set(dut.place, place)
        visit = rng.choice([place for place in VISITED if place != visiting])
        ctx.set(dut.visit, rng.random() < 0.2)
        ctx.set(dut.visit_place, visit)
        if visiting is not None:
            # Less than comes round, so that each wrap is seen.
            grown = rng.randrange(1 << SAMPLE_BITS)
            given[visiting] += grown
            shorts[visiting] += grown
            ctx.set(dut.sample, ~shorts[visiting] & (1 << SAMPLE_BITS) - 1)
        await ctx.tick()
        assert ctx.get(dut.second)
        given[place] += ctx.get(dut.taken)
        visiting = visit if ctx.get(dut.visit_taken) else None
        assert not ctx.get(dut.taken) or visiting is None
        await ctx.tick()
    ctx.set(dut.valid, 0)
    ctx.set(dut.visit, 0)
    if visiting is not None:
        ctx.set(dut.sample, ~shorts[visiting] & (1 << SAMPLE_BITS) - 1)
    await ctx.tick().repeat(QUIET_CLOCKS + 2)


@pytest.mark.parametrize("used", [(0,), (1, 2), tuple(COUNTED)])
def test_every_count_is_the_sum_of_what_came_and_of_what_its_counter_grew_by(bench, dut, used):
    rng, given, shorts = random.Random(len(used)), Counter(), Counter()

    async def drive(ctx):
        await cleared(ctx, dut)
        await give(ctx, dut, rng, 1500, given, shorts, used)
        assert {p: await read(ctx, dut, p) for p in range(8)} == {p: given[p] for p in range(8)}
        assert max(given.values()) > 1 << 2 * CHUNK_BITS
        assert not ctx.get(dut.saturated)
        await cleared(ctx, dut)
        assert not any([await read(ctx, dut, p) for p in range(8)])

    bench.simulate(dut, drive)


def test_a_count_that_wraps_is_told_until_a_clear(bench, dut):
    rng, given = random.Random(1), Counter()

    async def drive(ctx):
        await cleared(ctx, dut)
        while given[0] < MOST:
            assert not ctx.get(dut.saturated)
            await give(ctx, dut, rng, 100, given, Counter(), (0, 1), live=1)
        assert ctx.get(dut.saturated)
        assert await read(ctx, dut, 0) == given[0] - MOST
        await cleared(ctx, dut)
        assert not ctx.get(dut.saturated)

    bench.simulate(dut, drive)
