# SPDX-License-Identifier: Apache-2.0
"""Word addresses of the register map: finds block, copy and word of an address."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from amaranth.hdl import Const, Value
from amaranth.lib import data

from plexor.protocol.registers import (
    BLOCKS,
    LONG_FILTER,
    LONG_FILTER_STATUS,
    Block,
    Register,
)

ADDRESS_BITS = 16
WORD_BITS = 32
LEFT_OUT = (LONG_FILTER, LONG_FILTER_STATUS)
"""Blocks that a build without copies of them does not look for. It looks for all others."""


def blocks_of(copies: Mapping[str, Collection[int] | int]) -> list[Block]:
    """Return the blocks that a build looks for, from the copies that it has of each."""
    return [block for block in BLOCKS if copies[block.name] or block not in LEFT_OUT]


def hits_layout(copies: Mapping[str, Collection[int] | int]) -> data.StructLayout:
    """Return a flag for each block: whether an address is in it."""
    return data.StructLayout({block.name: 1 for block in blocks_of(copies)})


@dataclass(frozen=True)
class Word:
    """One word of a block: its register, its number in the register, and its bits."""

    register: Register
    number: int
    bits: int

    @property
    def reset(self) -> int:
        """Reset value of the word."""
        return self.part(self.register.reset)

    def part(self, value: int) -> int:
        """Return the word's bits of its register's value."""
        return value >> self.number * WORD_BITS & (1 << WORD_BITS) - 1


def words_of(block: Block) -> list[Word]:
    """Return the words of one copy of a block, in order of address."""
    return [
        Word(register, number, min(register.bits - number * WORD_BITS, WORD_BITS))
        for register in block.registers
        for number in range(register.words)
    ]


def split(block: Block, address: Value) -> tuple[Value, Value]:
    """Return (word in the copy, copy) of an address in a block."""
    offset_bits = (block.stride_words - 1).bit_length()
    size_bits = (block.stride_words * block.count - 1).bit_length()
    return address[:offset_bits], address[offset_bits:size_bits]


def claimed(block: Block, address: Value, claim: Callable[[Word], int]) -> Value:
    """Return whether `claim` holds for the block's word at an address."""
    offset, _ = split(block, address)
    bits = sum(1 << number for number, word in enumerate(words_of(block)) if claim(word))
    return Const(bits, block.stride_words).bit_select(offset, 1)
