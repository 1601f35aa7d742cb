# SPDX-License-Identifier: Apache-2.0
"""The dumper: every word of every requested space, once, in frames that say what they are."""

import random
from dataclasses import replace

import pytest
from amaranth.hdl import Cat

from plexor.protocol.frames import SPACE_MASK, FrameType, LogCode, MemoryFlag, split_place
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import HISTOGRAM_SPACES, Space, banks, entries, entry_words
from plexor_hdl.interfaces import READ_CLOCKS
from plexor_hdl.uplink.dumper import FRAME_WORDS, Dumper, word_clocks

from ..simulation import made

SMALL = Geometry(
    channels=1,
    strikes=1,
    latency_mantissa_bits=2,
    interval_mantissa_bits=2,
    zoom_bits=4,
    features=ALL_FEATURES & ~Feature.SWEEP,
)
"""Without steps, of which there are many words."""
CODED = replace(SMALL, code_bits=4, features=SMALL.features | Feature.CODES)
LATE_CLOCKS = word_clocks(SMALL) - READ_CLOCKS
BASE_TICKS = 0x0123456789ABCDEF


def word_at(space, bank, address):
    """What the memories of these tests hold."""
    return space << 28 | bank << 24 | address


def memory_side(dut, geometry, word, done, *, holds=None, late=0, some=None):
    """Answer every SpaceRead port READ_CLOCKS + `late` after its address; past its last with 0.

    What is read now may have words where `some` says so, or where the frame has one that is not 0;
    of the others any may be. With `holds`, a generator of random numbers, others read now and then,
    and words are theirs.
    """
    words = [entries(geometry, space) * entry_words(space) for space in Space]
    frames = {}

    def frame_has(space, bank, address):
        key = space, bank, address // FRAME_WORDS
        if key not in frames:
            first = key[2] * FRAME_WORDS
            whole = range(first, min(first + FRAME_WORDS, words[space]))
            frames[key] = any(word(space, bank, each) for each in whole)
        return frames[key]

    def told_of(asked, space, bits):
        one = asked >> bits * space & (1 << bits) - 1
        bank, address = one & 1, one >> 1
        if address >= words[space]:
            return 0, 1
        return word(space, bank, address), (some or frame_has)(space, bank, address)

    async def answer(ctx):
        # What all ports ask for and are answered changes seldom, and costs time to look at.
        ports = Cat(*(Cat(p.bank, p.address) for p in dut.spaces))
        bits = len(dut.spaces[0].address) + 1
        asked, told = None, [None] * len(Space)
        past = [0] * (READ_CLOCKS + late + 1)
        left = 0
        while not done:
            if past[0] != asked:
                asked = past[0]
                for space, port in enumerate(dut.spaces):
                    answers = told_of(asked, space, bits)
                    if asked < 0:
                        answers = asked & 0xFFFFFFFF, asked >> 32 & 1
                    if answers != told[space]:
                        told[space] = answers
                        ctx.set(port.data, answers[0])
                        ctx.set(port.some, answers[1])
            await ctx.tick()
            past = [*past[1:], ctx.get(ports)]
            if holds is not None:
                left = left - 1 if left else holds.randrange(40) * (holds.random() < 0.01)
                ctx.set(dut.hold, left > 0)
                if left:
                    past[-1] = -1 - holds.getrandbits(33)

    return answer


def base_side(dut, done):
    """Read the words of BASE_TICKS in 3 clocks, where nothing else is read."""

    async def answer(ctx):
        rng, past = random.Random(1), [(0, 0)] * 4
        while not done:
            high, valid = past[0]
            ctx.set(dut.base, BASE_TICKS >> 32 * high & 0xFFFFFFFF if valid else 0x55555555)
            ctx.set(dut.base_valid, valid)
            await ctx.tick()
            past = [*past[1:], (ctx.get(dut.base_high), rng.random() < 0.5)]

    return answer


def run(bench, geometry, requests, seed=None, word=word_at, **memory):
    dut, beats, done = made(Dumper, geometry), [], []

    async def drive(ctx):
        for wanted in requests:
            # Sent until it is taken, a request stands until the dump is over.
            await bench.send(ctx, dut.i_requests, [wanted], seed)
            await ctx.tick()
            while ctx.get(dut.busy):
                await ctx.tick()
        done.append(True)

    sides = memory_side(dut, geometry, word, done, **memory), base_side(dut, done)
    bench.simulate(dut, drive, *sides, bench.receiver(dut.o_bytes, beats, seed))
    frames, rest = bench.frames_of_beats(beats)
    assert rest == b""
    return frames


