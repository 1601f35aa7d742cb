# SPDX-License-Identifier: Apache-2.0
"""The stamp: full times across a wrap of the low bits, indices across chunks, blank slots."""

import random

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.capture import stamp, word_queues
from plexor_hdl.capture.stamp import Stamp
from plexor_hdl.capture.timebase import LOW_BITS
from plexor_hdl.capture.word_queues import clock_bits

GEOMETRY = Geometry(channels=1, strikes=1, samples=8, features=ALL_FEATURES & ~Feature.SWEEP)
EVENTS = Geometry(channels=1, strikes=1, samples=8, features=Feature.EVENTS)
WRAP = 1 << LOW_BITS
SHORT_WRAP = 1 << clock_bits(GEOMETRY)


def run(bench, dut, start_clock, clocks, offer, stall=0.0, seed=0):
    """Return every beat, (time, is_event, final, source, polarity, index, gap), and the last index.

    `offer(clock)` returns what to offer in a clock, (event, tag), or None; it stands until taken.
    """
    rng, beats, told, last = random.Random(seed), [], [], []

    async def drive(ctx):
        waiting, was_ready = None, 0
        for clock in range(start_clock, start_clock + clocks):
            epoch, low = divmod(clock, WRAP)
            ctx.set(dut.low, low)
            ctx.set(dut.epoch, epoch)
            ctx.set(dut.last_epoch, epoch - 1)
            waiting = waiting or offer(clock)
            ctx.set(dut.i_valid, waiting is not None)
            ctx.set(dut.tag, {"clock": rng.randrange(100), "gap": rng.randrange(16)})
            if waiting is not None:
                ctx.set(dut.i_event, waiting[0])
                if waiting[0]["first"]:
                    ctx.set(dut.tag, waiting[1])
            ctx.set(dut.o_ready, rng.random() >= stall)
            # The merge relies on the clock between, and its proof does.
            assert not (was_ready and ctx.get(dut.i_ready))
            was_ready = ctx.get(dut.i_ready)
            takes = waiting is not None and was_ready
            assert ctx.get(dut.take_tag) == (takes and waiting[0]["first"])
            if takes:
                waiting = None
            event = ctx.get(dut.o_event)
            if ctx.get(dut.event_stb):
                told.append((event.time_ticks, event.index))
            if ctx.get(dut.o_valid) and ctx.get(dut.o_ready):
                beats.append(
                    (
                        event.time_ticks,
                        ctx.get(dut.o_is_event),
                        ctx.get(dut.o_final),
                        event.source,
                        event.polarity,
                        event.index,
                        event.gap,
                    )
                )
            await ctx.tick()
        ctx.set(dut.i_valid, 0)
        await ctx.tick().repeat(6)
        last.append(ctx.get(dut.next_index))

    bench.simulate(dut, drive)
    # Each event is told once, whole, before its beat is taken or a clock later.
    taken = [(beat[0], beat[5]) for beat in beats if beat[1]]
    both = min(len(told), len(taken))
    assert told[:both] == taken[:both]
    assert max(len(told), len(taken)) <= both + 1
    return beats, last[0]


def merged(clock, source=0, gap=0, first=1, blank=0):
    event = {"source": source, "polarity": clock & 1, "fine": clock % 8}
    return {**event, "first": first, "blank": blank}, {"clock": clock % SHORT_WRAP, "gap": gap}


