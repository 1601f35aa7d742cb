# SPDX-License-Identifier: Apache-2.0
"""Sums in two parts, every one of few bits and some of 32, against plain integers."""

import random

import pytest
from amaranth.hdl import Elaboratable, Module, Signal

from plexor_hdl.lib.split_sum import add_one_more, added, high_part, low_part, up

from ..simulation import settle

WORD = 1 << 32
EDGES = (0, 1, 0xFFF, 0x1000, 0xFFFF_F000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)


class Sums(Elaboratable):
    """The sums of two values and a carry."""

    def __init__(self, bits: int) -> None:
        self.left, self.right, self.carry = Signal(bits), Signal(bits), Signal()
        self.added, self.one_more = Signal(bits + 1), Signal(bits + 1)
        self.shifted, self.whole = Signal(2 * bits), Signal(bits)

    def elaborate(self, platform):
        m = Module()
        left, right = self.left, self.right
        m.d.comb += [
            self.added.eq(added(left, right, self.carry)),
            self.one_more.eq(add_one_more(left, right)),
            self.shifted.eq(up(left, 2)),
        ]
        if len(left) == 32:
            # As they are used: the carry of the lower parts goes into the upper ones.
            low = added(low_part(left), low_part(right), self.carry)
            high = added(high_part(left), high_part(right), low[-1])
            m.d.comb += self.whole.eq(low[:-1] | (high << len(low) - 1))
        return m


def test_every_sum_of_three_bits_and_a_carry_is_exact():
    dut = Sums(3)

    async def bench(ctx):
        for left in range(8):
            for right in range(8):
                ctx.set(dut.left, left)
                ctx.set(dut.right, right)
                assert ctx.get(dut.one_more) == left + right + 1
                assert ctx.get(dut.shifted) == left << 2 & 7
                for carry in range(2):
                    ctx.set(dut.carry, carry)
                    assert ctx.get(dut.added) == left + right + carry

    settle(dut, bench)


@pytest.mark.parametrize("seed", range(2))
def test_two_parts_with_a_carry_between_are_the_sum_of_32_bits(seed):
    dut, rng = Sums(32), random.Random(seed)
    pairs = [(left, right) for left in EDGES for right in EDGES]
    pairs += [(rng.getrandbits(32), rng.getrandbits(32)) for _ in range(300)]

    async def bench(ctx):
        for left, right in pairs:
            ctx.set(dut.left, left)
            ctx.set(dut.right, right)
            ctx.set(dut.carry, seed)
            assert ctx.get(dut.whole) == (left + right + seed) % WORD
            assert ctx.get(dut.added) == left + right + seed

    settle(dut, bench)
