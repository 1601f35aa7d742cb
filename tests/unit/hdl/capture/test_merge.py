# SPDX-License-Identifier: Apache-2.0
"""From sample words to stamped events: detection, queues, order, index and drops."""

import itertools
import random

import pytest
from amaranth.hdl import Elaboratable, Module

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.capture.capture import in_order
from plexor_hdl.capture.edges import Edges
from plexor_hdl.capture.merge import Columns, Rows
from plexor_hdl.capture.stamp import Stamp
from plexor_hdl.capture.timebase import LOW_BITS
from plexor_hdl.capture.word_queues import WordQueues, clock_bits

from ..simulation import made, simulate

SETTLE_CLOCKS = 40


class Pipeline(Elaboratable):
    """The path from sample words to beats, as the instrument wires it."""

    def __init__(self, geometry: Geometry) -> None:
        self.edges = [Edges(geometry.samples) for _ in geometry.sources]
        self.queues, self.stamp = WordQueues(geometry), Stamp(geometry)
        leaves_out = Feature.MATCH not in geometry.features
        self.columns, self.rows = Columns(geometry), Rows(geometry, leaves_out=leaves_out)

    def elaborate(self, platform):
        m = Module()
        queues, columns, rows, stamp = self.queues, self.columns, self.rows, self.stamp
        m.submodules += [queues, columns, rows, stamp, *self.edges]
        for number, detector in enumerate(self.edges):
            m.d.comb += [
                queues.i_edges[number].eq(detector.o_edges),
                queues.i_valid[number].eq(detector.o_valid),
            ]
        m.d.comb += in_order(queues, columns, rows, stamp)
        return m


def run(geometry, words, seed=None, stall=0.0, active_only=0):
    """Send word n of each source as clock n; return events, drops a source, and clocks taken.

    Events are (time, source, polarity, index, gap).
    """
    return ended(geometry, words, seed, stall, active_only)[:3]


def ended(geometry, words, seed=None, stall=0.0, active_only=0):
    """Return what `run` does, and the next index after the final beat."""
    dut = made(Pipeline, geometry)
    edges, queues, stamp = dut.edges, dut.queues, dut.stamp
    chance = random.Random(seed)
    events, dropped, when, next_index = [], [0] * len(edges), [], []

    async def drive(ctx):
        if active_only:
            ctx.set(dut.rows.active_only, active_only)
        for detector in edges:
            ctx.set(detector.enable, 1)
            ctx.set(detector.capture, 1)
        for clock in range(len(words) + SETTLE_CLOCKS * (1 + len(words) * 2)):
            inside = clock < len(words)
            for number, detector in enumerate(edges):
                ctx.set(detector.word, words[clock][number] if inside else words[-1][number])
                ctx.set(detector.capture, inside)
            offered = clock - Edges.LATENCY - queues.latency
            ctx.set(queues.clock, offered % (1 << clock_bits(geometry)))
            ctx.set(stamp.low, clock % (1 << LOW_BITS))
            ctx.set(stamp.o_ready, chance.random() >= stall)
            if ctx.get(stamp.o_valid & stamp.o_ready & stamp.o_is_event):
                event = ctx.get(stamp.o_event)
                when.append(clock)
                events.append(
                    (event.time_ticks, event.source, event.polarity, event.index, event.gap)
                )
            for number in range(len(edges)):
                dropped[number] += ctx.get(queues.amounts[number].dropped)
            await ctx.tick()
            if not inside and clock - max([*when, len(words)]) > SETTLE_CLOCKS:
                break
        ctx.set(stamp.o_ready, 1)
        ctx.set(queues.blank, 1)
        ctx.set(stamp.final, 1)
        await ctx.tick()
        ctx.set(queues.blank, 0)
        await ctx.tick().until(stamp.o_valid & stamp.o_final & ~stamp.o_is_event)
        next_index.append(ctx.get(stamp.next_index))

    simulate(dut, drive)
    return events, dropped, when, next_index[0]


def expected(geometry, words):
    """Return (time, source, polarity) of every edge, by walking the samples one by one."""
    found = []
    levels = [word & 1 for word in words[0]]
    for clock, row in enumerate(words):
        for tick in range(geometry.samples):
            for number, source in enumerate(geometry.sources):
                level = row[number] >> tick & 1
                if level != levels[number]:
                    found.append((clock * geometry.samples + tick, source, level))
                levels[number] = level
    return found


WITHOUT = ALL_FEATURES & ~Feature.SWEEP
SMALL = Geometry(channels=2, strikes=1, samples=4, word_fifo_depth=8, features=WITHOUT)


def random_words(rng):
    """Return a word of each source of SMALL; the load's level stands for a whole clock."""
    return [*(rng.choice((0, 15, 3, 8, 10)) for _ in SMALL.sources[:-1]), rng.choice((0, 15))]


