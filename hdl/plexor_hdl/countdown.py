"""Wide counters in short carry chains: a few low bits count, a pool behind them refills them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.skip import MOST, SKIP_BITS, room_of

LIMB_BITS = 16
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
    takes. `skip` takes that many more, `room` says how many at most. Reset: empty.
    """

    def __init__(self, bits: int) -> None:
        self.limbs = (bits + LIMB_BITS - 1) // LIMB_BITS
        self.settle_clocks = self.limbs + 3
        super().__init__(
            {
                "load": In(1),
                "value": In(bits),
                "value_some": In(1),
                "take": In(1),
                "some": Out(1),
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        load_r = Signal()
        take_r = Signal()
        settle = Signal(self.limbs + 1)
        m.d.sync += [load_r.eq(self.load), take_r.eq(self.take & ~self.load)]
        with m.If(self.load):
            m.d.sync += [self.some.eq(self.value_some), settle.eq(0)]
        with m.Else():
            m.d.sync += settle.eq(Cat(take_r, settle))

        empty = Signal(self.limbs)
        borrow = take_r
        for number in range(self.limbs):
            part = self.value[number * LIMB_BITS : (number + 1) * LIMB_BITS]
            limb = Signal(len(part), name=f"limb_{number}", reset_less=True)
            borrow_next = Signal(name=f"borrow_{number}", reset_less=True)
            m.d.sync += empty[number].eq(limb == 0)
            with m.If(load_r):
                m.d.sync += [limb.eq(part), borrow_next.eq(0)]
            with m.Else():
                skipped = self.skip if number == 0 else 0
                m.d.sync += Cat(limb, borrow_next).eq(Cat(limb, Const(0, 1)) - borrow - skipped)
            if number == 0:
                m.d.comb += self.room.eq(Mux(self.some & ~load_r, room_of(limb), 0))
            borrow = borrow_next
        with m.If(settle[-1] & ~self.load):
            m.d.sync += self.some.eq(~empty.all())
        return m


class Countdown(wiring.Component):
    """Counts steps down to one.

    `load` starts it at n = `count` + 2**TIMER_LOW_BITS x `rest`, n >= 1, with `one` = (n == 1) and
    `far` = (rest != 0); `rest` is taken in the cycle after. `last` is then high, until the next
    step, once n - 1 steps have passed: with `step` always high, in cycle load + n. Without a load
    `last` comes once. `load` wins over `step`. `skip` and `room` as in skip.py, where `step` is
    always high. Reset and `clear`: stopped, `last` low.
    """

    def __init__(self, bits: int) -> None:
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
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        low = TIMER_LOW_BITS
        m.submodules.pool = pool = Pool(len(self.rest))
        count = Signal(low + 1, reset_less=True)
        on = Signal()
        refill = Signal()
        m.d.comb += [
            # A refill leaves enough to count for the pool to settle before the next.
            refill.eq(self.step & on & pool.some & (count[low - 1 :] == 0)),
            pool.load.eq(self.load),
            pool.value.eq(self.rest),
            pool.value_some.eq(self.far),
            pool.take.eq(refill),
            pool.skip.eq(Mux(on, self.skip, 0)),
            self.room.eq(Mux(on, pool.room, MOST)),
        ]
        with m.If(self.load):
            m.d.sync += [count.eq(self.count), on.eq(1), self.last.eq(self.one)]
        with m.Elif(self.step):
            m.d.sync += [
                count.eq((count | (refill << low)) - 1),
                self.last.eq(on & (count == 2) & ~pool.some),
                on.eq(on & ~self.last),
            ]
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
        self.limbs = (bits + LIMB_BITS - 1) // LIMB_BITS
        super().__init__({"a": In(bits), "b": In(bits), "sum": Out(bits)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        carry = Const(0, 1)
        for number in range(self.limbs):
            part = slice(number * LIMB_BITS, (number + 1) * LIMB_BITS)
            carry_next = Signal(name=f"carry_{number}")
            m.d.sync += Cat(self.sum[part], carry_next).eq(self.a[part] + self.b[part] + carry)
            carry = carry_next
        return m
