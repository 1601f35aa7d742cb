# SPDX-License-Identifier: Apache-2.0
"""Random and fractional parts of intervals: xorshift64, dither, Poisson, fraction."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.countdown import TIMER_LOW_BITS
from plexor_hdl.lib.split_sum import CHUNK_BITS, added

STATE_BITS = 64
SHIFTS = (13, -7, 17)
"""Left shifts of xorshift64 (G. Marsaglia, Xorshift RNGs, J. Stat. Soft. 8(14), 2003)."""
WARM_CLOCKS = 4
"""Clocks from the end of `hold` to a sequence's start. The first draw is ready then."""
DITHER_BITS = 32
HIT_BITS = 48


def xorshift64(state: Value) -> Value:
    """Return the state that follows `state`."""
    for shift in SHIFTS:
        moved = (state << shift)[:STATE_BITS] if shift > 0 else state >> -shift
        state = (state ^ moved)[:STATE_BITS]
    return state


class Draw(wiring.Component):
    """Draws what is random or a fraction of each interval or Poisson clock of a sequence.

    Draw k is of the generator's state after k steps, and of the carry that the k-th addition of the
    fraction leaves. `hold` goes back to the seed and to a sum of 0. `hold` must be high for three
    clocks or more, and low from WARM_CLOCKS before the first draw is due. `step` must be high while
    `hold` is, and until the first draw is due.

    Latency: 1 clock from `step` to the next draw, and from `advance` to what is taken over.
    Throughput: one draw each clock.
    Reset: the sum is 0; the state has no reset value, and needs a `hold`.
    Wrap: the generator's period is 2**64 - 1 draws; the fraction's sum is modulo 2**32.
    Full: never; each draw replaces the one before.

    Ports:
        seed: The generator's state of draw 0; 0 acts as 1.
        fraction: Added to the sum with each draw, in 2**-32 ticks.
        interval_fine: An interval's ticks below a clock.
        dither_bits: How many low bits of the state are dither, in ticks; more than 32 act as 32.
        threshold: A Poisson clock has a strike where the state's upper 48 bits are below this.
        plain: A Poisson sequence: no fraction and no dither.
        long: An interval follows, for which the dither counts.
        hold: Goes back to the beginning.
        step: Brings the next draw.
        advance: Takes over what was drawn.
        step_fine: `interval_fine`, the fraction's carry, and the dither's ticks below a clock.
        coarse: The dither's whole clocks; without dither 0.
        waits: `coarse` is not 0, and `long` was high.
        waits_next: The value of `waits` in the next clock.
        one: `coarse` is 1.
        far: `coarse` is 2**TIMER_LOW_BITS or more.
        hit: The draw is a Poisson strike; without Poisson never.
        offset_next: The tick of a Poisson strike in its word, of the draw that is next.
        offset: The tick of a Poisson strike in its word, of the draw that was taken over.
    """

    def __init__(self, fine_bits: int, *, dither: bool, poisson: bool) -> None:
        self.fine_bits = fine_bits
        self.dither = dither
        self.poisson = poisson
        super().__init__(
            {
                "seed": In(STATE_BITS),
                "fraction": In(32),
                "interval_fine": In(fine_bits),
                "dither_bits": In(6),
                "threshold": In(HIT_BITS),
                "plain": In(1),
                "long": In(1),
                "hold": In(1),
                "step": In(1),
                "advance": In(1),
                "step_fine": Out(fine_bits + 1),
                "coarse": Out(DITHER_BITS - fine_bits),
                "waits": Out(1),
                "waits_next": Out(1),
                "one": Out(1),
                "far": Out(1),
                "hit": Out(1),
                "offset_next": Out(fine_bits),
                "offset": Out(fine_bits),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # The high half needs the low half's carry, so the low half is one draw ahead.
        low, high = self.fraction[:CHUNK_BITS], self.fraction[CHUNK_BITS:]
        low_sum, low_carry = Signal(CHUNK_BITS), Signal()
        high_sum, carry = Signal(CHUNK_BITS), Signal()
        hold_low, hold_high = Signal(), Signal()
        m.d.sync += [hold_low.eq(self.hold | self.plain), hold_high.eq(hold_low)]
        with m.If(self.step):
            m.d.sync += [
                Cat(low_sum, low_carry).eq(low_sum + low),
                Cat(high_sum, carry).eq(added(high_sum, high, low_carry)),
            ]
        with m.If(hold_low):
            m.d.sync += [low_sum.eq(0), low_carry.eq(0)]
        with m.If(hold_high):
            m.d.sync += [high_sum.eq(0), carry.eq(0)]

        state: Value = Const(0, STATE_BITS)
        if self.dither or self.poisson:
            state = Signal(STATE_BITS, name="state", reset_less=True)
            no_seed, hold_r, seeds = Signal(), Signal(), Signal()
            seed = Cat(self.seed[0] | no_seed, self.seed[1:])
            m.d.sync += [no_seed.eq(self.seed == 0), hold_r.eq(self.hold), seeds.eq(hold_r)]
            with m.If(self.step):
                m.d.sync += state.eq(Mux(seeds, seed, xorshift64(state)))

        if self.dither:
            dither = Signal(DITHER_BITS)
            coarse = Signal(DITHER_BITS - self.fine_bits, reset_less=True)
            # Whether any bit of a group is 1 is known a clock before it is asked.
            groups = range(0, len(coarse), TIMER_LOW_BITS)
            some = Signal(len(groups), reset_less=True)
            coarse_next = dither[self.fine_bits :]
            m.d.comb += dither.eq(state & self._mask(m))
            with m.If(self.step):
                m.d.sync += [
                    self.step_fine.eq(added(self.interval_fine, dither[: self.fine_bits], carry)),
                    coarse.eq(coarse_next),
                    some.eq(Cat(coarse_next[at : at + TIMER_LOW_BITS].any() for at in groups)),
                ]
            m.d.comb += self.waits_next.eq(Mux(self.advance, self.long & some.any(), self.waits))
            m.d.sync += self.waits.eq(self.waits_next)
            with m.If(self.advance):
                m.d.sync += [
                    self.coarse.eq(coarse),
                    self.one.eq((coarse[:TIMER_LOW_BITS] == 1) & ~some[1:].any()),
                    self.far.eq(some[1:].any()),
                ]
        else:
            with m.If(self.step):
                m.d.sync += self.step_fine.eq(self.interval_fine + carry)
        if self.poisson:
            below: Value = Const(0, 1)
            for number in range(HIT_BITS // CHUNK_BITS):
                start = number * CHUNK_BITS
                drawn = state[STATE_BITS - HIT_BITS + start :][:CHUNK_BITS]
                limit = self.threshold[start:][:CHUNK_BITS]
                less = Signal(name=f"less_{number}", reset_less=True)
                same = Signal(name=f"same_{number}", reset_less=True)
                with m.If(self.step):
                    m.d.sync += [less.eq(drawn < limit), same.eq(drawn == limit)]
                below = less | (same & below)
            with m.If(self.step):
                m.d.sync += self.offset_next.eq(state)
            with m.If(self.advance):
                m.d.sync += [
                    self.offset.eq(self.offset_next),
                    self.hit.eq(below & self.plain),
                ]
        return m

    def _mask(self, m: Module) -> Value:
        """Return `dither_bits` ones, at most DITHER_BITS, one clock late; none if `plain`."""
        groups = DITHER_BITS // 8
        past, here = Signal(groups), Signal(groups)
        within = Signal(8)
        low, high = self.dither_bits[:3], self.dither_bits[3:]
        chosen = ~self.plain.replicate(groups)
        m.d.sync += [
            past.eq(
                chosen & Cat(Cat(high == at for at in range(n + 1, 8)).any() for n in range(groups))
            ),
            here.eq(chosen & Cat(high == n for n in range(groups))),
            within.eq(Cat(Cat(low == at for at in range(n + 1, 8)).any() for n in range(8))),
        ]
        return Cat(
            past[bit // 8] | (here[bit // 8] & within[bit % 8]) for bit in range(DITHER_BITS)
        )
