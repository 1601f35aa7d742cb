# SPDX-License-Identifier: Apache-2.0
"""The way of events to the link: which builds have one, and when events are let in."""

import pytest
from amaranth.sim import Simulator

from plexor.protocol.frames import DELTA_BITS, FrameType
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import Stream
from plexor_hdl.uplink.uplink import Uplink

from ..simulation import made

EVENTS = 5


def driven(dut, sent):
    """Return a script of a run with some events, of which the stream is `sent`."""

    async def drive(ctx):
        ctx.set(dut.stream, sent)
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        ctx.set(dut.running, 1)
        await ctx.tick().repeat(8)
        for number in range(EVENTS):
            event = {"time_ticks": 100 + number, "source": number % 2, "index": number}
            ctx.set(dut.event, event)
            ctx.set(dut.event_stb, 1)
            await ctx.tick()
            ctx.set(dut.event_stb, 0)
            await ctx.tick().repeat(4)
        # The end of a run closes the frame.
        ctx.set(dut.running, 0)
        await ctx.tick().repeat(100)

    return drive


def times_of(frame):
    """Return the times of a frame's events, as far as they are in it."""
    words = range(0, len(frame.payload), 4)
    deltas = (1 << DELTA_BITS) - 1
    return [int.from_bytes(frame.payload[at : at + 4], "little") & deltas for at in words]


@pytest.mark.parametrize("sent", Stream)
def test_without_a_deep_memory_only_events_of_a_live_stream_become_frames(bench, sent):
    dut, parts = made(Uplink, Geometry(features=Feature.EVENTS, upload_depth=16)), []
    bench.simulate(dut, driven(dut, sent), bench.receiver(dut.o_parts, parts))
    frames, rest = bench.frames_of_parts(parts)
    assert not rest
    if sent != Stream.LIVE:
        assert frames == []
        return
    (frame,) = frames
    assert (frame.type, frame.index) == (FrameType.EVENTS, 0)
    assert times_of(frame) == [100 + number for number in range(EVENTS)]


@pytest.mark.parametrize("sent", Stream)
def test_with_a_deep_memory_events_of_a_run_go_there_if_they_are_sent_after_it(bench, sent):
    geometry = Geometry(features=Feature.EVENTS, upload_depth=16, deep_depth=256)
    dut, parts, kept = made(Uplink, geometry), [], []
    receivers = bench.receiver(dut.o_parts, parts), bench.receiver(dut.o_kept, kept)
    bench.simulate(dut, driven(dut, sent), *receivers)
    frames, _ = bench.frames_of_parts(parts)
    assert (len(frames) > 0) == (sent == Stream.LIVE)
    # Three entries begin a stretch of events, one is for each event.
    assert len(kept) == (3 + EVENTS if sent == Stream.AFTER else 0)


def test_a_build_without_events_is_never_busy_drops_nothing_and_sends_nothing():
    dut = Uplink(Geometry(features=ALL_FEATURES & ~(Feature.EVENTS | Feature.RING)))

    async def watch(ctx):
        ctx.set(dut.stream, Stream.LIVE)
        ctx.set(dut.event_stb, 1)
        ports = dut.busy, dut.drop.valid, dut.dropped_cnt, dut.o_parts.valid
        assert [ctx.get(port) for port in ports] == [0, 0, 0, 0]

    # It has no register, and so no clock.
    simulator = Simulator(dut)
    simulator.add_testbench(watch)
    simulator.run()
