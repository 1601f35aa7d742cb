# SPDX-License-Identifier: Apache-2.0
"""Keeps the code in force at each outstanding strike of one channel."""

from amaranth.hdl import Array, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import table_bits
from plexor.protocol.registers import CODE, register
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.match.turns import Look


class StrikeCodes(wiring.Component):
    """Keeps codes beside the matcher's times.

    It has a place for each strike that may be outstanding on the channel. A channel that the build
    lacks has no strikes.

    Latency: 3 clocks from `struck`, 2 from a change of the head, to the code at the head.
    Throughput: a strike each 2 clocks.
    Reset: the memory keeps its codes; a place is read only after a strike has come to it.
    Wrap: places are modulo the queue's depth.
    Full: never; a strike that finds no place is not `struck`.

    Ports:
        channel: The channel whose strikes count.
        in_force: The code in force.
        struck: A bit for each channel: a strike goes to the place at its tail.
        heads: The place of each channel's oldest strike.
        tails: The place behind each channel's youngest strike.
        joining: The strike is the one that just comes.
        code: The code at that strike.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._bits, self._depth = table_bits(geometry), geometry.queue_depth
        places = data.ArrayLayout(range(geometry.queue_depth), geometry.channels)
        super().__init__(
            {
                "channel": In(register(CODE.name, "latency_channel").bits),
                "in_force": In(self._bits),
                "struck": In(geometry.channels),
                "heads": In(places),
                "tails": In(places),
                "joining": In(1),
                "code": Out(self._bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = plain_memory(self._bits, self._depth)
        write, read = memory.write_port(), memory.read_port(domain="comb")
        head, kept = Signal(range(self._depth)), Signal(self._bits)
        m.d.sync += [
            head.eq(self.heads[self.channel]),
            kept.eq(read.data),
            write.en.eq(self.struck.bit_select(self.channel, 1)),
            write.addr.eq(self.tails[self.channel]),
            write.data.eq(self.in_force),
        ]
        m.d.comb += [
            read.addr.eq(head),
            self.code.eq(Mux(self.joining, self.in_force, kept)),
        ]
        return m


def keep_codes(
    m: Module, s: Look, channel: Value, code: Value, heads: Array, tails: Array
) -> Value:
    """Keep a channel's codes beside its queue; return the one at the strike that is answered.

    `code` is that of the beat that is taken.
    """
    m.submodules.strike_codes = codes = StrikeCodes(s.geometry)
    in_force = Signal.like(code)
    with m.If(s.takes):
        m.d.sync += in_force.eq(code)
    m.d.comb += [
        *(codes.heads[number].eq(heads[number]) for number in range(s.geometry.channels)),
        *(codes.tails[number].eq(tails[number]) for number in range(s.geometry.channels)),
        codes.channel.eq(channel),
        codes.in_force.eq(in_force),
        codes.struck.eq(s.struck & ~s.full),
        codes.joining.eq(s.joining),
    ]
    return codes.code
