# SPDX-License-Identifier: Apache-2.0
"""What a front-end tells of its clock: lost with the PLL's lock, and not before it stood."""

from types import SimpleNamespace

from amaranth.hdl import ClockSignal, Elaboratable, Module, Signal

from plexor_hdl.front.front_end import START_BITS, FrontEnd

from ..simulation import simulate

WAIT = 1 << START_BITS
"""Periods of the start clock from the lock to the core's clock."""


class Lockable(Elaboratable):
    """A front-end whose PLL locks as it is told, on the simulation's clock as start clock."""

    def __init__(self) -> None:
        self.locked, self.starts, self.lost = Signal(), Signal(), Signal()

    def elaborate(self, platform):
        m = Module()
        start_clock = Signal()
        m.d.comb += start_clock.eq(ClockSignal())
        family = SimpleNamespace(
            PHASES=4,
            add_pll=lambda *_: ([Signal(name=f"fast_{n}") for n in range(2)], self.locked),
            add_start_clock=lambda *_: start_clock,
            add_buffer=lambda m, clock: clock,
            add_source=lambda *_: Signal(),
            add_pad=lambda *_: Signal(),
            xor=lambda m, bits, name: bits[0],
        )
        m.submodules.front = front = FrontEnd(family, None, 1, 1)
        m.d.comb += self.lost.eq(front.clock_lost)
        return m


async def told(ctx, dut, clocks, expected):
    for _ in range(clocks):
        assert ctx.get(dut.lost) == expected
        await ctx.tick()


def test_a_clock_is_lost_until_it_has_run_for_half_the_wait_before_it():
    dut = Lockable()

    async def testbench(ctx):
        await told(ctx, dut, 100, 1)
        ctx.set(dut.locked, 1)
        await told(ctx, dut, WAIT + WAIT // 2, 1)
        await ctx.tick().repeat(4)
        await told(ctx, dut, 3 * WAIT, 0)

    simulate(dut, testbench)


def test_a_lock_lost_for_a_moment_is_told_at_once_and_until_the_clock_has_run_again():
    dut = Lockable()

    async def testbench(ctx):
        ctx.set(dut.locked, 1)
        await ctx.tick().repeat(2 * WAIT)
        await told(ctx, dut, 10, 0)
        ctx.set(dut.locked, 0)
        await told(ctx, dut, 1, 1)
        ctx.set(dut.locked, 1)
        await ctx.tick().repeat(4)
        await told(ctx, dut, WAIT + WAIT // 2 - 10, 1)
        await ctx.tick().repeat(20)
        await told(ctx, dut, WAIT, 0)

    simulate(dut, testbench)
