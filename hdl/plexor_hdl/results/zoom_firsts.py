"""The first bin of each zoom window, written as registers are."""

from amaranth.hdl import Module, Mux, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.lib.memory_reader import plain_memory


class ZoomFirsts(wiring.Component):
    """A word for each of 2**`bits` windows: `first_ticks` is that of `window` a clock before.

    `stb` writes `data` to that of `place`. Reset: 0, for up to 2**bits clocks after it (not after
    configuration) from then on.
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
        # Without a reset in the clock domain this is no logic.
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
