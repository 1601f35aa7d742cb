# SPDX-License-Identifier: Apache-2.0
"""cocotb side: every class, sample, index and time is the golden model's, run after run."""

import os
import random
from itertools import product

import cocotb
import numpy as np
from amaranth.lib import data
from clocked import Driver, Monitor, Packing, clocks, start

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import CHANNEL, MATCHER, Policy
from plexor_hdl.interfaces import Beat, Decision, Kind, Measured, block_layout
from plexor_sim.golden.edges import Events, TickEdges, merged
from plexor_sim.golden.matcher import Rules, match

EVENTS = int(os.environ["EVENTS"])
CHANNELS = int(os.environ["CHANNELS"])
FEATURES = Feature(int(os.environ["FEATURES"]))
GEOMETRY = Geometry(channels=CHANNELS, strikes=2, queue_depth=8, features=FEATURES)
BEAT = Packing(Beat(GEOMETRY))
VALUE = Packing(Measured(GEOMETRY))
DECISION = Packing(Decision(GEOMETRY))
SETTINGS = Packing(block_layout(MATCHER))
CHANNEL_SETTINGS = Packing(block_layout(CHANNEL))
KINDS = ("rise", *(["fall"] if Feature.FALL in FEATURES else []))
KINDS += ("width", "period") if Feature.INTERVALS in FEATURES else ()
KEPT = Feature.EXTREMES in FEATURES
"""Samples say of which event they are."""
DRAIN_CLOCKS = 20
TIMEBASES = (1000, (1 << 31) - 2000, (1 << 32) - 3000, (1 << 48) - 4000)
"""Where runs begin: some cross the ends of chunks."""


