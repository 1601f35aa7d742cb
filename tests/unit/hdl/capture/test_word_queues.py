# SPDX-License-Identifier: Apache-2.0
"""The queues of words: what they take, what they drop and count, and what is told of a gap."""

import random
from dataclasses import replace

import pytest
from amaranth.hdl import Elaboratable, Module, Signal

from plexor.protocol.frames import SOURCE_LOAD
from plexor.protocol.geometry import Feature, Geometry, hold_clocks
from plexor_hdl.capture import word_queues
from plexor_hdl.capture.hold import MOST_CLOCKS
from plexor_hdl.capture.word_queues import WordQueues, clock_bits, following, four_counts

from ..simulation import made, settle, simulate

DEPTH = 4
SMALL = Geometry(channels=2, strikes=1, samples=4, word_fifo_depth=DEPTH, features=Feature.EVENTS)
LOAD = SMALL.merged.index(SOURCE_LOAD)
"""The source whose words have an edge in their first sample alone."""
TAG_CLOCKS = 4
"""From a slot that leaves to its tag."""


class Bench:
    """Words that come, and slots that are taken with their words and tags."""

    def __init__(self, dut) -> None:
        self.dut, self.clock = dut, 0
        self.slots, self.generated, self.dropped = [], [], []

    async def tick(self, ctx, words=None, ready=0, blank=0):
        """Go on by a clock, in which sources offer words: pairs of edges and polarity."""
        dut = self.dut
        for number in range(dut.sources):
            edges, polarity = (words or {}).get(number, (0, 0))
            ctx.set(dut.i_edges[number], {"edges": edges, "polarity": polarity})
            ctx.set(dut.i_valid[number], edges != 0)
        ctx.set(dut.clock, (self.clock - dut.latency) % (1 << len(dut.clock)))
        ctx.set(dut.blank, blank)
        ctx.set(dut.o_ready, ready)
        self.generated.append([ctx.get(amount.generated) for amount in dut.amounts])
        self.dropped.append([ctx.get(amount.dropped) for amount in dut.amounts])
        await ctx.tick()
        self.clock += 1

    async def take(self, ctx):
        """Take a slot; return its clock, gap, ticks, and the words of its sources."""
        dut = self.dut
        for _ in range(20):
            if ctx.get(dut.o_valid):
                break
            await self.tick(ctx)
        assert ctx.get(dut.o_valid)
        slot = ctx.get(dut.o_slot)
        await self.tick(ctx, ready=1)
        ctx.set(dut.take_words, slot.mask)
        await self.tick(ctx)
        ctx.set(dut.take_words, 0)
        words = {
            number: (word.edges, word.polarity)
            for number, word in enumerate(ctx.get(dut.o_words))
            if slot.mask >> number & 1
        }
        for _ in range(TAG_CLOCKS):
            await self.tick(ctx)
        tag = ctx.get(dut.tag)
        ctx.set(dut.take_tag, 1)
        await self.tick(ctx)
        ctx.set(dut.take_tag, 0)
        await self.tick(ctx)
        return tag.clock, tag.gap, slot.ticks, slot.several, words


class Bits(Elaboratable):
    """Functions of some bits."""

    def __init__(self, bits: int) -> None:
        self.bits, self.following = Signal(bits), Signal(bits)
        self.counts = [Signal(bits, name=f"count{number}") for number in range(3)]

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.following.eq(following(self.bits))
        for count, found in zip(self.counts, four_counts(self.bits), strict=True):
            m.d.comb += count.eq(found)
        return m


@pytest.mark.parametrize("bits", [4, 8])
def test_bits_are_counted_by_fours_and_places_follow_each_other_all_around(bits):
    dut = Bits(bits)

    async def bench(ctx):
        for value in range(1 << bits):
            ctx.set(dut.bits, value)
            assert ctx.get(dut.following) == (value + 1) % (1 << bits)
            counts = [ctx.get(count) for count in dut.counts]
            for first in range(0, bits, 4):
                found = sum((count >> first & 1) << n for n, count in enumerate(counts))
                assert found == (value >> first & 15).bit_count()

    settle(dut, bench)


def test_words_of_a_clock_are_one_slot_with_the_ticks_of_all():
    bench, rng = Bench(made(WordQueues, SMALL)), random.Random(3)

    async def testbench(ctx):
        for _ in range(40):
            words = {
                number: (1 if number == LOAD else rng.randrange(1, 16), rng.getrandbits(1))
                for number in rng.sample(range(bench.dut.sources), rng.randrange(1, 4))
            }
            clock = bench.clock
            await bench.tick(ctx, words)
            # Both edges that any source has in a word are told at once.
            found = await bench.take(ctx)
            ticks = 0
            for edges, _ in words.values():
                ticks |= edges
            several = ticks.bit_count() > 1
            clock %= 1 << len(bench.dut.clock)
            assert found == (clock, 0, ticks, several, words)
        assert ctx.get(bench.dut.empty)

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("steps", [0, 3])
def test_a_slot_that_is_held_back_leaves_in_its_order_and_so_much_later(steps):
    # Twice, so that the second run begins behind strobes of another length.
    bench, rng = Bench(made(WordQueues, SMALL, holds=True)), random.Random(steps)

    async def testbench(ctx):
        dut = bench.dut
        for run_steps in (7, steps, None):
            ctx.set(dut.hold, run_steps is not None)
            ctx.set(dut.hold_steps, run_steps or 0)
            ctx.set(dut.clear, 1)
            await bench.tick(ctx)
            ctx.set(dut.clear, 0)
            for _ in range(MOST_CLOCKS):
                await bench.tick(ctx)
            wait = 4 + (0 if run_steps is None else hold_clocks(16 * run_steps))
            offered = []
            for _ in range(4):
                words = {rng.randrange(dut.sources - 1): (rng.randrange(1, 16), 1)}
                offered.append((bench.clock, words))
                await bench.tick(ctx, words)
                await bench.tick(ctx)
            begun = offered[0][0]
            while not ctx.get(dut.o_valid):
                await bench.tick(ctx)
            assert bench.clock - begun == max(wait, 8)
            for clock, words in offered:
                found = await bench.take(ctx)
                assert (found[0], found[4]) == (clock % (1 << len(dut.clock)), words)
            assert ctx.get(dut.empty)

    simulate(bench.dut, testbench)


