# SPDX-License-Identifier: Apache-2.0
"""The stall: a source without an event for too long, to the tick."""

import random

import pytest

from plexor_hdl.control.stall import Stall

from ..simulation import made

SOURCE, OTHER = 18, 8
TICKS = (1 << 32) + 1000
"""A limit of more than one word."""
START = (1 << 33) - 64


async def start(ctx, dut, ticks, now=START):
    ctx.set(dut.settings.stall_source, SOURCE)
    ctx.set(dut.settings.stall_ticks, ticks)
    ctx.set(dut.armed, 1)
    ctx.set(dut.beat_ready, 1)
    ctx.set(dut.now_ticks, now)
    ctx.set(dut.capture, 1)
    await ctx.tick()
    ctx.set(dut.now_ticks, 0)
    await ctx.tick().repeat(3)


async def beat(ctx, dut, time, source=None, index=0):
    """Send a beat; return (index, time) of the stall that it tells, or None."""
    ctx.set(dut.event, {"time_ticks": time, "source": source or 0, "index": index})
    ctx.set(dut.is_event, source is not None)
    ctx.set(dut.beat_valid, 1)
    await ctx.tick()
    ctx.set(dut.beat_valid, 0)
    assert not ctx.get(dut.stall_stb)
    await ctx.tick()
    if not ctx.get(dut.stall_stb):
        return None
    return ctx.get(dut.index), ctx.get(dut.time_ticks)


@pytest.mark.parametrize("ticks", [1, 1000, TICKS])
@pytest.mark.parametrize("source", [None, OTHER, SOURCE])
def test_the_first_beat_behind_the_limit_tells_it_whatever_it_is(bench, ticks, source):
    dut = made(Stall)

    async def run(ctx):
        await start(ctx, dut, ticks)
        assert await beat(ctx, dut, START + ticks, source=OTHER, index=3) is None
        assert await beat(ctx, dut, START + ticks + 1, source, index=4) == (4, START + ticks)

    bench.simulate(dut, run)


@pytest.mark.parametrize("seed", range(3))
def test_each_event_of_the_source_moves_the_limit(bench, seed):
    dut, rng = made(Stall), random.Random(seed)

    async def run(ctx):
        await start(ctx, dut, TICKS)
        last = now = START
        for index in range(80):
            now += rng.choice((0, 1, TICKS // 3, TICKS - (now - last), TICKS // 2))
            source = rng.choice((None, OTHER, SOURCE))
            stalled = now > last + TICKS
            assert await beat(ctx, dut, now, source, index) == (
                (index, last + TICKS) if stalled else None
            )
            last = now if source == SOURCE else last

    bench.simulate(dut, run)


@pytest.mark.parametrize("name", ["armed", "capture"])
def test_nothing_stalls_while_not_armed_or_outside_of_a_run(bench, name):
    dut = made(Stall)

    async def run(ctx):
        await start(ctx, dut, 10)
        ctx.set(getattr(dut, name), 0)
        await ctx.tick().repeat(2)
        assert await beat(ctx, dut, START + 1000) is None

    bench.simulate(dut, run)
