"""The way of events to the link: upload FIFO, deep memory and framer, as a build has them."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from plexor.protocol.frames import DELTA_BITS
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import Stream
from plexor_hdl.control.run import flag_bit
from plexor_hdl.uplink.deep import Deep
from plexor_hdl.uplink.framer import Framer
from plexor_hdl.uplink.upload import Drop, Upload

FLUSH_BIT = 16
"""Bit of the clock's count whose changes close a frame."""


class Uplink:
    """Adds the stages to a module; all of it is idle in a build without Feature.EVENTS.

    `drop` strobes what the FIFO drops, of which there have been `dropped_cnt`. A run may not start
    while any of `busy`.
    """

    def __init__(self, m: Module, geometry: Geometry) -> None:
        self.upload = self.deep = self.framer = None
        self.drop, self.dropped_cnt = Signal(Drop), 0
        self.busy = []
        if Feature.EVENTS not in geometry.features:
            return
        m.submodules.upload = self.upload = Upload(geometry)
        m.submodules.framer = self.framer = Framer(trace=Feature.RING in geometry.features)
        self.drop, self.dropped_cnt = self.upload.drop, self.upload.dropped_cnt
        if geometry.deep_depth:
            m.submodules.deep = self.deep = Deep(geometry)
            self.busy = [self.deep.busy]

    def wire(self, m: Module, instrument, control, run, capture, timebase, hurry, frames) -> None:
        """Wire the stages, from the capture to `frames`, the packetizer's input, which may hurry.

        `instrument` has the ports of a deep memory.
        """
        upload, framer, deep = self.upload, self.framer, self.deep
        if not (upload and framer):
            return
        streamed = control.stream.any() if deep else flag_bit(control.stream, Stream.LIVE)
        m.d.comb += [
            upload.i_events.valid.eq(capture.event_stb),
            upload.i_events.payload.eq(capture.event),
            upload.enable.eq(streamed),
            upload.now_bit.eq(run.now_ticks[DELTA_BITS]),
            upload.clear_stb.eq(run.clear),
            framer.clock_bit.eq(timebase.low[FLUSH_BIT]),
            framer.flush.eq(~run.running),
            framer.hurry.eq(hurry),
        ]
        if deep:
            m.d.comb += [
                deep.after.eq(control.stream == Stream.AFTER),
                deep.clear_stb.eq(run.clear),
            ]
            wiring.connect(m, upload.o_entries, deep.i_entries)
            wiring.connect(m, deep.o_entries, framer.i_events)
            wiring.connect(m, deep.o_kept, wiring.flipped(instrument.kept))
            wiring.connect(m, wiring.flipped(instrument.fetched), deep.i_fetched)
        else:
            wiring.connect(m, upload.o_entries, framer.i_events)
        wiring.connect(m, framer.o_parts, frames)
