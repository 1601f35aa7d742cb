# SPDX-License-Identifier: Apache-2.0
"""The last stage before a byte link: serialises frames, adds CRC-32, COBS and delimiter."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import WORD_BYTES
from plexor_hdl.lib.cobs import CobsEncoder
from plexor_hdl.lib.crc import FrameCrc
from plexor_hdl.lib.frame_bytes import FrameByte
from plexor_hdl.lib.states import States
from plexor_hdl.uplink.frame_parts import FramePart

CRC_STEP_BITS = 4


class LinkBytes(wiring.Component):
    """Frames to bytes of a link.

    Each frame's bytes and its CRC-32 leave as COBS, with a delimiter behind them.

    Latency: a COBS block, of at most 254 bytes, leaves once it is complete; the last one of a frame
        leaves 22 clocks after the frame's end was taken.
    Throughput: a byte each 3 clocks; the next frame's first part is taken 21 clocks after an end.
    Reset: between frames; what was under way is lost.
    Wrap: none; it counts nothing.
    Full: `i_parts.ready` is low. It comes in the clock after a part may be taken, where one is
        valid: a source must not wait for it.

    Ports:
        i_parts: Stream of frames' parts.
        o_bytes: Stream of bytes for the link.
    """

    i_parts: In(stream.Signature(FramePart))
    o_bytes: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = FrameCrc(CRC_STEP_BITS)
        m.submodules.encoder = encoder = CobsEncoder()
        wiring.connect(m, encoder.o_bytes, wiring.flipped(self.o_bytes))

        now = States("FRAME", "CRC", "END", "START")
        # A byte is at the output for at least two clocks. Half of it goes to the CRC in the first
        # and half in the last. A third clock brings the next byte.
        second, half = Signal(), Signal()
        out = stream.Signature(FrameByte).create()
        m.d.comb += [
            encoder.i_bytes.valid.eq(out.valid),
            encoder.i_bytes.payload.eq(out.payload),
            out.ready.eq(encoder.i_bytes.ready),
            half.eq(out.valid & (~second | out.ready)),
            crc.shift.eq(now["CRC"]),
        ]
        # The CRC takes its bits a clock late.
        m.d.sync += [
            crc.step.eq(half),
            crc.data.eq(out.payload.byte.word_select(second, CRC_STEP_BITS)),
        ]
        with m.If(half):
            m.d.sync += second.eq(~second)
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)

        # Byte in a whole word, 0 for single bytes, or byte of the CRC.
        part, place = self.i_parts.payload, Signal(range(WORD_BYTES))
        take, taken, sends_crc = Signal(), Signal(), Signal()
        m.d.comb += [
            self.i_parts.ready.eq(taken),
            sends_crc.eq(now["CRC"] & ~out.valid & ~crc.step),
            crc.start.eq(now["START"] & ~out.valid),
        ]
        # It is registered, so that no source depends on the encoder.
        takes = self.i_parts.valid & now["FRAME"] & (~out.valid | out.ready) & ~take
        m.d.sync += [take.eq(takes), taken.eq(takes & (~part.whole | place.all()))]
        with m.If(take):
            m.d.sync += out.payload.byte.eq(part.word.word_select(place, 8))
        with m.If(sends_crc):
            m.d.sync += out.payload.byte.eq(crc.low)
        with m.If((take & part.whole) | sends_crc):
            m.d.sync += place.eq(place + 1)
        with m.If((take & ~part.end) | sends_crc | (now["END"] & ~out.valid)):
            m.d.sync += out.valid.eq(1)
        with m.If(~out.valid):
            m.d.sync += out.payload.end.eq(now["END"])
        now.go("FRAME", "CRC", take & part.end)
        now.go("CRC", "END", sends_crc & place.all())
        now.go("END", "START", ~out.valid)
        now.go("START", "FRAME", ~out.valid)
        now.connect(m)
        return m
