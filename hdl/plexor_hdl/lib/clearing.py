"""Going through a memory's addresses, to clear it."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Sweep(wiring.Component):
    """The addresses 0 to `entries` - 1, once each, while `busy`: from the clock after `stb`."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        super().__init__({"stb": In(1), "busy": Out(1), "address": Out(range(entries))})

    def elaborate(self, platform) -> Module:
        m = Module()
        with m.If(self.busy):
            m.d.sync += self.address.eq(self.address + 1)
            with m.If(self.address == self._entries - 1):
                m.d.sync += [self.busy.eq(0), self.address.eq(0)]
        with m.Elif(self.stb):
            m.d.sync += self.busy.eq(1)
        return m
