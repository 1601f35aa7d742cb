"""The horizon: up to when no strike and no held response of any channel can expire."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.control.limits import HALF_BITS
from plexor_hdl.lib.split_sum import added

SETTLE_CLOCKS = 7
LIMIT_BITS = VALUE_BITS - 1


class Horizon(wiring.Component):
    """A time up to which nothing expires: a lower bound, which moves on with the generations.

    A generation is what came since one began. `turn` strobes as one begins, at the time `now`,
    which must stand in the clock before, too. Once all that came before is gone `grown` is high,
    from 2 clocks after the turn on, and all expires later than that time plus the lesser of the
    time-out and, unless it is 0, `early_ticks`.

    Where that was not enough the horizon is found: `start` strobes as a beat beyond it is taken, of
    the time `now`; until its `settle` `offer_stb` tells how many ticks after it a strike or a held
    response expires, 8 clocks or more apart and in the clock of `settle` at the latest. What comes
    later expires later than the least of these and the limits above. Then no generation is known,
    as `fresh` says, until the next turn, which comes after `settling`.

    `beyond` tells of `time_ticks` of the clock before. It does so by what is found SETTLE_CLOCKS +
    1 clocks after `settle`, up to when `now` must stand, and by a generation 2 clocks after it has
    `grown`; `settling` is high but for the last 2 of these. Times are modulo 2**32, less than 2**31
    from each other. `clear`, reset: every time is beyond, and no turn comes before a search.
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
        # A start comes late in its clock.
        started, found = Signal(), settles[-2]
        m.d.sync += [
            started.eq(self.start),
            strobes.eq(Cat(self.offer_stb, strobes)),
            reached.eq(added(offered[low], ~least[low], 1)[HALF_BITS]),
            less.eq(~added(offered[high], ~least[high], reached)[HALF_BITS]),
        ]
        with m.If(self.offer_stb):
            m.d.sync += offered.eq(self.offer)
        # Between searches it is what a generation lasts.
        with m.If(started | found):
            m.d.sync += least.eq(shorter)
        with m.Elif(strobes[-1] & less):
            m.d.sync += least.eq(offered)

        # Of the generation that began last, or while one is searched of what is found.
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

        # The sign of the bound less the time.
        same, with_carry, without = Signal(), Signal(), Signal()
        m.d.sync += [
            same.eq(added(bound[low], ~self.time_ticks[low], 1)[HALF_BITS]),
            with_carry.eq(added(bound[high], ~self.time_ticks[high], 1)[HALF_BITS - 1] | ~known),
            without.eq((bound[high] + ~self.time_ticks[high])[HALF_BITS - 1] | ~known),
        ]
        m.d.comb += self.beyond.eq(Mux(same, with_carry, without))
        return m
