# SPDX-License-Identifier: Apache-2.0
"""Schedules strikes: the clock of each strike in a sequence, and its offset in that word."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.interfaces import block_layout
from plexor_hdl.lib.countdown import TIMER_LOW_BITS, Countdown, above
from plexor_hdl.stimulus.ahead import Ahead
from plexor_hdl.stimulus.bursts import PATTERN_CLOCKS, Bursts
from plexor_hdl.stimulus.random import Draw


class Scheduler(wiring.Component):
    """Says in which ticks a sequence's strikes start; their number is not limited here.

    What follows the next strike is worked out while the time to it passes: so a strike each clock
    needs no more than a choice in it. While neither `go` nor `alive` is high everything goes back
    to the sequence's beginning.

    Latency: `start_clocks` clocks from `go` to the word of phase 0. Words that would come
        start_clocks - 1 clocks after `alive` is low, or later, are empty.
    Throughput: one word each clock; intervals down to W ticks.
    Reset: no sequence runs. `clear` empties the words inside.
    Wrap: none; each time is counted down to its end.
    Full: never; each word leaves a fixed time after it was decided.

    Ports:
        config: The registers of this stimulus; they stand from 24 clocks before a sequence.
        warm: High in the WARM_CLOCKS clocks before `go`, low in one before these.
        near: High in the last clock before `go`.
        go: Starts a sequence; for one clock, `alive` low in it and before.
        alive: High from the clock after `go` on, as long as strikes may start.
        clear: Empties the words inside; `alive` must be low after it.
        strike: A strike at `offset` of this clock's word.
        offset: The tick of `strike` in its word.
        starts: With Feature.BURST: strikes less than W ticks apart; bit k starts in tick k.
        pending: A word inside may have a strike.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.samples = geometry.samples
        self.fine_bits = (geometry.samples - 1).bit_length()
        self.burst = Feature.BURST in geometry.features
        self.dither = Feature.DITHER in geometry.features
        self.poisson = Feature.POISSON in geometry.features
        self.start_clocks = 1 + (PATTERN_CLOCKS if self.burst else 0)
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)),
                "warm": In(1),
                "near": In(1),
                "go": In(1),
                "alive": In(1),
                "clear": In(1),
                "strike": Out(1),
                "offset": Out(self.fine_bits),
                "starts": Out(geometry.samples),
                "pending": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config, fine = self.config, self.fine_bits
        # Features that the build lacks keep these values.
        poisson, drawing, issue = Const(0, 1), Const(0, 1), Const(0, 1)
        dither_waits, goes = Const(0, 1), Const(1, 1)
        fast, long, ends = Const(0, 1), Const(1, 1), Const(0, 1)
        rest, fire, stepped, advance = Signal(), Signal(), Signal(), Signal()
        offset = Signal(fine, reset_less=True)

        # Its fan-out is large, so it comes two clocks after `alive`, but not in the clock of `go`.
        m.d.sync += rest.eq(~(self.near | self.go | self.alive))

        # These are constant during a run.
        interval: Value = config.interval_ticks
        if self.poisson:
            poisson = Signal()
            m.d.sync += poisson.eq(config.poisson_threshold != 0)
            interval = Mux(poisson, config.width_ticks, interval)
        if self.burst:
            m.submodules.bursts = bursts = Bursts(self.samples)
            m.d.comb += [
                bursts.config.eq(config),
                bursts.interval.eq(interval),
                bursts.plain.eq(poisson),
                bursts.near.eq(self.near),
                bursts.next.eq(self.go | stepped),
                bursts.fire.eq(fire),
                bursts.offset.eq(offset),
                bursts.alive.eq(self.alive),
                bursts.clear.eq(self.clear),
                bursts.hold.eq(rest),
                self.starts.eq(bursts.starts),
            ]
            interval = bursts.period
            fast, long, ends = bursts.fast, bursts.long, bursts.ends

        m.submodules.timer = timer = Countdown(len(interval) - fine)
        m.submodules.draw = draw = Draw(fine, dither=self.dither, poisson=self.poisson)
        m.submodules.ahead = ahead = Ahead(fine, len(interval), burst=self.burst)
        last = timer.last
        if self.dither:
            dither_waits, goes = Signal(), Signal(init=1)
            waits_next = self.alive & ((fire & draw.waits) | (dither_waits & ~last))
            # The timer's end is that of the whole interval. It is known a clock before, because
            # what follows from it is far.
            m.d.sync += [
                dither_waits.eq(waits_next),
                goes.eq(waits_next | ~draw.waits_next),
            ]
        if self.poisson:
            drawing, issue = self._random(m, draw, poisson, last, offset, ahead.end)
        m.d.comb += [
            fire.eq(last & ~dither_waits & ~poisson),
            stepped.eq(last & goes),
            draw.seed.eq(config.seed),
            draw.fraction.eq(config.interval_fraction),
            draw.interval_fine.eq(interval),
            draw.dither_bits.eq(config.dither_bits),
            draw.threshold.eq(config.poisson_threshold),
            draw.plain.eq(poisson),
            draw.long.eq(long),
            draw.hold.eq(rest & ~self.warm),
            # It is flat, because it enables many registers. No draw happens inside a burst.
            advance.eq(~self.alive | (last & (poisson | goes)) | drawing),
            draw.step.eq(rest | (advance & long)),
            draw.advance.eq(advance),
            ahead.phase.eq(config.phase_ticks),
            ahead.interval.eq(interval),
            ahead.spacing.eq(config.spacing_ticks),
            ahead.step_fine.eq(Cat(draw.step_fine[:fine], draw.step_fine[fine] | poisson)),
            ahead.long.eq(long),
            ahead.random.eq(poisson),
            ahead.offset.eq(draw.offset_next),
            ahead.hold.eq(rest),
            ahead.advance.eq(advance),
        ]

        # The dither's clocks are waited for after those of the interval.
        loads, waited = Signal(), Signal()
        coarse_r = Signal.like(draw.coarse, reset_less=True)
        m.d.sync += [
            loads.eq(~poisson & ~ends),
            waited.eq(dither_waits),
            coarse_r.eq(draw.coarse),
        ]
        m.d.comb += [
            timer.load.eq(self.go | issue | (last & loads)),
            timer.count.eq(Mux(dither_waits, draw.coarse[:TIMER_LOW_BITS], ahead.clocks)),
            timer.far.eq(Mux(dither_waits, draw.far, ahead.far)),
            timer.one.eq(Mux(dither_waits, draw.one, ahead.one)),
            timer.rest.eq(Mux(waited, coarse_r[TIMER_LOW_BITS:], ahead.rest)),
            timer.step.eq(1),
            # No strike is a last one while idle.
            timer.clear.eq(rest),
        ]
        with m.If(self.go | fire | issue):
            m.d.sync += offset.eq(ahead.end)

        # Single strikes are delayed as much as those of a pattern.
        strike = ((fire & ~fast) | issue) & self.alive & ~self.clear
        strike_offset = Mux(poisson, draw.offset, offset)
        inside = []
        for number in range(self.start_clocks - 1):
            strike_r = Signal(name=f"strike_{number}")
            offset_r = Signal(fine, name=f"offset_{number}", reset_less=True)
            m.d.sync += [strike_r.eq(strike & ~self.clear), offset_r.eq(strike_offset)]
            inside.append(strike_r)
            strike, strike_offset = strike_r, offset_r
        if self.burst:
            inside += [bursts.on, bursts.pending]
        m.d.comb += [
            self.strike.eq(strike),
            self.offset.eq(strike_offset),
            self.pending.eq(Cat(inside).any()),
        ]
        return m

    def _random(self, m: Module, draw: Draw, poisson, last, offset, end) -> tuple[Value, Value]:
        """Return whether each clock has a draw, and whether this clock's draw is a strike.

        The timer waits for the phase and, after each strike, for a time without others: width + W.
        """
        drawing, free, high = Signal(), Signal(), Signal()
        issue = draw.hit & (free | (last & high))
        # If that time ends in the clock of a strike, the strike must not be before the end.
        early = Mux(issue, above(end, draw.offset_next), above(offset, draw.offset_next))
        m.d.sync += [
            drawing.eq(self.alive & poisson & (drawing | last)),
            free.eq(self.alive & poisson & ~issue & (free | last)),
            high.eq(~self.alive | ~early),
        ]
        return drawing, issue
