# SPDX-License-Identifier: Apache-2.0
"""The matcher of a paced build, against the golden model."""

from dataclasses import replace

import pytest

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor_hdl.match.accept import ROUND_BIT
from plexor_sim.golden.matcher import match

from ..matcher_bench import (
    FULL,
    LEAN,
    NONE,
    ROUGH,
    SILENT,
    assert_equal,
    check,
    drive,
    rules_for,
    stream_of,
)
from ..matcher_events import random_events


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2))]
)
@pytest.mark.parametrize("count", [100, pytest.param(250, marks=pytest.mark.full)])
@pytest.mark.parametrize("depth", [4, pytest.param(8, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "stalls", [pytest.param(NONE, marks=pytest.mark.full), ROUGH], ids=["quick", "rough"]
)
@pytest.mark.parametrize(
    ("build", "policy"),
    [
        pytest.param(
            build,
            policy,
            marks=() if policy in quick else pytest.mark.full,
            id=f"{name}-{policy.name}",
        )
        for name, build, quick in (
            ("full", FULL, tuple(Policy)),
            ("events", LEAN, (Policy.LATEST,)),
            ("silent", SILENT, (Policy.WINDOW,)),
        )
        for policy in Policy
    ],
)
def test_random_events_are_matched_as_the_golden_model_does(
    policy, stalls, depth, seed, build, count
):
    rules = rules_for(policy, least=15 if policy == Policy.WINDOW else 0, depth=depth)
    geometry = replace(build, queue_depth=depth)
    check(random_events(seed + 20, count, 30), rules, seed, geometry=geometry, stalls=stalls)


@pytest.mark.parametrize("count", [80, pytest.param(200, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "second",
    [*(pytest.param(s, marks=pytest.mark.full) for s in ((0, 0), (0, 1), (1, 1))), (1, 0)],
)
def test_a_channel_can_be_timed_from_any_channels_edge(second, build, count):
    for policy in (Policy.OLDEST, Policy.LATEST):
        rules = rules_for(policy, second=second, timeout=60, deadline=9)
        check(random_events(9, count, 20), rules, 9, geometry=build, stalls=NONE)


def test_times_across_a_wrap_of_32_bits_are_compared_right(build):
    events = [
        (time + (1 << 32) - 1600, source, polarity, index)
        for time, source, polarity, index in random_events(11, 200, 80)
    ]
    assert events[20][0] < 1 << 32 < events[-20][0]
    check(events, rules_for(), 11, geometry=build)


@pytest.mark.parametrize(
    "boundary", [*(pytest.param(1 << n, marks=pytest.mark.full) for n in (16, 31)), 1 << 32]
)
@pytest.mark.parametrize("latency", [60, 61, 200, 201])
def test_a_response_is_classed_alike_wherever_its_strike_is(boundary, latency, build):
    for before in (1, 100, 150, 300):
        strike = boundary - before
        events = [(strike, 8, 1, 0), (strike + latency, 0, 1, 1), (strike + latency + 7, 0, 0, 2)]
        truth = match(stream_of(events), rules_for()[0], strike + 1000)
        expected = ResponseClass.ANSWERED if latency <= 60 else ResponseClass.LATE
        assert bool(truth.classes[expected]) == (latency <= 200)
        assert_equal(drive(events, rules_for(), strike + 1000, 1, geometry=build), 0, truth)


@pytest.mark.parametrize("deadline", [-1, 0, 0xFFFF, 0x10000, 0x1FFFF, 0x7FFFFFFF])
def test_late_is_what_is_over_the_deadline(deadline, build):
    for latency in (0xFFFF, 0x10000, 0x10001, 0x1FFFF, 0x20000):
        events = [(1000, 8, 1, 0), (1000 + latency, 0, 1, 1)]
        rules = rules_for(timeout=(1 << 31) - 1, deadline=deadline)
        bench = drive(events, rules, 1 << 20, 1, geometry=build)
        assert bench.classes[0][ResponseClass.LATE] == (latency > deadline)
        assert bench.classes[0][ResponseClass.ANSWERED] == (latency <= deadline)


@pytest.mark.parametrize("first", [0, 1])
def test_each_channels_response_is_late_by_its_own_deadline(first, build):
    rules = rules_for(second=(SOURCE_STRIKE, 1))
    rules = [replace(rule, deadline_ticks=10 + 0x10000 * (rule.source == first)) for rule in rules]
    events = [(1000, 8, 1, 0), (1011, 0, 1, 1), (1011, 1, 1, 2), (1020, 0, 0, 3), (1020, 1, 0, 4)]
    bench = drive(events, rules, 5000, 1, geometry=build)
    assert [bench.classes[n][ResponseClass.LATE] for n in (0, 1)] == [first, 1 - first]
    assert [bench.classes[n][ResponseClass.ANSWERED] for n in (0, 1)] == [1 - first, first]


@pytest.mark.parametrize("limit", [-1, 0, 0xFFFF, 0x10000])
def test_a_latency_over_the_triggers_triggers(limit, build):
    latencies = (0xFFFE, 0xFFFF, 0x10000, 0x10001)
    events = []
    for number, latency in enumerate(latencies):
        start = 0x100000 * number
        events += [(start, 8, 1, 0), (start + latency, 0, 1, 0), (start + latency + 9, 0, 0, 0)]
    rules = rules_for(timeout=1 << 20)
    bench = drive(events, rules, 1 << 23, 1, geometry=build, stalls=NONE, trigger_ticks=limit)
    assert len(bench.triggers) == sum(latency > limit for latency in latencies)


@pytest.mark.full
@pytest.mark.parametrize("build", [FULL, LEAN, SILENT], ids=["full", "events", "silent"])
def test_strikes_of_a_channel_expire_while_only_others_have_events(build):
    strikes = [(1000, 9, 1, 0), (1001, 9, 0, 1)]
    others = [(1010 + 4 * n, 8, n % 2, 2 + n) for n in range((1 << ROUND_BIT) // 4)]
    rules = rules_for(timeout=200, second=(SOURCE_STRIKE + 1, 1))
    rules[0] = replace(rules[0], reference_source=0)
    bench = drive(strikes + others, rules, 1 << 20, 1, geometry=build, stalls=NONE)
    assert bench.missed_clocks[1][0] < bench.taken_clocks[-1]
