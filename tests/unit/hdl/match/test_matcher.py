"""The matcher of a paced build, against the golden model."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor_hdl.interfaces import PACE_CLOCKS
from plexor_hdl.match.accept import ROUND_BIT, round_bit
from plexor_hdl.match.turns import BACK_CLOCKS, LOOK_CLOCKS
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

OTHER_CLOCKS = 2


@pytest.fixture(params=[FULL, LEAN, SILENT], ids=["full", "events", "silent"])
def build(request):
    """Return a build, with all features or few, its limits in registers or in memories."""
    return request.param


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2))]
)
@pytest.mark.parametrize("depth", [4, pytest.param(8, marks=pytest.mark.full)])
@pytest.mark.parametrize("stalls", [NONE, ROUGH], ids=["quick", "rough"])
@pytest.mark.parametrize("policy", Policy)
def test_random_events_are_matched_as_the_golden_model_does(policy, stalls, depth, seed, build):
    rules = rules_for(policy, least=15 if policy == Policy.WINDOW else 0, depth=depth)
    geometry = replace(build, queue_depth=depth)
    check(random_events(seed + 20, 250, 30), rules, seed, geometry=geometry, stalls=stalls)


@pytest.mark.parametrize("second", [(0, 0), (0, 1), (1, 1), (1, 0)])
def test_a_channel_can_be_timed_from_any_channels_edge(second, build):
    for policy in (Policy.OLDEST, Policy.LATEST):
        rules = rules_for(policy, second=second, timeout=60, deadline=9)
        check(random_events(9, 200, 20), rules, 9, geometry=build, stalls=NONE)


@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.full)])
def test_expired_strikes_are_missed_before_a_response_and_before_a_strike(seed, build):
    # So seldom answered that most expire, and often in a full queue.
    events = [event for event in random_events(seed, 400, 30) if event[1] > 1 or event[3] % 5 == 0]
    check(events, rules_for(timeout=90, deadline=9), seed, geometry=build, stalls=NONE)


def test_a_strike_expires_one_tick_after_its_time_out_and_not_before(build):
    for delay, answered in ((200, 1), (201, 0)):
        events = [(1000, 8, 1, 0), (1000 + delay, 0, 1, 1)]
        bench = drive(events, rules_for(deadline=1 << 20), 5000, 1, geometry=build)
        assert bench.classes[0][ResponseClass.ANSWERED] == answered
        assert bench.classes[0][ResponseClass.MISSED] == 1 - answered


def test_a_full_queue_refuses_the_next_strike_and_counts_it(build):
    strikes = [(1000 + 2 * n, 8, (n + 1) % 2, n) for n in range(40)]
    check(strikes, rules_for(timeout=10_000), 3, geometry=build)


def test_a_full_queue_takes_a_strike_once_the_oldest_has_expired(build):
    strikes = [(1000 + 2 * n, 8, (n + 1) % 2, n) for n in range(16)]
    later = [(1101, 8, 1, 16), (1102, 8, 0, 17), (1105, 8, 1, 18)]
    bench = drive(strikes + later, rules_for(timeout=100), 1106, 1, geometry=build, stalls=NONE)
    assert bench.classes[0][ResponseClass.QUEUE_FULL] == 0
    assert bench.classes[0][ResponseClass.MISSED] == 2
    assert bench.pending[0] == 8


@pytest.mark.parametrize("policy", [Policy.OLDEST, Policy.LATEST])
def test_strikes_that_a_clear_has_found_are_of_no_later_run(policy, build):
    before = [(1000 + 20 * n, 8, (n + 1) % 2, n) for n in range(10)]
    before.insert(5, (1081, 0, 1, 20))
    events = random_events(12, 60, 30)
    check(events, rules_for(policy), 12, geometry=build, before=before)


def test_times_across_a_wrap_of_32_bits_are_compared_right(build):
    events = [
        (time + (1 << 32) - 1600, source, polarity, index)
        for time, source, polarity, index in random_events(11, 200, 80)
    ]
    assert events[20][0] < 1 << 32 < events[-20][0]
    check(events, rules_for(), 11, geometry=build)


@pytest.mark.parametrize("boundary", [1 << 16, 1 << 31, 1 << 32])
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


@pytest.mark.parametrize("latency", [14, 15, 16])
def test_the_window_opens_at_its_least_latency(latency, build):
    rules = rules_for(Policy.WINDOW, least=15)
    events = [(1000, 8, 1, 0), (1000 + latency, 0, 1, 1)]
    bench = drive(events, rules, 1500, 1, geometry=build)
    assert bench.classes[0][ResponseClass.ANSWERED] == (latency >= 15)
    assert bench.classes[0][ResponseClass.SPURIOUS] == (latency < 15)


def test_a_response_repeats_one_up_to_the_time_out_after_its_strike(build):
    for delay, kind in ((200, ResponseClass.DUPLICATE), (201, ResponseClass.SPURIOUS)):
        events = [(1000, 8, 1, 0), (1050, 0, 1, 1), (1051, 0, 0, 2), (1000 + delay, 0, 1, 3)]
        bench = drive(events, rules_for(), 1300, 1, geometry=build)
        assert bench.classes[0][ResponseClass.ANSWERED] == 1
        assert bench.classes[0][kind] == 1


def test_two_responses_without_an_edge_back_between_are_told_apart(build):
    # Of which one may have been dropped: the second one comes as soon as it can.
    events = [(1000, 8, 1, 0), (1050, 0, 1, 1), (1051, 0, 1, 2), (1052, 0, 1, 3)]
    bench = drive(events, rules_for(), 1100, 1, geometry=build, stalls=NONE)
    assert bench.classes[0][ResponseClass.ANSWERED] == 1
    assert bench.classes[0][ResponseClass.DUPLICATE] == 2


def test_strikes_of_a_channel_expire_while_only_others_have_events(build):
    strikes = [(1000, 9, 1, 0), (1001, 9, 0, 1)]
    others = [(1010 + 4 * n, 8, n % 2, 2 + n) for n in range((1 << ROUND_BIT) // 4)]
    rules = rules_for(timeout=200, second=(SOURCE_STRIKE + 1, 1))
    rules[0] = replace(rules[0], reference_source=0)
    bench = drive(strikes + others, rules, 1 << 20, 1, geometry=build, stalls=NONE)
    assert bench.missed_clocks[1][0] < bench.taken_clocks[-1]


def test_events_take_as_long_as_documented(build):
    kinds = [(8, 1), (8, 0), (0, 1), (0, 0), (1, 1), (1, 0)]
    events = [(1000 + n, *kinds[n % len(kinds)], n) for n in range(20 * len(kinds))]
    rules = rules_for(second=(SOURCE_STRIKE, 1))
    bench = drive(events, rules, 2000, 1, geometry=build, stalls=NONE)
    assert bench.rises(0) == [2] * 20
    assert bench.rises(1) == [4] * 20
    answer = [LOOK_CLOCKS, BACK_CLOCKS] if build is FULL else [LOOK_CLOCKS + 1, OTHER_CLOCKS]
    clocks = [2 * OTHER_CLOCKS, OTHER_CLOCKS] + 2 * answer
    # The first event of a run finds the horizon.
    found = np.diff(bench.taken_clocks)[len(kinds) :]
    assert found[: 4 * len(kinds)].tolist() == 4 * clocks


@pytest.mark.parametrize("between", range(6))
def test_answers_come_pace_clocks_apart_at_least(between, build):
    # All strikes, then the responses of both channels in turn; other edges between them.
    kinds = [(8, 1 - n % 2) for n in range(8)]
    for number in range(8):
        kinds += [(0, 1 - number % 2), (1, 1 - number % 2), *[(9, 0)] * between]
    events = [(1000 + n, *kind, 0) for n, kind in enumerate(kinds)]
    rules = rules_for(second=(SOURCE_STRIKE, 1), timeout=500)
    bench = drive(events, rules, 2000, 1, geometry=build, stalls=NONE)
    for number, rule in enumerate(rules):
        truth = match(stream_of(events), rule, 2000)
        assert len(truth.rise.value_ticks) == 4
        assert bench.rises(number) == truth.rise.value_ticks.tolist()
    if build is not FULL:
        clocks = bench.value_clocks
        assert min(after - before for before, after in pairwise(clocks)) >= PACE_CLOCKS


def test_a_last_match_is_forgotten_while_only_others_have_events(build):
    # 2**32 ticks behind it: its age looks as if it were within the time-out.
    strike, late = 1000, 1000 + (1 << 32)
    events = [(strike, 8, 1, 0), (strike + 10, 0, 1, 1), (strike + 20, 0, 0, 2)]
    step = (1 << 29) + (1 << round_bit(build))
    events += [(time, 9, n % 2, 3 + n) for n, time in enumerate(range(step, late, step))]
    events.append((late + 50, 0, 1, len(events)))
    bench = drive(events, rules_for(timeout=200), late + 60, 1, geometry=build, stalls=NONE)
    assert bench.classes[0][ResponseClass.SPURIOUS] == 1
