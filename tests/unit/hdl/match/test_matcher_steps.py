# SPDX-License-Identifier: Apache-2.0
"""The matcher where others look at it: at ends of steps, in pauses, at triggers, event by event."""

import random
from dataclasses import replace

import pytest

from plexor.protocol.frames import SOURCE_STEP, SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor_sim.golden.matcher import match

from ..matcher_bench import (
    FULL,
    NONE,
    ROUGH,
    check,
    drive,
    rules_for,
    stream_of,
)
from ..matcher_events import random_events


def stepped(seed, count, spread, steps):
    """Return random events with ends of steps between them, at times of events too."""
    chance = random.Random(seed)
    events = [event[:3] for event in random_events(seed, count, spread)]
    for after in sorted(chance.sample(range(count), steps), reverse=True):
        # Last in its tick.
        time = events[after][0]
        place = next((n for n, event in enumerate(events) if event[0] > time), len(events))
        most = events[place][0] - 1 if place < len(events) else time + 10
        events.insert(place, (chance.choice((time, most)), SOURCE_STEP, 0))
    return [(*event, index) for index, event in enumerate(events)]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("early", [pytest.param(0, marks=pytest.mark.full), 25])
@pytest.mark.parametrize(
    "policy",
    [pytest.param(p, marks=() if p == Policy.WINDOW else pytest.mark.full) for p in Policy],
)
def test_what_stands_at_a_step_is_the_golden_models(policy, early, seed):
    rules = rules_for(policy, timeout=90, least=15 if policy == Policy.WINDOW else 0, early=early)
    bench = check(stepped(seed, 150, 60, 12), rules, seed)
    assert len(bench.stands) == 12


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
def test_a_step_loses_no_beat_where_they_come_without_a_pause(seed):
    check(stepped(seed, 200, 8, 20), rules_for(timeout=30, deadline=9), seed, stalls=NONE)


@pytest.mark.parametrize("seed", [*(pytest.param(n, marks=pytest.mark.full) for n in (0, 1, 2)), 3])
def test_what_stands_in_a_pause_is_the_golden_models(seed):
    rules = rules_for(timeout=50, early=20 * (seed % 2))
    # Where values wait, all else has long been done.
    stalls = replace(ROUGH, gaps=0, pauses=0.05, values=0.9 * (seed > 1))
    events = stepped(seed, 200, 30, 6)
    bench = check(events, rules, seed, stalls=stalls, trigger_ticks=5)
    assert len(bench.stands) > 50


def test_steps_one_after_the_other_are_each_waited_for():
    strikes = [(1000 + 9 * n, SOURCE_STRIKE, (n + 1) % 2) for n in range(20)]
    steps = [(time, SOURCE_STEP, n % 2) for n, (time, *_) in enumerate(strikes)]
    events = sorted([*strikes, *steps], key=lambda event: event[0])
    check([(*e, n) for n, e in enumerate(events)], rules_for(timeout=40), 1, stalls=NONE)


def test_strikes_older_than_the_time_out_are_missed_by_the_end_of_a_step():
    queue = FULL.queue_depth
    strikes = [(1000 + 2 * n, SOURCE_STRIKE, 1 - n % 2) for n in range(2 * queue)]
    for late, missed in ((1, 1), (4, 1), (5, 2), (4 * queue, queue)):
        events = [*strikes, (1000 + 200 + late, SOURCE_STEP, 1)]
        events = [(*event, n) for n, event in enumerate(events)]
        bench = check(events, rules_for(timeout=200), 1, stalls=NONE)
        _, classes, pending, _ = bench.stands[0]
        assert classes[0][ResponseClass.MISSED] == missed
        assert pending[0] == queue - missed


def test_the_end_of_a_step_can_be_a_channels_strike():
    check(stepped(4, 150, 40, 15), rules_for(second=(SOURCE_STEP, 0)), 4)


@pytest.mark.parametrize("stalls", [NONE, ROUGH], ids=["quick", "rough"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 2))])
def test_strikes_are_missed_by_the_first_event_after_their_time_out(seed, stalls):
    # Seldom answered, full now and then; what a step or an early response does is beside this.
    events = [e for e in random_events(seed, 300, 60) if e[1] > 1 or e[3] % 4 == 0]
    events = [(*event[:3], index) for index, event in enumerate(events)]
    rules = rules_for(timeout=90, deadline=9)
    stalls = replace(stalls, gaps=0)
    bench = check(events, rules, seed, stalls=stalls)
    truths = [
        match(stream_of(events[: n + 1]), rules[0], event[0], final=False).classes
        for n, event in enumerate(events)
    ]
    missed = [truth[ResponseClass.MISSED] for truth in truths]
    found = [
        n for n, (was, now) in enumerate(zip([0, *missed[:-1]], missed, strict=True)) if now > was
    ]
    assert len(found) > 10
    # The last ones are found by the end of the run, which is no event.
    expected = [(events[n][3], events[n][0]) for n in found]
    assert list(dict.fromkeys(bench.misses))[: len(expected)] == expected


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
def test_a_latency_over_the_triggers_tells_its_event_before_the_next_one_is_told(seed):
    events = random_events(seed + 3, 200, 30)
    rules = rules_for(early=12)
    bench = check(events, rules, seed, trigger_ticks=20, stalls=NONE)
    rise = match(stream_of(events), rules[0], events[-1][0] + 300).rise
    over = rise.value_ticks > 20
    assert over.any()
    assert bench.triggers == list(
        zip(rise.index[over].tolist(), rise.time_ticks[over].tolist(), strict=True)
    )
    assert bench.order_is_right


def test_each_event_is_told_once_and_in_order():
    events = random_events(8, 100, 30)
    bench = drive(events, rules_for(early=12), events[-1][0] + 300, 8, stalls=ROUGH)
    assert bench.taken == events


@pytest.mark.parametrize(
    "timeout", [*(pytest.param(n, marks=pytest.mark.full) for n in (12, 40, 41)), 90]
)
def test_a_channel_without_answers_has_its_strikes_missed_in_time_beside_one_with_answers(timeout):
    events = []
    for start in range(1000, 3000, 20):
        events += [(start, SOURCE_STRIKE, 1), (start + 5, 0, 1), (start + 9, 0, 0)]
        events.append((start + 10, SOURCE_STRIKE, 0))
    events = [(*event, n) for n, event in enumerate(events)]
    rules = rules_for(second=(SOURCE_STRIKE, 1), timeout=timeout)
    bench = check(events, rules, 4, stalls=replace(NONE, pauses=0.05))
    assert bench.classes[1][ResponseClass.MISSED] > 90
    assert len(bench.stands) > 20
