"""The random and fractional part of intervals: xorshift64, dither, Poisson, fraction."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.countdown import TIMER_LOW_BITS
from plexor_hdl.parts import added

STATE_BITS = 64
SHIFTS = (13, -7, 17)
"""Left shifts of xorshift64 (G. Marsaglia, Xorshift RNGs, J. Stat. Soft. 8(14), 2003)."""
WARM_CLOCKS = 2
"""Clocks that a fraction's sum takes to its first draw."""
DITHER_BITS = 32
HIT_BITS = 48
LIMB_BITS = 16


def xorshift64(state: Value) -> Value:
    """Return the state after `state`."""
    for shift in SHIFTS:
        moved = (state << shift)[:STATE_BITS] if shift > 0 else state >> -shift
        state = (state ^ moved)[:STATE_BITS]
    return state


class Draw(wiring.Component):
    """What each interval or Poisson clock of a sequence draws, one draw a clock.

    While `hold` is high it goes back to the seed, and the fraction's sum, unless `warm` is, to 0:
    `warm` must be high in the WARM_CLOCKS last cycles of `hold`, and low in one before. From the
    second cycle after the last `hold` on, the outputs are the first draw's if `advance` was high in
    the first, as it must be while `hold` is; each `advance` brings the next draw in the cycle
    after. Draw k is of the generator's state after k steps, and of the carry that the k-th addition
    of the fraction leaves.

    `step_fine` = interval_fine + fraction's carry + the dither's low bits; `coarse` the dither's
    upper bits in clocks, with `zero`, and `one` and `far` as Countdown wants them. One draw behind
    these: `hit`, the state's upper 48 bits are below the threshold, and `offset`, its lowest bits.
    Without `dither` it is 0, without `poisson` there is never a hit.
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
                "hold": In(1),
                "warm": In(1),
                "advance": In(1),
                "step_fine": Out(fine_bits + 1),
                "coarse": Out(DITHER_BITS - fine_bits),
                "zero": Out(1),
                "one": Out(1),
                "far": Out(1),
                "hit": Out(1),
                "offset": Out(fine_bits),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # The low half runs one draw ahead of the high half, which needs its carry.
        low, high = self.fraction[:LIMB_BITS], self.fraction[LIMB_BITS:]
        low_sum, low_carry = Signal(LIMB_BITS), Signal()
        high_sum, carry = Signal(LIMB_BITS), Signal()
        warm_r = Signal()
        m.d.sync += warm_r.eq(self.warm)
        with m.If(self.advance):
            m.d.sync += [
                Cat(low_sum, low_carry).eq(low_sum + low),
                Cat(high_sum, carry).eq(added(high_sum, high, low_carry)),
            ]
            with m.If(self.hold & ~self.warm):
                m.d.sync += [low_sum.eq(0), low_carry.eq(0)]
            with m.If(self.hold & ~warm_r):
                m.d.sync += [high_sum.eq(0), carry.eq(0)]

        state: Value = Const(0, STATE_BITS)
        if self.dither or self.poisson:
            state = Signal(STATE_BITS, name="state", reset_less=True)
            no_seed = Signal()
            seed = Cat(self.seed[0] | no_seed, self.seed[1:])
            m.d.sync += no_seed.eq(self.seed == 0)
            with m.If(self.hold | self.advance):
                m.d.sync += state.eq(xorshift64(Mux(self.hold, seed, state)))

        if self.dither:
            dither = Signal(DITHER_BITS)
            m.d.comb += dither.eq(state & self._mask(m))
            fine, coarse = dither[: self.fine_bits], dither[self.fine_bits :]
            with m.If(self.advance):
                m.d.sync += [
                    self.step_fine.eq(added(self.interval_fine, fine, carry)),
                    self.coarse.eq(coarse),
                    self.zero.eq(coarse == 0),
                    self.one.eq(coarse == 1),
                    self.far.eq(coarse[TIMER_LOW_BITS:].any()),
                ]
        else:
            m.d.comb += self.zero.eq(1)
            with m.If(self.advance):
                m.d.sync += self.step_fine.eq(self.interval_fine + carry)
        if self.poisson:
            below: Value = Const(0, 1)
            for number in range(HIT_BITS // LIMB_BITS):
                start = number * LIMB_BITS
                drawn = state[STATE_BITS - HIT_BITS + start :][:LIMB_BITS]
                limit = self.threshold[start:][:LIMB_BITS]
                less = Signal(name=f"less_{number}", reset_less=True)
                same = Signal(name=f"same_{number}", reset_less=True)
                with m.If(self.advance):
                    m.d.sync += [less.eq(drawn < limit), same.eq(drawn == limit)]
                below = less | (same & below)
            offset = Signal.like(self.offset, reset_less=True)
            with m.If(self.advance):
                m.d.sync += [offset.eq(state), self.offset.eq(offset), self.hit.eq(below)]
        return m

    def _mask(self, m: Module) -> Value:
        """Return `dither_bits` ones, at most DITHER_BITS, one clock late."""
        groups = DITHER_BITS // 8
        past, here = Signal(groups), Signal(groups)
        within = Signal(8)
        low, high = self.dither_bits[:3], self.dither_bits[3:]
        m.d.sync += [
            past.eq(Cat(Cat(high == at for at in range(n + 1, 8)).any() for n in range(groups))),
            here.eq(Cat(high == n for n in range(groups))),
            within.eq(Cat(Cat(low == at for at in range(n + 1, 8)).any() for n in range(8))),
        ]
        return Cat(
            past[bit // 8] | (here[bit // 8] & within[bit % 8]) for bit in range(DITHER_BITS)
        )
