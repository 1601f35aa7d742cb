# SPDX-License-Identifier: Apache-2.0
"""A value and its past."""

from amaranth.hdl import Elaboratable, Module, Signal

from plexor_hdl.lib.history import Line

from ..simulation import simulate

CLOCKS = (0, 1, 3, 4)


class Past(Elaboratable):
    """A value as it was some clocks ago, asked for in any order."""

    def __init__(self) -> None:
        self.value = Signal(8, init=7)
        self.past = {clocks: Signal(8, name=f"past{clocks}") for clocks in CLOCKS}

    def elaborate(self, platform):
        m = Module()
        line = Line(m, self.value, "value")
        for clocks in (3, 0, 4, 1):
            m.d.comb += self.past[clocks].eq(line[clocks])
        assert line[3] is line[3]
        return m


def test_a_value_is_what_it_was_so_many_clocks_ago_whatever_was_asked_for_first():
    dut, given = Past(), [(37 * n + 5) % 256 for n in range(40)]

    async def bench(ctx):
        for clock, value in enumerate(given):
            ctx.set(dut.value, value)
            for clocks in CLOCKS:
                if clock >= clocks:
                    assert ctx.get(dut.past[clocks]) == given[clock - clocks]
            await ctx.tick()

    simulate(dut, bench)
