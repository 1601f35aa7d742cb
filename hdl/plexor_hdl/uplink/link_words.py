# SPDX-License-Identifier: Apache-2.0
"""The last stage before a datagram link: sends frames as words, adds CRC-32."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import WORD_BYTES
from plexor_hdl.lib.crc import FrameCrc
from plexor_hdl.lib.states import States
from plexor_hdl.uplink.frame_parts import FramePart, FrameWord


class LinkWords(wiring.Component):
    """Frames to words of a link.

    Each frame's words leave as they are, then its CRC-32, then an end.

    Latency: 5 clocks from a whole word to that word; 3 from the frame's end to its CRC.
    Throughput: a word each 4 clocks where it comes whole, else a byte each 2; the next frame's
        first part is taken 5 clocks after an end.
    Reset: between frames; what was under way is lost.
    Wrap: none; it counts nothing.
    Full: `i_parts.ready` is low, as it is in the clock after a part was taken.

    Ports:
        i_parts: Stream of frames' parts; a frame is a whole number of words.
        o_words: Stream of words for the link, with an end after each frame.
    """

    i_parts: In(stream.Signature(FramePart))
    o_words: Out(stream.Signature(FrameWord))

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = FrameCrc(8)
        now = States("FRAME", "CRC", "END")
        part, out = self.i_parts.payload, self.o_words
        # The word rotates: its lowest byte goes to the CRC and comes in again at the top. This
        # holds for whole words. Single bytes come in at the top, too.
        word, place, turning = Signal(32), Signal(range(WORD_BYTES)), Signal()
        take, step, last, free, room = (Signal() for _ in range(5))
        byte, turned, crc_goes = Signal(8), Signal(32), Signal()
        m.d.comb += [
            take.eq(self.i_parts.valid & room),
            self.i_parts.ready.eq(room),
            free.eq(~out.valid | out.ready),
            last.eq(place == WORD_BYTES - 1),
            step.eq((turning & (~last | free)) | (take & ~part.whole & ~part.end)),
            byte.eq(Mux(turning, word[:8], part.word[:8])),
            turned.eq(Cat(word[8:], byte)),
            crc_goes.eq(now["CRC"] & free & ~crc.step),
            crc.start.eq(now["END"]),
        ]
        m.d.sync += [
            # The CRC takes a byte a clock late.
            crc.step.eq(step),
            crc.data.eq(byte),
            # The next word comes with a word's last byte, if the finished word has a place to go.
            room.eq(now["FRAME"] & free & ~take & (~turning | (step & place[1]))),
        ]
        with m.If(step):
            m.d.sync += [word.eq(turned), place.eq(place + 1), turning.eq(turning & ~last)]
        with m.If(take & part.whole):
            m.d.sync += [word.eq(part.word), turning.eq(1)]
        with m.If((step & last) | crc_goes):
            m.d.sync += out.payload.word.eq(Mux(now["CRC"], crc.crc, turned))
        with m.If(free):
            m.d.sync += [
                out.valid.eq((step & last) | crc_goes | now["END"]),
                out.payload.end.eq(now["END"]),
            ]
        now.go("FRAME", "CRC", take & part.end)
        now.go("CRC", "END", crc_goes)
        now.go("END", "FRAME", free)
        now.connect(m)
        return m
