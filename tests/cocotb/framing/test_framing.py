# SPDX-License-Identifier: Apache-2.0
"""The way to the link and the way from it; stalled_link.py and hostile_bytes.py have the claims."""

from pathlib import Path

import pytest
from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS
from plexor.protocol.geometry import Geometry
from plexor_hdl.control.command import Command
from plexor_hdl.interfaces import Event
from plexor_hdl.lib.frame_bytes import FrameByte
from plexor_hdl.uplink.framer import Framer
from plexor_hdl.uplink.link_bytes import LinkBytes
from plexor_hdl.uplink.packetizer import Packetizer
from plexor_hdl.uplink.upload import COUNT_BITS, Upload

from ..bench import check
from ..clocked import Seen

HERE = Path(__file__).parent
FLUSH_BIT = 7


class Sending(wiring.Component):
    """Upload, framer, packetizer and a link of bytes; the other frames' bytes come from outside."""

    i_events: In(Seen(Event()))
    i_answers: In(stream.Signature(FrameByte))
    i_dump: In(stream.Signature(FrameByte))
    o_bytes: Out(stream.Signature(8))
    dropped_cnt: Out(COUNT_BITS)

    def elaborate(self, platform):
        m = Module()
        m.submodules.upload = upload = Upload(Geometry(upload_depth=32))
        m.submodules.framer = framer = Framer()
        m.submodules.packetizer = packetizer = Packetizer()
        m.submodules.link = link = LinkBytes()
        # The time now is that of the last event.
        event_bit, now_bit = self.i_events.payload.time_ticks[DELTA_BITS], Signal()
        count = Signal(FLUSH_BIT + 1)
        m.d.sync += [now_bit.eq(upload.now_bit), count.eq(count + 1)]
        m.d.comb += [
            upload.now_bit.eq(Mux(self.i_events.valid, event_bit, now_bit)),
            framer.clock_bit.eq(count[FLUSH_BIT]),
            upload.enable.eq(1),
            upload.i_events.valid.eq(self.i_events.valid),
            upload.i_events.payload.eq(self.i_events.payload),
            framer.hurry.eq(packetizer.hurry),
            self.dropped_cnt.eq(upload.dropped_cnt),
        ]
        wiring.connect(m, upload.o_entries, framer.i_events)
        wiring.connect(m, framer.o_parts, packetizer.i_events)
        for name in ("i_answers", "i_dump"):
            wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(packetizer, name))
        wiring.connect(m, packetizer.o_parts, link.i_parts)
        wiring.connect(m, link.o_bytes, wiring.flipped(self.o_bytes))
        return m


def sent(events: int) -> None:
    """Run the claims of stalled_link.py with so many events each."""
    check(Sending(), "sending", HERE / "stalled_link.py", environment={"EVENTS": str(events)})


def commanded(frames: int) -> None:
    """Run the claims of hostile_bytes.py with so many frames."""
    check(Command(), "commanded", HERE / "hostile_bytes.py", environment={"FRAMES": str(frames)})


@pytest.mark.full
def test_events_pass_or_are_counted_whatever_the_link_does():
    sent(400)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_a_hundred_thousand_events_pass_or_are_counted():
    sent(100_000)


@pytest.mark.full
def test_commands_among_hostile_bytes():
    commanded(16)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_thousands_of_commands_among_hostile_bytes():
    commanded(5000)
