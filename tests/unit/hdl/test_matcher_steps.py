"""The matcher at the end of a step: every channel up to date, and nothing handled until told."""

import random

import pytest

from plexor.protocol.frames import SOURCE_STEP, SOURCE_STRIKE
from plexor.protocol.registers import Policy
from plexor_sim.golden.matcher import match

from .parallel_bench import GEOMETRY, assert_equal, drive, random_events, rules_for, stream_of


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


def check_steps(events, rules, seed, **options):
    """Assert that what stands at each step, and at the end, is what the golden model has."""
    end_ticks = events[-1][0] + 300
    bench = drive(events, rules, end_ticks, seed, **options)
    bounds = [place for place, event in enumerate(events, 1) if event[1] == SOURCE_STEP]
    assert len(bench.steps) == len(bounds)
    for bound, (classes, pending, rises) in zip(bounds, bench.steps, strict=True):
        stream = stream_of(events[:bound])
        for number, rule in enumerate(rules):
            truth = match(stream, rule, events[bound - 1][0], final=False)
            assert tuple(classes[number]) == truth.classes
            assert pending[number] == truth.pending
            assert rises[number] == len(truth.rise)
    for number, rule in enumerate(rules):
        assert_equal(bench, number, match(stream_of(events), rule, end_ticks))


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("early", [pytest.param(0, marks=pytest.mark.full), 25])
@pytest.mark.parametrize("policy", Policy)
def test_what_stands_at_a_step_is_the_golden_models(policy, early, seed):
    rules = rules_for(policy, timeout=90, least=15 if policy == Policy.WINDOW else 0, early=early)
    check_steps(stepped(seed, 150, 60, 12), rules, seed)


@pytest.mark.parametrize("seed", range(2))
def test_a_pause_loses_no_beat_where_they_come_without_one(seed):
    check_steps(stepped(seed, 200, 8, 20), rules_for(timeout=30, deadline=9), seed, gaps=0)


def test_steps_one_after_the_other_are_each_waited_for():
    strikes = [(1000 + 9 * n, SOURCE_STRIKE, (n + 1) % 2) for n in range(20)]
    steps = [(time, SOURCE_STEP, n % 2) for n, (time, *_) in enumerate(strikes)]
    events = sorted([*strikes, *steps], key=lambda event: event[0])
    check_steps([(*e, n) for n, e in enumerate(events)], rules_for(timeout=40), 1, gaps=0)


def test_strikes_older_than_the_time_out_are_missed_by_the_end_of_a_step():
    queue = GEOMETRY.queue_depth
    strikes = [(1000 + 2 * n, SOURCE_STRIKE, 1 - n % 2) for n in range(2 * queue)]
    for late, missed in ((1, 1), (4, 1), (5, 2), (4 * queue, queue)):
        events = [*strikes, (1000 + 200 + late, SOURCE_STEP, 1)]
        events = [(*event, n) for n, event in enumerate(events)]
        bench = drive(events, rules_for(timeout=200), 1000 + 200 + late, 1, gaps=0)
        assert bench.steps[0][0][0][2] == missed
        assert bench.steps[0][1][0] == queue - missed
        check_steps(events, rules_for(timeout=200), 1, gaps=0)


def test_the_end_of_a_step_can_be_a_channels_strike():
    check_steps(stepped(4, 150, 40, 15), rules_for(second=(SOURCE_STEP, 0)), 4)
