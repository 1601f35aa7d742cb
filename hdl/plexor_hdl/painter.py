"""Strikes to samples: limits their number, gives each its width, draws the word."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.countdown import COUNT_LOW_BITS, TIMER_LOW_BITS, Allowance, Countdown, above
from plexor_hdl.interfaces import block_layout
from plexor_hdl.skip import SKIP_BITS

PAINT_CLOCKS = 4
"""Clocks from a word of `starts` to its `word`."""


def ranks(starts: Value) -> list[Value]:
    """Return, of each pair of ticks, how many starts are before it, and how many are in all.

    Starts are at least two ticks apart, so that a pair holds at most one.
    """
    pairs = [starts[tick : tick + 2].any() for tick in range(0, len(starts), 2)]
    counts: list[Value] = [pairs[0] & 0]
    for number in range(len(pairs)):
        total: Value = pairs[0]
        for pair in pairs[1 : number + 1]:
            total = total + pair
        counts.append(total[: (number + 1).bit_length()])
    return counts


class Painter(wiring.Component):
    """Makes pulses of `width_ticks` from start bits, at most `strike_count` of them.

    `starts` is a word of start bits; its samples come in `word` PAINT_CLOCKS later, with
    `strike_stb` if a strike starts in it. `load` begins a sequence, before its first start. Strikes
    beyond `strike_count` are left out; `spent` is high two clocks before the last one's word.
    Pulses must end before the next start. `stop` in a cycle empties the starts of the word that is
    due three clocks later. `pending` is high while a start or a tail is inside, and in the cycle of
    the word in which the last pulse ends. `clear` empties all. A word a clock. `config` must have
    stood still for 4 clocks.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.samples = geometry.samples
        self.fine_bits = (geometry.samples - 1).bit_length()
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)),
                "load": In(1),
                "clear": In(1),
                "stop": In(1),
                "starts": In(geometry.samples),
                "spent": Out(1),
                "word": Out(geometry.samples),
                "strike_stb": Out(1),
                "pending": Out(1),
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        samples, fine = self.samples, self.fine_bits
        config = self.config
        width = config.width_ticks
        coarse = width[fine:]

        endless, count_far, wide, wide_far = (
            Signal(name=name) for name in ("endless", "count_far", "wide", "wide_far")
        )
        m.d.sync += [
            endless.eq(config.strike_count == 0),
            count_far.eq(config.strike_count[COUNT_LOW_BITS:].any()),
            wide.eq(coarse.any()),
            wide_far.eq(coarse[TIMER_LOW_BITS:].any()),
        ]

        # How many starts are before each, and where the first is.
        before = ranks(self.starts)
        starts = Signal(samples)
        rank = [Signal.like(value, name=f"rank_{n}") for n, value in enumerate(before)]
        m.d.sync += starts.eq(self.starts)
        m.d.sync += [register.eq(value) for register, value in zip(rank, before, strict=True)]

        # Keep what is left of the number of strikes.
        m.submodules.allowance = allowance = Allowance(len(config.strike_count))
        m.d.comb += [
            allowance.load.eq(self.load & ~endless),
            allowance.value.eq(config.strike_count),
            allowance.value_far.eq(count_far),
            allowance.asked.eq(rank[-1]),
            allowance.clear.eq(self.clear | (self.load & endless)),
            self.spent.eq(allowance.spent),
        ]

        def rank_of(tick: int) -> Value:
            value = rank[tick // 2]
            return Cat(value, Const(0, len(allowance.left) - len(value)))

        keep = Cat(
            endless | allowance.plenty | above(allowance.left, rank_of(tick))
            for tick in range(samples)
        )
        kept, kept_before = Signal(samples), Signal(samples)
        kept_offset = Signal(fine)
        m.d.sync += [
            kept.eq(Mux(self.stop, 0, starts & keep)),
            kept_before.eq(kept),
            kept_offset.eq(
                Cat(
                    Cat(starts[tick] for tick in range(samples) if tick >> bit & 1).any()
                    for bit in range(fine)
                )
            ),
        ]

        # Ends: of narrow pulses from the last two words' starts, of wide ones by counting clocks.
        m.submodules.tail = tail = Countdown(len(coarse))
        tail_on = Signal()
        tail_offset = Signal(fine)
        end = Signal(fine + TIMER_LOW_BITS + 1)
        m.d.comb += [
            end.eq(Cat(kept_offset, coarse[:TIMER_LOW_BITS]) + width[:fine]),
            tail.load.eq(kept.any() & wide),
            tail.count.eq(end[fine:]),
            tail.rest.eq(coarse[TIMER_LOW_BITS:]),
            tail.one.eq(~wide_far & (end[fine:] == 1)),
            tail.far.eq(wide_far),
            tail.step.eq(1),
            tail.clear.eq(self.clear),
            tail.skip.eq(self.skip),
            self.room.eq(tail.room),
        ]
        with m.If(tail.load):
            m.d.sync += [tail_on.eq(1), tail_offset.eq(end)]
        with m.Elif(tail.last):
            m.d.sync += tail_on.eq(0)
        window = Cat(kept_before, kept)
        narrow = Signal(samples)
        m.d.sync += narrow.eq(Cat(width == back for back in range(samples)))
        ends = Cat(
            (tail.last & tail_on & (tail_offset == tick))
            | Cat(window[samples + tick - back] & narrow[back] for back in range(samples)).any()
            for tick in range(samples)
        )
        toggles = Signal(samples)
        strike = Signal()
        m.d.sync += [
            toggles.eq(kept ^ ends),
            strike.eq(kept.any()),
        ]

        # Levels: the parity of the toggles so far.
        level, active = Signal(), Signal()
        levels = Cat(level ^ toggles[: tick + 1].xor() for tick in range(samples))
        m.d.sync += [
            self.word.eq(levels),
            level.eq(levels[-1]),
            active.eq(toggles.any() | level),
            self.strike_stb.eq(strike),
        ]
        m.d.comb += self.pending.eq(
            starts.any() | kept.any() | kept_before.any() | tail_on | toggles.any() | active
        )
        with m.If(self.clear):
            m.d.sync += [
                register.eq(0)
                for register in (
                    starts,
                    rank[-1],
                    kept,
                    kept_before,
                    tail_on,
                    toggles,
                    strike,
                    level,
                    active,
                    self.word,
                    self.strike_stb,
                )
            ]
        return m
