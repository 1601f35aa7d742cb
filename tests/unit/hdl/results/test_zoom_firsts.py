# SPDX-License-Identifier: Apache-2.0
"""ZoomFirsts: each window begins where it was told to, and at 0 after a reset."""

import random

from amaranth.hdl import ClockDomain, Module

from plexor_hdl.results.zoom_firsts import ZoomFirsts

from ..simulation import simulate

BITS = 3


def test_a_window_begins_at_what_was_written_last_and_at_0_after_a_reset():
    module, dut, rng = Module(), ZoomFirsts(BITS), random.Random(1)
    module.domains.sync = domain = ClockDomain("sync")
    module.submodules.dut = dut
    firsts = dict.fromkeys(range(1 << BITS), 0)

    async def same(ctx):
        for window, first in firsts.items():
            ctx.set(dut.window, window)
            await ctx.tick()
            assert ctx.get(dut.first_ticks) == first, window

    async def testbench(ctx):
        await same(ctx)
        for _ in range(2):
            for place in rng.choices(list(firsts), k=20):
                ctx.set(dut.place, place)
                ctx.set(dut.data, value := rng.getrandbits(32))
                ctx.set(dut.stb, 1)
                await ctx.tick()
                ctx.set(dut.stb, 0)
                firsts[place] = value
            await same(ctx)
            ctx.set(domain.rst, 1)
            await ctx.tick()
            ctx.set(domain.rst, 0)
            await ctx.tick().repeat(1 << BITS)
            firsts.update(dict.fromkeys(firsts, 0))
            await same(ctx)

    simulate(module, testbench)
