# SPDX-License-Identifier: Apache-2.0
"""What the capture sees: every source's word in the clock of its time, driven ones later."""

import random

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.capture.pins import Pins

from ..simulation import made, simulate

SAMPLES, STRIKES, CHANNELS = 8, 2, 3
ONES = (1 << SAMPLES) - 1


@pytest.mark.parametrize("loop_clocks", [0, 2, 4, 5])
@pytest.mark.parametrize("steps", [False, True])
def test_what_is_driven_is_seen_with_the_samples_of_its_time(loop_clocks, steps):
    features = ALL_FEATURES if steps else ALL_FEATURES & ~Feature.SWEEP
    geometry = Geometry(channels=CHANNELS, strikes=STRIKES, samples=SAMPLES, features=features)
    dut, rng, given = made(Pins, geometry, loop_clocks), random.Random(loop_clocks), []

    async def bench(ctx):
        for clock in range(60):
            strikes = [rng.getrandbits(SAMPLES) for _ in range(STRIKES)]
            samples = [rng.getrandbits(SAMPLES) for _ in range(CHANNELS)]
            load, step, captures = (rng.getrandbits(1) for _ in range(3))
            given.append((strikes, samples, load, step, captures))
            ctx.set(dut.strikes, strikes)
            ctx.set(dut.samples, sum(word << SAMPLES * n for n, word in enumerate(samples)))
            ctx.set(dut.load, load)
            ctx.set(dut.capture, captures)
            if steps:
                ctx.set(dut.step, step)
            if clock > loop_clocks:
                driven, sampled = given[clock - 1 - loop_clocks], given[clock - 1]
                levels = driven[2:4] if steps else driven[2:3]
                words = driven[0] + sampled[1] + [level * ONES for level in levels]
                assert list(ctx.get(dut.words)) == words
                assert ctx.get(dut.belongs) == sampled[4]
            await ctx.tick()

    simulate(dut, bench)
