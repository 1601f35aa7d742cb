# SPDX-License-Identifier: Apache-2.0
"""Extents: the least and the greatest value of each channel since the last look."""

import random

import pytest

from plexor_hdl.results.extent import LOOK_CLOCKS, VALUE_CLOCKS, Extent

from ..simulation import made, simulate

NEAR = (-(1 << 31), (1 << 31) - 1, -1, 0, 1, (1 << 12) - 1, 1 << 12, -(1 << 12), 5 << 12)


@pytest.mark.parametrize("channels", [1, 3, 8])
def test_extremes_are_those_of_each_channels_values_since_the_clear(channels):
    dut, rng = made(Extent, channels, max((channels - 1).bit_length(), 1)), random.Random(channels)

    async def drive(ctx):
        for turn in range(12):
            # Of all sizes, then of few.
            near = rng.randrange(-5000, 5000)
            given = {channel: [] for channel in range(channels)}
            since = dict.fromkeys(given, VALUE_CLOCKS)
            for _ in range(rng.randrange(8 * VALUE_CLOCKS)):
                channel = rng.randrange(channels)
                valid = since[channel] >= VALUE_CLOCKS and rng.random() < 0.9
                value = rng.choice((rng.choice(NEAR), rng.randrange(-(1 << 31), 1 << 31)))
                if turn % 2:
                    value = near + rng.randrange(-3, 4)
                ctx.set(dut.valid, valid)
                ctx.set(dut.channel, channel)
                ctx.set(dut.value_ticks, value)
                if valid:
                    given[channel].append(value)
                    since[channel] = 0
                since = {each: clocks + 1 for each, clocks in since.items()}
                await ctx.tick()
            ctx.set(dut.valid, 0)
            await ctx.tick().repeat(VALUE_CLOCKS - 1)
            for channel, values in given.items():
                ctx.set(dut.look, channel)
                await ctx.tick().repeat(LOOK_CLOCKS)
                expected = min(values, default=0), max(values, default=0)
                assert (ctx.get(dut.least), ctx.get(dut.greatest)) == expected
            ctx.set(dut.clear_stb, 1)
            await ctx.tick()
            ctx.set(dut.clear_stb, 0)

    simulate(dut, drive)
