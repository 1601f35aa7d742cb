# SPDX-License-Identifier: Apache-2.0
"""Hands measured values over from the matcher to their users."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.interfaces import Measured
from plexor_hdl.lib.memory_reader import plain_memory

PLACES = 16
ROOM = 8
"""Number of values that still fit when `room` goes low."""


class Handover(wiring.Component):
    """Holds measured values between the matcher and whoever takes them, in order.

    It has PLACES places and one at the output. It has no back-pressure: who gives values looks at
    `room` first, and may give ROOM of them without another look.

    Latency: 3 clocks from `i_measured` to `o_measured`.
    Throughput: one value each clock in, one each 2 clocks out.
    Reset: empty.
    Wrap: its places go round modulo PLACES.
    Full: `room` is low, a clock late, while no more than ROOM places are free. A value that finds
        it full overwrites one that waits.

    Ports:
        i_valid: `i_measured` is a value.
        i_measured: A measured value.
        room: More than ROOM places are free.
        some: It is not empty; from the clock after a value on.
        o_measured: The values in order.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._shape = Measured(geometry)
        super().__init__(
            {
                "i_valid": In(1),
                "i_measured": In(self._shape),
                "room": Out(1),
                "some": Out(1),
                "o_measured": Out(stream.Signature(self._shape)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = plain_memory(self._shape, PLACES)
        # With a clocked port, yosys would add logic for reads during writes.
        write, read = memory.write_port(), memory.read_port(domain="comb")
        level, stored, take = Signal(range(PLACES + 1)), Signal(), Signal()
        m.d.comb += [
            # `ready` comes from far away, so only the output itself depends on it.
            take.eq(stored & ~self.o_measured.valid),
            self.some.eq(write.en | stored | self.o_measured.valid),
        ]
        m.d.sync += [
            write.data.eq(self.i_measured),
            write.en.eq(self.i_valid),
            write.addr.eq(write.addr + write.en),
            read.addr.eq(read.addr + take),
            self.room.eq(level < PLACES - ROOM),
        ]
        with m.If(write.en & ~take):
            m.d.sync += [level.eq(level + 1), stored.eq(1)]
        with m.If(take & ~write.en):
            m.d.sync += [level.eq(level - 1), stored.eq(level != 1)]
        with m.If(self.o_measured.ready):
            m.d.sync += self.o_measured.valid.eq(0)
        with m.If(take):
            m.d.sync += [
                self.o_measured.valid.eq(1),
                self.o_measured.payload.eq(read.data),
            ]
        return m
