# SPDX-License-Identifier: Apache-2.0
"""The packetizer: every frame arrives whole, once and in its source's order."""

import random
from dataclasses import replace

import pytest

from plexor.protocol.frames import HEADER, MAX_WORDS, Frame, FrameType
from plexor_hdl.uplink.packetizer import Packetizer

from ..simulation import made

SOURCES = {
    "i_answers": FrameType.RESPONSE,
    "i_events": FrameType.EVENTS,
    "i_dump": FrameType.HISTOGRAM,
}


def random_frames(rng, kind, count, most_words=40):
    return [
        Frame(
            type=kind,
            flags=rng.randrange(256),
            tag=rng.randrange(1 << 16),
            sequence=0,
            index=rng.getrandbits(64),
            base_ticks=rng.choice([0, rng.getrandbits(64)]),
            payload=bytes(
                rng.choice([0, rng.randrange(256)]) for _ in range(4 * rng.randrange(most_words))
            ),
        )
        for _ in range(count)
    ]


class Sent(list):
    """Parts that left; `frames` counts their ends."""

    frames = 0

    def append(self, part):
        super().append(part)
        self.frames += part >> 33


def run(bench, sources, seed, quiet=False, before=0):
    """Send each source's frames; return the frames received and the clocks that it took."""
    dut, sent = made(Packetizer), Sent()
    total = sum(len(frames) for name, frames in sources.items() if not quiet or name == "i_answers")
    clocks = [0]

    def driver(name, frames, number):
        async def drive(ctx):
            await ctx.tick().repeat(1 if name == "i_answers" else 1 + before)
            beats_of = bench.parts_of if name == "i_events" else bench.beats_of
            beats = [beat for frame in frames for beat in beats_of(frame)]
            if quiet and name != "i_answers":
                ctx.set(getattr(dut, name).payload, beats[0])
                ctx.set(getattr(dut, name).valid, 1)
                return
            await bench.send(ctx, getattr(dut, name), beats, seed and seed * 10 + number)

        return drive

    async def wait(ctx):
        ctx.set(dut.quiet, quiet)
        while sent.frames < total:
            await ctx.tick()
            clocks[0] += 1
        await ctx.tick().repeat(600 if quiet else 5)

    drivers = [driver(*item, number) for number, item in enumerate(sources.items())]
    bench.simulate(dut, *drivers, wait, bench.receiver(dut.o_parts, sent, seed))
    found, rest = bench.frames_of_parts(sent)
    assert not rest
    return found, clocks[0]


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_frames_of_each_source_arrive_whole_in_order_and_numbered(bench, seed):
    rng = random.Random(seed)
    sources = {name: random_frames(rng, kind, 5) for name, kind in SOURCES.items()}
    found, _ = run(bench, sources, seed)
    assert [frame.sequence for frame in found] == list(range(5 * len(SOURCES)))
    for name, kind in SOURCES.items():
        mine = [replace(frame, sequence=0) for frame in found if frame.type == kind]
        assert mine == sources[name]


def test_a_frame_of_the_greatest_length_passes(bench):
    for name, kind in SOURCES.items():
        frame = Frame(kind, 0, 0, 0, 0, 0, bytes(range(1, 251)) * 4)
        assert len(frame.payload) == 4 * MAX_WORDS
        found, _ = run(bench, {name: [frame]}, None)
        assert found == [frame]


def test_while_quiet_only_answers_leave(bench):
    rng = random.Random(5)
    sources = {name: random_frames(rng, kind, 3) for name, kind in SOURCES.items()}
    found, _ = run(bench, sources, None, quiet=True)
    assert [frame.type for frame in found] == [FrameType.RESPONSE] * 3


def test_an_answer_goes_before_everything_that_waits(bench):
    rng = random.Random(6)
    sources = {
        name: random_frames(rng, kind, 4 if name == "i_answers" else 2)
        for name, kind in SOURCES.items()
    }
    found, _ = run(bench, sources, None, before=3)
    assert [frame.type for frame in found[:4]] == [FrameType.RESPONSE] * 4


def test_no_source_waits_for_more_than_one_frame_of_each_other(bench):
    rng = random.Random(7)
    kinds = {name: kind for name, kind in SOURCES.items() if name != "i_answers"}
    sources = {name: random_frames(rng, kind, 4) for name, kind in kinds.items()}
    found, _ = run(bench, sources, None)
    for first in range(0, 8, 2):
        assert {frame.type for frame in found[first : first + 2]} == set(kinds.values())


def test_a_part_each_two_clocks_is_sustained(bench):
    payload = bytes(range(1, 251)) * 4
    frames = [Frame(kind, 0, 0, 0, 0, 0, payload) for kind in SOURCES.values()]
    for name, frame in zip(SOURCES, frames, strict=True):
        found, clocks = run(bench, {name: [frame] * 2}, None)
        assert len(found) == 2
        parts = HEADER.size_bytes + (1 if name == "i_events" else 4) * MAX_WORDS
        assert clocks < 2 * (2 * parts + 10)
