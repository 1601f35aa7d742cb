# SPDX-License-Identifier: Apache-2.0
"""Flags of a run: each rises with its port, stays, and is forgotten by the next run."""

import pytest

from plexor.protocol.registers import StatusFlag
from plexor_hdl.control.flags import Flags
from plexor_hdl.lib.crossing import CROSSING_CLOCKS

from ..simulation import made, simulate


def names():
    return [flag.name.lower() for flag in StatusFlag]


@pytest.mark.parametrize("flag", StatusFlag, ids=names())
def test_a_flag_rises_with_its_port_and_stays_until_the_next_run(flag):
    dut = made(Flags)

    async def bench(ctx):
        ctx.set(dut.running, 1)
        ctx.set(getattr(dut, flag.name.lower()), 1)
        await ctx.tick()
        ctx.set(getattr(dut, flag.name.lower()), 0)
        await ctx.tick().repeat(CROSSING_CLOCKS + 3)
        assert ctx.get(dut.flags) == flag
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        await ctx.tick()
        assert ctx.get(dut.flags) == 0

    simulate(dut, bench)


def test_a_clock_lost_without_a_run_is_none_of_the_next():
    dut = made(Flags)

    async def bench(ctx):
        for name in names():
            ctx.set(getattr(dut, name), 1)
        await ctx.tick().repeat(CROSSING_CLOCKS + 3)
        assert ctx.get(dut.flags) == ~StatusFlag.CLOCK_LOST & sum(StatusFlag)

    simulate(dut, bench)
