"""The matcher and the subtractions behind it, against the golden model."""

import numpy as np
import pytest

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor_sim.golden.matcher import match

from .parallel_bench import (
    assert_equal,
    check,
    drive,
    random_events,
    rules_for,
    stream_of,
)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("early", [0, 25])
def test_random_events_are_matched_as_the_golden_model_does(policy, early, seed):
    rules = rules_for(policy, least=15 if policy == Policy.WINDOW else 0, early=early)
    check(random_events(seed, 150, 60), rules, seed)


@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.full)])
def test_events_without_a_pause_between_them_are_matched_the_same(seed):
    check(random_events(seed, 200, 10), rules_for(timeout=40, deadline=9), seed, gaps=0)


def test_a_strike_expires_one_tick_after_its_time_out_and_not_before():
    for delay, answered in ((200, 1), (201, 0)):
        events = [(1000, 8, 1, 0), (1000 + delay, 0, 1, 1)]
        bench = drive(events, rules_for(deadline=1 << 20), 5000, 1)
        assert bench.classes[0][ResponseClass.ANSWERED] == answered
        assert bench.classes[0][ResponseClass.MISSED] == 1 - answered


def test_a_full_queue_refuses_the_next_strike_and_counts_it():
    strikes = [(1000 + 2 * n, 8, (n + 1) % 2, n) for n in range(40)]
    check(strikes, rules_for(timeout=10_000), 3)


def test_a_channel_can_be_timed_from_another_channels_falling_edge():
    check(random_events(9, 200, 30), rules_for(second=(0, 0)), 9)


def test_a_channel_can_be_timed_from_its_own_edge():
    check(random_events(5, 150, 30), rules_for(second=(1, 1)), 5)


def test_times_across_a_wrap_of_32_bits_are_compared_right():
    events = [
        (time + (1 << 32) - 1600, source, polarity, index)
        for time, source, polarity, index in random_events(11, 200, 80)
    ]
    assert events[20][0] < 1 << 32 < events[-20][0]
    check(events, rules_for(), 11)


@pytest.mark.parametrize(
    "boundary",
    [1 << 16, 1 << 32, *(pytest.param(1 << n, marks=pytest.mark.full) for n in (31, 48))],
)
@pytest.mark.parametrize("latency", [60, 61, 200, 201])
def test_a_response_is_classed_alike_wherever_its_strike_is(boundary, latency):
    for before in (1, 100, 150, 300):
        strike = boundary - before
        events = [(strike, 8, 1, 0), (strike + latency, 0, 1, 1), (strike + latency + 7, 0, 0, 2)]
        truth = match(stream_of(events), rules_for()[0], strike + 1000)
        expected = ResponseClass.ANSWERED if latency <= 60 else ResponseClass.LATE
        assert bool(truth.classes[expected]) == (latency <= 200)
        assert_equal(drive(events, rules_for(), strike + 1000, 1), 0, truth)


@pytest.mark.parametrize("latency", [14, 15, 16])
def test_the_window_opens_at_its_least_latency(latency):
    rules = rules_for(Policy.WINDOW, least=15)
    bench = drive([(1000, 8, 1, 0), (1000 + latency, 0, 1, 1)], rules, 1500, 1)
    assert bench.classes[0][ResponseClass.ANSWERED] == (latency >= 15)
    assert bench.classes[0][ResponseClass.SPURIOUS] == (latency < 15)


def test_responses_that_follow_at_once_answer_one_strike_each():
    strikes = [(1000 + n, 8, 1 - n % 2, n) for n in range(12)]
    responses = [(1020 + n, 0, 1 - n % 2, 12 + n) for n in range(12)]
    bench = drive(strikes + responses, rules_for(), 2000, 1, gaps=0)
    assert [sample[0] for sample in bench.rise[0]] == [20] * 6
    assert bench.classes[0][ResponseClass.ANSWERED] == 6


@pytest.mark.parametrize("between", [0, 1, 2, 3])
def test_a_strike_just_queued_is_answered_by_the_next_response_but_one(between):
    # Edges of the other channel keep the matcher busy for so many clocks.
    others = [(1, n % 2) for n in range(between)]
    kinds = [(8, 1), (8, 0), (8, 1), *others, (0, 1), (0, 0), *others, (0, 1)]
    events = [(1000 + n, *kind, n) for n, kind in enumerate(kinds)]
    bench = drive(events, rules_for(), 2000, 1, gaps=0)
    assert [sample[0] for sample in bench.rise[0]] == [3 + between, 3 + 2 * between]


def test_events_of_channels_that_stand_are_taken_one_a_clock():
    # Two strikes each, with time to be queued; then nothing but news for other channels.
    strikes = [(1000 + 10 * n, 8 + n % 2, n // 2 % 2, n) for n in range(8)]
    kinds = [(0, 1), (1, 1), (0, 0), (1, 0), (8, 0), (9, 0)] + [(10, n % 2) for n in range(20)]
    rest = [(1200 + n, *kind, 8 + n) for n, kind in enumerate(kinds)]
    bench = drive(strikes + rest, rules_for(timeout=1000), 1300, 1, gaps=0)
    assert [len(samples) for samples in bench.rise] == [1, 1]
    assert set(np.diff(bench.taken_clocks[-len(rest) + 1 :])) == {1}


def test_strikes_answered_on_two_channels_are_taken_as_often_as_documented():
    kinds = [(8, 1), (8, 0), (0, 1), (0, 0), (1, 1), (1, 0)]
    events = [(1000 + n, *kinds[n % len(kinds)], n) for n in range(20 * len(kinds))]
    bench = drive(events, rules_for(second=(SOURCE_STRIKE, 1)), 2000, 1, gaps=0)
    assert [sample[0] for sample in bench.rise[0]] == [2] * 20
    assert [sample[0] for sample in bench.rise[1]] == [4] * 20
    assert max(np.diff(bench.taken_clocks[:: len(kinds)])) <= 14
