# SPDX-License-Identifier: Apache-2.0
"""The trigger: the first event that breaks a threshold, and so many after it."""

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import StopReason
from plexor_hdl.match import trigger
from plexor_hdl.match.trigger import Trigger

GEOMETRY = Geometry(ring_depth=16)
CODED = Geometry(ring_depth=16, code_bits=8, features=Feature.EVENTS | Feature.CODES)


async def strobe(ctx, dut, *names):
    for name in names:
        ctx.set(getattr(dut, f"{name}_stb"), 1)
    await ctx.tick()
    for name in names:
        ctx.set(getattr(dut, f"{name}_stb"), 0)


def armed(ctx, dut, **levels):
    ctx.set(dut.latency, {"index": 11, "time_ticks": 111})
    ctx.set(dut.missed, {"index": 22, "time_ticks": 222})
    for name, level in levels.items():
        ctx.set(getattr(dut, f"armed_{name}"), level)


@pytest.mark.parametrize(
    ("strobes", "reason", "index"),
    [
        (("latency",), StopReason.LATENCY, 11),
        (("missed",), StopReason.MISSED, 22),
        (("latency", "missed"), StopReason.LATENCY, 11),
    ],
)
def test_the_first_event_is_kept_with_its_reason(bench, strobes, reason, index):
    dut = Trigger(GEOMETRY, keeps=True)

    async def drive(ctx):
        armed(ctx, dut, latency=1, missed=1)
        await ctx.tick().repeat(3)
        assert not ctx.get(dut.triggered)
        await strobe(ctx, dut, *strobes)
        ctx.set(dut.latency, {"index": 33, "time_ticks": 333})
        ctx.set(dut.missed, {"index": 44, "time_ticks": 444})
        for again in ("latency", "missed"):
            await strobe(ctx, dut, again)
        assert ctx.get(dut.triggered)
        assert ctx.get(dut.reason) == reason
        assert (ctx.get(dut.at.index), ctx.get(dut.at.time_ticks)) == (index, index // 11 * 111)
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        assert not ctx.get(dut.triggered)

    bench.simulate(dut, drive)


@pytest.mark.parametrize(
    ("name", "reason", "index"), [("code", StopReason.CODE, 44), ("stall", StopReason.STALL, 55)]
)
def test_a_code_and_a_stall_are_kept_with_their_reason(bench, name, reason, index):
    dut = Trigger(CODED, keeps=True)

    async def drive(ctx):
        armed(ctx, dut, code=1)
        ctx.set(dut.code, {"index": 44, "time_ticks": 444})
        ctx.set(dut.stall, {"index": 55, "time_ticks": 555})
        await strobe(ctx, dut, name)
        await ctx.tick()
        assert ctx.get(dut.reason) == reason
        assert (ctx.get(dut.at.index), ctx.get(dut.at.time_ticks)) == (index, index // 11 * 111)
        # What matters came before a stall; after a code more is kept.
        await ctx.tick()
        assert ctx.get(dut.over) == (name == "stall")

    bench.simulate(dut, drive)


@pytest.mark.parametrize("name", ["latency", "missed"])
def test_what_is_not_armed_does_not_trigger(bench, name):
    dut = Trigger(GEOMETRY, keeps=True)

    async def drive(ctx):
        armed(ctx, dut, latency=name != "latency", missed=name != "missed")
        await strobe(ctx, dut, name)
        await ctx.tick()
        assert not ctx.get(dut.triggered)

    bench.simulate(dut, drive)


@pytest.mark.parametrize("pause", [0, 3])
def test_it_is_over_after_half_the_rings_depth_of_further_events(bench, pause):
    dut = Trigger(GEOMETRY, keeps=True)

    async def drive(ctx):
        armed(ctx, dut, latency=1)
        ctx.set(dut.taken, 1)
        await ctx.tick().repeat(5)
        await strobe(ctx, dut, "latency")
        for taken in range(GEOMETRY.ring_depth // 2):
            assert not ctx.get(dut.over), taken
            ctx.set(dut.taken, 1)
            await ctx.tick()
            ctx.set(dut.taken, 0)
            if pause:
                await ctx.tick().repeat(pause)
        await ctx.tick()
        assert ctx.get(dut.over)
        ctx.set(dut.taken, 1)
        await ctx.tick().repeat(40)
        assert ctx.get(dut.over)

    bench.simulate(dut, drive)


def test_it_is_over_after_its_time_without_events(bench, monkeypatch):
    monkeypatch.setattr(trigger, "POST_CLOCKS_BITS", 6)
    dut = Trigger(GEOMETRY, keeps=True)

    async def drive(ctx):
        armed(ctx, dut, missed=1)
        await strobe(ctx, dut, "missed")
        for clock in range(1 << 6):
            assert not ctx.get(dut.over), clock
            await ctx.tick()
        assert ctx.get(dut.over)

    bench.simulate(dut, drive)
