# SPDX-License-Identifier: Apache-2.0
"""The lamps: each tried alone, the faulty ones named, and the last event shown for a while."""

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.capture.timebase import LOW_BITS
from plexor_hdl.control.lamps import SHOWN_WRAPS, STEP_BITS, TRIED, WALK_BITS, Lamps

from ..simulation import made, simulate

PERIOD = 1 << LOW_BITS
LEAP = 64
"""The test's time leaps to so many clocks before the next wrap of `low`."""


class Lit(wiring.Component):
    """Lamps on a timebase that can leap, with pads that can be stuck."""

    def __init__(self, count):
        self.lamps = Lamps(count)
        self.count = count
        super().__init__(
            {
                "leap": In(1),
                "high": In(count),
                "low": In(count),
                "show_stb": In(1),
                "number": In(3),
                "time": Out(WALK_BITS + 2),
                "pads": Out(count),
                "faults": Out(TRIED + 1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.lamps = lamps = self.lamps
        time = self.time
        with m.If(self.leap):
            m.d.sync += time.eq(Cat(Signal(LOW_BITS, init=PERIOD - LEAP), time[LOW_BITS:]))
        with m.Else():
            m.d.sync += time.eq(time + 1)
        m.d.comb += [
            Cat(lamps.low, lamps.epoch).eq(time),
            lamps.backs.eq((lamps.pads | self.high) & ~self.low),
            lamps.show_stb.eq(self.show_stb),
            lamps.number.eq(self.number),
            self.pads.eq(lamps.pads),
            self.faults.eq(lamps.faults),
        ]
        return m


async def to_wrap(ctx, dut, seen):
    """Go to the clock after the next wrap of the timebase's low part."""
    ctx.set(dut.leap, 1)
    await ctx.tick()
    ctx.set(dut.leap, 0)
    for _ in range(LEAP):
        seen.add(ctx.get(dut.pads))
        await ctx.tick()


def walked(count, *, high=0, low=0):
    """Return (pads seen in each turn, faults, pads after the walk)."""
    dut, turns, found = made(Lit, count), [], []

    async def drive(ctx):
        ctx.set(dut.high, high)
        ctx.set(dut.low, low)
        for _ in range(8):
            seen = set()
            for _ in range(1 << STEP_BITS - LOW_BITS):
                await to_wrap(ctx, dut, seen)
                assert ctx.get(dut.faults) >> TRIED == (ctx.get(dut.time) >= 1 << WALK_BITS)
            turns.append(seen)
        found.append((ctx.get(dut.faults), ctx.get(dut.pads)))

    simulate(dut, drive)
    return turns, *found[0]


@pytest.mark.parametrize("count", [8, 3])
def test_lamps_are_tried_one_by_one_in_order(count):
    turns, faults, pads = walked(count)
    assert turns == [{1 << n if n < count else 0} for n in range(8)]
    assert (faults, pads) == (1 << TRIED, 0)


@pytest.mark.parametrize(
    ("high", "low", "faults"),
    [(0x10, 0, 0x10), (0, 0x81, 0x81), (0x02, 0x40, 0x42), (0xFF, 0, 0xFF)],
)
def test_a_pad_that_does_not_follow_is_named(high, low, faults):
    assert walked(8, high=high, low=low)[1] == 1 << TRIED | faults


def test_exactly_the_last_events_lamp_is_lit_until_the_fifth_wrap():
    dut = made(Lit, 8)

    async def drive(ctx):
        for _ in range(8 << STEP_BITS - LOW_BITS):
            await to_wrap(ctx, dut, set())
        for number in (3, 0, 7):
            ctx.set(dut.number, number)
            ctx.set(dut.show_stb, 1)
            await ctx.tick()
            ctx.set(dut.show_stb, 0)
            await ctx.tick()
            assert ctx.get(dut.pads) == 1 << number
        for _ in range(SHOWN_WRAPS):
            seen = set()
            await to_wrap(ctx, dut, seen)
            assert seen == {0x80}
        await ctx.tick()
        assert ctx.get(dut.pads) == 0

    simulate(dut, drive)
