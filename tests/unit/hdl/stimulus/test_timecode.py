# SPDX-License-Identifier: Apache-2.0
"""The timecode: one step a strike, in binary and in Gray code, from 0 at each start."""

import random

import pytest

from plexor_hdl.stimulus.timecode import Timecode

from ..simulation import made, simulate


@pytest.mark.parametrize("gray", [0, 1])
@pytest.mark.parametrize("bits", [1, 3, 8])
def test_a_step_changes_the_pins_once_three_clocks_after_its_strike(bits, gray):
    dut, rng, seen = made(Timecode, bits), random.Random(bits), []
    strikes = [rng.random() < 0.4 for _ in range(3 << bits)]

    async def drive(ctx):
        ctx.set(dut.gray, gray)
        ctx.set(dut.on, 1)
        for strike in [*strikes, 0, 0]:
            ctx.set(dut.strike_stb, strike)
            await ctx.tick()
            seen.append(ctx.get(dut.pins))
        assert seen[:2] == [0, 0]
        del seen[:2]

    simulate(dut, drive)
    counts = [sum(strikes[: n + 1]) % (1 << bits) for n in range(len(strikes))]
    assert seen == [n ^ n >> 1 if gray else n for n in counts]
    if gray:
        steps = [a ^ b for a, b in zip([0, *seen], seen, strict=False)]
        assert all(step.bit_count() == strike for step, strike in zip(steps, strikes, strict=True))


def test_a_start_begins_at_0_whatever_strikes():
    dut = made(Timecode, 4)

    async def drive(ctx):
        ctx.set(dut.on, 1)
        ctx.set(dut.strike_stb, 1)
        await ctx.tick().repeat(7)
        assert ctx.get(dut.pins) == 5
        ctx.set(dut.start_stb, 1)
        await ctx.tick()
        ctx.set(dut.start_stb, 0)
        await ctx.tick().repeat(2)
        assert ctx.get(dut.pins) == 0

    simulate(dut, drive)


def test_what_is_not_driven_is_low_and_counts():
    dut = made(Timecode, 4)

    async def drive(ctx):
        ctx.set(dut.strike_stb, 1)
        for _ in range(7):
            await ctx.tick()
            assert ctx.get(dut.pins) == 0
        ctx.set(dut.on, 1)
        await ctx.tick()
        assert ctx.get(dut.pins) == 6

    simulate(dut, drive)
