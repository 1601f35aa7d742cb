"""When strikes start: the clock and the offset in its word, of every strike of a sequence."""

from functools import reduce
from operator import or_
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.bursts import PATTERN_CLOCKS, Bursts
from plexor_hdl.countdown import TIMER_LOW_BITS, Countdown, above
from plexor_hdl.interfaces import block_layout
from plexor_hdl.random import Draw
from plexor_hdl.skip import SKIP_BITS


class Wait(NamedTuple):
    """A time until the next strike, if `chosen`.

    `ticks`: the next strike's offset and, above it, the clocks to it; `rest`, one clock late, the
    clocks that do not fit there, with `far` = (rest != 0). `one`: it is in the next clock.
    """

    chosen: Value
    ticks: Value
    far: Value
    rest: Value
    one: Value


class Scheduler(wiring.Component):
    """Says in which ticks a sequence's strikes start.

    `go` (one cycle, `alive` low in it and before) starts a sequence; `warm` must be high in the
    WARM_CLOCKS cycles before. `strike` is a strike at tick `offset` of a word, the word of phase 0
    `start_clocks` after `go`. With Feature.BURST, strikes less than W ticks apart come in `starts`
    instead: bit k is one that starts in tick k. `alive` must be high from the cycle after `go` on;
    the words that would come start_clocks - 1 clocks after it is low, and later, are empty. The
    number of strikes is not limited here. While neither is high everything goes back to the
    sequence's beginning; `clear` does so at any time and empties the words inside. `pending`: a
    word inside may have a strike.

    `config` must have stood still for 24 clocks. Throughput: a word a clock, intervals down to W.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.samples = geometry.samples
        self.fine_bits = (geometry.samples - 1).bit_length()
        self.far_bits = self.fine_bits + TIMER_LOW_BITS
        self.burst = Feature.BURST in geometry.features
        self.dither = Feature.DITHER in geometry.features
        self.poisson = Feature.POISSON in geometry.features
        self.start_clocks = 1 + (PATTERN_CLOCKS if self.burst else int(self.poisson))
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)),
                "warm": In(1),
                "go": In(1),
                "alive": In(1),
                "clear": In(1),
                "strike": Out(1),
                "offset": Out(self.fine_bits),
                "starts": Out(geometry.samples),
                "pending": Out(1),
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config, samples, fine, far_bits = self.config, self.samples, self.fine_bits, self.far_bits
        # What the build lacks keeps these values.
        poisson, dither_waits, issue = Const(0, 1), Const(0, 1), Const(0, 1)
        fast, long, ends = Const(0, 1), Const(1, 1), Const(0, 1)
        hold, fire = Signal(), Signal()
        offset = Signal(fine, reset_less=True)

        # What stands still during a run.
        interval: Value = config.interval_ticks
        if self.poisson:
            poisson = Signal()
            m.d.sync += poisson.eq(config.poisson_threshold != 0)
            interval = Mux(poisson, config.width_ticks, interval)
        if self.burst:
            m.submodules.bursts = bursts = Bursts(samples)
            m.d.comb += [
                bursts.config.eq(config),
                bursts.interval.eq(interval),
                bursts.plain.eq(poisson),
                bursts.go.eq(self.go),
                bursts.fire.eq(fire),
                bursts.offset.eq(offset),
                bursts.alive.eq(self.alive),
                bursts.clear.eq(self.clear),
                bursts.hold.eq(hold),
                self.starts.eq(bursts.starts),
            ]
            interval = bursts.period
            fast, long, ends = bursts.fast, bursts.long, bursts.ends
        phase = config.phase_ticks
        phase_far, interval_far = Signal(), Signal()
        m.d.sync += [
            phase_far.eq(phase[far_bits:].any()),
            interval_far.eq(interval[far_bits:].any()),
        ]

        m.submodules.timer = timer = Countdown(len(interval) - fine)
        m.submodules.draw = draw = Draw(fine, dither=self.dither, poisson=self.poisson)
        if self.dither:
            dither_waits = Signal()
            m.d.sync += dither_waits.eq(
                (fire & long & ~draw.zero) | (dither_waits & ~timer.last & ~self.go)
            )
        m.d.comb += [
            hold.eq(self.clear | ~(self.go | self.alive)),
            fire.eq(timer.last & ~dither_waits & ~poisson),
            draw.seed.eq(config.seed),
            draw.fraction.eq(config.interval_fraction),
            draw.interval_fine.eq(interval),
            draw.dither_bits.eq(config.dither_bits),
            draw.threshold.eq(config.poisson_threshold),
            draw.hold.eq(hold),
            draw.warm.eq(self.warm),
        ]
        # Flat, for it enables many registers; without `alive` the draw is held anyway.
        stepped = timer.last & ~poisson & (dither_waits | (draw.zero & long))
        advance = ~self.alive | self.clear | stepped

        # The first strike is a clock late, as the others follow from a strike; two where random.
        # Before it the offset is 0.
        go_r = Signal()
        m.d.sync += go_r.eq(self.go)
        more = Mux(self.go, Mux(poisson, 2 * samples, Cat(phase[:fine], 1)), draw.step_fine)
        after_interval = self._after(
            offset, Mux(self.go, phase[:far_bits], interval[:far_bits]), more
        )
        following = after_interval
        # Whether that is in the next clock hangs on the carry alone, by what the length is.
        carry, nexts = (offset + more)[fine:], []
        for clocks in range(2):
            of_phase, of_interval = Signal(), Signal()
            m.d.sync += [
                of_phase.eq(~phase_far & (phase[fine:far_bits] == clocks)),
                of_interval.eq(~interval_far & (interval[fine:far_bits] == clocks)),
            ]
            nexts.append(Mux(self.go, of_phase, of_interval) & (carry == 1 - clocks))
        waits = [
            Wait(
                self.go | (fire & long & ~ends),
                after_interval,
                Mux(self.go, phase_far, interval_far),
                Mux(go_r, phase[far_bits:], interval[far_bits:]),
                nexts[0] | nexts[1],
            )
        ]
        if self.burst:
            spacing, spacing_far = config.spacing_ticks, Signal()
            m.d.sync += spacing_far.eq(spacing[far_bits:].any())
            after_spacing = self._after(offset, spacing, spacing[:fine])
            following = Mux(self.go | long, after_interval, after_spacing)
            waits.append(self._wait(fire & ~long, after_spacing, spacing_far, spacing[far_bits:]))
        if self.dither:
            ticks = Cat(Const(0, fine), draw.coarse[:TIMER_LOW_BITS], Const(0, 1))
            coarse_r = Signal.like(draw.coarse, reset_less=True)
            m.d.sync += coarse_r.eq(draw.coarse)
            dithered = timer.last & dither_waits
            waits.append(Wait(dithered, ticks, draw.far, coarse_r[TIMER_LOW_BITS:], draw.one))
        with m.If(self.go | fire):
            m.d.sync += offset.eq(following)

        strike, strike_offset = fire & ~fast & self.alive & ~self.clear, offset
        late = 0
        if self.poisson:
            # In each clock; from one that is issued on, the time without strikes: width + W.
            issue, free, drawing = Signal(), Signal(), Signal()
            expired = timer.last & poisson
            m.d.sync += [
                drawing.eq(self.alive & ~self.clear & (drawing | expired)),
                free.eq(self.alive & ~self.clear & ~issue & (free | expired)),
            ]
            m.d.comb += issue.eq(
                draw.hit & ((free & poisson) | (expired & ~above(offset, draw.offset)))
            )
            advance |= poisson & (drawing | go_r | timer.last)
            more = Cat(config.width_ticks[:fine], 1)
            after_strike = self._after(draw.offset, interval, more)
            waits.append(self._wait(issue, after_strike, interval_far, interval[far_bits:]))
            # The offset counts only from a strike that is issued: others may set it too.
            with m.If(~self.go & poisson & (free | timer.last)):
                m.d.sync += offset.eq(after_strike)
            # A random strike is decided a clock later, with the draw's late outputs.
            alive_r, strike_r, offset_r = Signal(), Signal(), Signal(fine)
            m.d.sync += [
                alive_r.eq(self.alive & ~self.clear),
                strike_r.eq(strike),
                offset_r.eq(offset),
            ]
            strike = strike_r | (issue & alive_r & ~self.clear)
            strike_offset = Mux(poisson, draw.offset, offset_r)
            late = 1
        with m.If(hold):
            m.d.sync += offset.eq(0)
        m.d.comb += draw.advance.eq(advance)
        self._load(m, timer, waits)

        # Single strikes take as long as those of a pattern.
        inside = []
        for number in range(self.start_clocks - 1 - late):
            strike_r = Signal(name=f"strike_{number}")
            offset_r = Signal(fine, name=f"offset_{number}", reset_less=True)
            m.d.sync += [strike_r.eq(strike & ~self.clear), offset_r.eq(strike_offset)]
            inside.append(strike_r)
            strike, strike_offset = strike_r, offset_r
        busy = Const(0, 1)
        if self.poisson:
            busy |= self.alive | alive_r
        if self.burst:
            busy |= bursts.on | bursts.pending
        m.d.comb += [
            timer.step.eq(1),
            # Nothing is last while idle, so that what follows from it need not look at `alive`.
            timer.clear.eq(hold),
            timer.skip.eq(self.skip),
            self.room.eq(timer.room),
            self.strike.eq(strike),
            self.offset.eq(strike_offset),
            self.pending.eq(Cat(busy, *inside).any()),
        ]
        # Random and fast strikes can come in any clock.
        if self.poisson:
            with m.If(poisson & self.alive):
                m.d.comb += self.room.eq(0)
        if self.burst:
            with m.If(bursts.on):
                m.d.comb += self.room.eq(0)
        return m

    def _after(self, start: Value, length: Value, more: Value) -> Value:
        """Return `start` + length rounded down to clocks + `more`: offset and low clocks."""
        upper = length[self.fine_bits : self.far_bits]
        return (Cat(start, upper) + more)[: self.far_bits + 1]

    def _wait(self, chosen: Value, ticks: Value, far: Value, rest: Value) -> Wait:
        return Wait(chosen, ticks, far, rest, ~far & (ticks[self.fine_bits :] == 1))

    def _load(self, m: Module, timer: Countdown, waits: list[Wait]) -> None:
        """Load the timer with the time that is chosen."""
        chosen_r = [Signal(name=f"chosen_{number}") for number in range(len(waits))]
        if len(waits) == 1:
            # It is loaded only if it is chosen.
            chosen_r = [Const(1, 1)]
            chosen = [Const(1, 1)]
        else:
            chosen = [wait.chosen for wait in waits]
            m.d.sync += [late.eq(now) for late, now in zip(chosen_r, chosen, strict=True)]

        def one_of(selects: list[Value], values: list[Value]) -> Value:
            return reduce(
                or_, (Mux(select, value, 0) for select, value in zip(selects, values, strict=True))
            )

        m.d.comb += [
            timer.load.eq(Cat(wait.chosen for wait in waits).any()),
            timer.count.eq(one_of(chosen, [wait.ticks[self.fine_bits :] for wait in waits])),
            timer.far.eq(one_of(chosen, [wait.far for wait in waits])),
            timer.one.eq(one_of(chosen, [wait.one for wait in waits])),
            timer.rest.eq(one_of(chosen_r, [wait.rest for wait in waits])),
        ]
