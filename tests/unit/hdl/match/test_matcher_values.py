# SPDX-License-Identifier: Apache-2.0
"""What the matcher measures beside rise latencies, and responses before their strike."""

from dataclasses import replace

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature
from plexor.protocol.memory import VALUE_MOST, ResponseClass
from plexor.protocol.registers import Policy
from plexor_hdl.interfaces import Kind
from plexor_sim.golden.matcher import match

from ..matcher_bench import (
    FULL,
    NONE,
    ROUGH,
    assert_equal,
    check,
    drive,
    rules_for,
    stream_of,
)
from ..matcher_events import random_events

FULL_ONLY = pytest.mark.full
BUILDS = {
    "table": ALL_FEATURES,
    "no table": ALL_FEATURES & ~(Feature.SWEEP | Feature.RING),
    "events": Feature.EVENTS | Feature.MATCH,
    "silent": Feature.MATCH,
}
ANY_EDGE = ((3, (0, 0)),)
"""Time before a strike and reference of a second channel, of `make test`."""
LARGE = (VALUE_MOST - 1, VALUE_MOST, VALUE_MOST + 1, (1 << 32) - 1, (1 << 32) + 5, (1 << 34) + 7)


@pytest.mark.parametrize("count", [100, pytest.param(200, marks=FULL_ONLY)])
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=FULL_ONLY) for n in (1, 2, 3))])
@pytest.mark.parametrize(
    "stalls", [pytest.param(NONE, marks=FULL_ONLY), ROUGH], ids=["quick", "rough"]
)
@pytest.mark.parametrize(
    "policy",
    [pytest.param(n, marks=() if n == Policy.WINDOW else FULL_ONLY) for n in Policy],
)
def test_early_responses_are_matched_as_the_golden_model_does(policy, stalls, seed, count):
    rules = rules_for(policy, least=15 if policy == Policy.WINDOW else 0, early=25)
    check(random_events(seed, count, 60), rules, seed, stalls=stalls)


@pytest.mark.parametrize("count", [100, pytest.param(200, marks=FULL_ONLY)])
@pytest.mark.parametrize(
    ("early", "second"),
    [
        pytest.param(early, second, marks=() if (early, second) in ANY_EDGE else FULL_ONLY)
        for early in (3, 300)
        for second in ((0, 0), (0, 1), (1, 1), (1, 0))
    ],
)
def test_early_responses_to_any_channels_edge_are_matched_as_the_golden_model_does(
    second, early, count
):
    for policy in (Policy.OLDEST, Policy.WINDOW):
        rules = rules_for(policy, second=second, timeout=60, least=4, deadline=9, early=early)
        check(random_events(9, count, 20), rules, 9, stalls=NONE)


@pytest.mark.parametrize("build", BUILDS)
def test_each_build_does_what_the_golden_model_does(build):
    geometry = replace(FULL, features=BUILDS[build])
    rules = rules_for(early=25 if Feature.EARLY in geometry.features else 0)
    check(random_events(31, 200, 40), rules, 31, geometry=geometry, stalls=ROUGH)


@pytest.mark.parametrize("deadline", [-30, -11, -10, -9, -1, 0, 1])
def test_an_early_response_is_late_over_a_deadline_below_0(deadline):
    for latency in (-10, -9, 0):
        events = [(1000, 0, 1, 0), (1000 - latency, 8, 1, 1), (1000 - latency, 9, 1, 2)]
        rules = rules_for(early=20, deadline=deadline)
        rules[0] = replace(rules[0], reference_source=9)
        bench = drive(events, rules, 5000, 1)
        assert bench.rises(0) == [latency]
        assert bench.classes[0][ResponseClass.LATE] == (latency > deadline)
        assert bench.classes[0][ResponseClass.ANSWERED] == (latency <= deadline)
        assert bench.classes[0][ResponseClass.EARLY] == 1


@pytest.mark.parametrize("limit", [-11, -10, -9, 0])
def test_an_early_latency_over_the_triggers_triggers_with_its_strike(limit):
    events = [(1000, 0, 1, 7), (1010, 8, 1, 8), (1020, 8, 0, 9)]
    bench = drive(events, rules_for(early=20), 5000, 1, trigger_ticks=limit)
    assert bench.triggers == [(8, 1010)] * (limit < -10)


def test_a_held_response_waits_for_a_strike_as_long_as_it_may_and_no_longer():
    for delay, early in ((20, 1), (21, 0)):
        events = [(1000, 0, 1, 0), (1000 + delay, 8, 1, 1)]
        bench = drive(events, rules_for(early=20), 5000, 1)
        assert bench.classes[0][ResponseClass.EARLY] == early
        assert bench.classes[0][ResponseClass.SPURIOUS] == 1 - early


