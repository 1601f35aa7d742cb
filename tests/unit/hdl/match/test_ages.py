# SPDX-License-Identifier: Apache-2.0
"""Ages of stored times, and what they are compared with, against plain integers."""

import random

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.control.limits import SHARED, in_memories
from plexor_hdl.match.ages import COPY_CLOCKS, Ages

from ..simulation import made, simulate

FULL = Geometry(channels=2, features=ALL_FEATURES)
LEAN = Geometry(channels=2, features=Feature.EVENTS)
SILENT = Geometry(channels=2, features=Feature(0))
BUILDS = {"early": (FULL, True), "one": (LEAN, False), "few": (SILENT, False)}
ADDRESS_BITS = 3
WORDS = 1 << 32
LIMITS = {
    "timeout_ticks": 0x1_0005,
    "early_ticks": 300,
    "window_min_ticks": 0xFFFF,
    "trigger_latency_ticks": 70_000,
    "deadlines": (50, 0x2_0000),
}


def build(name):
    """Return a build's ages, and whether they know of early responses and of memories."""
    geometry, several = BUILDS[name]
    dut = made(Ages, geometry, several, ADDRESS_BITS)
    return dut, Feature.EARLY in geometry.features, in_memories(geometry)


async def set_limits(ctx, dut, memories, **limits):
    """Set the limits, in memories where the build has them there."""
    limits = {**LIMITS, **limits}
    for name in ("timeout_ticks", "early_ticks", "window_min_ticks"):
        ctx.set(dut.settings[name], limits[name])
    for number, deadline in enumerate(limits["deadlines"]):
        ctx.set(dut.deadlines[number], deadline)
    ctx.set(dut.trigger_latency_ticks, limits["trigger_latency_ticks"])
    if memories:
        values = [limits[name] for _, name in SHARED] + list(limits["deadlines"])
        for place, value in enumerate(values):
            ctx.set(dut.limit_data, value % WORDS)
            ctx.set(dut.limit_stb, 1 << place)
            await ctx.tick()
            ctx.set(dut.limit_stb, 0)
            await ctx.tick()
    await ctx.tick().repeat(4)


async def store(ctx, dut, place, time):
    """Store a time."""
    ctx.set(dut.time_n, ~time % WORDS)
    ctx.set(dut.write, place)
    for half in range(2):
        ctx.set(dut.store, not half)
        ctx.set(dut.half, half)
        await ctx.tick()
    ctx.set(dut.half, 0)
    await ctx.tick().repeat(2)


async def look(ctx, dut, place, time, *, held=0, joins=0, channel=0):
    """Read the time at a place; return what is known of it in clocks 4, 5 and 6."""
    ctx.set(dut.time_n, ~time % WORDS)
    ctx.set(dut.channel, channel)
    ctx.set(dut.held, held)
    known = {}
    for clock in range(7):
        ctx.set(dut.read, place | (clock & 1) << ADDRESS_BITS)
        ctx.set(dut.low_half, clock == 2)
        ctx.set(dut.high_half, clock == 3)
        ctx.set(dut.half, clock == 2)
        ctx.set(dut.joins, joins and clock > 0)
        if clock == 4:
            known["age"] = ~ctx.get(dut.age_n) % WORDS
        if clock >= 5:
            names = ("old", "opened", "over", "late", "slack")
            known[clock] = {name: ctx.get(getattr(dut, name)) for name in names}
        await ctx.tick()
    ctx.set(dut.joins, 0)
    return known


def times(ages):
    """Return pairs of a time stored and a later one: also where one of them wraps."""
    stored = (0, 5, 0xFFFF, 0x7FFF_FFF0, 0xFFFF_0000, 0xFFFF_FFFF)
    return [(before, (before + age) % WORDS) for before in stored for age in ages]


def around(*values):
    return sorted({max(value + more, 0) for value in values for more in (-1, 0, 1)})


