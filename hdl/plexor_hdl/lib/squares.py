"""The square of a value, from look-up tables alone: four bits of a factor in each clock."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS

HALF_BITS = VALUE_BITS // 2
DIGIT_BITS = 4
DIGITS = HALF_BITS // DIGIT_BITS


class Product(wiring.Component):
    """Multiplies two numbers of HALF_BITS bits, the second one given digit by digit.

    It is made of look-up tables alone.

    Latency: LATENCY clocks from `first` to `product`.
    Throughput: one product each DIGITS clocks.
    Reset: nothing is under way; the product has no meaning before the first one.
    Wrap: none; the product has twice HALF_BITS bits.
    Full: never; a `first` begins the next product.

    Ports:
        factor: The first number; it stands for DIGITS clocks.
        triple: 3 x `factor`; it stands as long.
        digit: The other number's digits, lowest first, one each clock from `first` on.
        first: The clock of the lowest digit.
        product: Valid LATENCY clocks after `first`, until the next product is.
    """

    LATENCY = DIGITS + 2

    factor: In(HALF_BITS)
    triple: In(HALF_BITS + 2)
    digit: In(DIGIT_BITS)
    first: In(1)
    product: Out(2 * HALF_BITS)

    def elaborate(self, platform) -> Module:
        m = Module()
        first, parts = Signal(2), []
        m.d.sync += first.eq(Cat(self.first, first))
        for half in range(2):
            part = Signal(HALF_BITS + 2, name=f"part{half}")
            low, high = self.digit[2 * half], self.digit[2 * half + 1]
            once = Mux(low, self.factor, 0)
            m.d.sync += part.eq(
                Mux(high, Mux(low, self.triple, Cat(Const(0, 1), self.factor)), once)
            )
            parts.append(part)
        row = Signal(HALF_BITS + DIGIT_BITS)
        # `above` holds the sum above the finished digits, and `done` those digits.
        above, done = Signal(HALF_BITS + DIGIT_BITS), Signal(DIGIT_BITS * (DIGITS - 1))
        m.d.sync += [
            row.eq(parts[0] + Cat(Const(0, 2), parts[1])),
            above.eq(row + Mux(first[1], 0, above[DIGIT_BITS:])),
            done.eq(Cat(done[DIGIT_BITS:], above[:DIGIT_BITS])),
        ]
        m.d.comb += self.product.eq(Cat(done, above))
        return m


class Squares(wiring.Component):
    """Squares signed values, of look-up tables alone.

    A square is the sum of three products of halves of the value's magnitude.

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

    PACE = DIGITS
    LATENCY = Product.LATENCY + 5

    stb: In(1)
    value_ticks: In(signed(VALUE_BITS))
    square: Out(2 * VALUE_BITS)

    def elaborate(self, platform) -> Module:
        m = Module()
        value, magnitude = Signal(signed(VALUE_BITS)), Signal(VALUE_BITS)
        low, high = magnitude[:HALF_BITS], magnitude[HALF_BITS:]
        stb = Signal(2)
        m.d.sync += [
            stb.eq(Cat(self.stb, stb)),
            value.eq(self.value_ticks),
            magnitude.eq(Mux(value[-1], -value, value)),
        ]
        # Both halves, three times each half, and the digits of both that are still to come.
        factors = [Signal(HALF_BITS, name=f"factor{half}") for half in range(2)]
        triples = [Signal(HALF_BITS + 2, name=f"triple{half}") for half in range(2)]
        left = [Signal(HALF_BITS, name=f"left{half}") for half in range(2)]
        first = Signal()
        m.d.sync += first.eq(stb[1])
        for half, part in enumerate((low, high)):
            with m.If(stb[1]):
                m.d.sync += [
                    factors[half].eq(part),
                    triples[half].eq(part + Cat(Const(0, 1), part)),
                    left[half].eq(part),
                ]
            with m.Else():
                m.d.sync += left[half].eq(left[half][DIGIT_BITS:])
        products = []
        for name, factor, other in (("low", 0, 0), ("middle", 0, 1), ("high", 1, 1)):
            m.submodules[name] = product = Product()
            m.d.comb += [
                product.factor.eq(factors[factor]),
                product.triple.eq(triples[factor]),
                product.digit.eq(left[other][:DIGIT_BITS]),
                product.first.eq(first),
            ]
            products.append(product.product)
        # value**2 = (high << 32) + (middle << 17) + low
        shift = HALF_BITS + 1
        there = Signal(Product.LATENCY + 1)
        least, carry, rest = Signal(VALUE_BITS), Signal(), Signal(VALUE_BITS)
        upper = Signal(VALUE_BITS)
        m.d.sync += there.eq(Cat(first, there))
        with m.If(there[Product.LATENCY - 1]):
            total = products[0] + Cat(Const(0, shift), products[1][: VALUE_BITS - shift])
            m.d.sync += [
                Cat(least, carry).eq(total),
                rest.eq(products[2]),
                upper.eq(products[1][VALUE_BITS - shift :]),
            ]
        with m.If(there[Product.LATENCY]):
            m.d.sync += self.square.eq(Cat(least, (rest + upper + carry)[:VALUE_BITS]))
        return m
