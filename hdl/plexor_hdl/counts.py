"""All counts of a build with one bank: short counters that are swept into one memory."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.fetch import plain_memory
from plexor_hdl.limb import Line

COUNT_BITS = 48
LIMB_BITS = 16
LIMBS = COUNT_BITS // LIMB_BITS
GROUP = 8
LEAST_COUNTS = 8
"""So many that a count is written back before its turn comes again."""
VALUE_CLOCKS = 3
"""Clocks from `read_address` to `value`."""


class Counts(wiring.Component):
    """Adds `amounts` in every clock, each to the 48-bit count at its address.

    `amount_bits` says for each address in use how wide its amount is. Each count has a short
    counter of its own, which a sweep over all of them empties into the memory, a count a clock.
    While `reading` the sweep stands still and `value` is the word of `read_address` VALUE_CLOCKS
    before; it must not do so for more than a third of the time in which amounts come.

    `settled_stb` follows `settle_stb` when all amounts before it are in the memory. `clear_stb`
    sets all to 0 while `clear_busy`; no amounts then. `saturated` is set when a count wraps, until
    the next clear. Reset: the memory keeps its words, so results need a clear first.
    """

    def __init__(self, amount_bits: dict[int, int]) -> None:
        self._amount_bits = amount_bits
        self.address_bits = max(amount_bits).bit_length()
        super().__init__(
            {
                "amounts": In(
                    data.StructLayout({str(place): bits for place, bits in amount_bits.items()})
                ),
                "read_address": In(self.address_bits),
                "reading": In(1),
                "value": Out(COUNT_BITS),
                "settle_stb": In(1),
                "settled_stb": Out(1),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        places = list(self._amount_bits)
        turns = max(len(places), LEAST_COUNTS)
        turn = Signal(turns, init=1)
        index = Signal(range(turns))
        last = Signal()
        m.d.comb += last.eq(turn[-1])
        with m.If(~self.reading):
            m.d.sync += [
                turn.eq(turn.rotate_left(1)),
                index.eq(Mux(last, 0, index + 1)),
            ]

        # What comes in two sweeps fits, so that reading may hold the sweep up for a while.
        terms = []
        for number, (place, bits) in enumerate(self._amount_bits.items()):
            amount = self.amounts[str(place)]
            short = Signal((((1 << bits) - 1) * 2 * turns).bit_length(), name=f"short{place}")
            visited = Signal(name=f"visited{place}")
            m.d.comb += visited.eq(turn[number] & ~self.reading)
            with m.If(visited):
                m.d.sync += short.eq(amount)
            with m.Else():
                m.d.sync += short.eq(short + amount)
            terms.append(Mux(turn[number], short, 0))
        while len(terms) > 1:
            sums = []
            for start in range(0, len(terms), GROUP):
                group = terms[start : start + GROUP]
                joined = Signal(max(map(len, group)), name=f"joined{len(terms)}_{start}")
                union = group[0]
                for term in group[1:]:
                    union = union | term
                m.d.sync += joined.eq(union)
                sums.append(joined)
            terms = sums
        levels = 1
        while GROUP**levels < len(places):
            levels += 1
        if levels > VALUE_CLOCKS:
            raise ValueError(f"amount_bits: {len(places)} counts; must be at most {GROUP**3}")
        picked = Line(m, terms[0], "picked")[VALUE_CLOCKS - levels]

        # Address, memory, register, then a limb a clock, and all limbs back at once.
        visiting = Line(m, ~self.reading, "visiting")
        address = Signal(self.address_bits)
        addresses = Line(m, address, "address")
        m.d.sync += address.eq(
            Mux(
                self.reading,
                self.read_address,
                Array(Const(place, self.address_bits) for place in places + [0] * turns)[index],
            )
        )
        m.submodules.memory = memory = plain_memory(COUNT_BITS, 1 << self.address_bits)
        read, write = memory.read_port(), memory.write_port()
        m.d.comb += read.addr.eq(address)
        m.d.sync += self.value.eq(read.data)
        values = Line(m, self.value, "values")
        carry = picked
        sums = []
        for number in range(LIMBS):
            limb = slice(number * LIMB_BITS, (number + 1) * LIMB_BITS)
            total = Signal(LIMB_BITS + 1, name=f"total{number}")
            m.d.sync += total.eq(values[number][limb] + carry)
            carry = total[-1]
            sums.append(Line(m, total[:LIMB_BITS], f"sum{number}")[LIMBS - 1 - number])
        there = VALUE_CLOCKS + LIMBS
        wiping = Signal()
        live = visiting[there]
        if len(places) < turns:
            live = live & Line(m, index < len(places), "in_use")[there]
        m.d.comb += [
            write.addr.eq(addresses[there - 1]),
            write.data.eq(Mux(wiping, 0, Cat(*sums))),
            write.en.eq(live),
        ]
        with m.If(live & carry & ~wiping):
            m.d.sync += self.saturated.eq(1)

        self._passes(m, last & ~self.reading, there, wiping)
        return m

    def _passes(self, m: Module, turned, there: int, wiping) -> None:
        """Two ends of sweeps after a request, and the clocks from there to the memory, it is done.

        While wiping all that is written is 0, for longer than one whole sweep.
        """
        left, tail = Signal(2), Signal(range(there + 1))
        settling, busy = Signal(), Signal()
        m.d.comb += [busy.eq(left.any() | tail.any()), self.clear_busy.eq(wiping)]
        m.d.sync += self.settled_stb.eq(0)
        with m.If(self.settle_stb | self.clear_stb):
            m.d.sync += [
                left.eq(2),
                tail.eq(there),
                settling.eq(self.settle_stb),
                wiping.eq(self.clear_stb),
            ]
        with m.Elif(left.any()):
            m.d.sync += left.eq(left - turned)
        with m.Elif(tail.any()):
            m.d.sync += tail.eq(tail - 1)
        with m.Elif(settling | wiping):
            m.d.sync += [settling.eq(0), self.settled_stb.eq(settling), wiping.eq(0)]
        with m.If(self.clear_stb):
            m.d.sync += self.saturated.eq(0)
