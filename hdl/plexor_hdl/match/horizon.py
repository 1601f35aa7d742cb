# SPDX-License-Identifier: Apache-2.0
"""The horizon: the time up to which no strike and no held response can expire."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.control.limits import HALF_BITS
from plexor_hdl.lib.split_sum import added

SETTLE_CLOCKS = 7
LIMIT_BITS = VALUE_BITS - 1


class Horizon(wiring.Component):
    """Keeps a time up to which nothing expires; it moves on with the generations of strikes.

    What expires are strikes and held responses. A generation is what came since one began. Once all
    that came before is gone, what is there expires later than that turn's time plus the lesser of
    the time-out and, unless it is 0, `early_ticks`. A beat beyond that time begins a search for a
    later one, from `start` to `settle`. What comes later expires later than the least offer and the
    limits above. Then no generation is known until the next turn, which comes after `settling`.

    Latency: `beyond` is of `time_ticks` of the clock before. It counts what a search found
        SETTLE_CLOCKS + 1 clocks after `settle`, and a generation 2 clocks after it has `grown`.
    Throughput: one time each clock; an offer each 8 clocks.
    Reset: every time is beyond, and no turn comes before a search. `clear` does the same.
    Wrap: times are modulo 2**32 ticks, and less than 2**31 from each other.
    Full: never; it keeps one bound.

    Ports:
        clear: Forgets the horizon.
        timeout_ticks: The time-out in ticks.
        early_ticks: How many ticks a response is held; 0: none is.
        now: The time of the beat in ticks. It stands in the clock before `turn`, and through a
            search, until SETTLE_CLOCKS + 1 clocks after `settle`.
        turn: A generation begins, at the time `now`.
        grown: All that came before the last turn is gone; from 2 clocks after it on.
        fresh: No generation is known.
        start: A beat beyond the horizon is taken, at the time `now`: a search begins.
        offer_stb: A strike or a held response is left that expires `offer` ticks after `now`; in
            the clock of `settle` at the latest.
        offer: Ticks until it expires.
        settle: Ends the search.
        settling: From `settle` until 2 clocks before `beyond` counts what was found.
        time_ticks: The time that is asked about.
        beyond: That time is after the horizon: something may have expired.
    """

    clear: In(1)
    timeout_ticks: In(LIMIT_BITS)
    early_ticks: In(LIMIT_BITS)
    now: In(VALUE_BITS)
    turn: In(1)
    grown: In(1)
    fresh: Out(1, init=1)
    start: In(1)
    offer_stb: In(1)
    offer: In(VALUE_BITS)
    settle: In(1)
    settling: Out(1)
    time_ticks: In(VALUE_BITS)
    beyond: Out(1)

    def elaborate(self, platform):
        m = Module()
        low, high = slice(HALF_BITS), slice(HALF_BITS, VALUE_BITS)
        early, shorter = Signal(), Signal(LIMIT_BITS)
        m.d.sync += [
            early.eq(self.early_ticks.any() & (self.early_ticks < self.timeout_ticks)),
            shorter.eq(Mux(early, self.early_ticks, self.timeout_ticks)),
        ]

        least, offered, strobes = Signal(VALUE_BITS), Signal(VALUE_BITS), Signal(3)
        reached, less = Signal(), Signal()
        settles, known = Signal(SETTLE_CLOCKS), Signal()
        # A start comes late in its clock, so it is registered.
        started, found = Signal(), settles[-2]
        m.d.sync += [
            started.eq(self.start),
            strobes.eq(Cat(self.offer_stb, strobes)),
            reached.eq(added(offered[low], ~least[low], 1)[HALF_BITS]),
            less.eq(~added(offered[high], ~least[high], reached)[HALF_BITS]),
        ]
        with m.If(self.offer_stb):
            m.d.sync += offered.eq(self.offer)
        # Between searches, `least` is the duration of a generation.
        with m.If(started | found):
            m.d.sync += least.eq(shorter)
        with m.Elif(strobes[-1] & less):
            m.d.sync += least.eq(offered)

        # `following` is the last generation's bound, or during a search the bound found so far.
        following, low_sum, carry = Signal(VALUE_BITS), Signal(HALF_BITS), Signal()
        bound, turned = Signal(VALUE_BITS), Signal()
        m.d.sync += [
            settles.eq(Cat(self.settle, settles)),
            turned.eq(self.turn),
            Cat(low_sum, carry).eq(self.now[low] + least[low]),
        ]
        m.d.comb += self.settling.eq(settles[:-1].any())
        with m.If(self.turn | settles[-3]):
            m.d.sync += following.eq(Cat(low_sum, added(self.now[high], least[high], carry)))
        with m.If((self.grown & ~turned) | found):
            m.d.sync += bound.eq(following)
        with m.If(found):
            m.d.sync += known.eq(1)
        with m.If(self.turn):
            m.d.sync += self.fresh.eq(0)
        with m.If(started):
            m.d.sync += self.fresh.eq(1)
        with m.If(self.clear):
            m.d.sync += known.eq(0)

        # The sign of bound minus time.
        same, with_carry, without = Signal(), Signal(), Signal()
        m.d.sync += [
            same.eq(added(bound[low], ~self.time_ticks[low], 1)[HALF_BITS]),
            with_carry.eq(added(bound[high], ~self.time_ticks[high], 1)[HALF_BITS - 1] | ~known),
            without.eq((bound[high] + ~self.time_ticks[high])[HALF_BITS - 1] | ~known),
        ]
        m.d.comb += self.beyond.eq(Mux(same, with_carry, without))
        return m
