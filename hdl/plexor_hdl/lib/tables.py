"""Tables of constants in LUTs."""

from amaranth.hdl import Cat, Const, Value


def table(values: dict[int, int], at: Value) -> Value:
    """Return the value at a place, 0 where there is none.

    Without the choices by which an Array is written: of these yosys would make resets of the
    register behind it, which come late.
    """
    width = max(values.values()).bit_length()
    return Cat(
        Const(
            sum((value >> bit & 1) << place for place, value in values.items()), 1 << len(at)
        ).bit_select(at, 1)
        for bit in range(width)
    )
