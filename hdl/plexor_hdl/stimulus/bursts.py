# SPDX-License-Identifier: Apache-2.0
"""Bursts: finds each burst's last strike, and the words of strikes less than W ticks apart."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.registers import STIMULUS
from plexor_hdl.interfaces import block_layout
from plexor_hdl.lib.countdown import TIMER_LOW_BITS, Countdown, SettledSum
from plexor_hdl.lib.split_sum import up

PATTERN_CLOCKS = 4
"""Clocks from a fast burst's first strike to its word."""

TURN_CLOCKS = 8
"""Clocks of a round of the adder for a fast burst's span; a power of two, like all periods here."""


def looked_up(table: list[int], bits: int, place: Value) -> Value:
    """Return a table's word at `place`, without a memory."""
    return Cat(
        Const(sum((word >> bit & 1) << at for at, word in enumerate(table)), len(table)).bit_select(
            place, 1
        )
        for bit in range(bits)
    )


def pattern(samples: int, spacing: Value) -> Value:
    """Return W bits with a start every `spacing` ticks from bit 0 on; none for spacings 0 and 1."""
    table = [
        sum(1 << bit for bit in range(samples) if ticks > 1 and bit % ticks == 0)
        for ticks in range(samples)
    ]
    return looked_up(table, samples, spacing)


def next_position(samples: int, spacing: Value, position: Value) -> Value:
    """Return the position of the next word's first start, after a start at `position`."""
    table = [
        (at - samples) % ticks if ticks > 1 else 0
        for ticks in range(samples)
        for at in range(samples)
    ]
    return looked_up(table, len(position), Cat(position, spacing))


def shifted(word: Value, places: Value, scale: int) -> Value:
    """Return `word` shifted up by `places` x `scale` bits, at its own width."""
    for bit in range(len(places)):
        word = Mux(places[bit], up(word, scale << bit), word)
    return word


