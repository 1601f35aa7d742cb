# SPDX-License-Identifier: Apache-2.0
"""Keeps the limits of latencies in memories, for builds with few cells."""

from amaranth.hdl import Cat, Module, Mux, ResetSignal, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor.protocol.registers import register
from plexor_hdl.lib.counters import fetched_from
from plexor_hdl.lib.memory_reader import plain_memory

HALF_BITS = VALUE_BITS // 2
SHARED = (
    ("matcher", "timeout_ticks"),
    ("matcher", "window_min_ticks"),
    ("control", "trigger_latency_ticks"),
)
"""Registers with limits for all channels. OWN is a register with a limit for each channel."""
OWN = ("channel", "deadline_ticks")


def in_memories(geometry: Geometry) -> bool:
    """Return whether a build keeps limits in memories.

    It does if it has few cells, which a build has that does not number its events: it neither sends
    nor keeps them.
    """
    return not geometry.indexed


class Limits(wiring.Component):
    """Keeps the limits of latencies in memories.

    They are written as registers are, and read in halves.

    Latency: 1 clock from `channel` and `upper` to `halves`; a lower half is read 2 clocks after it
        was written, an upper half 3.
    Throughput: a limit written each 2 clocks, a half of each limit read each clock.
    Reset: for at most 4 clocks a channel after it, not after configuration, the registers' reset
        values are written; what is written meanwhile is lost.
    Wrap: none; it counts nothing.
    Full: never; each limit has its place.

    Ports:
        stb: A bit strobes as a register of SHARED or, behind these, OWN of a channel is written;
            all must be low in the clock after.
        data: What is written, in ticks; it must stand for one more clock.
        upper: 1 for the upper halves, 0 for the lower ones.
        channel: Channel whose OWN is read.
        halves: Halves of the limits in SHARED and of OWN, in ticks.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._channels = geometry.channels
        channel_bits = max(geometry.key_bits, 1)
        super().__init__(
            {
                "stb": In(len(SHARED) + geometry.channels),
                "data": In(VALUE_BITS),
                "upper": In(1),
                "channel": In(channel_bits),
                "halves": Out(data.ArrayLayout(HALF_BITS, len(SHARED) + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        strobes = [*self.stb[: len(SHARED)], self.stb[len(SHARED) :].any()]
        again = Signal(len(strobes))
        m.d.sync += again.eq(Cat(strobes))
        half = Mux(again.any(), self.data[HALF_BITS:], self.data[:HALF_BITS])
        written = Signal.like(self.channel)
        for number in range(self._channels):
            with m.If(self.stb[len(SHARED) + number]):
                m.d.comb += written.eq(number)
        kept = Signal.like(self.channel)
        m.d.sync += kept.eq(written)
        row = Cat(again.any(), Mux(again.any(), kept, written))
        # If the clock domain has no reset, no logic remains of this.
        walking, place = Signal(reset_less=True), Signal.like(row, reset_less=True)
        with m.If(ResetSignal(allow_reset_less=True)):
            m.d.sync += [walking.eq(1), place.eq(0)]
        with m.Elif(walking):
            m.d.sync += [place.eq(place + 1), walking.eq(~place.all())]
        for number, name in enumerate((*SHARED, OWN)):
            reset = register(*name).reset
            # Bits beyond the register's width are ignored.
            within = ~again[number] if register(*name).bits < VALUE_BITS else 1
            parts = reset & (1 << HALF_BITS) - 1, reset >> HALF_BITS & (1 << HALF_BITS) - 1
            rows = 2 << len(self.channel) if name == OWN else 2
            m.submodules[name[1]] = memory = plain_memory(
                HALF_BITS, rows, init=parts * (rows // 2), ram_style="block"
            )
            write, cut = memory.write_port(), Cat(half[:-1], half[-1] & within)
            place_read = Cat(self.upper, self.channel)[: (rows - 1).bit_length()]
            m.d.comb += [
                write.addr.eq(Mux(walking, place, row)),
                write.data.eq(Mux(walking, Mux(place[0], parts[1], parts[0]), cut)),
                write.en.eq(strobes[number] | again[number] | walking),
                self.halves[number].eq(fetched_from(m, memory, place_read, f"half{number}")),
            ]
        return m