def request(spaces, bank=0, both=0, snapshot=7, final=0, report=1):
    return {
        "spaces": sum(1 << space for space in spaces),
        "bank": bank,
        "both": both,
        "snapshot": snapshot,
        "final": final,
        "report": report,
    }


def contents(frames):
    """Return {(space, bank): words}, checking the offset, length and LAST of each frame."""
    found, closed = {}, set()
    for frame in frames:
        key = frame.flags & SPACE_MASK, bool(frame.flags & MemoryFlag.BANK)
        words = found.setdefault(key, [])
        assert key not in closed
        offset, zeros = split_place(frame.index)
        words += [0] * zeros
        assert offset == len(words)
        assert 0 < len(frame.payload) <= 4 * FRAME_WORDS
        words += [
            int.from_bytes(frame.payload[at : at + 4], "little")
            for at in range(0, len(frame.payload), 4)
        ]
        if frame.flags & MemoryFlag.LAST:
            closed.add(key)
        kind = FrameType.HISTOGRAM if key[0] in HISTOGRAM_SPACES else FrameType.STATISTICS
        assert frame.type == kind
    assert closed == set(found)
    return found


def expected(geometry, spaces, wanted):
    """Return the contents of these spaces' banks that are wanted, of those that they have."""
    return {
        (space, bool(bank)): [
            word_at(space, bank, address)
            for address in range(entries(geometry, space) * entry_words(space))
        ]
        for space in spaces
        for bank in {min(each, banks(geometry, space) - 1) for each in wanted}
        if entries(geometry, space)
    }


@pytest.mark.parametrize("final", [0, pytest.param(1, marks=pytest.mark.full)])
def test_tables_of_codes_are_sent_after_a_run_only(bench, final):
    spaces = [Space.CLASSES, Space.CODES]
    frames = run(bench, CODED, [request(spaces, final=final)])
    sent = spaces if final else spaces[:1]
    assert contents(frames[:-1]) == expected(CODED, sent, (0,))


@pytest.mark.full
@pytest.mark.parametrize("seed", [None, 3])
def test_all_spaces_of_both_banks_are_sent_whole(bench, seed):
    frames = run(bench, SMALL, [request(Space, both=1, final=1)], seed)
    assert contents(frames[:-1]) == expected(SMALL, Space, (0, 1))
    assert all(frame.flags & MemoryFlag.FINAL for frame in frames[:-1])
    assert all(frame.tag == 7 and frame.base_ticks == BASE_TICKS for frame in frames[:-1])


@pytest.mark.parametrize(
    ("bank", "other"),
    [
        (1, Space.INTERVAL_ZOOM),
        *(pytest.param(n, Space.INTERVAL_BINS, marks=pytest.mark.full) for n in (0, 1)),
    ],
    ids=["1", "0 long", "1 long"],
)
def test_one_bank_of_some_spaces_is_sent_alone(bench, bank, other):
    spaces = [Space.EDGES, other]
    frames = run(bench, SMALL, [request(spaces, bank=bank)])
    assert contents(frames[:-1]) == expected(SMALL, spaces, (bank,))
    assert not any(frame.flags & MemoryFlag.FINAL for frame in frames[:-1])


@pytest.mark.parametrize(
    "spaces",
    [
        [Space.CLASSES],
        pytest.param([Space.CLASSES, Space.LATENCY_BINS], marks=pytest.mark.full),
    ],
    ids=["counts", "bins"],
)
def test_what_others_read_meanwhile_is_not_sent(bench, spaces):

    def word(space, bank, address):
        return word_at(space, bank, address) if 140 < address < 145 or address < 5 else 0

    wanted = [request(spaces)]
    plain = run(bench, SMALL, wanted, 3, word=word)
    assert run(bench, SMALL, wanted, 3, word=word, holds=random.Random(4)) == plain