def random_events(rng: random.Random, count: int, mean_ticks: float) -> Events:
    """Return toggles of all sources in merged order, about `count` of them."""
    sources = [*range(SOURCE_STRIKE, SOURCE_STRIKE + 2), *range(CHANNELS)]
    start, numpy_rng = rng.choice(TIMEBASES), np.random.default_rng(rng.getrandbits(32))
    each = {}
    for source in sources:
        gaps = 1 + numpy_rng.exponential(mean_ticks * len(sources), count // len(sources))
        # Bursts of adjacent ticks, for what depends on the beat before.
        gaps[numpy_rng.random(len(gaps)) < 0.3] = 1
        times = start + np.cumsum(gaps.astype(np.int64))
        each[source] = TickEdges(times, np.arange(len(times)) % 2 == 0)
    return merged(each)


def random_rules(rng: random.Random, policy: Policy, early_ticks: int, timeout: int) -> list[Rules]:
    """Return a rule a channel: references are strikes or, some, other pins' edges."""
    least = rng.randrange(1, timeout // 4) if policy == Policy.WINDOW else 0
    rules = []
    for channel in range(CHANNELS):
        reference = SOURCE_STRIKE + channel % 2, 1
        if rng.random() < 0.3:
            reference = rng.choice((SOURCE_STRIKE, *range(CHANNELS))), rng.randrange(2)
        if early_ticks and reference == (channel, 1):
            # docs/instrument.md has an event strike other channels than its own; without early
            # responses its own works too.
            reference = channel, 0
        rules.append(
            Rules(
                channel,
                *reference,
                policy=policy,
                timeout_ticks=timeout,
                window_min_ticks=least,
                early_ticks=early_ticks,
                deadline_ticks=rng.choice((timeout // 3, timeout, (1 << 31) - 1)),
                queue_depth=GEOMETRY.queue_depth,
            )
        )
    return rules


def set_rules(dut, rules: list[Rules]) -> None:
    """Write every register that the rules tell."""
    dut.settings.value = SETTINGS.pack(
        {
            name: getattr(rules[0], name)
            for name in ("policy", "timeout_ticks", "window_min_ticks", "early_ticks")
        }
    )
    width = data.Layout.cast(block_layout(CHANNEL)).size
    dut.channels.value = sum(
        CHANNEL_SETTINGS.pack(
            {
                "enable": 1,
                "reference_source": rule.reference_source,
                "reference_polarity": rule.reference_polarity,
                "deadline_ticks": rule.deadline_ticks,
            }
        )
        << number * width
        for number, rule in enumerate(rules)
    )


def beats(events: Events, end_ticks: int, rng: random.Random, news: float):
    """Yield a beat for each event, news of time before some, and the final one."""
    for time, source, polarity, index in zip(
        *(column.tolist() for column in (events.time_ticks, events.source, events.polarity)),
        events.index.tolist(),
        strict=True,
    ):
        while rng.random() < news:
            yield BEAT.pack({"event.time_ticks": time})
        beat = {
            "event.time_ticks": time,
            "event.source": source,
            "event.polarity": polarity,
            "is_event": 1,
        }
        yield BEAT.pack(beat | ({"event.index": index} if KEPT else {}))
    yield BEAT.pack({"event.time_ticks": end_ticks, "final": 1})


class Scoreboard:
    """What came out: samples by kind and channel, classes by channel."""

    def __init__(self) -> None:
        self.samples = {(kind, channel): [] for kind in KINDS for channel in range(CHANNELS)}
        self.classes = [[0] * len(ResponseClass) for _ in range(CHANNELS)]

    def take_value(self, bits: int) -> None:
        value = VALUE.unpack(bits)
        kind = Kind(value["kind"]).name.lower()
        self.samples[kind, value["channel"]].append(
            (value["value_ticks"], *((value["index"], value["time_ticks"]) if KEPT else ()))
        )

    def take_decision(self, bits: int) -> None:
        decision = DECISION.unpack(bits)
        row = self.classes[decision["channel"]]
        row[ResponseClass.STRIKES] += decision["strike"]
        row[ResponseClass.MISSED] += decision["missed"]
        row[ResponseClass.QUEUE_FULL] += decision["queue_full"]
        row[ResponseClass.EARLY] += decision.get("early", 0)
        if decision["classed"]:
            row[decision["response_class"]] += 1

    def compare(self, dut, events: Events, rules: list[Rules], end_ticks: int) -> None:
        """Assert that all is as the golden model has it."""
        pending = int(dut.pending.value)
        for channel, rule in enumerate(rules):
            truth = match(events, rule, end_ticks)
            row = self.classes[channel]
            assert tuple(row) == truth.classes, (channel, rule, row, truth.classes)
            assert pending >> 32 * channel & 0xFFFF_FFFF == truth.pending, (channel, rule)
            for kind in KINDS:
                expected = getattr(truth, kind)
                columns = (expected.value_ticks,)
                if KEPT:
                    columns = (*columns, expected.index, expected.time_ticks)
                rows = list(zip(*(column.tolist() for column in columns), strict=True))
                assert self.samples[kind, channel] == rows, (kind, channel, rule)


async def one_run(dut, rng, rules, events: Events, pauses: float, stalls: float) -> None:
    """Clear, send the events, and compare."""
    set_rules(dut, rules)
    dut.clear.value = 1
    await clocks(dut, 3)
    dut.clear.value = 0
    await clocks(dut, 3)
    board, end_ticks = Scoreboard(), int(events.time_ticks[-1]) + 300
    source = beats(events, end_ticks, rng, pauses / 3)
    driver = Driver(dut, "i_beats", source, rng, pauses)
    agents = [
        driver,
        Monitor(dut, "o_values", board.take_value, rng, stalls),
        Monitor(dut, "o_decisions", board.take_decision, rng),
    ]
    most = 2000 + (40 + 10 * CHANNELS) * len(events)
    await clocks(dut, most, *agents, until=lambda: bool(dut.finished.value))
    await clocks(dut, DRAIN_CLOCKS, *agents)
    assert driver.done
    board.compare(dut, events, rules, end_ticks)


@cocotb.test()
async def every_policy_is_the_golden_models(dut):
    await start(dut)
    earlies = (0, 25) if Feature.EARLY in FEATURES else (0,)
    for seed, (policy, early, pauses) in enumerate(product(Policy, earlies, (0.0, 0.4))):
        stalls = 0.9 * (seed % 2)
        rng = random.Random(seed)
        rules = random_rules(rng, policy, early, timeout=rng.choice((40, 200, 2000)))
        events = random_events(rng, EVENTS, rng.choice((2, 8, 40)))
        await one_run(dut, rng, rules, events, pauses, stalls)
    dut._log.info("%d runs of %d events", seed + 1, EVENTS)
