"""The way of events to the link: which builds have one, and when events are let in."""

from types import SimpleNamespace

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import Out

from plexor.protocol.frames import DELTA_BITS, FrameType
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import Stream
from plexor_hdl.interfaces import Event
from plexor_hdl.uplink.frame_parts import FramePart
from plexor_hdl.uplink.uplink import Uplink

from ..simulation import simulate

WORDS = stream.Signature(32)
EVENTS = 5


class Wired(Elaboratable):
    """An uplink with signals in place of all that is around it."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry, self.uplink = geometry, None
        self.control = SimpleNamespace(stream=Signal(2))
        self.run = SimpleNamespace(
            now_ticks=Signal(64), clear=Signal(name="clear"), running=Signal(name="running")
        )
        self.capture = SimpleNamespace(event_stb=Signal(name="stb"), event=Signal(Event()))
        self.timebase = SimpleNamespace(low=Signal(20))
        self.hurry = Signal()
        self.frames = stream.Signature(FramePart).flip().create()
        self.memory = wiring.Signature({"kept": Out(WORDS), "fetched": Out(WORDS.flip())}).create()

    def elaborate(self, platform):
        m = Module()
        self.uplink = Uplink(m, self._geometry)
        around = (self.memory, self.control, self.run, self.capture, self.timebase)
        self.uplink.wire(m, *around, self.hurry, self.frames)
        m.d.sync += self.timebase.low.eq(self.timebase.low + 1)
        return m


@pytest.mark.parametrize("sent", Stream)
def test_without_a_deep_memory_only_events_of_a_live_stream_become_frames(bench, sent):
    dut, parts = Wired(Geometry(features=Feature.EVENTS, upload_depth=16)), []

    async def drive(ctx):
        ctx.set(dut.control.stream, sent)
        ctx.set(dut.run.clear, 1)
        await ctx.tick()
        ctx.set(dut.run.clear, 0)
        ctx.set(dut.run.running, 1)
        await ctx.tick().repeat(8)
        for number in range(EVENTS):
            event = {"time_ticks": 100 + number, "source": number % 2, "index": number}
            ctx.set(dut.capture.event, event)
            ctx.set(dut.capture.event_stb, 1)
            await ctx.tick()
            ctx.set(dut.capture.event_stb, 0)
            await ctx.tick().repeat(4)
        # The end of a run closes the frame.
        ctx.set(dut.run.running, 0)
        await ctx.tick().repeat(100)

    bench.simulate(dut, drive, bench.receiver(dut.frames, parts))
    frames, rest = bench.frames_of_parts(parts)
    assert not rest
    if sent != Stream.LIVE:
        assert frames == []
        return
    (frame,) = frames
    assert (frame.type, frame.index) == (FrameType.EVENTS, 0)
    times = [
        int.from_bytes(frame.payload[at : at + 4], "little") & (1 << DELTA_BITS) - 1
        for at in range(0, len(frame.payload), 4)
    ]
    assert times == [100 + number for number in range(EVENTS)]


@pytest.mark.parametrize("sent", Stream)
def test_with_a_deep_memory_events_are_let_in_for_after_a_run_too(sent):
    dut = Wired(Geometry(features=Feature.EVENTS, deep_depth=256))

    async def drive(ctx):
        ctx.set(dut.control.stream, sent)
        await ctx.tick()
        assert ctx.get(dut.uplink.upload.enable) == (sent != Stream.OFF)
        assert ctx.get(dut.uplink.deep.after) == (sent == Stream.AFTER)

    simulate(dut, drive)


def test_a_build_without_events_has_nothing_that_is_ever_busy_or_drops():
    m = Module()
    uplink = Uplink(m, Geometry(features=ALL_FEATURES & ~Feature.EVENTS))
    assert (uplink.upload, uplink.deep, uplink.framer, uplink.busy) == (None, None, None, [])
    assert uplink.dropped_cnt == 0
    uplink.wire(m, *[None] * 7)
