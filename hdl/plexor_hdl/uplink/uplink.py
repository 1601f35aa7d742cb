# SPDX-License-Identifier: Apache-2.0
"""Takes events to the link: upload FIFO, deep memory and framer, as far as a build has them."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import CONTROL, Stream, register
from plexor_hdl.capture.code_port import CodeValue
from plexor_hdl.capture.timebase import LOW_BITS
from plexor_hdl.control.run import flag_bit
from plexor_hdl.interfaces import COUNT_BITS, TIME_BITS, Event
from plexor_hdl.lib.blocks import Blocks, plain_blocks
from plexor_hdl.uplink.deep import Deep
from plexor_hdl.uplink.frame_parts import FramePart
from plexor_hdl.uplink.framer import Framer
from plexor_hdl.uplink.upload import Drop, Entry, Upload

FLUSH_BIT = 16
"""Bit of the clock count. Each change of it closes a frame."""
STILL_CLOCKS = 64
"""Clocks in which no stage offers anything once all events are on the link."""


class Uplink(wiring.Component):
    """Queues events for the link and puts them into frames.

    Without Feature.EVENTS it holds nothing and sends nothing. With a `deep_depth` in the geometry,
    entries pass a FIFO outside, between `o_kept` and `i_fetched`.

    Latency: that of Upload and Framer, one after the other; Deep adds a clock and its memory,
        Feature.CODES a clock.
    Throughput: an event each 2 clocks in; out as fast as `o_parts` is taken.
    Reset: nothing is queued.
    Wrap: `dropped_cnt` wraps at 2**COUNT_BITS.
    Full: the FIFO drops events, tells each on `drop` and counts it.

    Ports:
        event: An event of the merge.
        event_stb: Whether there is one.
        value: The value of a code, with Feature.CODES.
        value_stb: The event is one of SOURCE_CODE_VALUE, and `value` is its value.
        stream: CONTROL.stream: which runs send events, and when.
        now_ticks: The core's time.
        low: The lower bits of the timebase.
        clear: A run begins: what is queued is forgotten.
        running: A run is under way; without one, frames end early.
        hurry: Something other than events waits for the link.
        drop: What was dropped in the clock before.
        dropped_cnt: How many events were dropped since `clear`.
        busy: A deep memory is being emptied; no run may start.
        sent: With `tells_sent`: no event waits.
        i_trace: Entries of the ring, with `ring`.
        o_kept: Entries to the deep memory.
        i_fetched: Entries from the deep memory.
        o_parts: Frames of events.
    """

    def __init__(
        self,
        geometry: Geometry,
        blocks: Blocks = plain_blocks,
        *,
        ring: bool = False,
        tells_sent: bool = False,
    ) -> None:
        self._geometry, self._blocks = geometry, blocks
        self._has_events = Feature.EVENTS in geometry.features
        self._has_ring, self._tells_sent = ring, tells_sent
        trace = {"i_trace": In(stream.Signature(Entry))}
        values = {"value": In(CodeValue()), "value_stb": In(1)}
        deep = {
            "o_kept": Out(stream.Signature(Entry)),
            "i_fetched": In(stream.Signature(Entry)),
        }
        super().__init__(
            {
                "event": In(Event()),
                "event_stb": In(1),
                **(values if geometry.code_bits else {}),
                "stream": In(register(CONTROL.name, "stream").bits),
                "now_ticks": In(TIME_BITS),
                "low": In(LOW_BITS),
                "clear": In(1),
                "running": In(1),
                "hurry": In(1),
                "drop": Out(Drop),
                "dropped_cnt": Out(COUNT_BITS),
                "busy": Out(1),
                **({"sent": Out(1)} if tells_sent else {}),
                **(trace if ring else {}),
                **(deep if geometry.deep_depth else {}),
                "o_parts": Out(stream.Signature(FramePart)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        if not self._has_events:
            return m
        geometry = self._geometry
        has_deep, has_codes = bool(geometry.deep_depth), bool(geometry.code_bits)
        m.submodules.upload = upload = Upload(geometry, self._blocks)
        m.submodules.framer = framer = Framer(trace=self._has_ring, codes=has_codes)
        # With codes, what comes from the merge takes a clock: it is early at the FIFO then.
        given = m.d.sync if has_codes else m.d.comb
        given += [
            upload.i_events.valid.eq(self.event_stb),
            upload.i_events.payload.eq(self.event),
        ]
        if has_codes:
            given += [upload.value.eq(self.value), upload.value_stb.eq(self.value_stb)]
        m.d.comb += [
            upload.enable.eq(self.stream.any() if has_deep else flag_bit(self.stream, Stream.LIVE)),
            upload.now_bit.eq(self.now_ticks[DELTA_BITS]),
            upload.clear_stb.eq(self.clear),
            framer.clock_bit.eq(self.low[FLUSH_BIT]),
            framer.flush.eq(~self.running),
            framer.hurry.eq(self.hurry),
            self.drop.eq(upload.drop),
            self.dropped_cnt.eq(upload.dropped_cnt),
        ]
        if has_deep:
            m.submodules.deep = deep = Deep(geometry)
            m.d.comb += [
                deep.after.eq(self.stream == Stream.AFTER),
                deep.clear_stb.eq(self.clear),
                self.busy.eq(deep.busy),
            ]
            wiring.connect(m, upload.o_entries, deep.i_entries)
            wiring.connect(m, deep.o_entries, framer.i_events)
            wiring.connect(m, deep.o_kept, wiring.flipped(self.o_kept))
            wiring.connect(m, wiring.flipped(self.i_fetched), deep.i_fetched)
        else:
            wiring.connect(m, upload.o_entries, framer.i_events)
        if self._has_ring:
            wiring.connect(m, wiring.flipped(self.i_trace), framer.i_trace)
        wiring.connect(m, framer.o_parts, wiring.flipped(self.o_parts))
        if self._tells_sent:
            # Each stage passes on what it has within fewer clocks, or offers it.
            still, offers = Signal(range(STILL_CLOCKS)), Signal()
            m.d.comb += self.sent.eq(still.all())
            m.d.sync += [
                offers.eq(self.event_stb | upload.o_entries.valid | framer.o_parts.valid),
                still.eq(Mux(offers, 0, still + ~still.all())),
            ]
        return m
