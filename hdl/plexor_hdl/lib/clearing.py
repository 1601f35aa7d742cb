# SPDX-License-Identifier: Apache-2.0
"""Counts through a memory's addresses to clear it."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Clearing(wiring.Component):
    """Goes through the addresses 0 to `entries` - 1 of a memory once, to clear it.

    It has no memory: its user writes the row at `address` while `busy`.

    Latency: 1 clock from `stb` to the first address.
    Throughput: one address each clock.
    Reset: not `busy`.
    Wrap: after the last address it stops, back at 0.
    Full: a `stb` while `busy` is ignored.

    Ports:
        stb: Starts a round.
        busy: `address` is one of the round; high for `entries` clocks.
        address: The row to clear; 0 while not `busy`.
    """

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
