"""The packetizer of a network: every frame whole, once, in its source's order, at line rate."""

import random
from dataclasses import replace

import pytest

from plexor.protocol.frames import CRC_BYTES, MAX_WORDS, Frame, FrameType
from plexor_hdl.word_packetizer import WordPacketizer

from .simulation import made
from .test_packetizer import SOURCES, random_frames
from .test_word_framer import whole

GIGABIT_OVERHEAD_BYTES = 8 + 14 + 20 + 8 + 4 + 12
"""Around a datagram: preamble, Ethernet, IPv4, UDP, check sequence, gap (IEEE 802.3, RFC 791)."""


def word_beats(frame):
    body = frame.encode()[:-CRC_BYTES]
    words = [int.from_bytes(body[at : at + 4], "little") for at in range(0, len(body), 4)]
    return [{"word": word, "end": 0} for word in words] + [{"word": 0, "end": 1}]


def frames_of(beats):
    frames, body = [], b""
    for beat in beats:
        if beat >> 32:
            frames.append(whole(body))
            body = b""
        else:
            body += beat.to_bytes(4, "little")
    assert not body
    return frames


def run(bench, sources, seed, quiet=False, before=0):
    """Send each source's frames; return the frames received and the clocks that it took."""
    dut, sent, clocks = made(WordPacketizer), [], [0]
    total = sum(len(frames) for name, frames in sources.items() if not quiet or name == "i_answers")

    def driver(name, frames, number):
        beats_of = word_beats if name == "i_events" else bench.beats_of

        async def drive(ctx):
            await ctx.tick().repeat(1 if name == "i_answers" else 1 + before)
            beats = [beat for frame in frames for beat in beats_of(frame)]
            if quiet and name != "i_answers":
                beats = beats[:1]
                ctx.set(getattr(dut, name).payload, beats[0])
                ctx.set(getattr(dut, name).valid, 1)
                return
            await bench.send(ctx, getattr(dut, name), beats, seed and seed * 10 + number)

        return drive

    async def wait(ctx):
        ctx.set(dut.quiet, quiet)
        while sum(beat >> 32 for beat in sent) < total:
            await ctx.tick()
            clocks[0] += 1
        await ctx.tick().repeat(600 if quiet else 5)

    drivers = [driver(*item, number) for number, item in enumerate(sources.items())]
    bench.simulate(dut, *drivers, wait, bench.receiver(dut.o_words, sent, seed))
    return frames_of(sent), clocks[0]


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_frames_of_each_source_arrive_whole_in_order_and_numbered(bench, seed):
    rng = random.Random(seed)
    sources = {name: random_frames(rng, kind, 5) for name, kind in SOURCES.items()}
    found, _ = run(bench, sources, seed)
    assert [frame.sequence for frame in found] == list(range(5 * len(SOURCES)))
    for name, kind in SOURCES.items():
        mine = [replace(frame, sequence=0) for frame in found if frame.type == kind]
        assert mine == sources[name]


def test_while_quiet_only_answers_leave(bench):
    rng = random.Random(5)
    sources = {name: random_frames(rng, kind, 3) for name, kind in SOURCES.items()}
    found, _ = run(bench, sources, None, quiet=True)
    assert [frame.type for frame in found] == [FrameType.RESPONSE] * 3


def test_no_source_waits_for_more_than_one_frame_of_each_other(bench):
    rng = random.Random(7)
    kinds = {name: kind for name, kind in SOURCES.items() if name != "i_answers"}
    sources = {name: random_frames(rng, kind, 4, most_words=3) for name, kind in kinds.items()}
    found, _ = run(bench, sources, None, before=60)
    for first in range(0, 8, 2):
        assert {frame.type for frame in found[first : first + 2]} == set(kinds.values())


def test_events_leave_faster_than_gigabit_ethernet_takes_them(bench):
    frame = Frame(FrameType.EVENTS, 0, 0, 0, 0, 0, bytes(range(1, 251)) * 4)
    found, clocks = run(bench, {"i_events": [frame] * 6}, None)
    assert len(found) == 6
    # A byte of the wire is a clock of 125 MHz.
    assert clocks < 6 * (len(frame.encode()) + GIGABIT_OVERHEAD_BYTES)
    assert len(frame.payload) == 4 * MAX_WORDS
