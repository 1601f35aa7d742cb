# SPDX-License-Identifier: Apache-2.0
"""Strobes that are held back come later, each by the same time, and the stage comes to rest."""

import random

import pytest

from plexor.protocol.geometry import LONG_FILTER_CLOCKS, hold_clocks
from plexor_hdl.capture.hold import MOST_CLOCKS, STEPS, Hold

from ..simulation import made


def test_a_hold_is_longer_than_every_filter_that_it_is_chosen_for():
    for clocks in range(LONG_FILTER_CLOCKS):
        assert clocks + 8 < hold_clocks(clocks) <= clocks + 24


@pytest.mark.parametrize("density", [0.02, 0.3, 1])
def test_each_strobe_comes_again_after_the_clocks_of_its_steps(bench, density):
    dut, rng = made(Hold), random.Random(int(100 * density))
    for steps in range(STEPS):
        came, seen = [], []
        clocks = range(3 * MOST_CLOCKS)

        async def drive(ctx, steps=steps, came=came, seen=seen, clocks=clocks):
            ctx.set(dut.steps, steps)
            # A pause of any length first, so that rows begin at any clock.
            await ctx.tick().repeat(rng.randrange(20))
            for clock in clocks:
                strobe = clock < MOST_CLOCKS and rng.random() < density
                ctx.set(dut.strobe, strobe)
                came += [clock] * strobe
                seen += [clock] * ctx.get(dut.o_strobe)
                await ctx.tick()

        bench.simulate(dut, drive)
        late = hold_clocks(16 * steps)
        assert came
        assert seen == [clock + late for clock in came], steps