def test_a_full_queue_drops_words_whole_and_counts_their_edges_two_clocks_later():
    bench = Bench(made(WordQueues, SMALL))
    words = [0b1, 0b11, 0b111, 0b1111, 0b0101, 0b1000, 0b1110]
    other = (0b0110, 1)

    async def testbench(ctx):
        for number, edges in enumerate(words):
            given = {0: (edges, 1)} | ({2: other} if number == 5 else {})
            await bench.tick(ctx, given)
        for _ in range(3):
            await bench.tick(ctx)
        counts = [edges.bit_count() for edges in words]
        assert [row[0] for row in bench.generated[2 : 2 + len(words)]] == counts
        dropped = [0] * DEPTH + counts[DEPTH:]
        assert [row[0] for row in bench.dropped[2 : 2 + len(words)]] == dropped
        assert sum(row[2] for row in bench.generated) == 2
        assert not any(row[2] for row in bench.dropped)
        # The first ones are whole; then there is one of another source, behind what was dropped.
        for number in range(DEPTH):
            clock, gap, ticks, _, found = await bench.take(ctx)
            assert (clock, gap, ticks) == (number, 0, words[number])
            assert found == {0: (words[number], 1)}
        clock, gap, ticks, _, found = await bench.take(ctx)
        assert (clock, gap, found) == (5, sum(dropped[:6]), {2: other})
        assert ticks == other[0]
        # What was dropped last is told by the next slot, with words or without.
        assert ctx.get(bench.dut.empty)
        await bench.tick(ctx, blank=1)
        clock, gap, ticks, several, found = await bench.take(ctx)
        assert (gap, ticks, several, found) == (dropped[6], 0, 0, {})

    simulate(bench.dut, testbench)


def test_a_gap_too_long_to_count_keeps_its_highest_bit_and_says_so_until_a_clear(monkeypatch):
    monkeypatch.setattr(word_queues, "GAP_BITS", 5)
    bench = Bench(WordQueues(SMALL))

    async def testbench(ctx):
        for _ in range(DEPTH + 7):
            await bench.tick(ctx, {0: (0b1111, 0)})
        for _ in range(6):
            await bench.tick(ctx)
        # 28 edges still have room; the next 12 have not.
        assert not ctx.get(bench.dut.gap_saturated)
        for _ in range(3):
            await bench.tick(ctx, {0: (0b1111, 0)})
        for _ in range(6):
            await bench.tick(ctx)
        assert ctx.get(bench.dut.gap_saturated)
        for _ in range(DEPTH):
            await bench.take(ctx)
        await bench.tick(ctx, {1: (0b1, 0)})
        assert (await bench.take(ctx))[1] >= 1 << 4
        assert ctx.get(bench.dut.gap_saturated)
        ctx.set(bench.dut.clear, 1)
        await bench.tick(ctx)
        ctx.set(bench.dut.clear, 0)
        assert not ctx.get(bench.dut.gap_saturated)
        await bench.tick(ctx, {1: (0b1, 0)})
        assert (await bench.take(ctx))[1] == 0

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("samples", [4, 8, 16])
@pytest.mark.parametrize("depth", [4, 8, 16, 32, 64, 128, 256, 512])
def test_a_words_clock_has_room_for_the_longest_wait_or_is_refused(samples, depth):
    geometry = Geometry(channels=8, strikes=8, samples=samples, word_fifo_depth=depth)
    # Every sample of every FIFO an edge, 32 clocks for each, and the pauses of steps.
    waits = 32 * (len(geometry.sources) * depth * samples + geometry.queue_depth) + 512 * depth
    if 2 * waits < 1 << 20:
        assert 1 << clock_bits(geometry) > 2 * waits
        return
    with pytest.raises(ValueError, match=rf"^word_fifo_depth: {depth}; must be ") as caught:
        clock_bits(geometry)
    most = int(str(caught.value).split("must be ")[1].split()[0])
    assert clock_bits(replace(geometry, word_fifo_depth=most)) <= 20
    with pytest.raises(ValueError, match="word_fifo_depth"):
        clock_bits(replace(geometry, word_fifo_depth=2 * most))
