# SPDX-License-Identifier: Apache-2.0
"""The end of the way to a link of bytes: whole frames with a right CRC, as COBS."""

import random

import pytest

from plexor.protocol.frames import HEADER, MAX_WORDS, Frame, FrameType
from plexor_hdl.uplink.link_bytes import LinkBytes

from ..simulation import made
from .test_packetizer import random_frames


def run(bench, frames, beats, seed=None):
    """Send beats; return the frames received and the clocks that it took."""
    dut, sent, clocks = made(LinkBytes), [], [0]

    async def drive(ctx):
        await bench.send(ctx, dut.i_parts, beats, seed)

    async def wait(ctx):
        while sent.count(0) < len(frames):
            await ctx.tick()
            clocks[0] += 1
        await ctx.tick().repeat(20)

    bench.simulate(dut, drive, wait, bench.receiver(dut.o_bytes, sent, seed))
    return bench.frames_of(sent), clocks[0]


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("seed", [None, 1, pytest.param(2, marks=pytest.mark.full)])
def test_frames_arrive_whole_in_order_and_with_a_right_crc(bench, seed, words):
    frames = random_frames(random.Random(seed), FrameType.EVENTS, 8)
    parts_of = bench.parts_of if words else as_bytes(bench)
    found, _ = run(bench, frames, [beat for frame in frames for beat in parts_of(frame)], seed)
    assert found == frames


def as_bytes(bench):
    """Return what makes FramePart beats of a frame of which no part is a word."""

    def parts_of(frame):
        return [
            {"word": beat["byte"], "whole": 0, "end": beat["end"]} for beat in bench.beats_of(frame)
        ]

    return parts_of


@pytest.mark.parametrize("words", [True, pytest.param(False, marks=pytest.mark.full)])
def test_a_byte_each_three_clocks_is_sustained(bench, words):
    frame = Frame(FrameType.HISTOGRAM, 0, 0, 0, 0, 0, bytes(range(1, 251)) * 4)
    assert len(frame.payload) == 4 * MAX_WORDS
    parts = (bench.parts_of if words else as_bytes(bench))(frame)
    found, clocks = run(bench, [frame] * 2, parts * 2)
    assert found == [frame] * 2
    # A block waits until it is complete.
    assert clocks < 2 * (3 * (HEADER.size_bytes + 4 * MAX_WORDS) + 20) + 3 * 255 + 100
