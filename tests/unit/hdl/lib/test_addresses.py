# SPDX-License-Identifier: Apache-2.0
"""Word addresses of the register map, each in its block and copy, by the contract's own."""

import pytest
from amaranth.hdl import Elaboratable, Module, Signal

from plexor.protocol.registers import BLOCKS, address
from plexor_hdl.lib.addresses import ADDRESS_BITS, WORD_BITS, claimed, split, words_of

from ..simulation import settle


class Split(Elaboratable):
    """An address of a block taken apart, and whether its word is an upper one."""

    def __init__(self, block) -> None:
        self.block, self.address = block, Signal(ADDRESS_BITS)
        self.offset, self.copy = Signal(ADDRESS_BITS), Signal(ADDRESS_BITS)
        self.upper = Signal()

    def elaborate(self, platform):
        m = Module()
        offset, copy = split(self.block, self.address)
        m.d.comb += [
            self.offset.eq(offset),
            self.copy.eq(copy),
            self.upper.eq(claimed(self.block, self.address, lambda word: word.number > 0)),
        ]
        return m


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_each_word_of_each_copy_is_found_at_its_address(block):
    dut = Split(block)
    copies = sorted({0, 1, block.count // 2, block.count - 1} & set(range(block.count)))

    async def bench(ctx):
        for copy in copies:
            for offset, word in enumerate(words_of(block)):
                first = address(block.name, word.register.name, copy)
                ctx.set(dut.address, first + word.number)
                assert (ctx.get(dut.offset), ctx.get(dut.copy)) == (offset, copy)
                assert ctx.get(dut.upper) == (word.number > 0)
            for offset in range(len(words_of(block)), block.stride_words):
                ctx.set(dut.address, address(block.name, block.registers[0].name, copy) + offset)
                assert not ctx.get(dut.upper)

    settle(dut, bench)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_the_words_of_a_register_are_all_of_its_bits(block):
    for entry in block.registers:
        words = [word for word in words_of(block) if word.register is entry]
        assert [word.number for word in words] == list(range(entry.words))
        assert sum(word.bits for word in words) == entry.bits
        assert all(word.bits == WORD_BITS for word in words[:-1])
        value = 0x0123_4567_89AB_CDEF & (1 << entry.bits) - 1
        assert sum(word.part(value) << word.number * WORD_BITS for word in words) == value


def test_the_reset_value_of_a_word_is_its_part_of_the_registers():
    for block in BLOCKS:
        for word in words_of(block):
            part = word.register.reset >> WORD_BITS * word.number
            assert word.reset == part % (1 << WORD_BITS)
