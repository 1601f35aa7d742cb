# SPDX-License-Identifier: Apache-2.0
"""Delays strobes by a number of clocks that is chosen for a run."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import (
    HOLD_STEP_CLOCKS,
    LEAST_HOLD_CLOCKS,
    LONG_FILTER_CLOCKS,
    hold_clocks,
)
from plexor_hdl.lib.memory_reader import plain_memory

STEPS = LONG_FILTER_CLOCKS // HOLD_STEP_CLOCKS
STEPS_BITS = (STEPS - 1).bit_length()
MOST_CLOCKS = hold_clocks(LONG_FILTER_CLOCKS - 1)
"""Clocks of the longest delay."""
ROW = LEAST_HOLD_CLOCKS // 3
"""Clocks whose strobes are written together."""


class Hold(wiring.Component):
    """Gives each strobe again, hold_clocks(steps * HOLD_STEP_CLOCKS) clocks later.

    The strobes of ROW clocks are a row of a small memory. While one row is collected, an earlier
    one is given. It stands still where no strobe is under way, with all rows empty.

    Latency: LEAST_HOLD_CLOCKS + `steps` * HOLD_STEP_CLOCKS clocks from `strobe` to `o_strobe`.
    Throughput: one strobe each clock.
    Reset: no strobe is under way.
    Wrap: rows go round modulo the memory's size; none is read again.
    Full: never; each clock has its place.

    Ports:
        steps: The length of the delay. A strobe that is under way at a change comes at any time,
            again, or not at all.
        strobe: A strobe.
        o_strobe: It, later.
    """

    def __init__(self) -> None:
        super().__init__({"steps": In(STEPS_BITS), "strobe": In(1), "o_strobe": Out(1)})

    def elaborate(self, platform):
        m = Module()
        # The row that is read was written an odd number of rows before: 1 or more.
        m.submodules.rows = rows = plain_memory(ROW, 2 * STEPS, ram_style="distributed")
        write, read = rows.write_port(), rows.read_port()
        clock, given = Signal(range(ROW)), Signal(ROW - 1)
        collected = Signal(ROW - 1)
        # Rows until the last one is given, and every row of the memory is empty.
        left, moves = Signal(range(2 * STEPS + 3)), Signal()
        # A clock that `strobe` takes here is saved where it is given.
        strobe = Signal()
        m.d.sync += strobe.eq(self.strobe)
        m.d.comb += moves.eq(left.any() | strobe)
        with m.If(moves):
            m.d.sync += [clock.eq(clock + 1), collected.eq(Cat(collected, strobe)[1:])]
        with m.If(strobe):
            m.d.sync += left.eq(2 * STEPS + 2)
        with m.Elif(write.en):
            m.d.sync += left.eq(left - 1)
        m.d.comb += [
            write.en.eq(clock == ROW - 1),
            write.data.eq(Cat(collected, strobe)),
            read.en.eq(write.en),
            read.addr.eq(write.addr - Cat(1, self.steps)),
            self.o_strobe.eq(Mux(write.en, read.data[0], given[0])),
        ]
        with m.If(write.en):
            m.d.sync += [write.addr.eq(write.addr + 1), given.eq(read.data[1:])]
        with m.Elif(moves):
            m.d.sync += given.eq(given[1:])
        return m