def test_a_log_frame_follows_where_it_is_asked_for(bench):
    wanted = [
        request([Space.CLASSES], snapshot=(1 << 15) + 5),
        request([], snapshot=9),
        request([Space.CLASSES], report=0),
    ]
    frames = run(bench, SMALL, wanted)
    told = [(f.tag, f.index, f.base_ticks, f.payload) for f in frames if f.type == FrameType.LOG]
    assert told == [
        (LogCode.DUMPED, (1 << 15) + 5, BASE_TICKS, b""),
        (LogCode.DUMPED, 9, BASE_TICKS, b""),
    ]
    assert [f.type == FrameType.LOG for f in frames] == [False, True, True, False]
    assert frames[0].tag == (1 << 15) + 5


def test_what_the_build_leaves_out_is_not_sent(bench):
    geometry = Geometry(
        channels=1,
        strikes=1,
        latency_mantissa_bits=2,
        features=Feature.MATCH,
    )
    spaces = [space for space in Space if space != Space.LATENCY_BINS]
    frames = run(bench, geometry, [request(spaces, both=1)])
    assert contents(frames[:-1]) == expected(geometry, spaces, (0,))


@pytest.mark.full
def test_a_long_space_is_cut_into_full_frames(bench):
    geometry = Geometry(channels=1, strikes=1, latency_mantissa_bits=2)
    frames = run(bench, geometry, [request([Space.LATENCY_BINS])])
    words = entries(geometry, Space.LATENCY_BINS)
    assert len(frames) == -(-words // FRAME_WORDS) + 1
    assert contents(frames[:-1]) == expected(geometry, [Space.LATENCY_BINS], (0,))


@pytest.mark.parametrize("late", [pytest.param(0, marks=pytest.mark.full), LATE_CLOCKS])
def test_frames_of_zeros_are_left_out_and_told_in_the_next(bench, late):
    geometry = Geometry(channels=1, strikes=1, latency_mantissa_bits=4)
    space, words = Space.LATENCY_BINS, entries(geometry, Space.LATENCY_BINS)
    # The first word of one frame and the last of the next but one.
    filled = {2 * FRAME_WORDS: 1, 5 * FRAME_WORDS - 1: 1 << 31}

    def word(space, bank, address):
        return filled.get(address, 0)

    frames = run(bench, geometry, [request([space], both=1)], word=word, late=late)[:-1]
    found, last = contents(frames), words - FRAME_WORDS
    assert found == {(space, False): [filled.get(address, 0) for address in range(words)]}
    places = [split_place(frame.index) for frame in frames]
    unit = FRAME_WORDS
    assert places == [
        (2 * unit, 2 * unit),
        (4 * unit, unit),
        (last, last - 5 * unit),
    ]


def test_what_was_left_out_of_one_bank_is_not_told_of_the_other(bench):
    geometry = Geometry(channels=4, strikes=1)
    space = Space.LATENCY_STATISTICS
    words = entries(geometry, space) * entry_words(space)
    assert FRAME_WORDS < words <= 2 * FRAME_WORDS
    filled = {(0, words - 1): 5, (1, 1): 7}

    def word(space, bank, address):
        return filled.get((bank, address), 0)

    frames = run(bench, geometry, [request([space], both=1)], word=word)[:-1]
    assert contents(frames) == {
        (space, bool(bank)): [filled.get((bank, address), 0) for address in range(words)]
        for bank in (0, 1)
    }
    places = [split_place(frame.index) for frame in frames]
    assert places == [(FRAME_WORDS, FRAME_WORDS), (0, 0), (FRAME_WORDS, 0)]


@pytest.mark.full
def test_steps_are_sent_as_statistics(bench):
    geometry = Geometry(channels=1, strikes=1, table_steps=8)
    words = entries(geometry, Space.STEPS) * entry_words(Space.STEPS)

    def word(space, bank, address):
        return word_at(space, bank, address) if address in (70, words - 1) else 0

    found = contents(run(bench, geometry, [request([Space.STEPS])], word=word)[:-1])
    expected = [word(Space.STEPS, 0, address) for address in range(words)]
    assert found == {(Space.STEPS, False): expected}


def test_a_frame_that_may_have_words_is_sent_where_it_has_none(bench):
    geometry = Geometry(channels=1, strikes=1, latency_mantissa_bits=2, features=Feature.MATCH)
    space, nothing = Space.LATENCY_BINS, {"word": lambda *_: 0, "some": lambda *_: 1}
    frames = run(bench, geometry, [request([space])], **nothing)[:-1]
    words = range(0, entries(geometry, space), FRAME_WORDS)
    assert [split_place(frame.index) for frame in frames] == [(place, 0) for place in words]
