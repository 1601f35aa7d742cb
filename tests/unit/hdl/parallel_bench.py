"""Beats to either matcher, and what comes of them beside what the golden model says."""

import random
from dataclasses import dataclass, field

import numpy as np
from amaranth.hdl import Elaboratable, Module

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import Policy
from plexor_hdl.classes import LANE_CLASSES
from plexor_hdl.matcher import Matcher
from plexor_hdl.measure import Measure
from plexor_sim.golden.edges import Events
from plexor_sim.golden.matcher import Matches, Rules, match

from .simulation import made, simulate

PHASES = 4
"""Clocks between two of a kind in a lane, at least."""
GEOMETRY = Geometry(channels=2, strikes=2, queue_depth=8)
DRAIN_CLOCKS = 20
LEAST_CLOCKS = 3
"""Between two rise latencies of one channel: histograms and statistics rely on it."""


@dataclass
class Bench:
    """What came out of the gateware: samples by kind and channel, classes by channel."""

    geometry: Geometry
    rise: list = field(default_factory=lambda: [[], []])
    fall: list = field(default_factory=lambda: [[], []])
    width: list = field(default_factory=lambda: [[], []])
    period: list = field(default_factory=lambda: [[], []])
    rise_clocks: list = field(default_factory=lambda: [[], []])
    classes: list = field(default_factory=lambda: [[0] * 8, [0] * 8])
    lane_clocks: dict = field(default_factory=dict)
    """When each class and strobe of a channel came, without Feature.SNAPSHOT."""
    pending: list = field(default_factory=list)
    taken_clocks: list = field(default_factory=list)
    """When each event was handled, where the beats went in without a pause."""
    triggers: int = 0
    """How often a latency was over the trigger's, on channel 0."""
    steps: list = field(default_factory=list)
    """At the end of each step: classes and outstanding strikes of every channel, rise latencies."""


class Matching(Elaboratable):
    """A matcher, and what measures its outcomes."""

    def __init__(self, geometry: Geometry) -> None:
        self.matcher, self.measure = Matcher(geometry, 1), Measure(geometry)

    def elaborate(self, platform):
        m = Module()
        m.submodules.matcher = self.matcher
        m.submodules.measure = self.measure
        m.d.comb += [
            self.measure.i_outcome.eq(self.matcher.o_outcome),
            self.measure.i_coming.eq(self.matcher.o_coming),
        ]
        return m


def drive(
    events, rules, end_ticks, seed, geometry=GEOMETRY, gaps=0.3, trigger_ticks=0, before=()
) -> Bench:
    """Send the events as beats with random pauses and time beats between; collect all outputs.

    Events `before` are sent first, and all that they have left is cleared and forgotten.
    """
    dut = made(Matching, geometry)
    matcher, measure = dut.matcher, dut.measure
    bench, chance, done = Bench(geometry), random.Random(seed), []

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
        ctx.set(measure.trigger_latency_ticks, trigger_ticks)
        ctx.set(measure.trigger_channels, 1)
        await ctx.tick().repeat(3)
        if before:
            for t, s, p, i in before:
                await send(ctx, (t, s, p, i, 1, 0))
            await ctx.tick().repeat(2 * DRAIN_CLOCKS)
            assert any(bench.pending)
            ctx.set(matcher.clear, 1)
            await ctx.tick()
            ctx.set(matcher.clear, 0)
            await ctx.tick()
            vars(bench).update(vars(Bench(geometry)))
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
        bits = geometry.key_bits
        clock = 0
        while not done:
            await ctx.tick()
            clock += 1
            if ctx.get(matcher.taken):
                bench.taken_clocks.append(clock)
            outputs = [(measure.o_latency_valid, measure.o_latency, (bench.rise, bench.fall))]
            if Feature.INTERVALS in geometry.features:
                outputs.append(
                    (measure.o_interval_valid, measure.o_interval, (bench.width, bench.period))
                )
            for valid, sample, kinds in outputs:
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
                channel = ctx.get(measure.o_class.channel)
                bench.classes[channel][ctx.get(measure.o_class.response_class)] += 1
                bench.lane_clocks.setdefault((channel, "class"), []).append(clock)
            bench.triggers += ctx.get(measure.trigger_stb)
            bench.pending = [ctx.get(matcher.pending[n]) for n in range(geometry.channels)]
            for number, row in enumerate(bench.classes):
                for response_class, name in LANE_CLASSES.items():
                    if Feature.SNAPSHOT in geometry.features:
                        row[response_class] = ctx.get(matcher.counts[0][number][name])
                    else:
                        strobe = ctx.get(matcher.strobes[number][name])
                        row[response_class] += strobe
                        if strobe:
                            bench.lane_clocks.setdefault((number, name), []).append(clock)

    async def recorder(ctx):
        """Look at what stands still while the matcher waits, and let it go on."""
        while not done:
            await ctx.tick()
            if ctx.get(matcher.step):
                handled = len(bench.taken_clocks)
                await ctx.tick().repeat(DRAIN_CLOCKS + chance.randrange(20))
                # The end of the step itself may be noted after it was seen here.
                assert len(bench.taken_clocks) <= handled + 1
                rises = [len(samples) for samples in bench.rise]
                row = [list(classes) for classes in bench.classes], list(bench.pending), rises
                bench.steps.append(row)
                ctx.set(matcher.resume, 1)
                await ctx.tick()
                ctx.set(matcher.resume, 0)

    swept = Feature.SWEEP in geometry.features
    simulate(dut, stimulus, monitor, *([recorder] if swept else []))
    for clocks in bench.rise_clocks:
        assert np.all(np.diff(clocks) >= LEAST_CLOCKS)
    for clocks in bench.lane_clocks.values():
        assert np.all(np.diff(clocks) >= PHASES)
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
