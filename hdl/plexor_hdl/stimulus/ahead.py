# SPDX-License-Identifier: Apache-2.0
"""Computes the next strike's position and distance while the strike before it is still to come."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.countdown import TIMER_LOW_BITS


class Ahead(wiring.Component):
    """Works out the time from the next strike to the one after it, as a Countdown wants it.

    While `hold` is high that time is the phase and one clock, from offset 0. Each `advance` brings
    the next time, from `end` on: an interval if `long`, else a spacing. With `random` it counts
    from `offset` on, and phases are of whole clocks.

    Latency: 1 clock from `advance` to the time, 2 to `rest`.
    Throughput: one time each clock.
    Reset: `end` and `clocks` are 0; `hold` must be high for two clocks or more before a sequence.
    Wrap: none; a time has as many bits as an interval needs.
    Full: never; each time replaces the one before.

    Ports:
        phase: Ticks to the first strike.
        interval: The length of an interval in ticks; its ticks below a clock come in `step_fine`.
        spacing: The ticks from strike to strike inside a burst.
        step_fine: An interval's ticks below a clock, and up to a clock more.
        long: The next time is an interval.
        random: A Poisson sequence; it stands from 4 clocks before one.
        offset: Where a random strike is in its word, in ticks.
        hold: Goes back to the sequence's beginning. All that is added stands from 4 clocks before.
        advance: Brings the next time.
        end: Where the later strike is in its word, in ticks.
        clocks: The low part of the time, in clocks.
        one: The time is 1 clock.
        far: `rest` is not 0.
        rest: The units of 2**TIMER_LOW_BITS clocks in the time; a clock late.
    """

    def __init__(self, fine_bits: int, interval_bits: int, *, burst: bool) -> None:
        self.fine_bits = fine_bits
        self.burst = burst
        super().__init__(
            {
                "phase": In(48),
                "interval": In(interval_bits),
                "spacing": In(32),
                "step_fine": In(fine_bits + 1),
                "long": In(1),
                "random": In(1),
                "offset": In(fine_bits),
                "hold": In(1),
                "advance": In(1),
                "end": Out(fine_bits),
                "clocks": Out(TIMER_LOW_BITS + 1),
                "one": Out(1),
                "far": Out(1),
                "rest": Out(interval_bits - fine_bits - TIMER_LOW_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        fine = self.fine_bits
        far_bits = fine + TIMER_LOW_BITS
        # A register of its own, near what follows from it: the scheduler's goes to many places.
        random = Signal()
        m.d.sync += random.eq(self.random)
        first_fine = Cat(Mux(random, 0, self.phase[:fine]), 1)
        lengths = [
            ("phase", self.hold, self.phase, first_fine),
            ("interval", ~self.hold & self.long, self.interval, self.step_fine),
        ]
        if self.burst:
            short = ~self.hold & ~self.long
            lengths.append(("spacing", short, self.spacing, self.spacing[:fine]))

        def chosen(values: list[Value]) -> Value:
            picks = (
                Mux(length[1], value, 0) for length, value in zip(lengths, values, strict=True)
            )
            return reduce(or_, picks)

        # Whether the distance is one clock depends only on the carry and on flags of the length.
        far, none, single, late = [], [], [], []
        for name, is_it, ticks, _ in lengths:
            flags = Signal(3, name=f"{name}_flags")
            now, after = Signal(name=name, reset_less=True), Signal(name=f"{name}_late")
            beyond = Signal(name=f"{name}_beyond")
            m.d.sync += [
                beyond.eq(ticks[far_bits:].any()),
                flags.eq(Cat(beyond, *(~beyond & (ticks[fine:far_bits] == n) for n in range(2)))),
                after.eq(now),
            ]
            with m.If(self.advance):
                m.d.sync += now.eq(is_it)
            far.append(flags[0])
            none.append(flags[1])
            single.append(flags[2])
            late.append(Mux(after, ticks[far_bits:], 0))

        start = Mux(self.hold, 0, Mux(random, self.offset, self.end))
        carries = [(start + length[3])[fine:] for length in lengths]
        ones = [
            (now & (carry == 1)) | (next_one & (carry == 0))
            for now, next_one, carry in zip(none, single, carries, strict=True)
        ]
        uppers = [length[2][fine:far_bits] for length in lengths]
        steps = [length[3] for length in lengths]
        long = Cat(start, Mux(self.hold, uppers[0], uppers[1])) + Mux(self.hold, *steps[:2])
        # Whether a spacing follows is known late, so that has a sum of its own.
        total = Mux(short, Cat(start, uppers[2]) + steps[2], long) if self.burst else long
        with m.If(self.advance):
            m.d.sync += [
                Cat(self.end, self.clocks).eq(total),
                self.one.eq(chosen(ones)),
                self.far.eq(chosen(far)),
            ]
        m.d.comb += self.rest.eq(reduce(or_, late))
        return m