@pytest.mark.parametrize("name", BUILDS)
@pytest.mark.parametrize("channel", [0, 1])
def test_an_age_is_exact_and_beyond_each_limit_from_the_next_tick_on(name, channel):
    dut, early, memories = build(name)
    deadline = LIMITS["deadlines"][channel]
    ages = around(0, 0x1_0005, 0xFFFF, 70_000, deadline, 0x7FFF_FFFE)

    async def bench(ctx):
        await set_limits(ctx, dut, memories)
        for before, now in times(ages):
            await store(ctx, dut, 6, before)
            known = await look(ctx, dut, 6, now, channel=channel)
            age = (now - before) % WORDS
            assert known["age"] == age
            first, values = known[5], known[6 if early else 5]
            assert first["old"] == (age > LIMITS["timeout_ticks"])
            assert first["opened"] == (age >= LIMITS["window_min_ticks"])
            assert values["over"] == (age > LIMITS["trigger_latency_ticks"])
            assert values["late"] == (age > deadline)

    simulate(dut, bench)


@pytest.mark.parametrize("name", BUILDS)
def test_every_latency_is_over_a_limit_below_0(name):
    dut, early, memories = build(name)

    async def bench(ctx):
        await set_limits(ctx, dut, memories, trigger_latency_ticks=-1, deadlines=(-70_000, 0))
        for before, now in times([0, 1, 0x1_0000, 0x7FFF_FFFF]):
            await store(ctx, dut, 6, before)
            known = (await look(ctx, dut, 6, now))[6 if early else 5]
            assert known["over"]
            assert known["late"]

    simulate(dut, bench)


def test_a_joined_response_has_a_latency_below_0():
    dut, *_ = build("early")
    latencies = (-1, -2, -300, -0xFFFF, -0x1_0000, -70_001, -70_000, -69_999, -0x7FFF_FFFF, 0)

    async def bench(ctx):
        await set_limits(ctx, dut, 0, trigger_latency_ticks=-70_000, deadlines=(-2, 0))
        for response, strike in times([-latency for latency in latencies]):
            await store(ctx, dut, 2, response)
            known = await look(ctx, dut, 2, strike, joins=1)
            latency = -((strike - response) % WORDS)
            # Here it is no complement.
            assert ~known["age"] % WORDS == latency % WORDS
            assert known[6]["over"] == (latency > -70_000)
            assert known[6]["late"] == (latency > -2)

    simulate(dut, bench)


@pytest.mark.parametrize("held", [0, 1])
def test_slack_is_what_is_left_until_a_strike_or_a_held_response_expires(held):
    dut, *_ = build("early")
    limit = LIMITS["early_ticks" if held else "timeout_ticks"]

    async def bench(ctx):
        await set_limits(ctx, dut, 0)
        for before, now in times(around(0, 1, 300, 0x1_0005)):
            await store(ctx, dut, 1, before)
            known = (await look(ctx, dut, 1, now, held=held))[5]
            age = (now - before) % WORDS
            assert known["old"] == (age > limit)
            if age <= limit:
                assert known["slack"] == limit - age

    simulate(dut, bench)


@pytest.mark.parametrize("name", BUILDS)
def test_a_word_that_was_read_is_copied_whole_and_all_others_stand(name):
    dut, _, memories = build(name)
    several, rng = BUILDS[name][1], random.Random(4)

    async def bench(ctx):
        await set_limits(ctx, dut, memories)
        kept = {}
        for place in range(1 << ADDRESS_BITS):
            kept[place] = rng.getrandbits(32)
            await store(ctx, dut, place, kept[place])
        for _ in range(12):
            here, there = rng.sample(range(1 << ADDRESS_BITS), 2)
            ctx.set(dut.time_n, rng.getrandbits(32))
            begin = 2 + (COPY_CLOCKS if several else 0)
            for clock in range(begin + 4):
                ctx.set(dut.read, here | (clock & 1) << ADDRESS_BITS)
                ctx.set(dut.write, there)
                ctx.set(dut.store, clock == begin)
                ctx.set(dut.copy, clock == begin)
                await ctx.tick()
            kept[there] = kept[here]
            for place, time in kept.items():
                assert (await look(ctx, dut, place, time))["age"] == 0

    simulate(dut, bench)
