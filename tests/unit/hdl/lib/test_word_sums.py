"""Sums of several words, added limb by limb, against plain integers."""

import random

import pytest

from plexor_hdl.lib.word_sums import WordSums

from ..simulation import made, simulate

WORD_BITS = 32
WORDS, SUM_WORDS = 8, 4
"""Two sums of four words each."""
SHAPES = [(16, False), (32, False), (32, True)]
"""Those that builds have: a limb is a whole word where sums are read while they grow."""


class Bench:
    """Sums in the memory, and what they must be."""

    def __init__(self, limb_bits, live) -> None:
        self.dut, self.live = made(WordSums, WORDS, limb_bits, live), live
        self.limb_bits, self.limbs = limb_bits, SUM_WORDS * WORD_BITS // limb_bits
        self.sums = [0] * (WORDS // SUM_WORDS)

    async def clear(self, ctx):
        ctx.set(self.dut.clear, 1)
        for limb in range(WORDS * WORD_BITS // self.limb_bits):
            ctx.set(self.dut.limb, limb)
            await ctx.tick()
        ctx.set(self.dut.clear, 0)
        await ctx.tick().repeat(6)
        self.sums = [0] * len(self.sums)

    async def add(self, ctx, number, value, limbs=None):
        """Add a value to a sum, or to the lowest of its limbs alone."""
        limbs = limbs or self.limbs
        for limb in range(limbs + 1):
            ctx.set(self.dut.run, limb < limbs)
            ctx.set(self.dut.first, limb == 0)
            ctx.set(self.dut.limb, number * self.limbs + min(limb, limbs - 1))
            part = value >> max(limb - 1, 0) * self.limb_bits
            ctx.set(self.dut.addend, part % (1 << self.limb_bits) if limb else 0x5555)
            await ctx.tick()
        low = (1 << limbs * self.limb_bits) - 1
        kept = self.sums[number] & ~low
        self.sums[number] = kept | self.sums[number] + value & low
        # The same limbs come again after 4 clocks at the earliest.
        await ctx.tick().repeat(max(4 - limbs, 1))

    async def read(self, ctx):
        """Return all sums, each word once it must be there."""
        words = []
        for row in range(WORDS):
            ctx.set(self.dut.row, row)
            await ctx.tick().repeat(3 + (self.limb_bits < WORD_BITS) + self.live)
            words.append(ctx.get(self.dut.word))
        return [
            sum(word << WORD_BITS * n for n, word in enumerate(words[first : first + SUM_WORDS]))
            for first in range(0, WORDS, SUM_WORDS)
        ]


@pytest.mark.parametrize(("limb_bits", "live"), SHAPES)
def test_sums_carry_through_all_of_their_words_and_not_into_the_next_sum(limb_bits, live):
    bench, rng = Bench(limb_bits, live), random.Random(limb_bits)
    most = 1 << SUM_WORDS * WORD_BITS
    values = [most - 1, 1, 0xFFFF_FFFF, 1, (1 << 96) - 1, 1, most - 1, most - 1]
    values += [rng.getrandbits(rng.choice((16, 33, 64, 127))) for _ in range(40)]

    async def testbench(ctx):
        await bench.clear(ctx)
        assert await bench.read(ctx) == [0, 0]
        for number, value in enumerate(values):
            await bench.add(ctx, number % 3 % 2, value)
            if number < 8 or number % 7 == 0:
                await ctx.tick().repeat(4)
                assert await bench.read(ctx) == bench.sums
        await bench.clear(ctx)
        assert await bench.read(ctx) == [0, 0]

    simulate(bench.dut, testbench)


@pytest.mark.parametrize(("limb_bits", "live"), SHAPES)
def test_the_first_limb_takes_no_carry_of_the_one_before(limb_bits, live):
    bench = Bench(limb_bits, live)

    async def testbench(ctx):
        await bench.clear(ctx)
        for _ in range(2):
            # One that carries out of its last limb, and at once the next sum.
            await bench.add(ctx, 0, (1 << SUM_WORDS * WORD_BITS) - 1)
            await bench.add(ctx, 1, 5)
        await ctx.tick().repeat(4)
        assert await bench.read(ctx) == [(1 << SUM_WORDS * WORD_BITS) - 2, 10]

    simulate(bench.dut, testbench)


def test_a_live_word_stands_while_sums_are_added():
    bench = Bench(32, live=True)

    async def testbench(ctx):
        await bench.clear(ctx)
        await bench.add(ctx, 0, 0x1234_5678)
        await ctx.tick().repeat(4)
        ctx.set(bench.dut.row, 0)
        await ctx.tick().repeat(6)
        for value in range(20):
            assert ctx.get(bench.dut.word) == 0x1234_5678
            await bench.add(ctx, 1, value)
            assert ctx.get(bench.dut.word) == 0x1234_5678

    simulate(bench.dut, testbench)
