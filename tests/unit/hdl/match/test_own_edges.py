# SPDX-License-Identifier: Apache-2.0
"""The edges of channels' own pins, against a model that remembers each channel's last one."""

import random
from dataclasses import dataclass

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl.interfaces import Kind
from plexor_hdl.match.own_edges import TAG_CLOCKS, OwnEdges

from ..simulation import made, simulate

CHANNELS = 3


@dataclass
class Pin:
    """What is known of a channel's last active edge."""

    seen: bool = False
    open: bool = False
    answered: bool = False
    ancient: bool = False


def dut_of():
    return made(OwnEdges, Geometry(channels=CHANNELS))


async def strobe(ctx, dut, name, channel, is_over=0):
    """Strobe for a channel; return kind, channel and validity as they are told, far and over."""
    ctx.set(dut.channel, channel)
    await ctx.tick()
    ctx.set(getattr(dut, name), 1)
    await ctx.tick()
    ctx.set(getattr(dut, name), 0)
    far = over = 0
    for clock in range(1, TAG_CLOCKS):
        ctx.set(dut.is_over, is_over and clock == TAG_CLOCKS - 1)
        if clock == TAG_CLOCKS - 1:
            far, over = ctx.get(dut.far), ctx.get(dut.over)
        await ctx.tick()
    ctx.set(dut.is_over, 0)
    return Kind(ctx.get(dut.kind)), ctx.get(dut.o_channel), ctx.get(dut.valid), far, over


async def active(ctx, dut, channel, answers):
    """Have an active edge that answers a strike or not; return what is told of the one before."""
    told = await strobe(ctx, dut, "active_stb", channel)
    ctx.set(dut.answers, answers)
    ctx.set(dut.answer_stb, 1)
    await ctx.tick()
    ctx.set(dut.answer_stb, 0)
    ctx.set(dut.answers, 0)
    return told


async def back(ctx, dut, channel):
    """Have an edge back, as the matcher does; return what is told: width, then fall latency."""
    ctx.set(dut.channel, channel)
    await ctx.tick()
    told = []
    for clock in range(TAG_CLOCKS + 3):
        ctx.set(dut.back_stb, clock == 0)
        ctx.set(dut.fall_stb, clock == 2)
        if clock in (TAG_CLOCKS - 1, TAG_CLOCKS + 1):
            told.append([ctx.get(dut.far), ctx.get(dut.over)])
        if clock in (TAG_CLOCKS, TAG_CLOCKS + 2):
            known = Kind(ctx.get(dut.kind)), ctx.get(dut.o_channel), ctx.get(dut.valid)
            told[-1] = (*known, *told[-1])
        await ctx.tick()
    return told


def expect(told, kind, channel, valid, ancient):
    """Check what is told; `over` counts only of what is valid."""
    assert told[:3] == (kind, channel, valid)
    assert told[3]
    if valid:
        assert told[4] == ancient


@pytest.mark.parametrize("seed", range(3))
def test_random_edges_give_the_widths_periods_and_falls_that_there_are(seed):
    dut, rng = dut_of(), random.Random(seed)

    async def bench(ctx):
        pins = [Pin() for _ in range(CHANNELS)]
        for _ in range(120):
            channel, what = rng.randrange(CHANNELS), rng.randrange(5)
            pin = pins[channel]
            if what < 2:
                answers = rng.random() < 0.5
                told = await active(ctx, dut, channel, answers)
                expect(told, Kind.PERIOD, channel, pin.seen, pin.ancient)
                pins[channel] = Pin(seen=True, open=True, answered=answers)
            elif what < 4:
                width, fall = await back(ctx, dut, channel)
                expect(width, Kind.WIDTH, channel, pin.open, pin.ancient)
                expect(fall, Kind.FALL, channel, pin.open and pin.answered, pin.ancient)
                pin.open = pin.answered = False
            else:
                is_over = rng.random() < 0.5
                *_, valid, far, _ = await strobe(ctx, dut, "look_stb", channel, is_over)
                assert (valid, far) == (0, 0)
                pin.ancient |= is_over
            if rng.random() < 0.05:
                ctx.set(dut.clear, 1)
                await ctx.tick()
                ctx.set(dut.clear, 0)
                pins = [Pin() for _ in range(CHANNELS)]

    simulate(dut, bench)


def test_an_edge_back_ends_one_pulse_and_is_measured_once():
    dut = dut_of()

    async def bench(ctx):
        assert [told[2] for told in await back(ctx, dut, 1)] == [0, 0]
        await active(ctx, dut, 1, answers=1)
        assert [told[2] for told in await back(ctx, dut, 0)] == [0, 0]
        assert [told[2] for told in await back(ctx, dut, 1)] == [1, 1]
        assert [told[2] for told in await back(ctx, dut, 1)] == [0, 0]
        # The period is still measured from the edge whose pulse has ended.
        assert (await active(ctx, dut, 1, answers=0))[2] == 1
        assert [told[2] for told in await back(ctx, dut, 1)] == [1, 0]

    simulate(dut, bench)


def test_an_edge_that_was_once_too_long_ago_stays_so_until_the_next_one():
    dut = dut_of()

    async def bench(ctx):
        for channel in (0, 2):
            await active(ctx, dut, channel, answers=1)
        await strobe(ctx, dut, "look_stb", 2, is_over=1)
        await strobe(ctx, dut, "look_stb", 2, is_over=0)
        assert [told[4] for told in await back(ctx, dut, 2)] == [1, 1]
        assert [told[4] for told in await back(ctx, dut, 0)] == [0, 0]
        assert (await active(ctx, dut, 2, answers=1))[4] == 1
        assert [told[4] for told in await back(ctx, dut, 2)] == [0, 0]

    simulate(dut, bench)
