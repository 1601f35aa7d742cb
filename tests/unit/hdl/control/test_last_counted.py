# SPDX-License-Identifier: Apache-2.0
"""The end of counting: told once, when each stage has told and the results are idle."""

from itertools import permutations

import pytest

from plexor_hdl.control.last_counted import LastCounted

from ..simulation import made, simulate


@pytest.mark.parametrize("order", list(permutations(("counts_stb", "records_stb", "results_idle"))))
def test_the_end_is_told_once_all_stages_have_told_in_any_order(order):
    dut = made(LastCounted, 1, steps=True)

    async def bench(ctx):
        # A second run is as the first.
        for _ in range(2):
            for name in order:
                assert not ctx.get(dut.all_counted)
                ctx.set(getattr(dut, name), 1)
                await ctx.tick()
                if name != "results_idle":
                    ctx.set(getattr(dut, name), 0)
            told = 0
            for _ in range(5):
                told += ctx.get(dut.all_counted)
                await ctx.tick()
            assert told == 1
            ctx.set(dut.results_idle, 0)
            await ctx.tick()

    simulate(dut, bench)


def test_a_build_without_steps_waits_for_counts_and_results_only():
    dut = made(LastCounted, 1, steps=False)

    async def bench(ctx):
        ctx.set(dut.counts_stb, 1)
        await ctx.tick()
        ctx.set(dut.counts_stb, 0)
        await ctx.tick().repeat(3)
        assert not ctx.get(dut.all_counted)
        ctx.set(dut.results_idle, 1)
        await ctx.tick()
        assert ctx.get(dut.all_counted)
        await ctx.tick()
        assert not ctx.get(dut.all_counted)

    simulate(dut, bench)
