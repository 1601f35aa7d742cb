"""Frames on their way to a network: words, the header first, an end beat last."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import WORD_BYTES
from plexor_hdl.crc import POLYNOMIAL
from plexor_hdl.frame_bytes import FrameByte


class FrameWord(data.Struct):
    """One word of a frame; a beat with `end` carries no word and ends the frame."""

    word: 32
    end: 1


class WordGatherer(wiring.Component):
    """Makes words of a frame's bytes, the first lowest; frames are whole words.

    Latency a clock after the fourth byte; a word each 5 clocks or more. Reset: between frames.
    """

    i_bytes: In(stream.Signature(FrameByte))
    o_words: Out(stream.Signature(FrameWord))

    def elaborate(self, platform):
        m = Module()
        place, out = Signal(range(WORD_BYTES)), self.o_words
        beat = self.i_bytes.payload
        m.d.comb += self.i_bytes.ready.eq(~out.valid)
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.If(self.i_bytes.ready & self.i_bytes.valid):
            m.d.sync += out.payload.end.eq(beat.end)
            with m.If(beat.end):
                m.d.sync += [out.valid.eq(1), place.eq(0)]
            with m.Else():
                m.d.sync += [
                    out.payload.word.word_select(place, 8).eq(beat.byte),
                    place.eq(place + 1),
                    out.valid.eq(place == WORD_BYTES - 1),
                ]
        return m


class ByteCrc(wiring.Component):
    """The CRC-32 of the bytes that came with `step` since `start`; `crc` is seen a clock later.

    `start` goes before `step`. The CRC is that of frames (crc.py), complemented as they end with.
    """

    start: In(1)
    step: In(1)
    byte: In(8)
    crc: Out(32)

    def elaborate(self, platform):
        m = Module()
        state = Signal(32, init=0xFFFFFFFF)
        following = state ^ self.byte
        for _ in range(8):
            following = (following >> 1) ^ Mux(following[0], POLYNOMIAL, 0)
        m.d.comb += self.crc.eq(~state)
        with m.If(self.step):
            m.d.sync += state.eq(following)
        with m.If(self.start):
            m.d.sync += state.eq(state.init)
        return m
