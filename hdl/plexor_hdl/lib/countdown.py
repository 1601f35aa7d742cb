# SPDX-License-Identifier: Apache-2.0
"""Wide counters with short carry chains: a few low bits count, and a pool refills them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.split_sum import added

POOL_CHUNK_BITS = 14
"""Bits of the pool that count at once. With the carry's output they fill two tiles of an iCE40."""
TIMER_LOW_BITS = 4
COUNT_LOW_BITS = 7


def above(one: Value, other: Value) -> Value:
    """Return one > other for a few bits, without a carry chain."""
    result: Value = Const(0, 1)
    for a, b in zip(one, other, strict=True):
        result = (a & ~b) | (~(a ^ b) & result)
    return result


class Pool(wiring.Component):
    """Hands out the units of a number one after the other, with short carry chains.

    A take is allowed only while `some` is high. What is handed out next is taken from the chunks
    beforehand: the borrow that they cannot give says that nothing is left.

    Latency: `some` is right 1 clock after a load, and `settle_clocks` after a take.
    Throughput: one take each `settle_clocks`; a load at any time.
    Reset: empty.
    Wrap: none; it ends at 0.
    Full: never; a load overrides takes and replaces what is left.

    Ports:
        load: Loads the `value` of the next clock.
        value: The number of units; valid in the clock after `load`.
        value_some: `value` != 0; valid with `load`.
        take: Takes one unit.
        some: At least one unit is left.
    """

    def __init__(self, bits: int) -> None:
        self.chunks = (bits + POOL_CHUNK_BITS - 1) // POOL_CHUNK_BITS
        self.settle_clocks = self.chunks + 4
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
        # It is low in the clock after a load. It is low after reset too, which is harmless.
        counts = Signal()
        load_r = ~counts
        take_r = Signal()
        borrow = Signal(name="borrow")
        m.d.sync += [
            counts.eq(~self.load),
            take_r.eq(self.take & ~self.load),
            borrow.eq(load_r | take_r),
        ]
        for number in range(self.chunks):
            part = self.value[number * POOL_CHUNK_BITS : (number + 1) * POOL_CHUNK_BITS]
            chunk = Signal(len(part), name=f"chunk_{number}", reset_less=True)
            some = Signal(name=f"some_{number}")
            borrow_next = Signal(name=f"borrow_{number}")
            # One operand is all ones, or zero during a load: each bit takes one cell on iCE40 too.
            less = Cat(chunk, Const(0, 1)) + counts.replicate(len(part))
            m.d.comb += some.eq(less[len(part)])
            with m.If(load_r | borrow):
                m.d.sync += chunk.eq(Mux(counts, less[: len(part)], part))
            m.d.sync += borrow_next.eq(borrow & counts & ~some)
            borrow = borrow_next
        with m.If(self.load):
            m.d.sync += self.some.eq(self.value_some)
        with m.Elif(borrow & counts):
            m.d.sync += self.some.eq(0)
        return m


class Countdown(wiring.Component):
    """Counts a number of steps, and marks the last one.

    It starts at n = `count` + 2**TIMER_LOW_BITS x `rest`, n >= 1. Without a load `last` comes once.
    A load wins over `step`. With `overlap` a `last` that is due in the next clock still comes after
    a load; it must not be the new one's.

    Latency: with `step` always high `last` is high n clocks after `load`.
    Throughput: one step each clock; a load at any time.
    Reset: stopped; `last` and `on` are low. `clear` does the same.
    Wrap: none; it stops at the last step.
    Full: never; a load replaces what is left.

    Ports:
        load: Starts the count.
        count: The low part of n; valid with `load`.
        rest: The units of 2**TIMER_LOW_BITS in n; valid in the clock after `load`.
        one: n == 1; valid with `load`.
        far: `rest` != 0; valid with `load`.
        step: Counts one.
        clear: Stops the count; wins over all else.
        last: The next step is the n-th; high until that step.
        on: From the clock after a load until the n-th step.
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
            # A refill must last until the pool has settled for the next one.
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
    """Keeps what is left of a number of strikes, while up to eight are asked for in each clock.

    In each clock `asked` strikes take as many as are left, at most. The number is 1 or more.

    Latency: 1 clock from `load` and `asked` to `plenty`, `left` and `spent`.
    Throughput: up to eight strikes each clock.
    Reset: it does not count; `spent` is low. `clear` does the same.
    Wrap: none; it stops at 0.
    Full: never; a load replaces what is left.

    Ports:
        load: Starts at `value`.
        value: The number of strikes; it stands from `load` on.
        value_far: `value` is 2**COUNT_LOW_BITS or more; valid with `load`.
        asked: Strikes that are asked for in this clock, 0 to 8.
        clear: Stops; wins over all else.
        plenty: Eight or more are left.
        left: What is left, exact while `plenty` is low.
        spent: None is left; high for one clock.
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
    """Adds two numbers that stand still, a chunk each clock.

    A chunk's carry counts a clock later, so the sum is right only once it has passed all chunks.

    Latency: `chunks` clocks after both have last changed.
    Throughput: one sum each `chunks` clocks.
    Reset: the sum is 0.
    Wrap: the sum is modulo 2**bits.
    Full: never; it stores no input.

    Ports:
        a: One number.
        b: The other number.
        sum: `a` + `b`, once both have stood still.
    """

    def __init__(self, bits: int) -> None:
        self.chunks = (bits + POOL_CHUNK_BITS - 1) // POOL_CHUNK_BITS
        super().__init__({"a": In(bits), "b": In(bits), "sum": Out(bits)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        carry = Const(0, 1)
        for number in range(self.chunks):
            part = slice(number * POOL_CHUNK_BITS, (number + 1) * POOL_CHUNK_BITS)
            carry_next = Signal(name=f"carry_{number}")
            a, b = self.a[part], self.b[part]
            total = added(a, b, carry) if number else a + b
            m.d.sync += Cat(self.sum[part], carry_next).eq(total)
            carry = carry_next
        return m
