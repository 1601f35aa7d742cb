"""The matcher and the subtractions behind it, against the golden model."""

import random
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.sim import Simulator

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor_hdl.classes import LANE_CLASSES
from plexor_hdl.interfaces import PACE_CLOCKS
from plexor_hdl.matcher import Matcher
from plexor_hdl.measure import Measure
from plexor_sim.golden.edges import Events
from plexor_sim.golden.matcher import Matches, Rules, match

GEOMETRY = Geometry(channels=2, strikes=2, queue_depth=8)
LEAN = Geometry(channels=2, strikes=2, queue_depth=4, features=Feature(0))
DRAIN_CLOCKS = 20
LEAST_CLOCKS = 3
"""Between two rise latencies of one channel: histograms and statistics rely on it."""


@dataclass
class Bench:
    """What came out of the gateware: samples by kind and channel, classes by channel."""

    rise: list = field(default_factory=lambda: [[], []])
    fall: list = field(default_factory=lambda: [[], []])
    width: list = field(default_factory=lambda: [[], []])
    period: list = field(default_factory=lambda: [[], []])
    rise_clocks: list = field(default_factory=lambda: [[], []])
    classes: list = field(default_factory=lambda: [[0] * 8, [0] * 8])
    pending: list = field(default_factory=list)
    taken_clocks: list = field(default_factory=list)
    """When each event was handled, where the beats went in without a pause."""


def drive(events, rules, end_ticks, seed, geometry=GEOMETRY, gaps=0.3) -> Bench:
    """Send the events as beats with random pauses and time beats between; collect all outputs."""
    m = Module()
    m.submodules.matcher = matcher = Matcher(geometry, 1)
    m.submodules.measure = measure = Measure(geometry)
    m.d.comb += [
        measure.i_outcome.eq(matcher.o_outcome),
        measure.i_coming.eq(matcher.o_coming),
    ]
    bench, chance = Bench(), random.Random(seed)

    async def stimulus(ctx):
        first = rules[0]
        ctx.set(matcher.settings.policy, first.policy)
        ctx.set(matcher.settings.timeout_ticks, first.timeout_ticks)
        ctx.set(matcher.settings.window_min_ticks, first.window_min_ticks)
        ctx.set(matcher.settings.early_ticks, first.early_ticks)
        for number, rule in enumerate(rules):
            channel = matcher.channels[number]
            ctx.set(channel.enable, 1)
            ctx.set(channel.reference_source, rule.reference_source)
            ctx.set(channel.reference_polarity, rule.reference_polarity)
            ctx.set(measure.deadlines[number], rule.deadline_ticks)
        await ctx.tick().repeat(3)
        beats = [(t, s, p, i, 1, 0) for t, s, p, i in events]
        beats.append((end_ticks, 0, 0, 0, 0, 1))
        for beat in beats:
            while chance.random() < gaps:
                ctx.set(matcher.i_valid, 0)
                if chance.random() < 0.3:
                    await send(ctx, (beat[0], 0, 0, 0, 0, 0))
                else:
                    await ctx.tick()
            await send(ctx, beat)
        ctx.set(matcher.i_valid, 0)
        await ctx.tick().until(matcher.final)
        await ctx.tick().repeat(DRAIN_CLOCKS)

    async def send(ctx, beat):
        time, source, polarity, index, is_event, final = beat
        ctx.set(matcher.i_valid, 1)
        ctx.set(matcher.i_beat.event.time_ticks, time)
        ctx.set(matcher.i_beat.event.source, source)
        ctx.set(matcher.i_beat.event.polarity, polarity)
        ctx.set(matcher.i_beat.event.index, index)
        ctx.set(matcher.i_beat.is_event, is_event)
        ctx.set(matcher.i_beat.final, final)
        await ctx.tick().until(matcher.i_ready)
        ctx.set(matcher.i_valid, 0)

    async def monitor(ctx):
        bits = geometry.key_bits
        clock = 0
        while True:
            await ctx.tick()
            clock += 1
            if ctx.get(matcher.taken):
                bench.taken_clocks.append(clock)
            for valid, sample, kinds in (
                (measure.o_latency_valid, measure.o_latency, (bench.rise, bench.fall)),
                (measure.o_interval_valid, measure.o_interval, (bench.width, bench.period)),
            ):
                if ctx.get(valid):
                    key = ctx.get(sample.key)
                    if sample is measure.o_latency and not key >> bits:
                        bench.rise_clocks[key].append(clock)
                    kinds[key >> bits][key & (1 << bits) - 1].append(
                        (
                            ctx.get(sample.value_ticks),
                            ctx.get(sample.index),
                            ctx.get(sample.time_ticks),
                        )
                    )
            if ctx.get(measure.o_class_valid):
                row = bench.classes[ctx.get(measure.o_class.channel)]
                row[ctx.get(measure.o_class.response_class)] += 1
            bench.pending = [ctx.get(matcher.pending[n]) for n in range(geometry.channels)]
            for number, row in enumerate(bench.classes):
                counts, strobes = matcher.counts[0][number], matcher.strobes[number]
                for response_class, name in LANE_CLASSES.items():
                    if Feature.SNAPSHOT in geometry.features:
                        row[response_class] = ctx.get(counts[name])
                    else:
                        row[response_class] += ctx.get(strobes[name])

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(stimulus)
    simulator.add_testbench(monitor, background=True)
    simulator.run()
    for clocks in bench.rise_clocks:
        assert np.all(np.diff(clocks) >= LEAST_CLOCKS)
    return bench


