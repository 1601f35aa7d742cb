# SPDX-License-Identifier: Apache-2.0
"""Going through a memory: each address once, and again when asked again."""

import pytest

from plexor_hdl.lib.clearing import Clearing

from ..simulation import made, simulate


@pytest.mark.parametrize("entries", [2, 5, 8, 33])
def test_each_address_comes_once_from_the_clock_after_the_strobe_on(entries):
    dut = made(Clearing, entries)

    async def bench(ctx):
        for _ in range(3):
            await ctx.tick().repeat(2)
            assert not ctx.get(dut.busy)
            ctx.set(dut.stb, 1)
            await ctx.tick()
            ctx.set(dut.stb, 0)
            for address in range(entries):
                assert (ctx.get(dut.busy), ctx.get(dut.address)) == (1, address)
                await ctx.tick()
            assert not ctx.get(dut.busy)

    simulate(dut, bench)


def test_a_strobe_while_it_goes_changes_nothing():
    dut = made(Clearing, 6)

    async def bench(ctx):
        ctx.set(dut.stb, 1)
        await ctx.tick()
        for address in range(6):
            assert (ctx.get(dut.busy), ctx.get(dut.address)) == (1, address)
            ctx.set(dut.stb, address < 5)
            await ctx.tick()
        ctx.set(dut.stb, 0)
        assert not ctx.get(dut.busy)

    simulate(dut, bench)
