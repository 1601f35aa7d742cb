# SPDX-License-Identifier: Apache-2.0
"""Rows of bytes, for a link that does not carry every value of a byte."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELIMITER

HALF = 4
"""Bits of half a byte."""


class LinkRows(wiring.Component):
    """Sends and receives the bytes of a link as they are, or each as two values of a row.

    The 16 values of a row in rising order, which a host sends, choose the row: the upper half of
    each. Row 0 cannot be chosen. A received delimiter 0x00 ends it. `plexor.protocol.rows` has the
    encoding. What is under way when the row changes ends in a damaged frame.

    Latency: 1 clock from a byte to send to that byte, or to the first of its two values; 2 from a
        received byte.
    Throughput: a byte each 2 clocks; in a row sent each 3 and received each 4.
    Reset: bytes go as they are.
    Wrap: none; it counts nothing.
    Full: a stream's `ready` is low until the other one's byte is taken.

    Ports:
        i_received: Stream of bytes from the link.
        o_received: Stream of these bytes for the command port.
        i_sent: Stream of bytes for the link.
        o_sent: Stream of these bytes to the link.
    """

    i_received: In(stream.Signature(8))
    o_received: Out(stream.Signature(8))
    i_sent: In(stream.Signature(8))
    o_sent: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        row, in_row = self._receive(m)
        self._send(m, row, in_row)
        return m

    def _receive(self, m: Module):
        """Pass received bytes on, and return the row and whether there is one."""
        row, in_row = Signal(HALF), Signal()
        # A byte is compared in the first clock that it is offered.
        byte, before = self.i_received.payload, Signal(8)
        low, high = byte[:HALF], byte[HALF:]
        seen, of_row, is_zero, first, follows, last = (Signal() for _ in range(6))
        m.d.sync += [
            of_row.eq(high == row),
            is_zero.eq(byte == DELIMITER),
            first.eq((low == 0) & high.any()),
            follows.eq((high == before[HALF:]) & (low == (before[:HALF] + 1)[:HALF])),
            last.eq(low.all()),
        ]
        # `half` is 1 with the upper half of a byte in `before`, `rising` while a row's values rise.
        half, rising, gives, take, free = (Signal() for _ in range(5))
        m.d.comb += [
            gives.eq(~in_row | ~of_row | half),
            free.eq(~self.o_received.valid | self.o_received.ready),
            take.eq(seen & (~gives | free)),
            self.i_received.ready.eq(take),
        ]
        # Registers, because what decodes the bytes lies far from the link.
        with m.If(free):
            m.d.sync += [
                self.o_received.valid.eq(seen & gives),
                self.o_received.payload.eq(
                    Mux(in_row, Mux(of_row, Cat(low, before[:HALF]), DELIMITER), byte)
                ),
            ]
        m.d.sync += seen.eq(self.i_received.valid & ~take)
        with m.If(take):
            m.d.sync += [
                before.eq(byte),
                rising.eq(first | (rising & follows)),
                half.eq(in_row & of_row & ~half),
            ]
            with m.If(is_zero):
                m.d.sync += in_row.eq(0)
            with m.Elif(rising & follows & last):
                m.d.sync += [in_row.eq(1), row.eq(high)]
        return row, in_row

    def _send(self, m: Module, row, in_row) -> None:
        byte, is_zero = self.i_sent.payload, Signal()
        seen, second, marks, whole, halved = (Signal() for _ in range(5))
        low, high = byte[:HALF], byte[HALF:]
        m.d.comb += [
            marks.eq(halved & is_zero),
            whole.eq(~halved | is_zero | second),
            self.o_sent.valid.eq(seen),
            self.o_sent.payload.eq(
                Cat(
                    Mux(marks, (1 << HALF) - 1, Mux(whole, low, high)),
                    Mux(halved, row ^ is_zero, high),
                )
            ),
            self.i_sent.ready.eq(seen & whole & self.o_sent.ready),
        ]
        m.d.sync += [
            is_zero.eq(byte == DELIMITER),
            seen.eq(self.i_sent.valid & ~self.i_sent.ready),
        ]
        # Both halves of a byte go in the row, or none.
        with m.If(~seen):
            m.d.sync += halved.eq(in_row)
        with m.If(seen & self.o_sent.ready):
            m.d.sync += second.eq(~whole)
