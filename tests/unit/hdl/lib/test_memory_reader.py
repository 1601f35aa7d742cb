# SPDX-License-Identifier: Apache-2.0
"""Readers of memories: every word once and in order, however it is written and taken."""

import random

import pytest
from amaranth.hdl import Elaboratable, Module, Signal

from plexor_hdl.lib.memory_reader import MemoryReader, QuickMemoryReader, plain_memory

from ..simulation import made, simulate

BITS, WIDTH = 3, 16
SIZE = 1 << BITS


class Written(Elaboratable):
    """A memory with its reader."""

    def __init__(self, kind) -> None:
        self.reader, self.quick = kind(WIDTH, BITS), kind is QuickMemoryReader
        self.write, self.place, self.word = Signal(), Signal(BITS), Signal(WIDTH)

    def elaborate(self, platform):
        m = Module()
        m.submodules.reader = reader = self.reader
        m.submodules.memory = memory = plain_memory(WIDTH, SIZE)
        write, read = memory.write_port(), memory.read_port()
        m.d.comb += [
            write.addr.eq(self.place),
            write.data.eq(self.word),
            write.en.eq(self.write),
            read.addr.eq(reader.address),
            read.en.eq(reader.enable if self.quick else 1),
            reader.data.eq(read.data),
        ]
        return m


async def put(ctx, dut, number, word):
    """Write the next word; it counts as written in the clock behind."""
    ctx.set(dut.place, number % SIZE)
    ctx.set(dut.word, word)
    ctx.set(dut.write, 1)
    await ctx.tick()
    ctx.set(dut.write, 0)
    ctx.set(dut.reader.limit, (number + 1) % SIZE)


async def take(ctx, reader, into, rng, chance):
    ctx.set(reader.o_words.ready, rng.random() < chance)
    port = reader.o_words
    _, _, valid, ready, word = await ctx.tick().sample(port.valid, port.ready, port.payload)
    ctx.set(port.ready, 0)
    if valid and ready:
        into.append(word)
    return valid and ready


@pytest.mark.parametrize("kind", [MemoryReader, QuickMemoryReader])
@pytest.mark.parametrize("chance", [1.0, 0.5, 0.1])
def test_every_word_comes_once_in_order_around_the_memory(kind, chance):
    dut, rng = made(Written, kind), random.Random(int(10 * chance))
    words, found = [rng.getrandbits(WIDTH) for _ in range(100)], []
    written = [0]

    async def write(ctx):
        for number, word in enumerate(words):
            # The words before its address are free to be written.
            while (number - ctx.get(dut.reader.address)) % SIZE >= SIZE - 2:
                await ctx.tick()
            await put(ctx, dut, number, word)
            written[0] += 1
            for _ in range(rng.choice((0, 0, 0, 12))):
                await ctx.tick()

    async def read(ctx):
        for _ in range(100 * 80):
            await take(ctx, dut.reader, found, rng, chance)
            if len(found) == len(words):
                return

    simulate(dut, write, read)
    assert found == words


@pytest.mark.parametrize(("kind", "clocks"), [(MemoryReader, 4), (QuickMemoryReader, 1)])
def test_words_that_are_there_come_as_fast_as_documented(kind, clocks):
    dut, rng, found = made(Written, kind), random.Random(1), []
    count = SIZE - 1

    async def bench(ctx):
        for number in range(count):
            ctx.set(dut.place, number)
            ctx.set(dut.word, number)
            ctx.set(dut.write, 1)
            await ctx.tick()
        ctx.set(dut.write, 0)
        ctx.set(dut.reader.limit, count)
        taken = [clock for clock in range(60) if await take(ctx, dut.reader, found, rng, 1.0)]
        assert found == list(range(count))
        assert taken[-1] - taken[0] <= clocks * (count - 1)

    simulate(dut, bench)


@pytest.mark.parametrize("kind", [MemoryReader, QuickMemoryReader])
def test_a_clear_goes_back_to_the_first_word_and_forgets_what_was_read(kind):
    dut, rng = made(Written, kind), random.Random(1)

    async def bench(ctx):
        for clocks in range(14):
            for number in range(5):
                await put(ctx, dut, number, 100 + number)
            for _ in range(clocks):
                await take(ctx, dut.reader, [], rng, 1.0)
            # What stands at the output may be taken with the clear.
            ctx.set(dut.reader.limit, 0)
            ctx.set(dut.reader.clear, 1)
            ctx.set(dut.reader.o_words.ready, 1)
            await ctx.tick()
            ctx.set(dut.reader.clear, 0)
            ctx.set(dut.reader.o_words.ready, 0)
            found = []
            for _ in range(20):
                await take(ctx, dut.reader, found, rng, 1.0)
            assert found == []
            for number in range(3):
                await put(ctx, dut, number, 200 + number)
            for _ in range(20):
                await take(ctx, dut.reader, found, rng, 1.0)
            assert found == [200, 201, 202]
            ctx.set(dut.reader.limit, 0)
            ctx.set(dut.reader.clear, 1)
            await ctx.tick()
            ctx.set(dut.reader.clear, 0)

    simulate(dut, bench)