def assert_equal(bench: Bench, number: int, truth: Matches) -> None:
    assert tuple(bench.classes[number]) == truth.classes
    assert bench.pending[number] == truth.pending
    for name in ("rise", "fall", "width", "period"):
        samples = getattr(truth, name)
        expected = list(
            zip(
                samples.value_ticks.tolist(),
                samples.index.tolist(),
                samples.time_ticks.tolist(),
                strict=True,
            )
        )
        assert getattr(bench, name)[number] == expected, name


def random_events(seed: int, count: int, spread: int) -> list[tuple[int, int, int, int]]:
    """Return toggles of two channels and two strikes, one a source and tick, in merged order."""
    chance = random.Random(seed)
    time, levels, events = 1000, {}, []
    while len(events) < count:
        time += chance.choice((0, 1, 1, chance.randrange(spread)))
        for source in chance.sample((8, 9, 0, 1), chance.choice((1, 1, 1, 2, 4))):
            if (
                events
                and events[-1][0] == time
                and any(e[0] == time and e[1] == source for e in events[-4:])
            ):
                continue
            levels[source] = 1 - levels.get(source, 0)
            events.append((time, source, levels[source]))
    order = {8: 0, 9: 1, 0: 2, 1: 3}
    events.sort(key=lambda event: (event[0], order[event[1]]))
    return [(*event, index) for index, event in enumerate(events)]


def stream_of(events) -> Events:
    columns = list(zip(*events, strict=True))
    return Events(
        np.array(columns[0], np.int64),
        np.array(columns[1], np.uint8),
        np.array(columns[2], np.bool_),
        np.array(columns[3], np.int64),
    )


def check(events, rules, seed, **options) -> None:
    end_ticks = events[-1][0] + 300
    stream = stream_of(events)
    bench = drive(events, rules, end_ticks, seed, **options)
    for number, rule in enumerate(rules):
        assert_equal(bench, number, match(stream, rule, end_ticks))


