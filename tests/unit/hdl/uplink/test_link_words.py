# SPDX-License-Identifier: Apache-2.0
"""The end of the way to datagrams: whole frames with a right CRC, at line rate."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import MAX_WORDS, FrameType
from plexor_hdl.uplink.frame_parts import FrameWord
from plexor_hdl.uplink.framer import Framer
from plexor_hdl.uplink.link_words import LinkWords
from plexor_hdl.uplink.packetizer import Packetizer
from plexor_hdl.uplink.upload import Entry

from ..simulation import made
from .test_framer import event_entry, marks
from .test_link_bytes import as_bytes
from .test_packetizer import random_frames

GIGABIT_OVERHEAD_BYTES = 8 + 14 + 20 + 8 + 4 + 12
"""Around a datagram: preamble, Ethernet, IPv4, UDP, check sequence, gap (IEEE 802.3, RFC 791)."""


def frames_of(bench, beats):
    """Return the frames in FrameWord beats given as integers; fail where they are not whole."""
    frames, body = [], b""
    for beat in beats:
        if beat >> 32:
            frames.append(bench.whole(body))
            body = b""
        else:
            body += beat.to_bytes(4, "little")
    assert not body
    return frames


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("seed", [None, 1, pytest.param(2, marks=pytest.mark.full)])
def test_frames_arrive_whole_in_order_and_with_a_right_crc(bench, seed, words):
    frames = random_frames(random.Random(seed), FrameType.EVENTS, 8)
    parts_of = bench.parts_of if words else as_bytes(bench)
    dut, sent = made(LinkWords), []

    async def drive(ctx):
        parts = [part for frame in frames for part in parts_of(frame)]
        await bench.send(ctx, dut.i_parts, parts, seed)
        await ctx.tick().repeat(40)

    bench.simulate(dut, drive, bench.receiver(dut.o_words, sent, seed))
    assert frames_of(bench, sent) == frames


class Events(wiring.Component):
    """The way of entries to datagrams."""

    i_entries: In(stream.Signature(Entry))
    o_words: Out(stream.Signature(FrameWord))

    def elaborate(self, platform):
        m = Module()
        m.submodules.framer = framer = Framer()
        m.submodules.packetizer = packetizer = Packetizer()
        m.submodules.link = link = LinkWords()
        wiring.connect(m, wiring.flipped(self.i_entries), framer.i_events)
        wiring.connect(m, framer.o_parts, packetizer.i_events)
        wiring.connect(m, packetizer.o_parts, link.i_parts)
        wiring.connect(m, link.o_words, wiring.flipped(self.o_words))
        return m


def test_events_leave_faster_than_gigabit_ethernet_takes_them(bench):
    dut, sent, clocks = made(Events), [], []
    entries = [*marks(0), *(event_entry(time) for time in range(2 * MAX_WORDS + 1))]

    async def feed(ctx):
        await bench.send(ctx, dut.i_entries, entries, None)

    async def wait(ctx):
        while sum(beat >> 32 for beat in sent) < 2:
            await ctx.tick()
            clocks.append(1)

    bench.simulate(dut, feed, wait, bench.receiver(dut.o_words, sent))
    last = max(place for place, beat in enumerate(sent) if beat >> 32)
    frames = frames_of(bench, sent[: last + 1])
    assert [len(frame.payload) for frame in frames] == [4 * MAX_WORDS] * 2
    # A byte of the wire is a clock of 125 MHz.
    assert len(clocks) < 2 * (len(frames[0].encode()) + GIGABIT_OVERHEAD_BYTES)
