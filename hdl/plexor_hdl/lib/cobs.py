# SPDX-License-Identifier: Apache-2.0
"""COBS on byte streams: frames without zero bytes, each ended by a zero byte.

Cheshire and Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM Transactions on Networking 7(2),
1999.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELIMITER
from plexor_hdl.lib.frame_bytes import FrameByte
from plexor_hdl.lib.memory_reader import MemoryReader, plain_memory

BUFFER_BITS = 9
FULL_BLOCK = 255
ROOM_BITS = 2
"""Log2 of the bytes kept free: those that may still be written because `ready` depends on a level
that is two clocks old."""


class DecodedByte(data.Struct):
    """One byte of a decoded frame; a beat with `end` carries no byte, and says if all was well."""

    byte: 8
    end: 1
    good: 1


class CobsEncoder(wiring.Component):
    """Encodes frames by COBS, and sends the delimiter behind each.

    A block's code is written in front of it once the block is complete, into a buffer of 512 bytes;
    only complete blocks are read.

    Latency: a block leaves once it is complete: its code comes 4 clocks after the beat that ends
        the block, or 5 after its 254th byte.
    Throughput: one encoded byte each 3 clocks. An encoded frame has 2 bytes more than the frame,
        and one more for each full block of 254 bytes.
    Reset: empty, at the beginning of a frame.
    Wrap: places go round in the buffer.
    Full: `i_bytes.ready` is low while only some 2**ROOM_BITS bytes of the buffer are free.

    Ports:
        i_bytes: Frames, each followed by an end beat.
        o_bytes: Encoded bytes; a 0 ends each frame.
    """

    i_bytes: In(stream.Signature(FrameByte))
    o_bytes: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.buffer = buffer = plain_memory(8, 1 << BUFFER_BITS)
        write, read = buffer.write_port(), buffer.read_port()
        m.submodules.fetch = fetch = MemoryReader(8, BUFFER_BITS)
        m.d.comb += [
            read.addr.eq(fetch.address),
            read.en.eq(1),
            fetch.data.eq(read.data),
        ]
        wiring.connect(m, fetch.o_words, wiring.flipped(self.o_bytes))

        # A complete block's code is written to `code_place`. Only bytes before that place are read.
        # A delimiter is a block of its own, with code 0.
        place = Signal(BUFFER_BITS, init=1)
        code_place = Signal(BUFFER_BITS)
        code = Signal(8, init=1)
        last_of_block = Signal()
        room = Signal(init=1)
        used = (place[ROOM_BITS:] - fetch.address[ROOM_BITS:])[: BUFFER_BITS - ROOM_BITS]
        m.d.sync += [
            room.eq(used < (1 << BUFFER_BITS - ROOM_BITS) - 1),
            last_of_block.eq(code == FULL_BLOCK - 1),
        ]
        m.d.comb += fetch.limit.eq(code_place)

        # A byte is checked in the first clock that it is offered.
        beat, is_zero, seen = self.i_bytes.payload, Signal(), Signal()
        due, closing, accept = Signal(), Signal(), Signal()
        m.d.comb += [
            accept.eq(seen & room & ~due),
            self.i_bytes.ready.eq(accept),
            closing.eq(due | beat.end | is_zero),
            write.addr.eq(Mux(closing, code_place, place)),
            write.data.eq(Mux(closing, code, beat.byte)),
            write.en.eq(accept | due),
        ]
        m.d.sync += [
            is_zero.eq(beat.byte == DELIMITER),
            seen.eq(self.i_bytes.valid & ~accept),
        ]
        with m.If(write.en):
            m.d.sync += [
                place.eq(place + 1),
                code.eq(code + 1),
                due.eq(~due & (beat.end | (last_of_block & ~is_zero))),
            ]
            with m.If(closing):
                m.d.sync += [code_place.eq(place), code.eq(due | ~beat.end)]
        return m


class CobsDecoder(wiring.Component):
    """Decodes COBS frames, and says behind each whether its blocks were whole.

    It begins anew at every zero byte. Zero bytes with nothing between them give nothing.

    Latency: 1 clock from a byte to its beat.
    Throughput: one byte each 2 clocks; a byte that gives no beat takes 1.
    Reset: between frames.
    Wrap: none; a frame may be of any length.
    Full: `i_bytes.ready` is low until the beat before is taken.

    Ports:
        i_bytes: Encoded bytes.
        o_bytes: Decoded bytes, and an end beat for each frame, `good` where its blocks were whole.
    """

    i_bytes: In(stream.Signature(8))
    o_bytes: Out(stream.Signature(DecodedByte))

    def elaborate(self, platform):
        m = Module()
        # `is_code` says that `left` is 1: the next byte is a code.
        left, is_code = Signal(8, init=1), Signal(init=1)
        zero_due = Signal()
        empty = Signal(init=1)
        byte = self.i_bytes.payload
        m.d.comb += self.i_bytes.ready.eq(~self.o_bytes.valid)
        with m.If(self.o_bytes.ready):
            m.d.sync += self.o_bytes.valid.eq(0)
        with m.If(self.i_bytes.ready & self.i_bytes.valid):
            with m.If(byte == DELIMITER):
                m.d.sync += [
                    self.o_bytes.valid.eq(~empty),
                    self.o_bytes.payload.end.eq(1),
                    self.o_bytes.payload.good.eq(is_code),
                    left.eq(1),
                    is_code.eq(1),
                    zero_due.eq(0),
                    empty.eq(1),
                ]
            with m.Elif(is_code):
                m.d.sync += [
                    self.o_bytes.valid.eq(zero_due),
                    self.o_bytes.payload.byte.eq(0),
                    self.o_bytes.payload.end.eq(0),
                    left.eq(byte),
                    is_code.eq(byte == 1),
                    zero_due.eq(byte != FULL_BLOCK),
                    empty.eq(0),
                ]
            with m.Else():
                m.d.sync += [
                    self.o_bytes.valid.eq(1),
                    self.o_bytes.payload.byte.eq(byte),
                    self.o_bytes.payload.end.eq(0),
                    left.eq(left - 1),
                    is_code.eq(left == 2),
                ]
        return m