@pytest.mark.parametrize("geometry", [GEOMETRY, EVENTS], ids=["all", "events"])
@pytest.mark.parametrize("wrap", [WRAP, SHORT_WRAP])
@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("behind", [1, 7, 40, SHORT_WRAP // 2 - 300])
def test_times_are_right_however_an_event_and_a_wrap_meet(bench, behind, stall, wrap, geometry):
    dut, start = Stamp(geometry), 5 * wrap - 60
    if behind > 100:
        start += behind
    offered = []

    def offer(clock):
        offered.append(clock - behind)
        return merged(clock - behind, source=clock % 3)

    beats, _ = run(bench, dut, start, 160, offer, stall, seed=behind)
    assert len(beats) > 40
    truth = [
        (then * 8 + then % 8, 1, 0, GEOMETRY.sources[(then + behind) % 3], then & 1, number, 0)
        for number, then in enumerate(offered)
    ]
    assert beats == truth[: len(beats)]
    assert beats[0][0] < 5 * wrap * 8 < beats[-1][0]


def test_later_events_of_a_slot_have_its_clock_and_no_gap(bench):
    dut, rng, offered = Stamp(GEOMETRY), random.Random(2), []
    clocks = [WRAP + 50]

    def offer(clock):
        first = not offered or rng.random() < 0.3
        if first:
            clocks.append(clock)
        offered.append((clocks[-1], clock % 8, 3 if first else 0))
        return merged(clock, gap=3, first=int(first))

    beats, _ = run(bench, dut, WRAP + 100, 100, offer, stall=0.3)
    truth = [(then * 8 + fine, bool(gap)) for then, fine, gap in offered]
    assert [(beat[0], bool(beat[6])) for beat in beats] == truth[: len(beats)]


@pytest.mark.parametrize("geometry", [GEOMETRY, EVENTS], ids=["all", "events"])
@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_indices_carry_through_all_chunks_with_what_was_dropped(
    bench, monkeypatch, stall, geometry
):
    monkeypatch.setattr(stamp, "INDEX_BITS", 12)
    monkeypatch.setattr(word_queues, "GAP_BITS", 4)
    monkeypatch.setattr(stamp, "CHUNK_BITS", 4)
    dut, rng, gaps = Stamp(geometry), random.Random(1), []

    def offer(clock):
        gaps.append(rng.choice((0, 0, 1, 14, 15)))
        return merged(clock, gap=gaps[-1])

    beats, last = run(bench, dut, 3 * WRAP + 1, 2500, offer, stall)
    index = 0
    for beat, gap in zip(beats, gaps, strict=False):
        index += gap
        assert (beat[5], beat[6]) == (index % 4096, bool(gap))
        index += 1
    assert index > 4096
    index += sum(gap + 1 for gap in gaps[len(beats) : len(beats) + 2])
    assert last <= index % 4096


def test_a_blank_slot_tells_the_time_and_counts_what_was_dropped_but_not_itself(bench):
    dut, start = Stamp(GEOMETRY), 7 * WRAP + 10
    slots = [merged(start), merged(start + 1, blank=1), merged(start + 2, gap=2), merged(start + 3)]
    slots.append(merged(start + 4, gap=5, blank=1))
    offers = iter(slots)
    beats, last = run(bench, dut, start + 9, 20, lambda _: next(offers, None))
    assert [beat[0] // 8 for beat in beats] == [start + n for n in range(5)]
    assert [beat[1] for beat in beats] == [1, 0, 1, 1, 0]
    assert [beat[5] for beat in beats if beat[1]] == [0, 3, 4]
    assert last == 5 + 5


def test_the_final_beat_is_one_without_event_and_clear_starts_the_index_anew(bench):
    dut, start = Stamp(GEOMETRY), 7 * WRAP + 10
    found = []

    async def drive(ctx):
        ctx.set(dut.low, start % WRAP)
        ctx.set(dut.epoch, 7)
        ctx.set(dut.final, 1)
        ctx.set(dut.o_ready, 1)
        number = 0
        for _ in range(16):
            ctx.set(dut.i_valid, number < 4)
            event, tag = merged(start - 4 + number, blank=int(number == 3), gap=number)
            ctx.set(dut.i_event, event)
            ctx.set(dut.tag, tag)
            number += ctx.get(dut.i_ready)
            if ctx.get(dut.o_valid):
                found.append((ctx.get(dut.o_final), ctx.get(dut.o_is_event)))
            await ctx.tick()
        assert ctx.get(dut.next_index) == 3 + 0 + 1 + 2 + 3
        ctx.set(dut.clear, 1)
        await ctx.tick()
        assert ctx.get(dut.next_index) == 0

    bench.simulate(dut, drive)
    assert found == [(0, 1), (0, 1), (0, 1), (1, 0)]


def test_a_gap_before_a_blank_slot_is_told_with_the_next_event(bench):
    dut, start = Stamp(GEOMETRY), 7 * WRAP + 10
    slots = [merged(start, gap=3, blank=1), merged(start + 1), merged(start + 2)]
    offers = iter(slots)
    beats, _ = run(bench, dut, start + 9, 20, lambda _: next(offers, None))
    assert [(beat[1], beat[5], beat[6]) for beat in beats[1:]] == [(1, 3, 1), (1, 4, 0)]


def test_a_slot_that_is_gone_is_a_beat_where_the_time_is_news_alone(bench):
    dut = Stamp(GEOMETRY, removes=True)
    start = 3 * WRAP + 100
    # Each fourth slot has an event, the others are gone; half of them where the time is news.
    slots = [(start + 10 * number, number % 4) for number in range(40)]
    waiting, beats, last = list(slots), [], []

    async def drive(ctx):
        ctx.set(dut.o_ready, 1)
        for clock in range(start + 20, start + 500):
            epoch, low = divmod(clock, WRAP)
            ctx.set(dut.low, low)
            ctx.set(dut.epoch, epoch)
            ctx.set(dut.last_epoch, epoch - 1)
            ctx.set(dut.i_valid, bool(waiting))
            if waiting:
                at, kind = waiting[0]
                event, tag = merged(at, gap=2 * (kind == 2), blank=kind != 0)
                ctx.set(dut.i_event, {**event, "gone": kind != 0})
                ctx.set(dut.tag, tag)
                ctx.set(dut.news, kind == 3)
                if ctx.get(dut.i_ready):
                    waiting.pop(0)
            if ctx.get(dut.o_valid):
                beats.append((ctx.get(dut.o_event.time_ticks), ctx.get(dut.o_is_event)))
            await ctx.tick()
        last.append(ctx.get(dut.next_index))

    bench.simulate(dut, drive)
    told = [(at * 8 + at % 8, int(kind == 0)) for at, kind in slots if kind in (0, 3)]
    assert beats == told
    # What was dropped before a slot that is gone is numbered all the same.
    assert last[0] == 10 + 2 * 10
