# SPDX-License-Identifier: Apache-2.0
"""The square of a value, from one multiplier of 16 by 16 bits."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS

HALF_BITS = VALUE_BITS // 2


class Squares(wiring.Component):
    """Squares signed values.

    A square is the sum of three products of halves of the value's magnitude. They are multiplied
    one after the other. Two registers stand on each side of the multiplier: on ECP5 it takes half
    of a clock, and is far away.

    Latency: LATENCY clocks from `stb` to `square`.
    Throughput: one value each PACE clocks.
    Reset: nothing is under way; the square has no meaning before the first one.
    Wrap: none; the square of any value fits.
    Full: never; values must come PACE clocks or more apart.

    Ports:
        stb: Takes a value.
        value_ticks: The value, in ticks; valid with `stb`.
        square: In ticks squared; valid LATENCY clocks after `stb`, for PACE clocks.
    """

    PACE = 4
    LATENCY = 9

    stb: In(1)
    value_ticks: In(signed(VALUE_BITS))
    square: Out(2 * VALUE_BITS)

    def elaborate(self, platform) -> Module:
        m = Module()
        value, magnitude = Signal(signed(VALUE_BITS)), Signal(VALUE_BITS)
        low, high = magnitude[:HALF_BITS], magnitude[HALF_BITS:]
        # The products come in this order: low x low, low x high, high x high.
        step = Signal(self.LATENCY - 1)
        halves = [Signal(HALF_BITS, name=f"half{number}") for number in range(2)]
        factors = [Signal(HALF_BITS, name=f"factor{number}") for number in range(2)]
        multiplied, product = Signal(VALUE_BITS), Signal(VALUE_BITS)
        m.d.sync += [
            step.eq(Cat(self.stb, step)),
            value.eq(self.value_ticks),
            halves[0].eq(Mux(step[3], high, low)),
            halves[1].eq(Mux(step[1], low, high)),
            *(factor.eq(half) for factor, half in zip(factors, halves, strict=True)),
            multiplied.eq(factors[0] * factors[1]),
            product.eq(multiplied),
        ]
        with m.If(step[0]):
            m.d.sync += magnitude.eq(Mux(value[-1], -value, value))
        # value**2 = (high << 32) + (middle << 17) + low
        shift = HALF_BITS + 1
        least, carry, upper = Signal(VALUE_BITS), Signal(), Signal(VALUE_BITS - shift + 2)
        with m.If(step[5]):
            m.d.sync += least.eq(product)
        with m.If(step[6]):
            total = least + Cat(Const(0, shift), product[: VALUE_BITS - shift])
            m.d.sync += [Cat(least, carry).eq(total), upper.eq(product[VALUE_BITS - shift :])]
        with m.If(step[7]):
            m.d.sync += self.square.eq(Cat(least, (product + upper + carry)[:VALUE_BITS]))
        return m
