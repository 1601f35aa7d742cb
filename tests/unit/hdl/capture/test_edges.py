# SPDX-License-Identifier: Apache-2.0
"""The edge detector, every word of four samples behind every level, against a walk over samples."""

import itertools
import random

import pytest
from amaranth.hdl import Elaboratable, Module, Signal

from plexor_hdl.capture.edges import Edges, at_least

from ..simulation import made, settle, simulate

SAMPLES = 4


def walked(last, word, invert):
    """Return the ticks whose level differs from the one before, and the first one's polarity."""
    ticks, first = [], None
    for tick in range(SAMPLES):
        level = word >> tick & 1
        if level != last:
            ticks.append(tick)
            first = level ^ invert if first is None else first
        last = level
    return ticks, first


async def give(ctx, dut, word, **ports):
    """Give a word; return the ticks of its edges, the polarity told, and if it is valid."""
    for name, value in {"enable": 1, "capture": 1, "invert": 0, **ports}.items():
        ctx.set(getattr(dut, name), value)
    ctx.set(dut.word, word)
    await ctx.tick().repeat(dut.LATENCY)
    edges, polarity = ctx.get(dut.o_edges.edges), ctx.get(dut.o_edges.polarity)
    ticks = [tick for tick in range(SAMPLES) if edges >> tick & 1]
    assert bool(ticks) == ctx.get(dut.o_valid)
    return ticks, polarity


@pytest.mark.parametrize("invert", [0, 1])
def test_every_edge_of_every_word_is_found_with_the_polarity_of_the_first(invert):
    dut = made(Edges, SAMPLES)

    async def bench(ctx):
        for before, word in itertools.product(range(1 << SAMPLES), repeat=2):
            await give(ctx, dut, before, invert=invert)
            ticks, polarity = await give(ctx, dut, word, invert=invert)
            expected, first = walked(before >> SAMPLES - 1, word, invert)
            assert ticks == expected
            assert not ticks or polarity == first

    simulate(dut, bench)


@pytest.mark.parametrize("port", ["enable", "capture"])
def test_a_word_that_is_not_captured_has_no_edges_but_is_the_one_before_the_next(port):
    dut = made(Edges, SAMPLES)

    async def bench(ctx):
        for before, word in itertools.product((0, 1, 8, 15, 6), range(1 << SAMPLES)):
            assert (await give(ctx, dut, before, **{port: 0}))[0] == []
            ticks, _ = await give(ctx, dut, word)
            assert ticks == walked(before >> SAMPLES - 1, word, 0)[0]

    simulate(dut, bench)


def test_a_level_that_is_high_from_the_start_is_an_edge_and_a_low_one_is_none():
    dut = made(Edges, SAMPLES)
    for word, ticks in ((15, [0]), (0, [])):

        async def bench(ctx, word=word, ticks=ticks):
            assert (await give(ctx, dut, word))[0] == ticks
            assert (await give(ctx, dut, word))[0] == []

        simulate(dut, bench)


class Counted(Elaboratable):
    """What `at_least` says of some bits."""

    def __init__(self, bits: int) -> None:
        self.bits, self.told = Signal(bits), Signal(3)

    def elaborate(self, platform):
        m = Module()
        for number, found in enumerate(at_least(self.bits)):
            m.d.comb += self.told[number].eq(found)
        return m


@pytest.mark.parametrize("bits", [1, 2, 3, 5, 8, 16])
def test_one_two_and_three_bits_are_told_apart(bits):
    dut = Counted(bits)
    values = range(1 << bits) if bits <= 8 else random.Random(1).sample(range(1 << bits), 500)

    async def bench(ctx):
        for value in [*values, *(1 << bit for bit in range(bits))]:
            ctx.set(dut.bits, value)
            told = ctx.get(dut.told)
            assert [told >> n & 1 for n in range(3)] == [value.bit_count() > n for n in range(3)]

    settle(dut, bench)
