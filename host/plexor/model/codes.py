# SPDX-License-Identifier: Apache-2.0
"""How a device sends codes, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from plexor.base.counts import counted
from plexor.protocol.codes import LEAST_BITS, MOST_BITS, USUAL_BITS


class CodeName(NamedTuple):
    """The name of a task, an interrupt, a function or a state."""

    code_class: int
    code_id: int
    name: str


@dataclass(frozen=True, slots=True)
class Wires:
    """Codes on two ordinary channels. Raises ValueError if they are one."""

    clock: int
    """Number of the channel whose rising edges clock the bits."""
    data: int
    """Number of the channel with the bits, the highest first."""

    def __post_init__(self) -> None:
        if self.clock == self.data:
            raise ValueError(f"codes: ch{self.clock} is both clock and data; name two channels")


@dataclass(frozen=True, slots=True)
class Port:
    """Codes on the code pins of the instrument."""

    strobe: int | None = None
    """Number of the channel whose rising edges say that there is a code; None: a change does."""
    settle_s: Fraction | None = None
    """From a change to the code; None: SETTLE_CLOCKS."""
    skew_s: Fraction | None = None
    """A change that comes later than this, and before the code, tears it; None: SKEW_CLOCKS."""
    without: tuple[int, ...] = ()
    """Classes of codes that are not sent. They are counted all the same."""


SETTLE_CLOCKS, SKEW_CLOCKS = 3, 1
"""Those of a Port that says none, in core clocks."""


@dataclass(frozen=True, slots=True)
class Codes:
    """How codes come: on two wires, or at a port. Raises ValueError for what cannot be."""

    wires: Wires | None = None
    port: Port | None = None
    bits: int = USUAL_BITS
    """Bits of a code."""
    names: tuple[CodeName, ...] = ()

    @property
    def channels(self) -> tuple[int, ...]:
        """Numbers of the channels that carry codes and nothing else."""
        if self.wires is not None:
            return self.wires.clock, self.wires.data
        strobe = None if self.port is None else self.port.strobe
        return () if strobe is None else (strobe,)

    @property
    def word_bits(self) -> int:
        """Bits of a word as it is sent on two wires: one byte, or two."""
        return 8 if self.bits <= 8 else 16

    def __post_init__(self) -> None:
        if (self.wires is None) == (self.port is None):
            raise ValueError("codes: must come on two wires or at a port, and not both")
        if not LEAST_BITS <= self.bits <= MOST_BITS:
            raise ValueError(
                f"codes: {counted(self.bits, 'bit')}; must be {LEAST_BITS} to {MOST_BITS}"
            )
