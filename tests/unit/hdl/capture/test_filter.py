# SPDX-License-Identifier: Apache-2.0
"""The glitch filter: levels that last keep their true time, others vanish."""

import random

import pytest

from plexor_hdl.capture.filter import Filter, filter_clocks

from ..simulation import made


def filtered(levels, least):
    """Return the levels after the filter, sample by sample; the last level lasts for ever."""
    out, held = [], 0
    padded = levels + levels[-1:] * least
    for place, level in enumerate(levels):
        if padded[place : place + least] == [level] * least:
            held = level
        out.append(held)
    return out


def random_levels(rng, count):
    levels, level = [], 0
    while len(levels) < count:
        levels += [level] * rng.choice((1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 30))
        level = 1 - level
    return levels[:count]


@pytest.mark.parametrize("samples", [4, 8, 16])
def test_every_setting_passes_the_levels_that_last_so_long_at_their_time(bench, samples):
    for filter_ticks in (0, 1, 2, 3, samples - 1, samples, samples + 2):
        levels = random_levels(random.Random(filter_ticks), 50 * samples)
        words = [
            sum(level << bit for bit, level in enumerate(levels[at : at + samples]))
            for at in range(0, len(levels), samples)
        ]
        dut, seen = made(Filter, samples), []

        async def drive(ctx, dut=dut, words=words, seen=seen, filter_ticks=filter_ticks):
            ctx.set(dut.filter_ticks, filter_ticks)
            await ctx.tick().repeat(3)
            last = words[-1] >> samples - 1
            settled = [last * ((1 << samples) - 1)] * filter_clocks(samples)
            for clock, word in enumerate(words + settled):
                if clock >= filter_clocks(samples):
                    seen.append(ctx.get(dut.o_word))
                ctx.set(dut.word, word)
                await ctx.tick()

        bench.simulate(dut, drive)
        out = [word >> bit & 1 for word in seen for bit in range(samples)]
        assert out == filtered(levels, max(min(filter_ticks, samples), 1)), filter_ticks
