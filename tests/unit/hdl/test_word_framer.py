"""The framer of a network: the frames that the other framer makes, as words, four times as fast."""

import random
import zlib

import pytest

from plexor.protocol.frames import MAX_DELTA_TICKS, MAX_WORDS, EventFlag, Frame, FrameType
from plexor_hdl.word_framer import WordFramer

from .simulation import made
from .test_framer import FLUSH_CLOCKS, HURRY_CLOCKS, decode, event_entry, marks, random_entries
from .test_framer import rest as let_pass


def whole(data):
    """Return the frame in `data`; fail where there is none."""
    try:
        return Frame.decode(data)
    except ValueError as error:
        pytest.fail(str(error))


def frames_of_words(beats):
    """Return the frames in FrameWord beats given as integers, and the words behind the last."""
    frames, body = [], b""
    for beat in beats:
        if beat >> 32:
            frames.append(whole(body + zlib.crc32(body).to_bytes(4, "little")))
            body = b""
        else:
            body += beat.to_bytes(4, "little")
    return frames, body


def run(bench, entries, seed=None, port="i_events", clocks=FLUSH_CLOCKS + 160, **levels):
    dut, beats = made(WordFramer), []

    async def drive(ctx):
        for name, value in levels.items():
            ctx.set(getattr(dut, name), value)
        await bench.send(ctx, getattr(dut, port), entries, seed)
        await let_pass(ctx, dut, clocks)

    bench.simulate(dut, drive, bench.receiver(dut.o_words, beats, seed and seed + 1))
    return frames_of_words(beats)


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_frames_decode_to_the_events_that_went_in(bench, seed):
    entries, events, gaps = random_entries(random.Random(seed), 500)
    frames, rest = run(bench, entries, seed)
    assert rest == b""
    assert decode(frames) == [(FrameType.EVENTS, *event) for event in events]
    assert {frame.index for frame in frames if frame.flags == EventFlag.GAP} == gaps
    assert all(frame.tag == 0 and frame.flags in (0, EventFlag.GAP) for frame in frames)


def test_base_and_index_reach_their_upper_bits(bench):
    for base, index in ((0, 0), (1 << 26, 1 << 33), ((1 << 64) - (1 << 26), (1 << 48) - 9)):
        times = [base, base + MAX_DELTA_TICKS]
        frames, _ = run(bench, [*marks(index, time=base), *map(event_entry, times)])
        assert [(frame.index, frame.base_ticks) for frame in frames] == [(index, base)]
        assert [time for _, _, time, *_ in decode(frames)] == times


def test_a_frame_holds_at_most_max_words(bench):
    entries = [*marks(5), *(event_entry(time) for time in range(2 * MAX_WORDS + 1))]
    frames, _ = run(bench, entries)
    assert [len(frame.payload) // 4 for frame in frames] == [MAX_WORDS, MAX_WORDS, 1]
    assert [frame.index for frame in frames] == [5, 5 + MAX_WORDS, 5 + 2 * MAX_WORDS]


def test_a_gap_is_told_of_the_first_frame_behind_it_only(bench):
    entries = [*marks(5, gap=True), *(event_entry(time) for time in range(MAX_WORDS + 1))]
    frames, _ = run(bench, entries)
    assert [frame.flags for frame in frames] == [EventFlag.GAP, 0]


@pytest.mark.parametrize(
    ("levels", "clocks", "closed"),
    [
        ({}, FLUSH_CLOCKS - 10, False),
        ({}, FLUSH_CLOCKS + 70, True),
        ({"hurry": 1}, HURRY_CLOCKS + 70, True),
        ({"flush": 1}, HURRY_CLOCKS + 70, True),
    ],
)
def test_an_open_frame_is_closed_when_nothing_comes(bench, levels, clocks, closed):
    frames, rest = run(bench, [*marks(0), event_entry(7)], clocks=clocks, **levels)
    assert (len(frames), bool(rest)) == ((1, False) if closed else (0, True))


def test_the_upload_fifo_goes_before_the_ring_and_frames_do_not_mix(bench):
    dut, beats = made(WordFramer), []
    uploads, events, _ = random_entries(random.Random(9), 80)
    traces, traced, _ = random_entries(random.Random(10), 40)

    async def upload(ctx):
        ctx.set(dut.flush, 1)
        await bench.send(ctx, dut.i_events, uploads, None)

    async def trace(ctx):
        await ctx.tick().repeat(5)
        await bench.send(ctx, dut.i_trace, traces, None)
        await let_pass(ctx, dut, FLUSH_CLOCKS + 160)

    bench.simulate(dut, upload, trace, bench.receiver(dut.o_words, beats))
    expected = [(FrameType.EVENTS, *event) for event in events]
    expected += [(FrameType.TRACE, *event) for event in traced]
    assert decode(frames_of_words(beats)[0]) == expected


def test_an_event_each_four_clocks_is_sustained(bench):
    dut, beats, clocks = made(WordFramer), [], []
    entries = [*marks(0), *(event_entry(time) for time in range(MAX_WORDS))]

    async def drive(ctx):
        while len(beats) < 6 + MAX_WORDS:
            await ctx.tick()
            clocks.append(1)

    async def feed(ctx):
        await bench.send(ctx, dut.i_events, entries, None)

    bench.simulate(dut, feed, drive, bench.receiver(dut.o_words, beats))
    assert len(clocks) <= 4 * (MAX_WORDS + 6) + 20
