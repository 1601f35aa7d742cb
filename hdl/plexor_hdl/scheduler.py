"""When strikes start: the clock and the offset in its word, of every strike of a sequence."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.countdown import TIMER_LOW_BITS, Countdown, SettledSum
from plexor_hdl.interfaces import block_layout
from plexor_hdl.random import Draw

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


class _Length(wiring.Component):
    """A time to count: `value` clocks and what Countdown wants to know of them, one clock late."""

    def __init__(self, bits: int) -> None:
        super().__init__(
            {"value": In(bits), "zero": Out(1), "one": Out(1), "far": Out(1)},
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # Chunks, for a comparison as wide as an interval is slow.
        chunks = [self.value[start : start + 16] for start in range(0, len(self.value), 16)]
        none = Signal(len(chunks))
        low_one, low_far = Signal(), Signal()
        low = chunks[0]
        m.d.sync += [
            none.eq(Cat(chunk == 0 for chunk in chunks)),
            low_one.eq(low == 1),
            low_far.eq(low[TIMER_LOW_BITS:].any()),
            self.zero.eq(none.all()),
            self.one.eq(low_one & none[1:].all()),
            self.far.eq(low_far | ~none[1:].all()),
        ]
        return m


class Scheduler(wiring.Component):
    """Draws the start bits of a sequence, a word each clock.

    `go` (one cycle, `alive` low in it) starts a sequence, whose words come in `starts`, START_CLOCKS
    later: bit k is a strike that starts in tick k. `alive` must be high from the cycle after `go` on;
    the word of the cycle in which it is first low, and those after it, still come two clocks later,
    empty. The number of strikes is not limited here. While neither is high everything goes back
    to the sequence's beginning; one such cycle is needed, `clear` makes one at any time.

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
                "starts": Out(geometry.samples),
                "pending": Out(1),
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

        lengths = {}
        for name, value in (
            ("phase", config.phase_ticks[fine:]),
            ("interval", period.sum[fine:]),
            ("spacing", config.spacing_ticks[fine:]),
            ("span", Mux(fast, span[fine:], config.burst_count)),
        ):
            lengths[name] = _Length(len(value))
            m.submodules[name] = lengths[name]
            m.d.comb += lengths[name].value.eq(value)

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
        offset, dither_waits = Signal(fine), Signal()
        fire, long, dithered = Signal(), Signal(), Signal()
        expired, free, issue = Signal(), Signal(), Signal()
        drawing = Signal()
        m.d.comb += [
            fire.eq(timer.last & ~dither_waits & self.alive & ~poisson),
            long.eq(fast | (burst.last & ~endless)),
            dithered.eq(timer.last & dither_waits),
            expired.eq(timer.last & self.alive & poisson),
            issue.eq(
                poisson & self.alive & draw.hit & (free | (expired & (draw.offset >= offset)))
            ),
            draw.advance.eq(
                self.go | (fire & long & draw.zero) | dithered | expired | (drawing & self.alive)
            ),
        ]
        after_interval = Signal(fine + 2)
        after_spacing = Signal(fine + 1)
        after_strike = Signal(fine + 1)
        m.d.comb += [
            after_interval.eq(offset + draw.step_fine),
            after_spacing.eq(offset + config.spacing_ticks[:fine]),
            after_strike.eq(draw.offset + config.width_ticks[:fine]),
            timer.step.eq(1),
            timer.clear.eq(self.clear),
        ]

        def load(source: _Length | Draw, value: Value, extra: Value | int) -> list:
            return [
                timer.load.eq(1),
                timer.value.eq(value),
                timer.extra.eq(extra),
                timer.value_zero.eq(source.zero),
                timer.value_one.eq(source.one),
                timer.value_far.eq(source.far),
            ]

        interval = lengths["interval"]
        with m.If(self.go):
            m.d.comb += load(lengths["phase"], lengths["phase"].value, 1)
            m.d.sync += [
                offset.eq(Mux(poisson, 0, config.phase_ticks[:fine])),
                dither_waits.eq(0),
            ]
        with m.Elif(issue):
            # The time without strikes: width + W.
            m.d.comb += load(interval, interval.value, 1 + after_strike[fine:])
            m.d.sync += offset.eq(after_strike)
        with m.Elif(dithered):
            m.d.comb += load(draw, draw.coarse, 0)
            m.d.sync += dither_waits.eq(0)
        with m.Elif(fire & ~(fast & endless)):
            with m.If(long):
                m.d.comb += load(interval, interval.value, after_interval[fine:])
                m.d.sync += [offset.eq(after_interval), dither_waits.eq(~draw.zero)]
            with m.Else():
                spacing = lengths["spacing"]
                m.d.comb += load(spacing, spacing.value, after_spacing[fine:])
                m.d.sync += offset.eq(after_spacing)
        m.d.sync += [
            drawing.eq(self.alive & (drawing | expired)),
            free.eq(self.alive & ~issue & (free | expired)),
        ]

        # Words: a single start, or a burst's starts up to its last.
        first, on, last_word = Signal(), Signal(), Signal()
        position = Signal(fine)
        end, end_carry = Signal(fine), Signal()
        start = Signal()
        at = Mux(poisson, draw.offset, offset)
        m.d.comb += start.eq(fire | issue)
        m.d.comb += last_word.eq(
            fast & ~endless & Mux(first, lengths["span"].zero & ~end_carry, burst.last)
        )
        m.d.sync += [
            first.eq(start & ~self.clear),
            on.eq(self.alive & ~self.clear & (start | (fast & on & ~last_word))),
        ]
        with m.If(start):
            m.d.sync += [position.eq(at), Cat(end, end_carry).eq(at + span[:fine])]
        with m.Else():
            m.d.sync += position.eq(next_position(samples, config.spacing_ticks[:fine], position))
        length = lengths["span"]
        m.d.comb += [
            burst.load.eq(Mux(fast, first, self.go | (fire & burst.last))),
            burst.value.eq(length.value),
            burst.extra.eq(fast & end_carry),
            burst.value_zero.eq(length.zero),
            burst.value_one.eq(length.one),
            burst.value_far.eq(length.far),
            burst.step.eq(fast | fire),
            burst.clear.eq(self.clear),
        ]
        shape = Cat(pattern(samples, config.spacing_ticks[:fine])) & Cat(
            Const(1, 1), fast.replicate(samples - 1)
        )
        shape_r = Signal(samples)
        m.d.sync += shape_r.eq(shape)
        placed = Array((shape_r << at)[:samples] for at in range(samples))[position]
        kept = Cat(~last_word | (end >= tick) for tick in range(samples))
        m.d.sync += self.starts.eq(Mux(on & ~self.clear, placed & kept, 0))
        m.d.comb += self.pending.eq(on | self.starts.any())
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
