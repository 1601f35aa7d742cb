# SPDX-License-Identifier: Apache-2.0
"""Beats to the matcher, and what comes of them beside what the golden model says."""

import random
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from amaranth.hdl import Value

from plexor.protocol.frames import SOURCE_STEP, SOURCE_STRIKE
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import VALUE_BITS, ResponseClass
from plexor.protocol.registers import Policy
from plexor_hdl.control.limits import in_memories
from plexor_hdl.interfaces import Beat, Kind, several_kinds
from plexor_hdl.match.matcher import KEPT_CLOCKS, Matcher
from plexor_sim.golden.edges import Events
from plexor_sim.golden.matcher import Matches, Rules, match

from .simulation import made, simulate

FULL = Geometry(channels=2, strikes=2, queue_depth=8, features=ALL_FEATURES)
LEAN = Geometry(channels=2, strikes=2, queue_depth=8, features=Feature.EVENTS)
SILENT = Geometry(channels=2, strikes=2, queue_depth=8, features=Feature(0))
DRAIN_CLOCKS = 20
MOST_CLOCKS = 30_000
SAMPLES = {
    Kind.RISE: ("rise", Feature(0)),
    Kind.FALL: ("fall", Feature.FALL),
    Kind.WIDTH: ("width", Feature.INTERVALS),
    Kind.PERIOD: ("period", Feature.INTERVALS),
}
"""Of each kind the golden model's name, and the feature that measures it."""


@dataclass
class Bench:
    """What came out of the gateware, by channel."""

    geometry: Geometry
    values: list = field(default_factory=list)
    """Of each channel and kind: value, index and time of each sample."""
    value_clocks: list = field(default_factory=list)
    classes: list = field(default_factory=list)
    pending: list = field(default_factory=list)
    decision_clocks: list = field(default_factory=list)
    missed_clocks: dict = field(default_factory=dict)
    taken: list = field(default_factory=list)
    """Time, source, polarity and index of each event handled."""
    taken_clocks: list = field(default_factory=list)
    triggers: list = field(default_factory=list)
    """The index and time of each latency over the trigger's, on channel 0."""
    misses: list = field(default_factory=list)
    """The index and time of each event that found strikes of channel 0 missed."""
    stands: list = field(default_factory=list)
    """How many events were handled, and what stood, at the end of each step and in each pause."""
    most_decisions: int = 0
    order_is_right: bool = True
    """No trigger came before its event was told, nor with a later one."""

    def __post_init__(self) -> None:
        numbers = range(self.geometry.channels)
        self.values = [{kind: [] for kind in Kind} for _ in numbers]
        self.classes = [[0] * len(ResponseClass) for _ in numbers]

    def rises(self, number: int) -> list[int]:
        """Return the rise latencies of a channel."""
        return [value for value, *_ in self.values[number][Kind.RISE]]

    def stand(self) -> None:
        """Note what stands."""
        counts = [{kind: len(s) for kind, s in row.items()} for row in self.values]
        classes = [list(row) for row in self.classes]
        self.stands.append((len(self.taken), classes, list(self.pending), counts))


@dataclass(frozen=True)
class Stalls:
    """How often, clock by clock, what is around the matcher is not ready for it."""

    gaps: float = 0.3
    """No beat is there."""
    values: float = 0
    """No value is taken."""
    value_clocks: int = 1
    """Values are taken in one of so many clocks."""
    room: float = 0
    pauses: float = 0
    """A pause begins; what stands is noted in it."""


ROUGH = Stalls(gaps=0.1, values=0.9, room=0.7, pauses=0.02)
NONE = Stalls(gaps=0)


def _set_rules(ctx, matcher, rules, trigger_ticks) -> list[int]:
    """Set every setting; return the limits that are in memories."""
    first = rules[0]
    for name in ("policy", "timeout_ticks", "window_min_ticks", "early_ticks"):
        ctx.set(matcher.settings[name], getattr(first, name))
    for number, rule in enumerate(rules):
        channel = matcher.channels[number]
        ctx.set(channel.enable, 1)
        ctx.set(channel.reference_source, rule.reference_source)
        ctx.set(channel.reference_polarity, rule.reference_polarity)
        ctx.set(matcher.deadlines[number], rule.deadline_ticks)
    ctx.set(matcher.trigger_latency_ticks, trigger_ticks)
    ctx.set(matcher.trigger_channels, 1)
    limits = [first.timeout_ticks, first.window_min_ticks, trigger_ticks]
    return limits + [rule.deadline_ticks for rule in rules]