class Bursts(wiring.Component):
    """Counts the strikes of bursts, and draws the words of fast bursts: spacings below W ticks.

    `near`, in a clock before `go`, begins a sequence. Each `next` asks what follows the next
    strike. No fast burst begins to be drawn while `alive` is low.

    Latency: PATTERN_CLOCKS clocks from `fire` to the first word of a fast burst in `starts`.
    Throughput: one word, and one `next`, each clock.
    Reset: empty; no burst is drawn.
    Wrap: none; the counts of strikes and of words stop at their ends.
    Full: never; bursts of one sequence do not overlap.

    Ports:
        config: The registers of this stimulus. They, `interval` and `plain` stand from 24 clocks
            before a sequence.
        interval: The ticks from a burst to the next, a fast burst's own length left out.
        plain: There are no fast bursts.
        near: Begins a sequence; `hold` is high.
        next: Asks what follows the next strike.
        fire: A single strike, or the first of a fast burst.
        offset: Where the strike of `fire` is in its word, in ticks.
        alive: Strikes may start.
        clear: Empties all.
        hold: No sequence runs.
        period: The interval, and for fast bursts their length too, in ticks.
        fast: The bursts are fast.
        long: With `next`: an interval follows, for the strike is a burst's last, or stands for a
            fast burst.
        ends: Nothing follows: a fast burst without end.
        on: A fast burst is being drawn.
        starts: The strikes of a fast burst in a word; bit k starts in tick k.
        pending: A word of a fast burst is inside.
    """

    def __init__(self, samples: int) -> None:
        self.samples = samples
        self.fine_bits = (samples - 1).bit_length()
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)),
                "interval": In(48),
                "plain": In(1),
                "near": In(1),
                "next": In(1),
                "fire": In(1),
                "offset": In(self.fine_bits),
                "alive": In(1),
                "clear": In(1),
                "hold": In(1),
                "period": Out(49),
                "fast": Out(1),
                "long": Out(1),
                "ends": Out(1),
                "on": Out(1),
                "starts": Out(samples),
                "pending": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        samples, fine = self.samples, self.fine_bits
        far_bits = fine + TIMER_LOW_BITS
        count, spacing = self.config.burst_count, self.config.spacing_ticks
        always = Signal()
        fast, on, clear = self.fast, self.on, self.clear

        # These are constant during a run.
        endless, count_one, count_far, span_far, far = (
            Signal(name=name) for name in ("endless", "count_one", "count_far", "span_far", "far")
        )
        ticks, slow, loads = Signal(fine), Signal(), Signal()
        m.d.sync += [ticks.eq(spacing[:fine]), slow.eq(~endless & ~fast)]
        span = self._span(m)
        m.submodules.period = period = SettledSum(len(self.period))
        m.d.sync += [
            count_far.eq(count[TIMER_LOW_BITS:].any()),
            endless.eq(~count_far & (count[:TIMER_LOW_BITS] == 0)),
            count_one.eq(~count_far & (count[:TIMER_LOW_BITS] == 1)),
            fast.eq((spacing[fine:] == 0) & ~count_one & ~self.plain),
            always.eq(fast | self.plain),
            self.ends.eq(fast & endless),
            span_far.eq(span[far_bits:].any()),
            far.eq(Mux(fast, span_far, count_far)),
        ]
        m.d.comb += [
            period.a.eq(self.interval),
            period.b.eq(span),
            self.period.eq(period.sum),
        ]

        # It counts the strikes of a slow burst, or the words of a fast one.
        m.submodules.burst = burst = Countdown(len(count))
        fired, first, last_word = Signal(), Signal(), Signal()
        alive_r, end_none, one = Signal(), Signal(), Signal()
        position = Signal(fine, reset_less=True)
        burst_end = Signal(far_bits + 1, reset_less=True)
        end, end_clocks = burst_end[:fine], burst_end[fine:]
        m.d.comb += [
            self.long.eq(always | burst.last),
            last_word.eq(Mux(first, end_none, burst.last)),
            # `next` comes late.
            burst.load.eq(loads | (slow & self.next & burst.last)),
            loads.eq((fast & ~endless & first & ~end_none) | (slow & self.near)),
            burst.count.eq(Mux(fast, end_clocks, count[:TIMER_LOW_BITS])),
            burst.rest.eq(Mux(fast, span[far_bits:], count[TIMER_LOW_BITS:])),
            burst.one.eq(one),
            burst.far.eq(far),
            burst.step.eq(fast | self.next),
            burst.clear.eq(self.hold & ~self.near),
        ]
        m.d.sync += [
            alive_r.eq(self.alive),
            fired.eq(fast & self.fire & self.alive & ~clear),
            first.eq(fired & ~clear),
            # These use the burst's end, which is known one clock after its beginning.
            end_none.eq(~span_far & (end_clocks == 0)),
            one.eq(Mux(fast, ~span_far & (end_clocks == 1), count_one)),
            on.eq(alive_r & ~clear & (fired | (on & ~last_word))),
        ]
        with m.If(self.fire):
            length = Cat(self.offset, span[fine:far_bits])
            m.d.sync += burst_end.eq(length + span[:fine])
        offset_r = Signal(fine, reset_less=True)
        m.d.sync += [
            offset_r.eq(self.offset),
            position.eq(Mux(fired, offset_r, next_position(samples, ticks, position))),
        ]

        # The pattern from its first start on, up to the burst's last start.
        shape, placed = Signal(samples), Signal(samples, reset_less=True)
        on_r, last_r = Signal(), Signal()
        end_r = Signal(fine, reset_less=True)
        position_r = Signal(2, reset_less=True)
        kept = (~last_r).replicate(samples) | (Const((1 << samples) - 1, samples) >> ~end_r)
        m.d.sync += [
            shape.eq(pattern(samples, ticks)),
            placed.eq(shifted(shape, position[2:], 4)),
            position_r.eq(position),
            end_r.eq(end),
            last_r.eq(last_word),
            on_r.eq(on & ~clear),
            self.starts.eq(Mux(on_r & ~clear, shifted(placed, position_r, 1) & kept, 0)),
        ]
        m.d.comb += self.pending.eq(fired | on_r | self.starts.any())
        return m

    def _span(self, m: Module) -> Value:
        """Return (burst_count - 1) x spacing for spacings below W, else 0.

        A single adder takes the spacing's bits in turn, continuously.
        """
        count, spacing = self.config.burst_count, self.config.spacing_ticks[: self.fine_bits]
        m.submodules.fewer = fewer = SettledSum(len(count))
        m.d.comb += [fewer.a.eq(count), fewer.b.eq((1 << len(count)) - 1)]
        turn, last = Signal(TURN_CLOCKS, init=1), self.fine_bits + 1
        part, total = Signal(len(count)), Signal(len(count) + self.fine_bits)
        span, adds = Signal.like(total), Signal()
        m.d.comb += adds.eq(self.fast & (Cat(reversed(spacing)) & turn).any())
        m.d.sync += [
            turn.eq(turn.rotate_left(1)),
            part.eq(Mux(adds, fewer.sum, 0)),
            total.eq(Mux(turn[0], 0, Cat(Const(0, 1), total) + part)),
        ]
        with m.If(turn[last]):
            m.d.sync += span.eq(total)
        return span