def test_a_response_that_is_held_at_the_end_of_a_run_is_settled():
    for events, kind in (
        ([(1000, 0, 1, 0)], ResponseClass.SPURIOUS),
        ([(900, 8, 1, 0), (950, 0, 1, 1), (1000, 0, 1, 2)], ResponseClass.DUPLICATE),
    ):
        bench = drive(events, rules_for(early=20), 1005, 1)
        assert bench.classes[0][kind] == 1


def test_a_held_response_repeats_a_strike_that_was_matched_behind_it():
    # It comes before the window, the next one in it; no other strike comes.
    events = [(1000, 8, 1, 0), (1010, 0, 1, 1), (1012, 0, 0, 2), (1020, 0, 1, 3), (1100, 8, 0, 4)]
    bench = check(events, rules_for(Policy.WINDOW, least=15, early=30), 1)
    assert bench.classes[0][ResponseClass.DUPLICATE] == 1
    assert bench.classes[0][ResponseClass.SPURIOUS] == 0


def test_many_channels_held_responses_join_one_strike():
    geometry = replace(FULL, channels=8)
    events = [(1000 + n, n, 1, n) for n in range(8)] + [(1010, 8, 1, 8), (1012, 8, 0, 9)]
    rules = [replace(rules_for(early=50)[0], source=n) for n in range(8)]
    check(events, rules, 1, geometry=geometry, stalls=replace(ROUGH, pauses=0))


@pytest.mark.parametrize("gap", LARGE)
@pytest.mark.parametrize("news", [1 << 30, (1 << 31) - 1])
def test_spans_of_any_length_are_taken_as_2_to_the_31_less_1_at_most(gap, news):
    # News of the time comes between, as it does wherever no event does.
    rise, back = 1100, 1100 + gap
    events = [(1000, 8, 1, 0), (rise, 0, 1, 1), (back, 0, 0, 2), (back + gap, 0, 1, 3)]
    bench = drive(events, rules_for(timeout=1 << 30), back + gap + 10, 1, news_ticks=news)
    truth = match(stream_of(events), rules_for(timeout=1 << 30)[0], back + gap + 10)
    assert_equal(bench, 0, truth)
    assert [value for value, *_ in bench.values[0][Kind.WIDTH]] == [min(gap, VALUE_MOST)]


@pytest.mark.parametrize(
    ("rise_ticks", "width"),
    [
        pytest.param((1 << 31) - 2, 1, marks=FULL_ONLY),
        ((1 << 31) - 2, 2),
        pytest.param((1 << 31) - 2, (1 << 31) - 1, marks=FULL_ONLY),
        *(pytest.param(1 << 30, width, marks=FULL_ONLY) for width in (1, 2, (1 << 31) - 1)),
    ],
)
def test_a_fall_latency_is_exact_where_its_strike_is_older_than_2_to_the_31(rise_ticks, width):
    rise = 1000 + rise_ticks
    events = [(1000, 8, 1, 0), (rise, 0, 1, 1), (rise + width, 0, 0, 2)]
    rules = rules_for(timeout=(1 << 31) - 1)
    bench = drive(events, rules, rise + width + 1, 1, news_ticks=1 << 24)
    assert_equal(bench, 0, match(stream_of(events), rules[0], rise + width + 1))


def test_an_edge_back_is_measured_with_the_strike_of_its_own_response():
    # Others are matched or joined, or expire, between the response and its edge back.
    events = [
        *((1000, 8, 1), (1010, 8, 0), (1050, 8, 1), (1055, 8, 0), (1060, 0, 1)),
        *((1070, 8, 1), (1075, 8, 0), (1400, 0, 0), (1500, 0, 1), (1510, 0, 0)),
    ]
    events = [(*event, index) for index, event in enumerate(events)]
    check(events, rules_for(timeout=100), 1, stalls=NONE)


def test_a_response_held_in_a_closed_window_is_joined_while_another_is_under_way():
    # The first response comes before the window, the second in it; the next strike joins the first.
    events = [
        *((1000, 8, 1), (1005, 8, 0), (1010, 0, 1), (1012, 0, 0), (1020, 0, 1)),
        *((1025, 8, 1), (1027, 8, 0), (1030, 0, 0)),
    ]
    events = [(*event, index) for index, event in enumerate(events)]
    rules = rules_for(Policy.WINDOW, least=15, early=30)
    bench = check(events, rules, 1, stalls=NONE)
    assert bench.classes[0][ResponseClass.EARLY] == 1
    assert [value for value, *_ in bench.values[0][Kind.FALL]] == [30]
