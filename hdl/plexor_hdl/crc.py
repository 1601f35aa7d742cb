"""The CRC-32 at the end of frames."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import CRC_BYTES
from plexor_hdl.frame_bytes import FrameByte


def frame_crc(bits: int = 8):
    """Return a processor of the frames' CRC-32, `bits` a clock, the low bits of a byte first."""
    return CRC32_ISO_HDLC(data_width=bits).create()


class CrcAppender(wiring.Component):
    """Passes the bytes of frames; before a frame's end beat come the four of its CRC-32, low first.

    No latency, no register in between. Throughput one byte a clock but for one clock a frame.
    Reset: between frames.
    """

    i_bytes: In(stream.Signature(FrameByte))
    o_bytes: Out(stream.Signature(FrameByte))

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = frame_crc()
        place = Signal(range(CRC_BYTES))
        beat, out = self.i_bytes.payload, self.o_bytes
        m.d.comb += [out.payload.byte.eq(beat.byte), crc.data.eq(beat.byte)]
        with m.FSM(name="appender"):
            with m.State("FRAME"):
                m.d.comb += [
                    out.valid.eq(self.i_bytes.valid & ~beat.end),
                    self.i_bytes.ready.eq(out.ready & ~beat.end),
                    crc.valid.eq(out.valid & out.ready),
                ]
                with m.If(self.i_bytes.valid & beat.end):
                    m.next = "CRC"
            with m.State("CRC"):
                m.d.comb += [out.payload.byte.eq(crc.crc.word_select(place, 8)), out.valid.eq(1)]
                with m.If(out.ready):
                    m.d.sync += place.eq(place + 1)
                    with m.If(place == CRC_BYTES - 1):
                        m.next = "END"
            with m.State("END"):
                m.d.comb += [
                    out.payload.end.eq(1),
                    out.valid.eq(1),
                    crc.start.eq(1),
                    self.i_bytes.ready.eq(out.ready),
                ]
                with m.If(out.ready):
                    m.next = "FRAME"
        return m