def drive(
    events,
    rules,
    end_ticks,
    seed,
    geometry=FULL,
    stalls=Stalls(),
    trigger_ticks=0,
    before=(),
    news_ticks=None,
) -> Bench:
    """Send the events as beats with random pauses and time beats between; collect all outputs.

    Events `before` are sent first, and all that they have left is cleared and forgotten. News of
    the time comes at least each `news_ticks`.
    """
    matcher = made(Matcher, geometry)
    bench, chance, done = Bench(geometry), random.Random(seed), []
    event = Beat(geometry)["event"].shape
    indexed = bool(event["index"].width)
    steps = [0]

    async def stimulus(ctx):
        limits = _set_rules(ctx, matcher, rules, trigger_ticks)
        ctx.set(matcher.room, 1)
        ctx.set(matcher.o_measured.ready, 1)
        if in_memories(geometry):
            for number, limit in enumerate(limits):
                ctx.set(matcher.limit_stb, 1 << number)
                ctx.set(matcher.limit_data, limit & (1 << VALUE_BITS) - 1)
                await ctx.tick()
                ctx.set(matcher.limit_stb, 0)
                await ctx.tick()
        await ctx.tick().repeat(4)
        if before:
            for t, s, p, i in before:
                await send(ctx, (t, s, p, i, 1, 0))
            await ctx.tick().repeat(3 * DRAIN_CLOCKS)
            assert any(bench.pending)
            ctx.set(matcher.clear, 1)
            await ctx.tick()
            ctx.set(matcher.clear, 0)
            await ctx.tick()
            vars(bench).update(vars(Bench(geometry)))
        beats = [(t, s, p, i, 1, 0) for t, s, p, i in events]
        beats.append((end_ticks, 0, 0, 0, 0, 1))
        now = beats[0][0]
        for beat in beats:
            while news_ticks and beat[0] - now > news_ticks:
                now += news_ticks
                await send(ctx, (now, 0, 0, 0, 0, 0))
            now = beat[0]
            while chance.random() < stalls.gaps:
                if chance.random() < 0.3:
                    await send(ctx, (beat[0], 0, 0, 0, 0, 0))
                else:
                    await ctx.tick()
            await send(ctx, beat)
        await ctx.tick().until(matcher.final)
        await ctx.tick().repeat(DRAIN_CLOCKS)
        done.append(True)

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
        clock, since, rooms = 0, 0, []
        told_clocks = KEPT_CLOCKS + 1 if several_kinds(geometry) else 1
        values, pending = matcher.o_measured, Value.cast(matcher.pending)
        # Structures are sampled as numbers, which is faster, and read where they are valid.
        while not done:
            (
                _,
                _,
                taken,
                at,
                told,
                decided,
                some,
                ready,
                value,
                late,
                missed,
                at_trigger,
                step,
                room,
                paused,
            ) = await ctx.tick().sample(
                matcher.taken,
                Value.cast(matcher.o_event),
                matcher.o_decision_valid,
                Value.cast(matcher.o_decision),
                values.valid,
                values.ready,
                Value.cast(values.payload),
                matcher.trigger_stb,
                matcher.missed_trigger,
                Value.cast(matcher.trigger_at),
                matcher.step,
                matcher.room,
                matcher.paused,
            )
            clock += 1
            steps[0] += step
            rooms.append(room)
            assert not (paused and (taken or told or some or late or missed))
            # A beat may still be taken in the clock in which room falls.
            assert not taken or rooms[-2 - told_clocks]
            if clock > MOST_CLOCKS:
                done.append(False)
                raise TimeoutError(f"not done after {clock} clocks")
            if taken:
                at = matcher.o_event.shape().from_bits(at)
                bench.taken_clocks.append(clock)
                index = at.index if indexed else None
                bench.taken.append((at.time_ticks, at.source, at.polarity, index))
                since = 0
            if told:
                decided = matcher.o_decision.shape().from_bits(decided)
                row = bench.classes[decided.channel]
                for response_class, name in (
                    (ResponseClass.STRIKES, "strike"),
                    (ResponseClass.MISSED, "missed"),
                    (ResponseClass.QUEUE_FULL, "queue_full"),
                ):
                    row[response_class] += getattr(decided, name)
                if decided.classed:
                    row[decided.response_class] += 1
                    if Feature.EARLY in geometry.features:
                        row[ResponseClass.EARLY] += decided.early
                since += not decided.missed
                bench.most_decisions = max(bench.most_decisions, since)
                if decided.missed:
                    bench.missed_clocks.setdefault(decided.channel, []).append(clock)
                bench.decision_clocks.append(clock)
            if some and ready:
                value = values.payload.shape().from_bits(value)
                sample = value.value_ticks, getattr(value, "index", 0), value.time_ticks
                bench.values[value.channel][value.kind].append(sample)
                bench.value_clocks.append(clock)
            for strobe, moments in ((late, bench.triggers), (missed, bench.misses)):
                if strobe:
                    moment = matcher.trigger_at.shape().from_bits(at_trigger)
                    moments.append((moment.index, moment.time_ticks))
                    # News of the time has no index.
                    if moment.index:
                        bench.order_is_right &= bench.taken[-1][3] == moment.index
            bits = ctx.get(pending)
            bench.pending = [bits >> 32 * n & 0xFFFF_FFFF for n in range(geometry.channels)]

    async def around(ctx):
        """Let what is around the matcher be ready now and then, and look at it while it waits."""
        odds, resumed, clock = random.Random(seed + 1), 0, 0
        while not done:
            clock += 1
            rests = clock % stalls.value_clocks
            ctx.set(matcher.o_measured.ready, not rests and odds.random() >= stalls.values)
            ctx.set(matcher.room, odds.random() >= stalls.room)
            if odds.random() < stalls.pauses:
                ctx.set(matcher.pause, 1)
                while not ctx.get(matcher.paused):
                    ctx.set(matcher.o_measured.ready, odds.random() >= stalls.values)
                    await ctx.tick()
                assert not ctx.get(matcher.o_measured.valid)
                await waiting(ctx, odds)
                ctx.set(matcher.pause, 0)
            await ctx.tick()
            if steps[0] > resumed:
                await waiting(ctx, odds)
                ctx.set(matcher.resume, 1)
                await ctx.tick()
                ctx.set(matcher.resume, 0)
                resumed += 1

    async def waiting(ctx, odds):
        handled = len(bench.taken_clocks)
        await ctx.tick().repeat(2)
        bench.stand()
        await ctx.tick().repeat(1 + odds.randrange(30))
        assert len(bench.taken_clocks) <= handled + 1
        assert bench.stands[-1][0] == len(bench.taken)

    simulate(matcher, stimulus, monitor, around)
    assert steps[0] == sum(source == SOURCE_STEP for _, source, *_ in events)
    assert all(after > before for before, after in pairwise(bench.decision_clocks))
    assert bench.most_decisions <= 2 * geometry.channels + 4
    return bench


