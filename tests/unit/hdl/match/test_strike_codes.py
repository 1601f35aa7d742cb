# SPDX-License-Identifier: Apache-2.0
"""Codes at strikes: each goes with the latency of its strike, whatever the matcher does."""

import random

import numpy as np
import pytest

from plexor.protocol.frames import SOURCE_CODE, SOURCE_STRIKE
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import Policy
from plexor_hdl.interfaces import Kind
from plexor_hdl.match.matcher import Matcher
from plexor_sim.golden.matcher import match

from ..matcher_bench import rules_for, stream_of
from ..matcher_events import random_events
from ..simulation import made

DRAIN_CLOCKS = 60
BUILDS = {
    "full": ALL_FEATURES | Feature.CODES,
    "no table": (ALL_FEATURES & ~Feature.SWEEP) | Feature.CODES,
}


def coded(events, seed):
    """Return events with codes between them: (time, source, polarity, code)."""
    rng, found = random.Random(seed), []
    for time, source, polarity, _ in events:
        found.append((time, source, polarity, 0))
        if rng.random() < 0.5:
            found.append((time, SOURCE_CODE, 1, rng.randrange(1, 64)))
    return found


def measured(geometry, events, rules, channel, seed):
    """Return (code, latency) of each latency of a channel, as the matcher hands them out."""
    dut, rng, found, done = made(Matcher, geometry), random.Random(seed), [], []

    async def send(ctx):
        first = rules[0]
        for name in ("policy", "timeout_ticks", "window_min_ticks", "early_ticks"):
            ctx.set(dut.settings[name], getattr(first, name))
        for number, rule in enumerate(rules):
            ctx.set(dut.channels[number].enable, 1)
            ctx.set(dut.channels[number].reference_source, rule.reference_source)
            ctx.set(dut.channels[number].reference_polarity, rule.reference_polarity)
            ctx.set(dut.deadlines[number], rule.deadline_ticks)
        ctx.set(dut.latency_channel, channel)
        ctx.set(dut.room, 1)
        await ctx.tick().repeat(4)
        for time, source, polarity, code in events:
            ctx.set(dut.i_beat.event.time_ticks, time)
            ctx.set(dut.i_beat.event.source, source)
            ctx.set(dut.i_beat.event.polarity, polarity)
            ctx.set(dut.i_beat.is_event, 1)
            ctx.set(dut.i_valid, 1)
            await ctx.tick().until(dut.i_ready)
            ctx.set(dut.i_valid, 0)
            if source == SOURCE_CODE:
                ctx.set(dut.i_beat.code, code)
            while rng.random() < 0.3:
                await ctx.tick()
        await ctx.tick().repeat(DRAIN_CLOCKS)
        done.append(True)

    async def watch(ctx):
        values = dut.o_measured
        while not done:
            ctx.set(values.ready, rng.random() < 0.7)
            _, _, valid, ready, value = await ctx.tick().sample(
                values.valid, values.ready, values.payload
            )
            if valid and ready and value.kind == Kind.RISE and value.channel == channel:
                found.append((value.code, value.value_ticks))

    return found, (send, watch), dut


@pytest.mark.parametrize("channel", [pytest.param(0, marks=pytest.mark.full), 1])
@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("build", BUILDS)
def test_each_latency_comes_with_the_code_at_its_strike(bench, build, policy, channel):
    early = 25 if build == "full" else 0
    rules = rules_for(policy, least=15 if policy == Policy.WINDOW else 0, early=early)
    check(bench, build, rules, channel)


@pytest.mark.parametrize("build", BUILDS)
def test_a_code_right_behind_a_strike_of_both_channels_does_not_count_for_the_second(bench, build):
    check(bench, build, rules_for(second=(SOURCE_STRIKE, 1)), 1)


def check(bench, build, rules, channel):
    """Assert that each latency of a channel comes with the code that was in force."""
    geometry = Geometry(channels=2, strikes=2, queue_depth=8, code_bits=6, features=BUILDS[build])
    events = coded(random_events(7, 150, 60), 8)
    found, scripts, dut = measured(geometry, events, rules, channel, 9)
    bench.simulate(dut, *scripts)
    plain = stream_of([(t, s, p, n) for n, (t, s, p, _) in enumerate(events)])
    end = events[-1][0] + 1
    rise = match(plain.chosen(plain.source != SOURCE_CODE), rules[channel], end).rise
    assert len(found) == len(rise) > 10
    assert [value for _, value in found] == rise.value_ticks.tolist()
    strikes = np.where(rise.value_ticks > 0, rise.time_ticks - rise.value_ticks, rise.time_ticks)
    in_force, at_strike = 0, {}
    for time, source, polarity, code in events:
        if source == SOURCE_CODE:
            in_force = code
        elif (source, polarity) == (rules[channel].reference_source, 1):
            at_strike[time] = in_force
    assert [code for code, _ in found] == [at_strike[time] for time in strikes.tolist()]
