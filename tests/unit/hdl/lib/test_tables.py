# SPDX-License-Identifier: Apache-2.0
"""Tables in LUTs: the value at every place."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.tables import table

from ..simulation import made

VALUES = {0: 5, 3: 9, 4: 1, 6: 15}


class Lookup(wiring.Component):
    """One table, a clock late."""

    at: In(3)
    value: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.value.eq(table(VALUES, self.at))
        return m


def test_a_table_has_its_values_and_0_elsewhere(bench):
    dut = made(Lookup)

    async def drive(ctx):
        for place in range(8):
            ctx.set(dut.at, place)
            await ctx.tick()
            assert ctx.get(dut.value) == VALUES.get(place, 0)

    bench.simulate(dut, drive)
