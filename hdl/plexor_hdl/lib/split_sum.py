"""Wide sums in parts, each with a short carry chain.

A sum of 32 bits takes two clocks: the lower parts, then the upper ones with the carry.

A difference is the sum of a complement: `a - b` is `~(~a + b)`. On iCE40, whose carry chain takes
its operands as they come, a sum costs a cell a bit and a subtraction two.
"""

from amaranth.hdl import Cat, Const, Value, ValueLike

from plexor.protocol.memory import VALUE_BITS

CHUNK_BITS = 16
"""Bits of a wide counter that are added in one clock; a register carries into the next chunk."""
LOW_BITS = 12
"""Fewer than the upper part has: there is a choice before some of the lower ones."""


def low_part(value: ValueLike) -> Value:
    """Return the lower bits of a value, of which 32 bits count."""
    return Value.cast(value)[:LOW_BITS]


def high_part(value: ValueLike) -> Value:
    """Return the others of the lower 32 bits of a value."""
    return Value.cast(value)[LOW_BITS:VALUE_BITS]


def added(left: ValueLike, right: ValueLike, carry: ValueLike) -> Value:
    """Return the sum of two words of one width and a carry, one bit wider."""
    # Written as three operands yosys would put a row of adders in front of the chain. With the
    # carry as both operands of a bit below, nextpnr's router of iCE40 may never end.
    return (Cat(Const(1, 1), left) + Cat(carry, right))[1:]


def up(word: Value, places: int) -> Value:
    """Return a word, as long as it is, up by so many bits."""
    return (word << places)[: len(word)]


def add_one_more(left: Value, right: Value) -> Value:
    """Return the sum of two parts and one; the bit above the parts is the next carry."""
    difference = left - ~right
    return Cat(difference[: len(left)], ~difference[len(left)])