@pytest.mark.parametrize("samples", [4, 8])
def test_every_word_after_every_level_gives_every_edge_in_order(samples):
    geometry = Geometry(
        channels=1, strikes=1, samples=samples, word_fifo_depth=16, features=WITHOUT
    )
    chance = random.Random(samples)
    everything = list(itertools.product((0, 1), range(1 << samples)))
    if samples == 8:
        everything = chance.sample(everything, 128)
    words = [[0, 0, 0]]
    for before, word in everything:
        ones = (1 << samples) - 1
        words.append([0, before * ones, 0])
        words.extend([[0, word, 0], *([[0, (word >> samples - 1) * ones, 0]] * samples)])
    events, dropped, _ = run(geometry, words)
    assert not any(dropped)
    assert [event[:3] for event in events] == expected(geometry, words)


@pytest.mark.parametrize("stall", [0.0, 0.4])
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 2))])
def test_sources_merge_in_time_order_and_indices_count_up(seed, stall):
    chance = random.Random(seed)
    words = [[0] * 4]
    for _ in range(60):
        if chance.random() < 0.5:
            words.append(random_words(chance))
        level = [(word >> 3) * 15 for word in words[-1]]
        words.extend([level] * chance.randrange(12, 30))
    events, dropped, _ = run(SMALL, words, seed, stall)
    assert not any(dropped)
    assert [event[:3] for event in events] == expected(SMALL, words)
    assert [event[3] for event in events] == list(range(len(events)))


@pytest.mark.parametrize("active_only", [0b0000, 0b0001, 0b0110, 0b1111])
def test_trailing_edges_that_are_to_stay_away_are_no_events_and_have_no_index(active_only):
    geometry = Geometry(channels=2, strikes=1, samples=4, features=Feature.EVENTS)
    rng = random.Random(active_only)
    words = [[0] * 4]
    for _ in range(60):
        words.append(random_words(rng))
        words.extend([[(word >> 3) * 15 for word in words[-1]]] * rng.randrange(12, 30))
    events, dropped, _ = run(geometry, words, 1, 0.2, active_only)
    left_out = {n for place, n in enumerate(geometry.sources) if active_only >> place & 1}
    wanted = [(t, s, up) for t, s, up in expected(geometry, words) if up or s not in left_out]
    assert not any(dropped)
    assert [event[:3] for event in events] == wanted
    assert [event[3] for event in events] == list(range(len(wanted)))


def test_a_toggle_every_tick_is_reported_or_counted_edge_by_edge():
    words = [[0] * 4] + [[0, 0b0101, 0, 0]] * 250 + [[0] * 4]
    events, dropped, _ = run(SMALL, words)
    truth = expected(SMALL, words)
    assert len(truth) == 1000
    assert len(events) + sum(dropped) == len(truth)
    assert dropped[1] == sum(dropped) > 0
    assert [truth[event[3]] for event in events] == [event[:3] for event in events]
    jumps = [b[3] != a[3] + 1 for a, b in itertools.pairwise(events)]
    assert [bool(event[4]) for event in events[1:]] == jumps


def test_toggles_of_two_channels_at_once_keep_their_indices():
    words = [[0] * 4] + [[0, 0b0101, 0b0101, 0]] * 60 + [[0] * 4]
    events, dropped, _ = run(SMALL, words)
    truth = dict(enumerate(expected(SMALL, words)))
    assert min(dropped[1:3]) > 0
    assert len(events) + sum(dropped) == len(truth)
    assert [truth.get(event[3]) for event in events] == [event[:3] for event in events]


@pytest.mark.parametrize("clocks", [8, 40, 250])
def test_the_next_index_at_the_end_counts_what_was_dropped_last(clocks):
    words = [[0] * 4] + [[0, 0b0101, 0, 0]] * clocks + [[0] * 4]
    events, dropped, _, next_index = ended(SMALL, words)
    assert bool(sum(dropped)) == (clocks > 8)
    assert next_index == len(expected(SMALL, words)) == len(events) + sum(dropped)


def test_a_burst_that_fits_the_fifo_loses_nothing():
    words = [[0] * 4] + [[0, 0b0101, 0, 0]] * 8 + [[0] * 4] * 3
    events, dropped, _ = run(SMALL, words)
    assert not any(dropped)
    assert [event[:3] for event in events] == expected(SMALL, words)


def test_a_noisy_channel_takes_nothing_from_a_quiet_one():
    words = [[0] * 4]
    for clock in range(120):
        words.append([0, 0b0101, 0b1111 if clock // 20 % 2 else 0, 0])
    events, dropped, _ = run(SMALL, words)
    quiet = [event[:3] for event in events if event[1] == SMALL.sources[2]]
    assert quiet == [edge for edge in expected(SMALL, words) if edge[1] == SMALL.sources[2]]
    assert dropped[2] == 0
    assert dropped[1] > 0


@pytest.mark.parametrize("features", [WITHOUT, Feature.EVENTS])
@pytest.mark.parametrize(
    "burst",
    [[[0b0101, 0b0101, 0, 0]] * 4, [[0b1111, 0, 0, 0], [0, 0, 0, 0]] * 4],
    ids=["slots of eight", "slots of one"],
)
def test_the_merge_sends_an_event_each_second_clock_while_events_wait(burst, features):
    geometry = Geometry(channels=2, strikes=1, samples=4, word_fifo_depth=8, features=features)
    events, _, when = run(geometry, [[0] * 4, *burst, [0] * 4])
    assert len(events) in (8, 32)
    assert when[-1] - when[0] == (len(events) - 1) * 2
