# SPDX-License-Identifier: Apache-2.0
"""Blocks of memory with one port: what was written is read a clock after its address."""

import random

from amaranth.hdl import Elaboratable, Module, Signal

from plexor_hdl.lib.blocks import plain_blocks

from ..simulation import simulate

ADDRESS_BITS, DATA_BITS = 4, 9


class Plain(Elaboratable):
    """The blocks of a simulation."""

    def __init__(self) -> None:
        self.address, self.write = Signal(ADDRESS_BITS), Signal()
        self.data, self.read = Signal(DATA_BITS), Signal(DATA_BITS)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.read.eq(plain_blocks(m, self.address, self.data, self.write))
        return m


def test_a_word_is_read_a_clock_after_its_address_was_given_without_a_write():
    top, rng, words = Plain(), random.Random(3), {}

    async def bench(ctx):
        expected = None
        for _ in range(2000):
            address, data = rng.randrange(1 << ADDRESS_BITS), rng.randrange(1 << DATA_BITS)
            write = rng.random() < 0.5
            ctx.set(top.address, address)
            ctx.set(top.data, data)
            ctx.set(top.write, write)
            await ctx.tick()
            expected = None if write else words.get(address)
            if write:
                words[address] = data
            if expected is not None:
                assert ctx.get(top.read) == expected

    simulate(top, bench)
    assert len(words) == 1 << ADDRESS_BITS
