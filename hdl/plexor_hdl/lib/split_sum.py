# SPDX-License-Identifier: Apache-2.0
"""Wide sums in parts with short carry chains.

A sum of 32 bits takes two clocks: the lower parts first, then the upper ones with the carry.

A difference is the complement of a sum: `a - b` is `~(~a + b)`. The carry chain of iCE40 takes
operands as they come, so a sum costs one cell for each bit, and a subtraction two.
"""

from amaranth.hdl import Cat, Const, Value, ValueLike

from plexor.protocol.memory import VALUE_BITS

CHUNK_BITS = 16
"""Bits of a wide counter that are added in one clock. A register carries into the next chunk."""
LOW_BITS = 12
"""Bits of the lower part: fewer than the upper, because a choice precedes some lower sums."""


def low_part(value: ValueLike) -> Value:
    """Return the lower part of a value's low 32 bits."""
    return Value.cast(value)[:LOW_BITS]


def high_part(value: ValueLike) -> Value:
    """Return the upper part of a value's low 32 bits."""
    return Value.cast(value)[LOW_BITS:VALUE_BITS]


def added(left: ValueLike, right: ValueLike, carry: ValueLike) -> Value:
    """Return the sum of two words of equal width and a carry, one bit wider."""
    # With three operands, yosys would put a row of adders in front of the chain. With the carry
    # as both operands of a bit below, nextpnr's iCE40 router may never end.
    return (Cat(Const(1, 1), left) + Cat(carry, right))[1:]


def up(word: Value, places: int) -> Value:
    """Return a word shifted up by `places` bits, at its own width."""
    return (word << places)[: len(word)]


def add_one_more(left: Value, right: Value) -> Value:
    """Return the sum of two parts and one. The bit above the parts is the next carry."""
    difference = left - ~right
    return Cat(difference[: len(left)], ~difference[len(left)])
