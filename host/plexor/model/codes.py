"""How a device sends codes, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from plexor.protocol.codes import LEAST_BITS, MOST_BITS, USUAL_BITS


class CodeName(NamedTuple):
    """The name of a task, an interrupt, a function or a state."""

    code_class: int
    code_id: int
    name: str


@dataclass(frozen=True, slots=True)
class Codes:
    """Codes on two ordinary channels. Raises ValueError for channels or bits that cannot be."""

    clock: int
    """Number of the channel whose rising edges clock the bits."""
    data: int
    """Number of the channel with the bits, the highest first."""
    bits: int = USUAL_BITS
    """Bits of a code."""
    names: tuple[CodeName, ...] = ()

    @property
    def wires(self) -> tuple[int, int]:
        """Numbers of the channels."""
        return self.clock, self.data

    @property
    def word_bits(self) -> int:
        """Bits of a word as it is sent: one byte, or two."""
        return 8 if self.bits <= 8 else 16

    def __post_init__(self) -> None:
        if self.clock == self.data:
            raise ValueError(f"codes: ch{self.clock} is both clock and data; name two channels")
        if not LEAST_BITS <= self.bits <= MOST_BITS:
            raise ValueError(f"codes: {self.bits} bits; must be {LEAST_BITS} to {MOST_BITS}")
