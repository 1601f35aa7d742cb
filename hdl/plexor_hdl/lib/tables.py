# SPDX-License-Identifier: Apache-2.0
"""Tables of constants in look-up tables."""

from amaranth.hdl import Cat, Const, Value


def table(values: dict[int, int], at: Value) -> Value:
    """Return the value at a place, 0 if the table has none there.

    An Array would be written as choices. Yosys makes late resets of the next register from those.
    """
    width = max(values.values()).bit_length()
    return Cat(
        Const(
            sum((value >> bit & 1) << place for place, value in values.items()), 1 << len(at)
        ).bit_select(at, 1)
        for bit in range(width)
    )
