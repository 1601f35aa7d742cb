# SPDX-License-Identifier: Apache-2.0
"""States: one is high at a time, and moves as told."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.states import States

from ..simulation import made

NAMES = ("REST", "WORK", "CHECK")


class Machine(wiring.Component):
    """Works while asked to, then checks once."""

    begin: In(1)
    more: In(1)
    states: Out(len(NAMES))

    def elaborate(self, platform):
        m = Module()
        now = States(*NAMES)
        now.go("REST", "WORK", self.begin)
        now.go("WORK", "CHECK", ~self.more)
        now.go("CHECK", "REST")
        now.connect(m)
        m.d.comb += self.states.eq(Cat(now[name] for name in NAMES))
        return m


def test_the_first_state_is_left_when_told_and_one_is_high_at_a_time(bench):
    dut, seen = made(Machine), []

    async def drive(ctx):
        for begin, more in [(0, 1), (0, 0), (1, 0), (1, 1), (1, 1), (0, 0), (1, 1), (0, 1)]:
            ctx.set(dut.begin, begin)
            ctx.set(dut.more, more)
            seen.append(NAMES[ctx.get(dut.states).bit_length() - 1])
            assert ctx.get(dut.states).bit_count() == 1
            await ctx.tick()

    bench.simulate(dut, drive)
    assert seen == ["REST", "REST", "REST", "WORK", "WORK", "WORK", "CHECK", "REST"]
