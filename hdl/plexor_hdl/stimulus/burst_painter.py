# SPDX-License-Identifier: Apache-2.0
"""Paints several strikes in a word: limits their number and finds their pulses' ends."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.countdown import COUNT_LOW_BITS, Allowance, above
from plexor_hdl.lib.split_sum import up

LIMIT_CLOCKS = 3
"""Clocks from a word's starts to those that are kept."""
FLIP_CLOCKS = 3
"""Clocks from a word's starts to its level's flips."""
GROUP = 4
"""Number of pairs of ticks whose starts are counted at once."""


def shifted_down(word: Value, places: Value, scale: int, bits: int) -> Value:
    """Return the lowest `bits` of `word`, shifted down by `places` x `scale` bits."""
    for bit in reversed(range(len(places))):
        word = Mux(places[bit], word >> (scale << bit), word)
    return word[:bits]


def ranks(starts: Value) -> list[tuple[Value, Value]]:
    """Return for each pair of ticks how many starts of its group are before it, and in it."""
    pairs = [starts[tick : tick + 2].any() for tick in range(0, len(starts), 2)]
    counts = []
    for number, pair in enumerate(pairs):
        before = sum(pairs[number // GROUP * GROUP : number], Const(0, 1))
        counts.append((before[:3], pair))
    return counts


class Limiter(wiring.Component):
    """Lets the first `strike_count` strikes of a sequence through, and drops the others.

    Strikes come alone, or as a word of strikes that are at least two ticks apart.

    Latency: LIMIT_CLOCKS clocks from a strike to what is kept of it.
    Throughput: one word each clock.
    Reset: empty.
    Wrap: none; the number of strikes that are left stops at 0.
    Full: strikes beyond the number are dropped; a number of 0 keeps all.

    Ports:
        strike_count: How many strikes a sequence has; 0: no limit. It stands from 4 clocks before.
        load: Begins a sequence.
        clear: Empties all.
        strike: A single strike.
        starts: A word of strikes; bit k starts in tick k.
        o_strike: A single strike that is kept.
        o_starts: What is kept of a word of strikes.
        spent: High with the last strike that is kept.
        endless: `strike_count` is 0; 2 clocks late.
        pending: A word is inside, or comes out.
    """

    def __init__(self, samples: int) -> None:
        self.samples = samples
        super().__init__(
            {
                "strike_count": In(48),
                "load": In(1),
                "clear": In(1),
                "strike": In(1),
                "starts": In(samples),
                "o_strike": Out(1),
                "o_starts": Out(samples),
                "spent": Out(1),
                "endless": Out(1),
                "pending": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        samples, endless = self.samples, self.endless
        count_far = Signal()
        m.d.sync += [
            count_far.eq(self.strike_count[COUNT_LOW_BITS:].any()),
            endless.eq(~count_far & (self.strike_count[:COUNT_LOW_BITS] == 0)),
        ]

        # Starts before each pair are counted in its group first, then in all groups.
        pairs = samples // 2
        starts, starts_r = Signal(samples), Signal(samples)
        strike, strike_r, late = Signal(), Signal(), Signal()
        within = [Signal(3, name=f"within_{pair}", reset_less=True) for pair in range(pairs)]
        totals = [Signal(3, name=f"total_{group}") for group in range(-(-pairs // GROUP))]
        before = [Signal(3, name=f"before_{pair}", reset_less=True) for pair in range(pairs)]
        asked = Signal(4)
        m.d.sync += [
            starts.eq(self.starts),
            starts_r.eq(starts),
            strike.eq(self.strike),
            strike_r.eq(strike),
            late.eq(starts_r.any() | strike_r),
            asked.eq(sum(totals, Const(0, 1)) | strike),
        ]
        for pair, (rank, some) in enumerate(ranks(self.starts)):
            m.d.sync += within[pair].eq(rank)
            if pair + 1 == pairs or (pair + 1) % GROUP == 0:
                m.d.sync += totals[pair // GROUP].eq(rank + some)
            m.d.sync += before[pair].eq(within[pair] + sum(totals[: pair // GROUP], Const(0, 1)))

        # The number of strikes that are left.
        m.submodules.allowance = allowance = Allowance(len(self.strike_count))
        any_left = (endless | allowance.plenty).replicate(samples)
        keep = any_left | Cat(above(allowance.left, rank).replicate(2) for rank in before)
        m.d.comb += [
            allowance.load.eq(self.load & ~endless),
            allowance.value.eq(self.strike_count),
            allowance.value_far.eq(count_far),
            allowance.asked.eq(asked),
            allowance.clear.eq(self.clear | (self.load & endless)),
            self.spent.eq(allowance.spent),
            self.pending.eq(starts.any() | starts_r.any() | strike | strike_r | late),
        ]
        m.d.sync += [
            self.o_starts.eq(starts_r & keep),
            self.o_strike.eq(strike_r & (endless | allowance.plenty | allowance.left.any())),
        ]
        with m.If(self.clear):
            m.d.sync += [
                register.eq(0)
                for register in (
                    *(starts, starts_r, strike, strike_r, late, *totals, asked),
                    *(self.o_starts, self.o_strike),
                )
            ]
        return m


class Flips(wiring.Component):
    """Draws pulses of less than W ticks, as changes of a word's level.

    Each sample's level is that of the last sample before the word, turned over where its flip is 1.
    A pulse must end before the next one starts.

    Latency: FLIP_CLOCKS clocks from `starts` to `flips`, 1 to `strike_stb`.
    Throughput: one word each clock.
    Reset: empty; `clear` does the same.
    Wrap: none; it holds no time and no count.
    Full: never; each word leaves a fixed time after it came.

    Ports:
        starts: A word of pulses' starts; bit k starts in tick k.
        width: The width of all pulses in ticks, 1 to W - 1; it stands still.
        clear: Empties all.
        flips: A bit for each sample: it differs from the last sample before the word.
        strike_stb: The word of the clock before has a start.
        pending: From `strike_stb` to the clock before the last pulse's `flips`, without a break.
    """

    def __init__(self, samples: int) -> None:
        self.samples = samples
        super().__init__(
            {
                "starts": In(samples),
                "width": In((samples - 1).bit_length()),
                "clear": In(1),
                "flips": Out(samples),
                "strike_stb": Out(1),
                "pending": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        samples, width = self.samples, self.width
        # Ends are this word's and the previous word's starts, shifted by the width.
        before, starts = Signal(samples), Signal(samples)
        back = Signal.like(width)
        moved = Signal(samples + 3, reset_less=True)
        toggles = Signal(samples)
        window = Cat(before, self.starts)
        # The level at a tick is the parity of all toggles up to it.
        flips: Value = toggles
        for bit in range(len(width)):
            flips = flips ^ up(flips, 1 << bit)
        m.d.sync += [
            before.eq(self.starts),
            starts.eq(self.starts),
            self.strike_stb.eq(self.starts.any()),
            # In the window of two words, a shift down by W - width is a shift up by width.
            back.eq(samples - width),
            moved.eq(shifted_down(window, back[2:], 4, samples + 3)),
            toggles.eq(starts ^ shifted_down(moved, back[:2], 1, samples)),
            self.flips.eq(flips),
        ]
        m.d.comb += self.pending.eq(self.strike_stb | toggles.any())
        with m.If(self.clear):
            m.d.sync += [
                register.eq(0)
                for register in (before, starts, self.strike_stb, moved, toggles, self.flips)
            ]
        return m
