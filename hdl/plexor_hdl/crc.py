"""Frames from words to bytes, their CRC-32 appended."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import WORD_BYTES
from plexor_hdl.cobs import FrameByte
from plexor_hdl.frame_words import FrameWord


def frame_crc():
    """Return a processor of the frames' CRC-32, a byte a clock."""
    return CRC32_ISO_HDLC(data_width=8).create()


class FrameSerialiser(wiring.Component):
    """Sends each word low byte first; at a frame's end its CRC-32, low byte first, and an end beat.

    Throughput one byte a clock but for two clocks a frame. Latency 2 clocks. Reset: between
    frames. Full: one word waits behind the one that is being sent.
    """

    i_words: In(stream.Signature(FrameWord))
    o_bytes: Out(stream.Signature(FrameByte))

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = frame_crc()
        shift = Signal(32)
        left = Signal(range(WORD_BYTES + 1))
        word, waiting = Signal(FrameWord), Signal()
        out = self.o_bytes
        taken = Signal()
        m.d.comb += [
            self.i_words.ready.eq(~waiting),
            out.payload.byte.eq(shift[:8]),
            out.valid.eq(left != 0),
            taken.eq(out.valid & out.ready),
            crc.data.eq(shift[:8]),
        ]
        with m.If(~waiting):
            m.d.sync += [word.eq(self.i_words.payload), waiting.eq(self.i_words.valid)]
        with m.If(taken):
            m.d.sync += [shift.eq(shift >> 8), left.eq(left - 1)]

        with m.FSM(name="serialiser"):
            with m.State("WORDS"):
                m.d.comb += crc.valid.eq(taken)
                with m.If(waiting & ((left == 0) | (left == 1) & out.ready)):
                    m.d.sync += waiting.eq(0)
                    with m.If(word.end):
                        m.next = "SUM"
                    with m.Else():
                        m.d.sync += [shift.eq(word.word), left.eq(WORD_BYTES)]
            with m.State("SUM"):
                m.d.sync += [shift.eq(crc.crc), left.eq(WORD_BYTES)]
                m.next = "CRC"
            with m.State("CRC"):
                m.d.comb += crc.start.eq(1)
                with m.If((left == 1) & taken):
                    m.next = "END"
            with m.State("END"):
                m.d.comb += [out.valid.eq(1), out.payload.end.eq(1), taken.eq(0)]
                with m.If(out.ready):
                    m.next = "WORDS"
        return m
