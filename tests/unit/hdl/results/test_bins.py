# SPDX-License-Identifier: Apache-2.0
"""Bins: every count is in its counter, whatever carries, freezes and folds meanwhile."""

import random
from collections import Counter
from itertools import cycle, product

import pytest

from plexor_hdl.results.bins import Bins
from plexor_hdl.uplink.dumper import FRAME_WORDS

from ..simulation import made, simulate

ENTRIES, SECOND_FROM = 64, 48
MANY = {"main_bits": 4, "delta_bits": 2, "pages": 32}
"""Carries at every turn, and a page for each group of both sets."""
QUICK = ((4, ENTRIES, 1), (7, 3, 4))
"""Clocks between pairs, counters and bits of `make test`: the fastest pairs, and few counters."""


class Bench:
    """Pairs as fast as they are taken, and the counts there must be."""

    def __init__(self, dut, seed, spread=ENTRIES, apart=(4,)) -> None:
        self.dut, self.chance, self.spread = dut, random.Random(seed), spread
        self.apart = cycle(apart)
        self.counts = Counter()
        self.stop = self.paused = self.quiet = False
        self.sent, self.left = 0, 1 << 30

    async def send(self, ctx):
        """Send pairs until told to stop; one comes 8 clocks after it was announced."""
        dut, under_way, wait = self.dut, [], 0
        while not self.stop or under_way:
            going = not self.stop and not self.paused and wait == 0 and ctx.get(dut.room)
            going = going and self.left > 0
            self.left -= going
            ctx.set(dut.expect_stb, going)
            under_way.append(going)
            wait = next(self.apart) - 1 if going else max(wait - 1, 0)
            if len(under_way) == 8:
                comes = under_way.pop(0)
                first, second = self.pair()
                ctx.set(dut.i_pair.valid, comes)
                ctx.set(dut.i_pair.payload, {"first": first, "second": second})
                if comes:
                    self.counts.update((first, second))
                    self.sent += 1
                if self.stop and not any(under_way) and not comes:
                    under_way = []
            self.quiet = not any(under_way)
            await ctx.tick()
        ctx.set(dut.i_pair.valid, 0)

    def pair(self):
        """Return the next pair."""
        first = self.chance.randrange(min(self.spread, SECOND_FROM))
        return first, SECOND_FROM + self.chance.randrange(min(self.spread, ENTRIES - SECOND_FROM))

    async def pause(self, ctx):
        """Return what is counted once nothing is under way."""
        self.paused = True
        for _ in range(12):
            await ctx.tick()
        while not (self.quiet and ctx.get(self.dut.idle)):
            await ctx.tick()
        return Counter(self.counts)

    async def read(self, ctx, addresses=range(ENTRIES)):
        """Return the words of addresses, each as soon as it must be there."""
        found = Counter()
        for address in addresses:
            ctx.set(self.dut.there, 1)
            ctx.set(self.dut.address, address)
            await ctx.tick().repeat(Bins.WORD_CLOCKS)
            found[address] = ctx.get(self.dut.word)
        return found

    async def clear(self, ctx):
        ctx.set(self.dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(self.dut.clear_stb, 0)
        await ctx.tick().until(~self.dut.clear_busy)
        self.counts.clear()


async def count(ctx, bench, clocks):
    await bench.clear(ctx)
    bench.paused = False
    await ctx.tick().repeat(clocks)


@pytest.mark.parametrize(
    ("apart", "spread", "main_bits"),
    [
        pytest.param(*case, marks=() if case in QUICK else pytest.mark.full)
        for case in product((4, 7), (1, 3, ENTRIES), (1, 2, 4, 14))
    ],
)
def test_every_count_is_in_its_counter(apart, spread, main_bits):
    delta_bits = min(main_bits, 2)
    dut = made(Bins, ENTRIES, SECOND_FROM, main_bits=main_bits, delta_bits=delta_bits, pages=8)
    bench = Bench(dut, 1, spread, (apart,))
    bench.paused = True

    async def testbench(ctx):
        await count(ctx, bench, 4000)
        counts = await bench.pause(ctx)
        assert await bench.read(ctx) == counts
        assert ctx.get(dut.saturated) == 0
        bench.stop = True

    simulate(dut, testbench, bench.send)


@pytest.mark.parametrize(
    ("bits", "spread"),
    [
        pytest.param(
            bits,
            spread,
            marks=() if (bits, spread) == ((4, 2), ENTRIES) else pytest.mark.full,
            id=f"bits{number}-{spread}",
        )
        for number, bits in enumerate(((4, 2), (1, 1)))
        for spread in (1, 3, ENTRIES)
    ],
)
def test_what_is_read_while_frozen_is_the_state_before_and_nothing_is_lost(bits, spread):
    main_bits, delta_bits = bits
    dut = made(
        Bins, ENTRIES, SECOND_FROM, main_bits=main_bits, delta_bits=delta_bits, pages=MANY["pages"]
    )
    bench = Bench(dut, 2, spread)
    bench.paused = True

    async def testbench(ctx):
        await count(ctx, bench, 1500)
        for _ in range(3):
            counts = await bench.pause(ctx)
            ctx.set(dut.frozen, 1)
            bench.paused = False
            await ctx.tick()
            for _ in range(2):
                assert await bench.read(ctx) == counts
            ctx.set(dut.frozen, 0)
            await ctx.tick().repeat(3)
            assert ctx.get(dut.folding) == 1
            while ctx.get(dut.folding):
                await ctx.tick()
            await ctx.tick().repeat(200)
        counts = await bench.pause(ctx)
        assert await bench.read(ctx) == counts
        assert ctx.get(dut.saturated) == 0
        bench.stop = True

    simulate(dut, testbench, bench.send)


def test_pages_of_the_delta_are_free_again_once_it_is_folded():
    # Two groups count: two pages stay, two more are enough for every freeze.
    dut = made(Bins, ENTRIES, SECOND_FROM, main_bits=4, delta_bits=2, pages=5)
    bench = Bench(dut, 3, 5)
    bench.paused = True

    async def testbench(ctx):
        await count(ctx, bench, 600)
        for _ in range(4):
            await bench.pause(ctx)
            ctx.set(dut.frozen, 1)
            bench.paused = False
            await ctx.tick().repeat(400)
            ctx.set(dut.frozen, 0)
            await ctx.tick().repeat(3)
            while ctx.get(dut.folding):
                await ctx.tick()
        counts = await bench.pause(ctx)
        assert await bench.read(ctx) == counts
        assert ctx.get(dut.saturated) == 0
        bench.stop = True

    simulate(dut, testbench, bench.send)


@pytest.mark.parametrize("apart", [5, pytest.param(1, marks=pytest.mark.full)])
def test_a_counter_stays_at_its_greatest_value_and_says_so(apart):
    # Of 6 bits in all.
    dut = made(Bins, ENTRIES, SECOND_FROM, main_bits=4, delta_bits=2, pages=32, upper_bits=2)
    bench = Bench(dut, 4, 1, apart=(4, 5, 7))
    bench.paused = True

    async def testbench(ctx):
        bench.left = 63
        await count(ctx, bench, 600)
        counts = await bench.pause(ctx)
        assert counts[0] == counts[SECOND_FROM] == 63
        assert await bench.read(ctx) == counts
        assert ctx.get(dut.saturated) == 0
        for more in range(42, 58, apart):
            bench.left, bench.paused = more, False
            await ctx.tick().repeat(1000)
            await bench.pause(ctx)
            assert await bench.read(ctx, (0, SECOND_FROM)) == Counter({0: 63, SECOND_FROM: 63})
            assert ctx.get(dut.saturated) == 1
        bench.left = 5
        await count(ctx, bench, 100)
        counts = await bench.pause(ctx)
        assert await bench.read(ctx) == counts
        assert ctx.get(dut.saturated) == 0
        bench.stop = True

    simulate(dut, testbench, bench.send)


@pytest.mark.parametrize("apart", [5, pytest.param(1, marks=pytest.mark.full)])
def test_without_a_free_page_a_counter_keeps_what_it_has_and_the_others_count(apart):
    # One page, which the first group to carry takes.
    dut = made(Bins, ENTRIES, SECOND_FROM, main_bits=3, delta_bits=2, pages=2)
    bench = Bench(dut, 5, 1)
    bench.paused = True

    async def testbench(ctx):
        await bench.clear(ctx)
        for more in range(100, 116, apart):
            bench.left, bench.paused = more, False
            await ctx.tick().repeat(1000)
            counts = await bench.pause(ctx)
            found = await bench.read(ctx, (0, SECOND_FROM))
            assert found[0] == counts[0] > 7
            assert found[SECOND_FROM] == 7
            assert ctx.get(dut.saturated) == 1
        bench.stop = True

    simulate(dut, testbench, bench.send)


def test_a_pair_is_taken_each_four_clocks_and_one_in_five_while_folding():
    dut = made(Bins, ENTRIES, SECOND_FROM)
    bench = Bench(dut, 6)
    bench.paused = True

    async def testbench(ctx):
        await count(ctx, bench, 40)
        before = bench.sent
        await ctx.tick().repeat(400)
        assert bench.sent - before == 100
        await bench.pause(ctx)
        ctx.set(dut.frozen, 1)
        bench.paused = False
        await ctx.tick().repeat(1500)
        ctx.set(dut.frozen, 0)
        await ctx.tick().repeat(3)
        before, clocks = bench.sent, 0
        while ctx.get(dut.folding):
            await ctx.tick()
            clocks += 1
        assert bench.sent - before >= clocks / 5
        bench.stop = True

    simulate(dut, testbench, bench.send)


def test_values_of_one_strike_that_all_carry_at_once_are_taken_as_fast_as_others():
    # Four values of a strike each 18 clocks, always the same: eight counters carry in one strike.
    dut = made(Bins, ENTRIES, SECOND_FROM, main_bits=4, delta_bits=3, pages=16)
    bench = Bench(dut, 7, apart=(4, 5))
    bench.paused = True
    bench.pair = lambda: (bench.sent % 4, SECOND_FROM + bench.sent % 4)

    async def testbench(ctx):
        await bench.clear(ctx)
        for frozen in (0, 1):
            ctx.set(dut.frozen, frozen)
            before, bench.paused = bench.sent, False
            await ctx.tick().repeat(3600)
            assert bench.sent - before == pytest.approx(800, abs=2)
            counts = await bench.pause(ctx)
        ctx.set(dut.frozen, 0)
        await ctx.tick().repeat(3)
        while ctx.get(dut.folding):
            await ctx.tick()
        assert await bench.read(ctx) == counts
        assert ctx.get(dut.saturated) == 0
        bench.stop = True

    simulate(dut, testbench, bench.send)


def test_only_frames_with_a_counter_that_has_counted_may_have_words_until_a_clear():
    entries, second_from = 8 * FRAME_WORDS, 4 * FRAME_WORDS
    dut = made(Bins, entries, second_from, **MANY)
    frames = range(0, entries, FRAME_WORDS)

    async def told(ctx):
        found = []
        for first in frames:
            ctx.set(dut.there, 1)
            ctx.set(dut.address, first + FRAME_WORDS // 2)
            await ctx.tick().repeat(2)
            found.append(ctx.get(dut.some))
            ctx.set(dut.there, 0)
            await ctx.tick().repeat(2)
            assert not ctx.get(dut.some)
        return found

    async def pair(ctx, first, second):
        ctx.set(dut.i_pair.payload, {"first": first, "second": second})
        ctx.set(dut.expect_stb, 1)
        ctx.set(dut.i_pair.valid, 1)
        await ctx.tick()
        ctx.set(dut.expect_stb, 0)
        ctx.set(dut.i_pair.valid, 0)
        await ctx.tick().repeat(20)

    async def testbench(ctx):
        for frozen in (0, 1):
            ctx.set(dut.clear_stb, 1)
            await ctx.tick()
            ctx.set(dut.clear_stb, 0)
            await ctx.tick().until(~dut.clear_busy)
            assert await told(ctx) == [0] * 8
            await pair(ctx, 2 * FRAME_WORDS, 7 * FRAME_WORDS - 1)
            await pair(ctx, 2 * FRAME_WORDS + 1, 7 * FRAME_WORDS - 1)
            assert await told(ctx) == [0, 0, 1, 0, 0, 0, 1, 0]
            # What counts beside a frozen state is in it once it has been folded.
            ctx.set(dut.frozen, frozen)
            await ctx.tick()
            await pair(ctx, FRAME_WORDS - 1, 7 * FRAME_WORDS)
            seen = await told(ctx)
            assert seen[1:7] == [0, 1, 0, 0, 0, 1]
            assert frozen or (seen[0] and seen[7])
            ctx.set(dut.frozen, 0)
            await ctx.tick().repeat(4)
            while ctx.get(dut.folding):
                await ctx.tick()
            assert await told(ctx) == [1, 0, 1, 0, 0, 0, 1, 1]

    simulate(dut, testbench)
