# SPDX-License-Identifier: Apache-2.0
"""Sums of several words, added chunk by chunk, against plain integers."""

import random

import pytest

from plexor_hdl.lib.word_sums import WordSums

from ..simulation import made, simulate

WORD_BITS = 32
WORDS, SUM_WORDS = 8, 4
"""Two sums of four words each."""
SHAPES = [(16, False), (32, False), (32, True)]
"""Those that builds have: a chunk is a whole word where sums are read while they grow."""


class Bench:
    """Sums in the memory, and what they must be."""

    def __init__(self, chunk_bits, live) -> None:
        self.dut, self.live = made(WordSums, WORDS, chunk_bits, live), live
        self.chunk_bits, self.chunks = chunk_bits, SUM_WORDS * WORD_BITS // chunk_bits
        self.sums = [0] * (WORDS // SUM_WORDS)

    async def clear(self, ctx):
        ctx.set(self.dut.clear, 1)
        for chunk in range(WORDS * WORD_BITS // self.chunk_bits):
            ctx.set(self.dut.chunk, chunk)
            await ctx.tick()
        ctx.set(self.dut.clear, 0)
        await ctx.tick().repeat(6)
        self.sums = [0] * len(self.sums)

    async def add(self, ctx, number, value, chunks=None):
        """Add a value to a sum, or to the lowest of its chunks alone."""
        chunks = chunks or self.chunks
        for chunk in range(chunks + 1):
            ctx.set(self.dut.run, chunk < chunks)
            ctx.set(self.dut.first, chunk == 0)
            ctx.set(self.dut.chunk, number * self.chunks + min(chunk, chunks - 1))
            part = value >> max(chunk - 1, 0) * self.chunk_bits
            ctx.set(self.dut.addend, part % (1 << self.chunk_bits) if chunk else 0x5555)
            await ctx.tick()
        low = (1 << chunks * self.chunk_bits) - 1
        kept = self.sums[number] & ~low
        self.sums[number] = kept | self.sums[number] + value & low
        # The same chunks come again after 4 clocks at the earliest.
        await ctx.tick().repeat(max(4 - chunks, 1))

    async def read(self, ctx):
        """Return all sums, each word once it must be there."""
        words = []
        for row in range(WORDS):
            ctx.set(self.dut.row, row)
            await ctx.tick().repeat(3 + (self.chunk_bits < WORD_BITS) + self.live)
            words.append(ctx.get(self.dut.word))
        return [
            sum(word << WORD_BITS * n for n, word in enumerate(words[first : first + SUM_WORDS]))
            for first in range(0, WORDS, SUM_WORDS)
        ]


@pytest.mark.parametrize(("chunk_bits", "live"), SHAPES)
def test_sums_carry_through_all_of_their_words_and_not_into_the_next_sum(chunk_bits, live):
    bench, rng = Bench(chunk_bits, live), random.Random(chunk_bits)
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


@pytest.mark.parametrize(("chunk_bits", "live"), SHAPES)
def test_the_first_chunk_takes_no_carry_of_the_one_before(chunk_bits, live):
    bench = Bench(chunk_bits, live)

    async def testbench(ctx):
        await bench.clear(ctx)
        for _ in range(2):
            # One that carries out of its last chunk, and at once the next sum.
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
