# SPDX-License-Identifier: Apache-2.0
"""Registers and result memories as words of a bus that another system has: the access window.

Word addresses. Registers lie from 0 on, where the register map has them, but for the order of a
wide register's two words: the high one is first, which is the order in which LiteX keeps a CSR that
is wider than its bus. Memories follow: [1][space][bank][word in the space].
"""

from __future__ import annotations

from dataclasses import dataclass

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import Space, banks, entries, entry_words
from plexor.protocol.registers import BLOCKS, Block, Register, address

REGISTER_BITS = 16
"""Bits of a register's word address in the window; what lies beyond the map is no register."""
SPACE_BITS = (len(Space) - 1).bit_length()


@dataclass(frozen=True, slots=True)
class WindowMemory:
    """One bank of one result memory: `words` of it, from word `address` of the window on."""

    space: Space
    bank: int
    address: int
    words: int


def space_words(geometry: Geometry, space: Space) -> int:
    """Return the words of a bank of a space; 0 where the build leaves it out."""
    return entries(geometry, space) * entry_words(space)


def offset_bits(geometry: Geometry) -> int:
    """Return the bits of a word's place inside its space and bank."""
    most = max(space_words(geometry, space) for space in Space)
    return max((most - 1).bit_length(), REGISTER_BITS - SPACE_BITS - 1)


def window_bits(geometry: Geometry) -> int:
    """Return the bits of a word address in the window."""
    return 1 + SPACE_BITS + 1 + offset_bits(geometry)


def memories(geometry: Geometry) -> list[WindowMemory]:
    """Return every bank of every result memory that a build has."""
    bits = offset_bits(geometry)
    found: list[WindowMemory] = []
    for space in Space:
        words = space_words(geometry, space)
        for bank in range(banks(geometry, space)):
            place = ((1 << SPACE_BITS | space) << 1 | bank) << bits
            if words:
                found.append(WindowMemory(space, bank, place, words))
    return found


def copies(geometry: Geometry, block: Block) -> tuple[int, ...]:
    """Return the copies of a block of registers that a build has."""
    return {
        "channel": tuple(range(geometry.channels)),
        "channel_status": tuple(range(geometry.channels)),
        "stimulus": tuple(range(geometry.strikes)),
        "source": tuple(sorted(geometry.sources)),
        "step": tuple(range(geometry.table_steps * (Feature.SWEEP in geometry.features))),
        "code": tuple(range(Feature.CODES in geometry.features)),
        "schedule": tuple(range(Feature.SCHEDULE in geometry.features)),
        "long_filter": tuple(range(geometry.channels * (Feature.LONG_FILTER in geometry.features))),
        "long_filter_status": tuple(range(Feature.LONG_FILTER in geometry.features)),
    }.get(block.name, tuple(range(block.count)))


def window_registers(geometry: Geometry) -> list[tuple[Block, int, Register, int]]:
    """Return (block, copy, register, word address of its first word) of all that a build has."""
    return [
        (block, copy, entry, address(block.name, entry.name, copy))
        for block in BLOCKS
        for copy in copies(geometry, block)
        for entry in block.registers
    ]
