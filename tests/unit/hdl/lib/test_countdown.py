# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Wide counters against plain integers, also where a chunk borrows from the next."""

import random

import pytest

from plexor_hdl.lib import countdown
from plexor_hdl.lib.countdown import POOL_CHUNK_BITS, TIMER_LOW_BITS, Countdown, Pool

from ..simulation import made, simulate

CHUNK = 1 << POOL_CHUNK_BITS
FEW_BITS = 4
FEW = 1 << FEW_BITS


@pytest.mark.parametrize(
    "value", [0, 1, 2, 5, FEW - 1, FEW, FEW + 1, 3 * FEW, 40 * FEW + 2, (1 << 10) - 1]
)
def test_a_pool_hands_out_all_and_no_more(value, monkeypatch):
    monkeypatch.setattr(countdown, "POOL_CHUNK_BITS", FEW_BITS)
    dut = made(Pool, 10)
    rng = random.Random(value)
    taken = []

    async def run(ctx):
        ctx.set(dut.value, value)
        ctx.set(dut.value_some, value != 0)
        ctx.set(dut.load, 1)
        await ctx.tick()
        ctx.set(dut.load, 0)
        left = value
        while ctx.get(dut.some):
            assert left > 0
            ctx.set(dut.take, 1)
            await ctx.tick()
            left -= 1
            ctx.set(dut.take, 0)
            await ctx.tick().repeat(dut.settle_clocks + rng.randrange(3))
        taken.append(value - left)

    simulate(dut, run)
    assert taken == [value]


def test_a_pool_loaded_again_forgets_the_number_before():
    dut = made(Pool, 20)
    counts = []

    async def run(ctx):
        for value in (3, CHUNK, 1, 0, 2):
            ctx.set(dut.value, value)
            ctx.set(dut.value_some, value != 0)
            ctx.set(dut.load, 1)
            await ctx.tick()
            ctx.set(dut.load, 0)
            count = 0
            while ctx.get(dut.some) and count < 5:
                ctx.set(dut.take, 1)
                await ctx.tick()
                ctx.set(dut.take, 0)
                count += 1
                await ctx.tick().repeat(dut.settle_clocks)
            counts.append(count)

    simulate(dut, run)
    assert counts == [3, 5, 1, 0, 2]


@pytest.mark.parametrize("steps", [1, 2, 3, 15, 16, 17, 31, 32, 33, 250, 4099])
@pytest.mark.parametrize("stalls", [False, True])
def test_a_countdown_is_last_once_after_its_steps(steps, stalls):
    dut = made(Countdown, 20)
    rng = random.Random(steps)
    seen = []

    async def run(ctx):
        low, rest = steps % (1 << TIMER_LOW_BITS), steps >> TIMER_LOW_BITS
        ctx.set(dut.count, low)
        ctx.set(dut.rest, rest)
        ctx.set(dut.one, steps == 1)
        ctx.set(dut.far, rest != 0)
        ctx.set(dut.load, 1)
        await ctx.tick()
        ctx.set(dut.load, 0)
        done = 0
        while done < steps + 40:
            step = not stalls or rng.random() < 0.6
            ctx.set(dut.step, step)
            assert ctx.get(dut.last) == (done == steps - 1)
            assert ctx.get(dut.on) == (done < steps)
            await ctx.tick()
            done += step
        seen.append(done)

    simulate(dut, run)
    assert seen


@pytest.mark.parametrize("first", [2, 3, 9])
@pytest.mark.parametrize(
    ("second", "early"), [(1, 0), (2, 0), (2, 1), (5, 0), (5, 1), (40, 0), (40, 1)]
)
def test_a_last_that_is_due_outlives_a_load(first, second, early):
    dut = made(Countdown, 20, overlap=True)
    again = first - early
    lasts = []

    async def run(ctx):
        ctx.set(dut.step, 1)
        for clock in range(again + second + 30):
            count = {0: first, again: second}.get(clock)
            ctx.set(dut.load, count is not None)
            if count is not None:
                ctx.set(dut.count, count % 16)
                ctx.set(dut.rest, count // 16)
                ctx.set(dut.far, count >= 16)
                ctx.set(dut.one, count == 1)
            if ctx.get(dut.last):
                lasts.append(clock)
            await ctx.tick()

    simulate(dut, run)
    assert lasts == [first, again + second]
