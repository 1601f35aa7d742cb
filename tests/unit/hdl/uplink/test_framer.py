# SPDX-License-Identifier: Apache-2.0
"""The framer: frames of contiguous events that decode to what went in."""

import random

import pytest

from plexor.protocol.frames import (
    DELTA_BITS,
    HEADER,
    MAX_DELTA_TICKS,
    MAX_WORDS,
    SOURCE_CODE,
    SOURCE_CODE_VALUE,
    EventFlag,
    FrameType,
    split_event_word,
)
from plexor_hdl.uplink.framer import HURRY_CLOCKS, Framer
from plexor_hdl.uplink.upload import MARK_BITS, MARKS, SPARE_BITS

from ..simulation import made

FLUSH_CLOCKS = 200
MARK = 24


def event_entry(time, source=3, polarity=1):
    return {"low": time & MAX_DELTA_TICKS, "source": source, "polarity": polarity}


def marks(index, gap=False, time=0):
    """The entries before an event with this index and time."""
    start = (index | gap << 48 | time >> DELTA_BITS << 50) << SPARE_BITS
    parts = [start >> MARK_BITS * number & (1 << MARK_BITS) - 1 for number in range(MARKS)]
    return [
        {
            "low": part & MAX_DELTA_TICKS,
            "source": MARK | part >> DELTA_BITS & 7,
            "polarity": part >> MARK_BITS - 1,
        }
        for part in parts
    ]


def decode(frames):
    """Return (type, index, time, source, polarity) of every event in frames."""
    found = []
    for frame in frames:
        words = [
            int.from_bytes(frame.payload[at : at + 4], "little")
            for at in range(0, len(frame.payload), 4)
        ]
        assert 1 <= len(words) <= MAX_WORDS
        for number, word in enumerate(words):
            delta, source, polarity = split_event_word(word)
            found.append(
                (frame.type, frame.index + number, frame.base_ticks + delta, source, polarity)
            )
    return found


def random_entries(rng, count):
    """Return entries, the events that they are: (index, time, source, polarity), and the gaps."""
    index, time, top = rng.getrandbits(47), rng.getrandbits(63), None
    entries, events, gaps = [], [], set()
    for _ in range(count):
        time += rng.choice([0, 1, 100, 1 << 20, MAX_DELTA_TICKS, 1 << 26, 1 << 35, 1 << 50])
        gap = rng.random() < 0.05
        if gap:
            index += rng.randrange(1, 1000)
            gaps.add(index)
        if gap or time >> DELTA_BITS != top:
            entries += marks(index, gap, time)
            top = time >> DELTA_BITS
        source, polarity = rng.randrange(17), rng.randrange(2)
        entries.append(event_entry(time, source, polarity))
        events.append((index, time, source, polarity))
        index += 1
    return entries, events, gaps


