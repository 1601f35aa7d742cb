"""Word addresses of the register map: which block, copy and word one is."""

from collections.abc import Callable
from dataclasses import dataclass

from amaranth.hdl import Const, Value
from amaranth.lib import data

from plexor.protocol.registers import BLOCKS, Block, Register

ADDRESS_BITS = 16
WORD_BITS = 32
HITS_LAYOUT = data.StructLayout({block.name: 1 for block in BLOCKS})
"""Blocks that an address is in."""


@dataclass(frozen=True)
class Word:
    """One word of a block: its register, which word of it, and its bits."""

    register: Register
    number: int
    bits: int

    @property
    def reset(self) -> int:
        """Its reset value."""
        return self.part(self.register.reset)

    def part(self, value: int) -> int:
        """Return the word's bits of a value of its register."""
        return value >> self.number * WORD_BITS & (1 << WORD_BITS) - 1


def words_of(block: Block) -> list[Word]:
    """Return the words of a copy of the block, in the order of their addresses."""
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
    """Return whether `claim` holds of the word of the block at an address."""
    offset, _ = split(block, address)
    bits = sum(1 << number for number, word in enumerate(words_of(block)) if claim(word))
    return Const(bits, block.stride_words).bit_select(offset, 1)
