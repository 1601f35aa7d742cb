"""Wide counters in short carry chains: a few low bits count, a pool behind them refills them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.split_sum import added

POOL_CHUNK_BITS = 14
"""With what takes the carry out, two tiles of an iCE40."""
TIMER_LOW_BITS = 4
COUNT_LOW_BITS = 7


def above(one: Value, other: Value) -> Value:
    """Return one > other for a few bits, without a carry chain."""
    result: Value = Const(0, 1)
    for a, b in zip(one, other, strict=True):
        result = (a & ~b) | (~(a ^ b) & result)
    return result


class Pool(wiring.Component):
    """Hands out units of a number, in limbs.

    `load` puts in the `value` of the cycle after, with `value_some` = (value != 0) in its own.
    `take` in a cycle in which `some` is high takes one. `some` is right from the cycle after a
    load, and again `settle_clocks` after a take: takes must be that far apart. A load overrides
    takes. Reset: empty.

    What is handed out next is taken from the limbs beforehand, so that the borrow that they cannot
    give says that nothing is left.
    """

    def __init__(self, bits: int) -> None:
        self.limbs = (bits + POOL_CHUNK_BITS - 1) // POOL_CHUNK_BITS
        self.settle_clocks = self.limbs + 4
        super().__init__(
            {
                "load": In(1),
                "value": In(bits),
                "value_some": In(1),
                "take": In(1),
                "some": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # Low in the cycle after a load, and after reset, where it does no harm.
        counts = Signal()
        load_r = ~counts
        take_r = Signal()
        borrow = Signal(name="borrow")
        m.d.sync += [
            counts.eq(~self.load),
            take_r.eq(self.take & ~self.load),
            borrow.eq(load_r | take_r),
        ]
        for number in range(self.limbs):
            part = self.value[number * POOL_CHUNK_BITS : (number + 1) * POOL_CHUNK_BITS]
            limb = Signal(len(part), name=f"limb_{number}", reset_less=True)
            some = Signal(name=f"some_{number}")
            borrow_next = Signal(name=f"borrow_{number}")
            # One operand is all ones or, in a load, zero: a cell a bit, on iCE40 too.
            less = Cat(limb, Const(0, 1)) + counts.replicate(len(part))
            m.d.comb += some.eq(less[len(part)])
            with m.If(load_r | borrow):
                m.d.sync += limb.eq(Mux(counts, less[: len(part)], part))
            m.d.sync += borrow_next.eq(borrow & counts & ~some)
            borrow = borrow_next
        with m.If(self.load):
            m.d.sync += self.some.eq(self.value_some)
        with m.Elif(borrow & counts):
            m.d.sync += self.some.eq(0)
        return m


class Countdown(wiring.Component):
    """Counts steps down to one.

    `load` starts it at n = `count` + 2**TIMER_LOW_BITS x `rest`, n >= 1, with `one` = (n == 1) and
    `far` = (rest != 0); `rest` is taken in the cycle after. `last` is then high, until the next
    step, once n - 1 steps have passed: with `step` always high, in cycle load + n. Without a load
    `last` comes once. A load wins over `step`; with `overlap`, a `last` that is due in the next
    cycle still comes, which must not be the new one's. `on` is high from the cycle after a load
    until the n-th step. Reset and `clear`: stopped, `last` and `on` low.
    """

    def __init__(self, bits: int, *, overlap: bool = False) -> None:
        self.overlap = overlap
        super().__init__(
            {
                "load": In(1),
                "count": In(TIMER_LOW_BITS + 1),
                "rest": In(bits - TIMER_LOW_BITS),
                "one": In(1),
                "far": In(1),
                "step": In(1),
                "clear": In(1),
                "last": Out(1),
                "on": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        low = TIMER_LOW_BITS
        m.submodules.pool = pool = Pool(len(self.rest))
        count = Signal(low + 1, reset_less=True)
        on = self.on
        refill, due = Signal(), Signal()
        m.d.comb += [
            # A refill leaves enough to count for the pool to settle before the next.
            refill.eq(self.step & on & pool.some & (count[low - 1 :] == 0)),
            due.eq(self.step & on & (count == 2) & ~pool.some),
            pool.load.eq(self.load),
            pool.value.eq(self.rest),
            pool.value_some.eq(self.far),
            pool.take.eq(refill),
        ]
        old = Signal() if self.overlap else Const(0, 1)
        with m.If(self.load):
            m.d.sync += [
                count.eq(self.count),
                on.eq(1),
                self.last.eq((self.one | due) if self.overlap else self.one),
            ]
        with m.Elif(self.step):
            m.d.sync += [
                count.eq((count | (refill << low)) - 1),
                self.last.eq(due),
                on.eq(on & (~self.last | old)),
            ]
        if self.overlap:
            with m.If(self.load | self.step):
                m.d.sync += old.eq(self.load & due)
        with m.If(self.clear):
            m.d.sync += [on.eq(0), self.last.eq(0)]
        return m


class Allowance(wiring.Component):
    """What is left of a number of strikes, as up to eight are asked for in each clock.

    `load` starts it at `value` >= 1, with `value_far` = (value >= 2**COUNT_LOW_BITS); `value` must
    hold. In each cycle `asked` strikes take min(asked, what is left); `plenty` says that at least
    eight are left, else `left` is exact. `spent` is high for one cycle when none is left. Reset and
    `clear`: not counting, spent low.
    """

    def __init__(self, bits: int) -> None:
        super().__init__(
            {
                "load": In(1),
                "value": In(bits),
                "value_far": In(1),
                "asked": In(4),
                "clear": In(1),
                "plenty": Out(1),
                "left": Out(3),
                "spent": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        low = COUNT_LOW_BITS
        m.submodules.pool = pool = Pool(len(self.value) - low)
        count = Signal(low + 1)
        on = Signal()
        refill = Signal()
        rest = Signal(signed(low + 2))
        m.d.comb += [
            refill.eq(on & pool.some & (count[low - 1 :] == 0)),
            pool.load.eq(self.load),
            pool.value.eq(self.value[low:]),
            pool.value_some.eq(self.value_far),
            pool.take.eq(refill),
            rest.eq((count | (refill << low)) - self.asked),
            self.plenty.eq(count[3:].any()),
            self.left.eq(count[:3]),
            self.spent.eq(on & (count == 0) & ~pool.some),
        ]
        with m.If(self.load):
            m.d.sync += [count.eq(self.value[:low]), on.eq(1)]
        with m.Else():
            m.d.sync += [count.eq(Mux(rest < 0, 0, rest)), on.eq(on & ~self.spent)]
        with m.If(self.clear):
            m.d.sync += on.eq(0)
        return m


class SettledSum(wiring.Component):
    """Adds `a` and `b` modulo 2**bits; right once both have stood still for `limbs` clocks."""

    def __init__(self, bits: int) -> None:
        self.limbs = (bits + POOL_CHUNK_BITS - 1) // POOL_CHUNK_BITS
        super().__init__({"a": In(bits), "b": In(bits), "sum": Out(bits)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        carry = Const(0, 1)
        for number in range(self.limbs):
            part = slice(number * POOL_CHUNK_BITS, (number + 1) * POOL_CHUNK_BITS)
            carry_next = Signal(name=f"carry_{number}")
            a, b = self.a[part], self.b[part]
            total = added(a, b, carry) if number else a + b
            m.d.sync += Cat(self.sum[part], carry_next).eq(total)
            carry = carry_next
        return m