def assert_equal(bench: Bench, number: int, truth: Matches) -> None:
    """Assert that a channel's classes and samples are those of the golden model."""
    features = bench.geometry.features
    assert tuple(bench.classes[number]) == truth.classes
    assert bench.pending[number] == truth.pending
    for kind, (name, feature) in SAMPLES.items():
        samples = getattr(truth, name)
        columns = samples.value_ticks.tolist(), samples.index.tolist(), samples.time_ticks.tolist()
        expected = list(zip(*columns, strict=True)) if feature in features else []
        found = bench.values[number][kind]
        if Feature.EXTREMES in features:
            assert found == expected, name
        else:
            assert [value for value, *_ in found] == [value for value, *_ in expected], name


def assert_stands(bench: Bench, events, rules, end_ticks: int) -> None:
    """Assert that what stood whenever the matcher waited is what the golden model has there.

    News of the time of the next event may have come before.
    """
    ends = [(event[0], False) for event in events] + [(end_ticks, True)]
    for count, *found in bench.stands:
        if count:
            stream = stream_of(events[:count])
            at = [_stand(bench, stream, rules, *end) for end in ends[count - 1 : count + 1]]
            assert tuple(found) in at, count


def _stand(bench: Bench, stream, rules, now: int, final: bool):
    truths = [match(stream, rule, now, final=final) for rule in rules]
    counts = [
        {
            kind: len(getattr(truth, name)) if feature in bench.geometry.features else 0
            for kind, (name, feature) in SAMPLES.items()
        }
        for truth in truths
    ]
    return [list(truth.classes) for truth in truths], [t.pending for t in truths], counts


def stream_of(events) -> Events:
    """Return events as the golden model takes them."""
    columns = list(zip(*events, strict=True))
    return Events(
        np.array(columns[0], np.int64),
        np.array(columns[1], np.uint8),
        np.array(columns[2], np.bool_),
        np.array(columns[3], np.int64),
    )


def check(events, rules, seed, **options) -> Bench:
    """Assert that all that comes of the events is what the golden model says."""
    end_ticks = events[-1][0] + 300
    stream = stream_of(events)
    bench = drive(events, rules, end_ticks, seed, **options)
    for number, rule in enumerate(rules):
        assert_equal(bench, number, match(stream, rule, end_ticks))
    if several_kinds(bench.geometry):
        assert_stands(bench, events, rules, end_ticks)
    return bench


def rules_for(
    policy=Policy.OLDEST,
    *,
    timeout=200,
    least=0,
    early=0,
    deadline=60,
    second=None,
    depth=FULL.queue_depth,
):
    """Return a rule for each of two channels; the first one's strike is the first output's."""
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