def rules_for(
    policy=Policy.OLDEST,
    *,
    timeout=200,
    least=0,
    early=0,
    deadline=60,
    second=None,
    depth=GEOMETRY.queue_depth,
):
    common = {
        "policy": policy,
        "timeout_ticks": timeout,
        "window_min_ticks": least,
        "early_ticks": early,
        "deadline_ticks": deadline,
        "queue_depth": depth,
    }
    reference = second or (SOURCE_STRIKE + 1, 1)
    return [
        Rules(source=0, reference_source=SOURCE_STRIKE, reference_polarity=1, **common),
        Rules(source=1, reference_source=reference[0], reference_polarity=reference[1], **common),
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("early", [0, 25])
def test_random_events_are_matched_as_the_golden_model_does(policy, early, seed):
    rules = rules_for(policy, least=15 if policy == Policy.WINDOW else 0, early=early)
    check(random_events(seed, 150, 60), rules, seed)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("gaps", [0, 0.3])
@pytest.mark.parametrize("policy", Policy)
def test_a_build_without_features_matches_the_same(policy, gaps, seed):
    least = 15 if policy == Policy.WINDOW else 0
    rules = rules_for(policy, least=least, depth=LEAN.queue_depth)
    events = random_events(seed + 20, 250, 30)
    end_ticks = events[-1][0] + 300
    bench = drive(events, rules, end_ticks, seed, geometry=LEAN, gaps=gaps)
    for number, rule in enumerate(rules):
        truth = match(stream_of(events), rule, end_ticks)
        assert tuple(bench.classes[number]) == truth.classes
        assert bench.pending[number] == truth.pending
        assert [sample[0] for sample in bench.rise[number]] == truth.rise.value_ticks.tolist()
        assert not bench.fall[number] + bench.width[number] + bench.period[number]


@pytest.mark.parametrize("seed", range(3))
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


@pytest.mark.parametrize("boundary", [1 << 16, 1 << 31, 1 << 32, 1 << 48])
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
    rules = rules_for(timeout=1000, depth=LEAN.queue_depth)
    bench = drive(strikes + rest, rules, 1300, 1, geometry=LEAN, gaps=0)
    assert [len(samples) for samples in bench.rise] == [1, 1]
    assert set(np.diff(bench.taken_clocks[-len(rest) + 1 :])) == {1}


@pytest.mark.parametrize(("geometry", "clocks"), [(GEOMETRY, 14), (LEAN, 18)])
def test_strikes_answered_on_two_channels_are_taken_as_often_as_documented(geometry, clocks):
    kinds = [(8, 1), (8, 0), (0, 1), (0, 0), (1, 1), (1, 0)]
    events = [(1000 + n, *kinds[n % len(kinds)], n) for n in range(20 * len(kinds))]
    rules = rules_for(second=(SOURCE_STRIKE, 1), depth=geometry.queue_depth)
    bench = drive(events, rules, 2000, 1, geometry=geometry, gaps=0)
    assert [sample[0] for sample in bench.rise[0]] == [2] * 20
    assert [sample[0] for sample in bench.rise[1]] == [4] * 20
    assert max(np.diff(bench.taken_clocks[:: len(kinds)])) <= clocks


@pytest.mark.parametrize("between", range(6))
def test_a_paced_build_answers_once_in_pace_clocks(between):
    # All strikes, then the responses of both channels in turn; other edges between them.
    kinds = [(8, 1 - n % 2) for n in range(8)]
    for number in range(8):
        kinds += [(0, 1 - number % 2), (1, 1 - number % 2), *[(9, 0)] * between]
    events = [(1000 + n, *kind, 0) for n, kind in enumerate(kinds)]
    rules = rules_for(second=(SOURCE_STRIKE, 1), timeout=500, depth=LEAN.queue_depth)
    bench = drive(events, rules, 2000, 1, geometry=LEAN, gaps=0)
    for number, rule in enumerate(rules):
        truth = match(stream_of(events), rule, 2000)
        assert len(truth.rise.value_ticks) == 4
        assert [sample[0] for sample in bench.rise[number]] == truth.rise.value_ticks.tolist()
    clocks = sorted(bench.rise_clocks[0] + bench.rise_clocks[1])
    assert min(after - before for before, after in pairwise(clocks)) >= PACE_CLOCKS
