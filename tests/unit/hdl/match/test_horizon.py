# SPDX-License-Identifier: Apache-2.0
"""The horizon, against the least of what expires."""

import random

import pytest

from plexor_hdl.match.horizon import SETTLE_CLOCKS, Horizon

from ..simulation import made, simulate

MASK = (1 << 32) - 1


def found(now, limits, offers, times, first=True):
    """Return whether each of the times is beyond what the offers, 8 clocks apart, have left."""
    dut, results = made(Horizon), []

    async def bench(ctx):
        ctx.set(dut.timeout_ticks, limits[0])
        ctx.set(dut.early_ticks, limits[1])
        await ctx.tick().repeat(4)
        assert ctx.get(dut.beyond) == first
        ctx.set(dut.start, 1)
        await ctx.tick()
        ctx.set(dut.start, 0)
        ctx.set(dut.now, now & MASK)
        for number, offer in enumerate(offers):
            await ctx.tick().repeat(7)
            ctx.set(dut.offer_stb, 1)
            ctx.set(dut.offer, offer)
            ctx.set(dut.settle, number == len(offers) - 1)
            await ctx.tick()
            ctx.set(dut.offer_stb, 0)
            ctx.set(dut.offer, ~offer & MASK)
            ctx.set(dut.settle, 0)
        if not offers:
            ctx.set(dut.settle, 1)
            await ctx.tick()
            ctx.set(dut.settle, 0)
        ctx.set(dut.time_ticks, times[0] & MASK)
        await ctx.tick().repeat(SETTLE_CLOCKS)
        ctx.set(dut.now, ~now & MASK)
        for time in [*times[1:], 0]:
            results.append(ctx.get(dut.beyond))
            ctx.set(dut.time_ticks, time & MASK)
            await ctx.tick()

    simulate(dut, bench)
    return results


@pytest.mark.parametrize("now", [5, 0xFFF0, 0xFFFF, 0x7FFF_FFF0, 0xFFFF_FFF0])
def test_a_time_is_beyond_the_first_one_to_expire_and_none_before_is(now):
    for offers in ([], [70], [0x1_0000, 0xFFFF], [300, 20, 0x7000_0000], [0], [90, 90]):
        for limits in ((0x5000_0000, 0), (0x5000_0000, 0x8000), (200, 300)):
            shorter = min(limits[0], limits[1] or limits[0])
            bound = now + min([*offers, shorter])
            times = [bound, bound + 1, now, bound - 1 if bound > now else now, bound + 0x1_0000]
            expected = [int(time > bound) for time in times]
            assert found(now, limits, offers, times) == expected, (offers, limits)


def test_random_offers_leave_the_least():
    chance = random.Random(3)
    for _ in range(40):
        now, timeout = chance.getrandbits(32), chance.getrandbits(31) | 1
        offers = [chance.getrandbits(chance.randrange(1, 31)) for _ in range(chance.randrange(5))]
        bound = now + min([*offers, timeout])
        assert found(now, (timeout, 0), offers, [bound, bound + 1]) == [0, 1]


@pytest.mark.parametrize("start", [5, 0xFFF0, 0x7FFF_FFF0, 0xFFFF_FF00])
@pytest.mark.parametrize("limits", [(300, 0), (0x5000_0000, 0x1_0005), (300, 70)])
def test_a_turn_bounds_by_the_beginning_of_the_generation_before(start, limits):
    dut, shorter = made(Horizon), min(limits[0], limits[1] or limits[0])

    async def turn(ctx, now, old=0):
        """Begin a generation that grows unless something is left."""
        ctx.set(dut.now, now & MASK)
        await ctx.tick()
        ctx.set(dut.turn, 1)
        await ctx.tick()
        ctx.set(dut.turn, 0)
        ctx.set(dut.now, ~now & MASK)
        await ctx.tick()
        ctx.set(dut.grown, not old)
        await ctx.tick()

    async def expect(ctx, bound):
        for time in (bound, bound + 1, bound - 0x1_0000):
            ctx.set(dut.time_ticks, time & MASK)
            await ctx.tick()
            assert ctx.get(dut.beyond) == (time > bound), (time, bound)

    async def bench(ctx):
        ctx.set(dut.timeout_ticks, limits[0])
        ctx.set(dut.early_ticks, limits[1])
        await ctx.tick().repeat(4)
        for now in (start, start + 0x2_0000):
            # Found: what waits expires soon.
            ctx.set(dut.now, now & MASK)
            ctx.set(dut.offer, 20)
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            ctx.set(dut.offer_stb, 1)
            ctx.set(dut.settle, 1)
            await ctx.tick()
            ctx.set(dut.offer_stb, 0)
            ctx.set(dut.settle, 0)
            await ctx.tick().repeat(SETTLE_CLOCKS + 1)
            assert ctx.get(dut.fresh)
            await expect(ctx, now + 20)
            # A generation begins, and bounds what comes once all from before it are gone.
            await turn(ctx, now + 10, old=1)
            assert not ctx.get(dut.fresh)
            await expect(ctx, now + 20)
            ctx.set(dut.grown, 1)
            await ctx.tick()
            await expect(ctx, now + 10 + shorter)
            await turn(ctx, now + 15)
            await expect(ctx, now + 15 + shorter)
            await turn(ctx, now + 40, old=1)
            await expect(ctx, now + 15 + shorter)

    simulate(dut, bench)
