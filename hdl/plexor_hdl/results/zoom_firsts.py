# SPDX-License-Identifier: Apache-2.0
"""Stores the first bin of each zoom window, written like a register."""

from amaranth.hdl import Module, Mux, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.lib.memory_reader import plain_memory


class ZoomFirsts(wiring.Component):
    """Keeps the first tick of each of 2**`bits` zoom windows.

    It is written as registers are.

    Latency: 1 clock from `window` to `first_ticks`; what is written is read from the clock after.
    Throughput: a write and a read each clock.
    Reset: for 2**`bits` clocks after it, not after configuration, all windows are set to 0; what is
        written meanwhile is lost.
    Wrap: none; it counts nothing.
    Full: never; each window has its word.

    Ports:
        stb: Writes `data` to the window `place`.
        place: Window that is written.
        data: Its first tick.
        window: Window that is read.
        first_ticks: First tick of that window.
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        super().__init__(
            {
                "stb": In(1),
                "place": In(bits),
                "data": In(VALUE_BITS),
                "window": In(bits),
                "first_ticks": Out(VALUE_BITS),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.firsts = memory = plain_memory(VALUE_BITS, 1 << self._bits)
        # If the clock domain has no reset, no logic remains of this.
        walking, place = Signal(reset_less=True), Signal(self._bits, reset_less=True)
        with m.If(ResetSignal(allow_reset_less=True)):
            m.d.sync += [walking.eq(1), place.eq(0)]
        with m.Elif(walking):
            m.d.sync += [place.eq(place + 1), walking.eq(~place.all())]
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(Mux(walking, place, self.place)),
            write.data.eq(Mux(walking, 0, self.data)),
            write.en.eq(walking | self.stb),
            read.addr.eq(self.window),
        ]
        m.d.sync += self.first_ticks.eq(read.data)
        return m
