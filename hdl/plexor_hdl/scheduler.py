"""When strikes start: the clock and the offset in its word, of every strike of a sequence."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.countdown import TIMER_LOW_BITS, Countdown, SettledSum, above
from plexor_hdl.interfaces import block_layout
from plexor_hdl.random import Draw
from plexor_hdl.skip import SKIP_BITS

START_CLOCKS = 3
"""Clocks from `go` to `starts` of phase 0."""


def pattern(samples: int, spacing: Value) -> list[Value]:
    """Return W bits with a start every `spacing` ticks from bit 0 on, 2 <= spacing < W."""
    return [
        Cat(spacing == every for every in range(2, samples) if bit % every == 0).any()
        if bit
        else Const(1, 1)
        for bit in range(samples)
    ]


def next_position(samples: int, spacing: Value, position: Value) -> Value:
    """Return the first start of the word after one with a start at `position`."""
    bits = []
    for bit in range(len(position)):
        terms = [
            (spacing == every) & (position == at)
            for every in range(2, samples)
            for at in range(samples)
            if (at - samples) % every >> bit & 1
        ]
        bits.append(Cat(terms).any())
    return Cat(bits)


class Scheduler(wiring.Component):
    """Draws the start bits of a sequence, a word each clock.

    `go` (one cycle, `alive` low in it) starts a sequence, whose words come in `starts` START_CLOCKS
    later: bit k is a strike that starts in tick k. `alive` must be high from the cycle after `go`
    on; the words that would come two clocks after it is low, and later, are empty. The number of
    strikes is not limited here. While neither is high everything goes back to the sequence's
    beginning; one such cycle is needed, `clear` makes one at any time. `flush` empties the words
    inside.

    `config` must have stood still for 24 clocks. Throughput: a word a clock, intervals down to W.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.samples = geometry.samples
        self.fine_bits = (geometry.samples - 1).bit_length()
        self.poisson = Feature.POISSON in geometry.features
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)),
                "go": In(1),
                "alive": In(1),
                "clear": In(1),
                "flush": In(1),
                "starts": Out(geometry.samples),
                "pending": Out(1),
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config, samples, fine = self.config, self.samples, self.fine_bits

        # What stands still during a run.
        fast, endless, poisson = Signal(), Signal(), Signal()
        short = Signal()
        m.d.sync += [
            short.eq(config.spacing_ticks[fine:] == 0),
            endless.eq(config.burst_count == 0),
            fast.eq(short & (config.burst_count != 1) & ~poisson),
            poisson.eq((config.poisson_threshold != 0) if self.poisson else 0),
        ]
        span = self._burst_span(m, fast)
        m.submodules.period = period = SettledSum(len(config.interval_ticks) + 1)
        base = Mux(poisson, config.width_ticks, config.interval_ticks)
        m.d.comb += [period.a.eq(base), period.b.eq(span)]

        phase, interval = config.phase_ticks, period.sum
        spacing, count = config.spacing_ticks, config.burst_count
        far_bits = fine + TIMER_LOW_BITS
        phase_far, interval_far, spacing_far, span_far, count_far, count_one = (
            Signal(name=name)
            for name in (
                "phase_far",
                "interval_far",
                "spacing_far",
                "span_far",
                "count_far",
                "count_one",
            )
        )
        m.d.sync += [
            phase_far.eq(phase[far_bits:].any()),
            interval_far.eq(interval[far_bits:].any()),
            spacing_far.eq(spacing[far_bits:].any()),
            span_far.eq(span[far_bits:].any()),
            count_far.eq(count[TIMER_LOW_BITS:].any()),
            count_one.eq(count == 1),
        ]

        m.submodules.timer = timer = Countdown(len(period.sum) - fine)
        m.submodules.burst = burst = Countdown(len(config.burst_count))
        m.submodules.draw = draw = Draw(fine, self.poisson)
        m.d.comb += [
            draw.seed.eq(config.seed),
            draw.fraction.eq(config.interval_fraction),
            draw.interval_fine.eq(period.sum),
            draw.dither_bits.eq(config.dither_bits),
            draw.threshold.eq(config.poisson_threshold),
            draw.hold.eq(self.clear | ~(self.go | self.alive)),
        ]

        # Strikes, or whole bursts with spacings below W.
        offset, dither_waits = Signal(fine, reset_less=True), Signal()
        fire, long, dithered = Signal(), Signal(), Signal()
        expired, free, issue = Signal(), Signal(), Signal()
        on = Signal()
        drawing = Signal()
        # A random strike is decided a clock later, with the draw's late outputs.
        go_r, alive_r = Signal(), Signal()
        m.d.sync += [go_r.eq(self.go), alive_r.eq(self.alive & ~self.clear)]
        m.d.comb += [
            fire.eq(timer.last & ~dither_waits & ~poisson),
            long.eq(fast | burst.last),
            dithered.eq(timer.last & dither_waits),
            expired.eq(timer.last & poisson),
            issue.eq(poisson & draw.hit & (free | (timer.last & ~above(offset, draw.offset)))),
            # Flat, for it enables many registers; without `alive` the draw is held anyway.
            draw.advance.eq(
                ~self.alive
                | drawing
                | (go_r & poisson)
                | (timer.last & (poisson | dither_waits | (draw.zero & (fast | burst.last))))
            ),
        ]

        # Offset and low bits of the clocks to the next, in one sum; the upper bits follow.
        def after(start: Value, length: Value, more: Value) -> Value:
            return (Cat(start, length[fine:far_bits]) + more)[: far_bits + 1]

        after_phase = Signal(far_bits + 1)
        after_interval, after_spacing, after_strike = (
            Signal(far_bits + 1, name=name)
            for name in ("after_interval", "after_spacing", "after_strike")
        )
        phase_offset = Mux(poisson, 0, phase[:fine])
        m.d.sync += after_phase.eq(after(phase_offset, phase, Mux(poisson, 2 * samples, samples)))
        m.d.comb += [
            after_interval.eq(after(offset, interval, draw.step_fine)),
            after_spacing.eq(after(offset, spacing, spacing[:fine])),
            # The time without strikes: width + W.
            after_strike.eq(after(draw.offset, interval, Cat(config.width_ticks[:fine], 1))),
        ]
        to_interval, to_spacing = Signal(), Signal()
        m.d.comb += [
            to_interval.eq(fire & long & ~(fast & endless)),
            to_spacing.eq(fire & ~long),
        ]
        coarse_r = Signal.like(draw.coarse, reset_less=True)
        m.d.sync += coarse_r.eq(draw.coarse)
        dither_low = Cat(Const(0, fine), draw.coarse[:TIMER_LOW_BITS], Const(0, 1))
        choices = (
            (self.go, after_phase, phase_far, phase[far_bits:], None),
            (issue, after_strike, interval_far, interval[far_bits:], None),
            (to_interval, after_interval, interval_far, interval[far_bits:], None),
            (to_spacing, after_spacing, spacing_far, spacing[far_bits:], None),
            (dithered, dither_low, draw.far, coarse_r[TIMER_LOW_BITS:], draw.one),
        )
        following = Const(0, far_bits + 1)
        rest = Const(0, len(timer.rest))
        for number, (chosen, low, far, upper, one) in enumerate(choices):
            if one is None:
                one = ~far & (low[fine:] == 1)  # noqa: PLW2901
            chosen_r = Signal(name=f"chosen_{number}")
            m.d.sync += chosen_r.eq(chosen)
            following |= Mux(chosen, low, 0)
            rest |= Mux(chosen_r, upper, 0)
            with m.If(chosen):
                m.d.comb += [timer.one.eq(one), timer.far.eq(far)]
        m.d.comb += [
            timer.load.eq(Cat(chosen for chosen, *_ in choices).any()),
            timer.count.eq(following[fine:]),
            timer.rest.eq(rest),
            timer.step.eq(1),
            # Nothing is last while idle, so that what follows from it need not look at `alive`.
            timer.clear.eq(self.clear | ~(self.go | self.alive)),
            timer.skip.eq(self.skip),
            # Random and fast strikes can come in any clock.
            self.room.eq(Mux(on | (poisson & self.alive), 0, timer.room)),
        ]
        # Of random strikes the offset counts only from one that is issued: others may set it too.
        with m.If(self.go | fire | (poisson & (free | timer.last))):
            m.d.sync += offset.eq(Mux(poisson & ~self.go, after_strike, following)[:fine])
        m.d.sync += dither_waits.eq(
            (fire & long & ~draw.zero) | (dither_waits & ~timer.last & ~self.go)
        )
        m.d.sync += [
            drawing.eq(self.alive & ~self.clear & (drawing | expired)),
            free.eq(self.alive & ~self.clear & ~issue & (free | expired)),
        ]

        # Words: a single start, or a burst's starts up to its last.
        first, last_word = Signal(), Signal()
        position = Signal(fine, reset_less=True)
        burst_end = Signal(far_bits + 1, reset_less=True)
        end, end_clocks = burst_end[:fine], burst_end[fine:]
        m.d.comb += last_word.eq(fast & Mux(first, ~span_far & (end_clocks == 0), burst.last))
        m.d.sync += [
            first.eq(fire & ~self.flush),
            on.eq(self.alive & ~self.flush & (fire | (fast & on & ~last_word))),
        ]
        with m.If(fire):
            m.d.sync += [position.eq(offset), burst_end.eq(after(offset, span, span[:fine]))]
        with m.Else():
            m.d.sync += position.eq(next_position(samples, spacing[:fine], position))
        m.d.comb += [
            burst.load.eq(~endless & Mux(fast, first, self.go | (fire & burst.last))),
            burst.count.eq(Mux(fast, end_clocks, count[:TIMER_LOW_BITS])),
            burst.rest.eq(Mux(fast, span[far_bits:], count[TIMER_LOW_BITS:])),
            burst.one.eq(Mux(fast, ~span_far & (end_clocks == 1), count_one)),
            burst.far.eq(Mux(fast, span_far, count_far)),
            burst.step.eq(fast | fire),
            burst.clear.eq(self.clear),
        ]
        shape = Cat(pattern(samples, spacing[:fine])) & Cat(
            Const(1, 1), fast.replicate(samples - 1)
        )
        shape_r = Signal(samples)
        m.d.sync += shape_r.eq(shape)
        placed = Array((shape_r << at)[:samples] for at in range(samples))[position]
        kept = Cat(
            ~last_word | Cat(end == at for at in range(tick, samples)).any()
            for tick in range(samples)
        )
        drawn = Cat(draw.offset == tick for tick in range(samples))
        with m.If(self.flush | ~(on | (issue & alive_r))):
            m.d.sync += self.starts.eq(0)
        with m.Else():
            m.d.sync += self.starts.eq(Mux(poisson, drawn, placed & kept))
        m.d.comb += self.pending.eq(on | (alive_r & poisson) | self.starts.any())
        return m

    def _burst_span(self, m: Module, fast: Value) -> Value:
        """Return (burst_count - 1) x spacing for spacings below W, else 0."""
        count, spacing = self.config.burst_count, self.config.spacing_ticks[: self.fine_bits]
        bits = len(count) + self.fine_bits
        m.submodules.fewer = fewer = SettledSum(len(count))
        m.d.comb += [fewer.a.eq(count), fewer.b.eq((1 << len(count)) - 1)]
        span: Value = Mux(fast & spacing[0], fewer.sum, 0)
        for bit in range(1, self.fine_bits):
            adder = SettledSum(bits)
            m.submodules[f"span_{bit}"] = adder
            m.d.comb += [
                adder.a.eq(span),
                adder.b.eq(Mux(fast & spacing[bit], fewer.sum << bit, 0)),
            ]
            span = adder.sum
        return span