async def rest(ctx, dut, clocks):
    """Let clocks pass; the bit of their count changes each FLUSH_CLOCKS / 2."""
    for clock in range(clocks):
        ctx.set(dut.clock_bit, clock // (FLUSH_CLOCKS // 2) & 1)
        await ctx.tick()


def run(
    bench,
    entries,
    seed=None,
    port="i_events",
    rest_clocks=FLUSH_CLOCKS + 160,
    trace=True,
    codes=False,
    **levels,
):
    dut, parts = made(Framer, trace=trace, codes=codes), []

    async def drive(ctx):
        for name, value in levels.items():
            ctx.set(getattr(dut, name), value)
        await bench.send(ctx, getattr(dut, port), entries, seed)
        await rest(ctx, dut, rest_clocks)

    bench.simulate(dut, drive, bench.receiver(dut.o_parts, parts, seed and seed + 1))
    return bench.frames_of_parts(parts)


@pytest.mark.parametrize(
    ("seed", "count"),
    [(1, 150), *(pytest.param(n, 500, marks=pytest.mark.full) for n in (None, 1, 2, 3))],
)
def test_frames_decode_to_the_events_that_went_in(bench, seed, count):
    entries, events, gaps = random_entries(random.Random(seed), count)
    frames, rest = run(bench, entries, seed)
    assert rest == b""
    assert decode(frames) == [(FrameType.EVENTS, *event) for event in events]
    assert {frame.index for frame in frames if frame.flags == EventFlag.GAP} == gaps
    assert all(frame.tag == 0 and frame.flags in (0, EventFlag.GAP) for frame in frames)


def test_the_base_is_the_time_above_the_delta_and_is_told_anew_by_marks(bench):
    for base in (0, 1 << 26, (1 << 52) + (1 << 41), (1 << 64) - (1 << 26)):
        times = [base, base + 12345, base + MAX_DELTA_TICKS]
        entries = [*marks(7, time=base), *(event_entry(time) for time in times)]
        after = base - (1 << 26) & (1 << 64) - 1
        entries += [*marks(10, time=after), event_entry(after)]
        frames, _ = run(bench, entries)
        assert [(frame.index, frame.base_ticks) for frame in frames] == [(7, base), (10, after)]
        assert [time for _, _, time, *_ in decode(frames)] == [*times, after]


def test_a_frame_holds_at_most_max_words(bench):
    entries = [*marks(5), *(event_entry(time) for time in range(2 * MAX_WORDS + 1))]
    frames, _ = run(bench, entries)
    assert [len(frame.payload) // 4 for frame in frames] == [MAX_WORDS, MAX_WORDS, 1]
    assert [frame.index for frame in frames] == [5, 5 + MAX_WORDS, 5 + 2 * MAX_WORDS]


@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_code_and_its_value_are_in_one_frame(bench, before):
    pair = [event_entry(7, SOURCE_CODE), event_entry(12345, SOURCE_CODE_VALUE)]
    entries = [*marks(5), *[event_entry(7)] * before, *pair * (MAX_WORDS // 2 + 2)]
    frames, _ = run(bench, entries, codes=True)
    whole = MAX_WORDS - (MAX_WORDS - before) % 2
    assert [len(frame.payload) // 4 for frame in frames] == [whole, len(entries) - MARKS - whole]


def test_a_code_waits_for_its_value_in_an_open_frame(bench):
    dut, parts = made(Framer, trace=True, codes=True), []

    async def drive(ctx):
        ctx.set(dut.hurry, 1)
        await bench.send(ctx, dut.i_events, [*marks(5), event_entry(7, SOURCE_CODE)])
        await rest(ctx, dut, 4 * FLUSH_CLOCKS)
        await bench.send(ctx, dut.i_events, [event_entry(99, SOURCE_CODE_VALUE)])
        await rest(ctx, dut, FLUSH_CLOCKS)

    bench.simulate(dut, drive, bench.receiver(dut.o_parts, parts))
    frames, _ = bench.frames_of_parts(parts)
    assert [len(frame.payload) for frame in frames] == [8]


def test_base_and_index_reach_their_upper_bits(bench):
    for base, index in ((0, 0), (1 << 26, 1 << 33), ((1 << 64) - (1 << 26), (1 << 48) - 9)):
        times = [base, base + MAX_DELTA_TICKS]
        frames, _ = run(bench, [*marks(index, time=base), *map(event_entry, times)])
        assert [(frame.index, frame.base_ticks) for frame in frames] == [(index, base)]
        assert [time for _, _, time, *_ in decode(frames)] == times


def test_a_gap_is_told_of_the_first_frame_behind_it_only(bench):
    entries = [*marks(5, gap=True), *(event_entry(time) for time in range(MAX_WORDS + 1))]
    frames, _ = run(bench, entries)
    assert [frame.flags for frame in frames] == [EventFlag.GAP, 0]


@pytest.mark.parametrize(
    ("levels", "rest_clocks", "closed"),
    [
        ({}, FLUSH_CLOCKS - 10, False),
        ({}, FLUSH_CLOCKS + 70, True),
        ({"hurry": 1}, HURRY_CLOCKS + 70, True),
        ({"flush": 1}, HURRY_CLOCKS + 70, True),
    ],
)
def test_an_open_frame_is_closed_when_nothing_comes(bench, levels, rest_clocks, closed):
    frames, rest = run(bench, [*marks(0), event_entry(7)], rest_clocks=rest_clocks, **levels)
    assert (len(frames), bool(rest)) == ((1, False) if closed else (0, True))


def test_entries_of_the_ring_become_trace_frames(bench):
    entries, events, _ = random_entries(random.Random(8), 60)
    frames, _ = run(bench, entries, 8, port="i_trace")
    assert decode(frames) == [(FrameType.TRACE, *event) for event in events]


def test_the_upload_fifo_goes_before_the_ring_and_frames_do_not_mix(bench):
    dut, parts = made(Framer), []
    uploads, events, _ = random_entries(random.Random(9), 80)
    traces, traced, _ = random_entries(random.Random(10), 40)

    async def upload(ctx):
        ctx.set(dut.flush, 1)
        await bench.send(ctx, dut.i_events, uploads, None)

    async def trace(ctx):
        await ctx.tick().repeat(5)
        await bench.send(ctx, dut.i_trace, traces, None)
        await rest(ctx, dut, FLUSH_CLOCKS + 160)

    bench.simulate(dut, upload, trace, bench.receiver(dut.o_parts, parts))
    frames, _ = bench.frames_of_parts(parts)
    expected = [(FrameType.EVENTS, *event) for event in events]
    assert decode(frames) == expected + [(FrameType.TRACE, *event) for event in traced]


def test_an_event_each_four_clocks_is_sustained(bench):
    dut, parts, clocks = made(Framer), [], []
    entries = [*marks(0), *(event_entry(time) for time in range(MAX_WORDS))]

    async def drive(ctx):
        while len(parts) < HEADER.size_bytes + MAX_WORDS:
            await ctx.tick()
            clocks.append(1)

    async def feed(ctx):
        await bench.send(ctx, dut.i_events, entries, None)

    bench.simulate(dut, feed, drive, bench.receiver(dut.o_parts, parts))
    assert len(clocks) <= 4 * MAX_WORDS + 2 * HEADER.size_bytes + 20


def test_without_a_ring_nothing_else_changes(bench):
    entries, events, _ = random_entries(random.Random(12), 100)
    frames, _ = run(bench, entries, 12, trace=False)
    assert decode(frames) == [(FrameType.EVENTS, *event) for event in events]
