# SPDX-License-Identifier: Apache-2.0
"""What a register and a block of registers are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Access(Enum):
    """Who may write a register, and when."""

    READ = "read"
    SETUP = "write while no run is under way"
    WRITE = "write at any time"


@dataclass(frozen=True, slots=True)
class Register:
    """One register; `bits` up to 64, one LSB worth one `unit`."""

    name: str
    bits: int
    access: Access
    unit: str
    meaning: str
    signed: bool = False
    reset: int = 0
    since: int = 0
    """The protocol's first minor that has it."""

    @property
    def words(self) -> int:
        """32-bit words it takes."""
        return (self.bits + 31) // 32

    def check(self, value: int) -> int:
        """Return `value` as its bit pattern; raise ValueError where it does not fit."""
        least = -(1 << (self.bits - 1)) if self.signed else 0
        most = (1 << (self.bits - self.signed)) - 1
        if not least <= value <= most:
            raise ValueError(f"{self.name}: {value}; must be {least} to {most}")
        return value & (1 << self.bits) - 1


@dataclass(frozen=True, slots=True)
class Block:
    """Registers that belong together; `count` copies of them."""

    name: str
    meaning: str
    registers: tuple[Register, ...]
    count: int = 1

    @property
    def stride_words(self) -> int:
        """Words from one copy to the next."""
        return 1 << (sum(register.words for register in self.registers) - 1).bit_length()
