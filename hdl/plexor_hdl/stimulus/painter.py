# SPDX-License-Identifier: Apache-2.0
"""Turns strikes into samples: limits their number, gives each its width, paints the word."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.interfaces import block_layout
from plexor_hdl.lib.countdown import TIMER_LOW_BITS, Countdown
from plexor_hdl.stimulus.burst_painter import LIMIT_CLOCKS, Flips, Limiter

PULSE_CLOCKS = 3
"""Clocks from a strike that is kept to its word."""
STOP_CLOCKS = 1 + PULSE_CLOCKS
"""Clocks from `stop` to the first word without a start."""


def from_tick(chosen: Value, offset: Value, samples: int) -> Value:
    """Return a word whose bits are 1 from `offset` on, if `chosen`, else 0."""
    return chosen.replicate(samples) & (Const((1 << samples) - 1) << offset)[:samples]


class Painter(wiring.Component):
    """Makes pulses from strikes, limits their number, and draws the samples.

    Pulses must end before the next start. With `burst` strikes behind the last are left out;
    without it none may come.

    Latency: `paint_clocks` clocks from a strike to its `word`; STOP_CLOCKS from `stop`.
    Throughput: one word each clock.
    Reset: idle, the level low. `clear` does the same.
    Wrap: none; counts of strikes and of clocks stop at their ends.
    Full: with `burst` strikes beyond `strike_count` are dropped; a count of 0 keeps all.

    Ports:
        config: The registers of this stimulus; they stand from 4 clocks before a sequence.
        load: Begins a sequence, before its first strike.
        clear: Empties all.
        stop: Leaves out the starts of the word that is due STOP_CLOCKS later.
        strike: A pulse that starts at `offset`.
        offset: The tick of the word in which `strike` starts.
        starts: Pulses that start in one word; bit k starts in tick k. With `burst` only.
        spent: High before the word of the last of `strike_count` strikes.
        endless: `strike_count` is 0; right 2 clocks after it.
        word: The samples, oldest lowest.
        strike_stb: A pulse starts in `word`.
        waiting: A strike inside may still be left out, or was in the clock before.
        pending: A strike that is kept, or its pulse, is inside; until the clock before the word in
            which the last pulse ends.
    """

    def __init__(self, geometry: Geometry, *, burst: bool) -> None:
        self.samples = geometry.samples
        self.fine_bits = (geometry.samples - 1).bit_length()
        self.burst = burst
        self.paint_clocks = STOP_CLOCKS + (LIMIT_CLOCKS if burst else 0)
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)),
                "load": In(1),
                "clear": In(1),
                "stop": In(1),
                "strike": In(1),
                "offset": In(self.fine_bits),
                "starts": In(geometry.samples),
                "spent": Out(1),
                "endless": Out(1),
                "word": Out(geometry.samples),
                "strike_stb": Out(1),
                "waiting": Out(1),
                "pending": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        samples, fine = self.samples, self.fine_bits
        width = self.config.width_ticks
        coarse = width[fine:]
        flips: Value = Const(0, samples)
        flips_strike, pending = Signal(), Const(0, 1)
        offset: Value = self.offset
        if self.burst:
            strike, starts = self._limited(m)
            for number in range(LIMIT_CLOCKS):
                offset_r = Signal(fine, name=f"offset_{number}", reset_less=True)
                m.d.sync += offset_r.eq(offset)
                offset = offset_r
            m.submodules.flips = drawn = Flips(samples)
            m.d.comb += [
                drawn.starts.eq(Mux(self.stop, 0, starts)),
                drawn.width.eq(width),
                drawn.clear.eq(self.clear),
            ]
            m.d.sync += flips_strike.eq(drawn.strike_stb)
            flips, pending = drawn.flips, drawn.pending
        else:
            self._count(m)
            strike = self.strike

        # The search for a pulse's end begins a clock before its word, because the end may be in the
        # same word. It may also be in the word in which the next pulse starts.
        kept, kept_offset = Signal(), Signal(fine, reset_less=True)
        rise, rise_offset = Signal(), Signal(fine, reset_less=True)
        fall_offset, tail_offset = Signal(fine, reset_less=True), Signal(fine, reset_less=True)
        m.submodules.tail = tail = Countdown(len(coarse), overlap=True)
        wide_far = Signal()
        ticks = Signal(fine + TIMER_LOW_BITS + 1)
        end, clocks = ticks[:fine], ticks[fine:]
        m.d.comb += [
            ticks.eq(Cat(kept_offset, coarse[:TIMER_LOW_BITS]) + Cat(width[:fine], 1)),
            tail.load.eq(kept),
            tail.count.eq(clocks),
            tail.rest.eq(coarse[TIMER_LOW_BITS:]),
            tail.one.eq(~wide_far & (clocks == 1)),
            tail.far.eq(wide_far),
            tail.step.eq(1),
            tail.clear.eq(self.clear),
        ]
        m.d.sync += [
            wide_far.eq(coarse[TIMER_LOW_BITS:].any()),
            kept.eq(strike & ~self.stop),
            kept_offset.eq(offset),
            rise.eq(kept),
            rise_offset.eq(kept_offset),
            fall_offset.eq(Mux(tail.load & tail.one, end, tail_offset)),
        ]
        with m.If(tail.load):
            m.d.sync += tail_offset.eq(end)

        # Each rise or fall inverts all later bits.
        level = self.word[-1]
        rises, falls = Signal(samples), Signal(samples)
        strike_stb = Signal()
        m.d.sync += [
            rises.eq(from_tick(rise, rise_offset, samples)),
            falls.eq(from_tick(tail.last, fall_offset, samples)),
            self.word.eq(level.replicate(samples) ^ rises ^ falls ^ flips),
            strike_stb.eq(rise | flips_strike),
            self.strike_stb.eq(strike_stb),
        ]

        inside, inside_r = Signal(), Signal()
        m.d.comb += [
            inside.eq(kept | tail.on | pending),
            self.pending.eq(inside | inside_r),
        ]
        m.d.sync += inside_r.eq(inside)
        with m.If(self.clear):
            m.d.sync += [
                register.eq(0)
                for register in (
                    *(kept, rise, rises, falls, strike_stb, inside_r),
                    *(self.word, self.strike_stb),
                )
            ]
        return m

    def _count(self, m: Module) -> None:
        """Find which strike is the last."""
        total = self.config.strike_count
        endless, far, one = self.endless, Signal(), Signal()
        m.submodules.count = count = Countdown(len(total))
        m.d.sync += [
            far.eq(total[TIMER_LOW_BITS:].any()),
            endless.eq(~far & (total[:TIMER_LOW_BITS] == 0)),
            one.eq(~far & (total[:TIMER_LOW_BITS] == 1)),
        ]
        m.d.comb += [
            count.load.eq(self.load & ~endless),
            count.count.eq(total[:TIMER_LOW_BITS]),
            count.rest.eq(total[TIMER_LOW_BITS:]),
            count.one.eq(one),
            count.far.eq(far),
            count.step.eq(self.strike),
            count.clear.eq(self.clear),
            self.spent.eq(self.strike & count.last),
        ]

    def _limited(self, m: Module) -> tuple[Value, Value]:
        """Return the kept strike, or the kept starts of a word, LIMIT_CLOCKS later."""
        m.submodules.limiter = limiter = Limiter(self.samples)
        m.d.comb += [
            limiter.strike_count.eq(self.config.strike_count),
            limiter.load.eq(self.load),
            limiter.clear.eq(self.clear),
            limiter.strike.eq(self.strike),
            limiter.starts.eq(self.starts),
            self.spent.eq(limiter.spent),
            self.endless.eq(limiter.endless),
            self.waiting.eq(limiter.pending),
        ]
        return limiter.o_strike, limiter.o_starts
