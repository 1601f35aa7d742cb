"""The stamp: full times across a wrap of the low bits, indices across limbs, news of time."""

import random

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl import stamp
from plexor_hdl.stamp import Stamp
from plexor_hdl.timebase import IDLE_CLOCKS, LOW_BITS

GEOMETRY = Geometry(channels=1, strikes=1, samples=8)
WRAP = 1 << LOW_BITS


def run(bench, dut, start_clock, clocks, offer, stall=0.0, seed=0):
    """Return every beat: (time, is_event, final, source, polarity, index, gap).

    `offer(clock)` returns the event of a clock, a dict, or None; it stands until it is taken.
    """
    rng, beats = random.Random(seed), []

    async def drive(ctx):
        waiting = None
        for clock in range(start_clock, start_clock + clocks):
            epoch, low = divmod(clock, WRAP)
            ctx.set(dut.low, low)
            ctx.set(dut.epoch, epoch)
            ctx.set(dut.last_epoch, epoch - 1)
            ctx.set(dut.idle_clock, (clock - 6) % WRAP)
            waiting = waiting or offer(clock)
            ctx.set(dut.i_valid, waiting is not None)
            ctx.set(dut.idle, waiting is None)
            if waiting is not None:
                ctx.set(dut.i_event, waiting)
            ctx.set(dut.o_ready, rng.random() >= stall)
            if ctx.get(dut.i_valid) and ctx.get(dut.i_ready):
                waiting = None
            if ctx.get(dut.o_valid) and ctx.get(dut.o_ready):
                beat = ctx.get(dut.o_beat)
                event = beat.event
                beats.append(
                    (
                        event.time_ticks,
                        beat.is_event,
                        beat.final,
                        event.source,
                        event.polarity,
                        event.index,
                        event.gap,
                    )
                )
            await ctx.tick()

    bench.simulate(dut, drive)
    return beats


def merged(clock, source=0, gap=0):
    return {
        "source": source,
        "polarity": clock & 1,
        "fine": clock % 8,
        "clock": clock % WRAP,
        "gap": gap,
    }


@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("behind", [1, 7, 40])
def test_times_are_right_however_an_event_and_a_wrap_meet(bench, behind, stall):
    dut, start = Stamp(GEOMETRY), 5 * WRAP - 60
    offered = []

    def offer(clock):
        offered.append(clock - behind)
        return merged(clock - behind, source=clock % 3)

    beats = run(bench, dut, start, 160, offer, stall, seed=behind)
    assert len(beats) > 60
    truth = [
        (then * 8 + then % 8, 1, 0, GEOMETRY.sources[(then + behind) % 3], then & 1, number, 0)
        for number, then in enumerate(offered)
    ]
    assert beats == truth[: len(beats)]
    assert beats[-1][0] > 5 * WRAP * 8


def test_indices_carry_through_all_limbs_with_what_was_dropped(bench, monkeypatch):
    monkeypatch.setattr(stamp, "INDEX_BITS", 12)
    monkeypatch.setattr(stamp, "GAP_BITS", 4)
    dut, rng, gaps = Stamp(GEOMETRY), random.Random(1), []

    def offer(clock):
        gaps.append(rng.choice((0, 0, 1, 14, 15)))
        return merged(clock, gap=gaps[-1])

    beats = run(bench, dut, 3 * WRAP + 1, 500, offer)
    index = 0
    for beat, gap in zip(beats, gaps, strict=False):
        index += gap
        assert (beat[5], beat[6]) == (index % 4096, bool(gap))
        index += 1
    assert index > 2500


def test_while_nothing_comes_time_is_told_each_idle_clocks_and_no_index_is_used(bench):
    dut, start = Stamp(GEOMETRY), 2 * WRAP - 100
    last = start + 2 * IDLE_CLOCKS + 500

    def offer(clock):
        return merged(clock) if clock == last else None

    beats = run(bench, dut, start, 2 * IDLE_CLOCKS + 600, offer)
    news = [beat[0] // 8 for beat in beats if not beat[1]]
    assert len(news) == 3
    for number, clock in enumerate(news):
        assert abs(clock - (2 * WRAP + number * IDLE_CLOCKS)) < 16
    assert [(beat[0], beat[5]) for beat in beats if beat[1]] == [(last * 8 + last % 8, 0)]


def test_the_final_beat_is_after_the_events_and_counts_what_was_dropped_last(bench):
    dut, start = Stamp(GEOMETRY), 7 * WRAP + 10
    beats, acknowledged = [], []

    async def drive(ctx):
        ctx.set(dut.low, start % WRAP)
        ctx.set(dut.epoch, 7)
        ctx.set(dut.last_epoch, 6)
        ctx.set(dut.idle_clock, 9)
        ctx.set(dut.rest, 5)
        ctx.set(dut.i_event, merged(start - 4))
        ctx.set(dut.final_valid, 1)
        ctx.set(dut.o_ready, 1)
        for clock in range(12):
            ctx.set(dut.i_valid, clock < 3)
            if ctx.get(dut.o_valid):
                beats.append((ctx.get(dut.o_beat.event.time_ticks), ctx.get(dut.o_beat.final)))
            if ctx.get(dut.final_ready) and ctx.get(dut.final_valid):
                acknowledged.append(clock)
                await ctx.tick()
                ctx.set(dut.final_valid, 0)
            else:
                await ctx.tick()
        assert ctx.get(dut.next_index) == 3 + 5

    bench.simulate(dut, drive)
    assert acknowledged == [3]
    assert beats[-1] == ((7 * WRAP + 9) * 8, 1)
    assert [final for _, final in beats] == [0, 0, 0, 1]
