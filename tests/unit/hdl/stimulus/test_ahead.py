# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The time to the strike after the next, against plain integers."""

import random

import pytest

from plexor_hdl.lib.countdown import TIMER_LOW_BITS
from plexor_hdl.stimulus.ahead import Ahead

from ..simulation import made, simulate

FINE = 4
WORD = 1 << FINE


@pytest.mark.parametrize("from_offset", [False, True])
@pytest.mark.parametrize(
    ("phase", "interval", "spacing"),
    [(3, 16, 17), (21, 32, 20), (0, 255, 16), (4095, 256, 31), (700, 5000, 4096)],
)
def test_each_length_goes_on_from_the_offset_that_the_one_before_left(
    phase, interval, spacing, from_offset
):
    dut = made(Ahead, FINE, 48, burst=True)
    rng = random.Random(phase)
    found, expected = [], []

    async def run(ctx):
        for name, value in (("phase", phase), ("interval", interval), ("spacing", spacing)):
            ctx.set(getattr(dut, name), value)
        ctx.set(dut.random, from_offset)
        ctx.set(dut.hold, 1)
        ctx.set(dut.advance, 1)
        await ctx.tick().repeat(6)
        ctx.set(dut.hold, 0)
        # Random strikes have no offset before the first.
        time = WORD + phase - (phase % WORD if from_offset else 0)
        for _ in range(50):
            advance = rng.random() < 0.7
            long, more = from_offset or rng.random() < 0.5, rng.randrange(WORD + 1)
            offset = rng.randrange(WORD)
            ctx.set(dut.advance, advance)
            ctx.set(dut.long, long)
            ctx.set(dut.step_fine, interval % WORD + more)
            ctx.set(dut.offset, offset)
            clocks, end = ctx.get(dut.clocks), ctx.get(dut.end)
            one, far = ctx.get(dut.one), ctx.get(dut.far)
            await ctx.tick()
            rest = ctx.get(dut.rest)
            clocks += rest << TIMER_LOW_BITS
            found.append((clocks * WORD + end, one, far))
            expected.append((time, time // WORD == 1, rest != 0))
            if advance:
                start = offset if from_offset else time % WORD
                time = start + (interval + more if long else spacing)

    simulate(dut, run)
    assert found == expected
