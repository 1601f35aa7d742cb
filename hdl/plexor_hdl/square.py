"""The square of a value, in three multiplications of half its width."""

from amaranth.hdl import Cat, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS

HALF_BITS = VALUE_BITS // 2


class Square(wiring.Component):
    """The square of a signed value: its low 32 bits and, one clock later, its high 32.

    Latency: LOW_CLOCKS and HIGH_CLOCKS. Throughput: one value a clock. Without state.
    """

    LOW_CLOCKS = 3
    HIGH_CLOCKS = 4

    def __init__(self) -> None:
        super().__init__(
            {
                "value_ticks": In(signed(VALUE_BITS)),
                "low": Out(VALUE_BITS),
                "high": Out(VALUE_BITS),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        lower = Signal(HALF_BITS)
        upper = Signal(signed(HALF_BITS))
        m.d.sync += Cat(lower, upper).eq(self.value_ticks)
        lower_squared = Signal(VALUE_BITS)
        upper_squared = Signal(VALUE_BITS)
        product = Signal(signed(VALUE_BITS + 1))
        m.d.sync += [
            lower_squared.eq(lower * lower),
            upper_squared.eq(upper * upper),
            product.eq(upper * lower),
        ]
        # value**2 = (upper**2 << 32) + (upper * lower << 17) + lower**2
        shift = HALF_BITS + 1
        middle = Signal(VALUE_BITS - shift + 1)
        m.d.comb += middle.eq(lower_squared[shift:] + product[: VALUE_BITS - shift])
        carry = Signal()
        rest = Signal(VALUE_BITS)
        addend = Signal(signed(shift + 1))
        m.d.sync += [
            self.low.eq(Cat(lower_squared[:shift], middle)),
            carry.eq(middle[-1]),
            rest.eq(upper_squared),
            addend.eq(product[VALUE_BITS - shift :].as_signed()),
            self.high.eq(rest + addend + carry),
        ]
        return m
