# SPDX-License-Identifier: Apache-2.0
"""A bit's way into a clock domain."""

import pytest
from amaranth.hdl import ClockDomain, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from plexor_hdl.lib.crossing import CROSSING_CLOCKS, Crossing

from ..simulation import made, simulate


@pytest.mark.parametrize("init", [0, 1])
def test_a_level_comes_after_two_clocks_and_starts_as_asked(init):
    dut = made(Crossing, "sync", init)

    async def bench(ctx):
        assert ctx.get(dut.crossed) == init
        ctx.set(dut.bit, not init)
        for _ in range(CROSSING_CLOCKS - 1):
            await ctx.tick()
            assert ctx.get(dut.crossed) == init
        await ctx.tick()
        assert ctx.get(dut.crossed) == (not init)

    simulate(dut, bench)


class Elsewhere(wiring.Component):
    """A crossing into the domain `other`, which a simulation clocks."""

    bit: In(1)
    crossed: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.domains.other = ClockDomain(reset_less=True)
        m.submodules.bit_to_other = crossing = Crossing("other")
        m.d.comb += [crossing.bit.eq(self.bit), self.crossed.eq(crossing.crossed)]
        return m


def test_a_bit_goes_by_the_clock_of_its_domain_alone():
    dut = Elsewhere()
    simulator = Simulator(dut)
    simulator.add_clock(1e-6, domain="other")

    async def bench(ctx):
        ctx.set(dut.bit, 1)
        await ctx.tick("other").repeat(CROSSING_CLOCKS)
        assert ctx.get(dut.crossed)

    simulator.add_testbench(bench)
    simulator.run()
