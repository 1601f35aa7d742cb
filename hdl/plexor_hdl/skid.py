"""A cut in the ready path of two stages."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Skid(wiring.Component):
    """Two entries, in order; `i_ready` is a register, so that no path goes back through it.

    Latency one clock, throughput one entry a clock. Full: `i_ready` is low. Reset: empty.
    """

    def __init__(self, shape) -> None:
        self._shape = shape
        super().__init__(
            {
                "i_valid": In(1),
                "i_ready": Out(1, init=1),
                "i_data": In(shape),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_data": Out(shape),
            }
        )

    def elaborate(self, platform):
        m = Module()
        kept = Signal(self._shape)
        with m.If(self.i_ready):
            m.d.sync += kept.eq(self.i_data)
        with m.If(~self.o_valid | self.o_ready):
            m.d.sync += [self.o_valid.eq(self.i_valid | ~self.i_ready), self.i_ready.eq(1)]
            with m.If(self.i_ready):
                m.d.sync += self.o_data.eq(self.i_data)
            with m.Else():
                m.d.sync += self.o_data.eq(kept)
        with m.Else():
            m.d.sync += self.i_ready.eq(self.i_ready & ~self.i_valid)
        return m
