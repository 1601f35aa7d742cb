# SPDX-License-Identifier: Apache-2.0
"""32-bit counters, each complete in memory. Only their present state can be read."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring

from plexor_hdl.interfaces import PACE_CLOCKS
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.counters import PacedTally
from plexor_hdl.lib.history import Line
from plexor_hdl.results.bins import bins_ports

FAR_ENTRIES = 1 << 12
"""Number of counters from which on the memory has blocks far from its adder."""


class PlainBins(wiring.Component):
    """Counts the first of each pair as Bins does, with its ports, where nothing is frozen.

    There are no windows. A pair is announced while `room` is high, at most one each PACE_CLOCKS,
    and comes later.

    Latency: 7 clocks until a pair has counted; at most 4 clocks from `address` to `word`, 7 while a
        pair counts.
    Throughput: a pair in PACE_CLOCKS (5) clocks.
    Reset: `saturated` is cleared; the counters keep their values, 0 at configuration.
    Wrap: none; a counter stays at its greatest value and sets `saturated`.
    Full: `room` is low for PACE_CLOCKS - 1 clocks after each announcement.

    Ports:
        i_pair: Stream of pairs of counters, of which the first counts one; always taken.
        expect_stb: Announces one pair.
        room: 1 if a pair may be announced.
        address: Counter that is read; it must stand until `word` is there.
        there: 1 if `address` is that of a counter; else `word` is 0.
        word: Count of the counter at `address`.
        some: Always 1.
        frozen: Ignored.
        folding: Always 0.
        idle: Always 1.
        clear_stb: Zeroes all.
        clear_busy: 1 while that takes; no pairs may come.
        saturated: 1 from the first count that was lost until the next clear.
    """

    def __init__(self, entries: int) -> None:
        """`entries` is a power of two."""
        self._entries = entries
        super().__init__(bins_ports(entries))

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.tally = tally = PacedTally(
            self._entries, WORD_BITS, self._entries >= FAR_ENTRIES
        )
        taken = Line(m, self.expect_stb, "taken")
        near = Signal()
        m.d.sync += near.eq(Cat(taken[clocks] for clocks in range(PACE_CLOCKS - 1)).any())
        m.d.comb += [
            tally.valid.eq(self.i_pair.valid),
            tally.address.eq(self.i_pair.payload.first),
            tally.read_address.eq(self.address),
            tally.there.eq(self.there),
            tally.clear_stb.eq(self.clear_stb),
            self.room.eq(~near),
            self.some.eq(1),
            self.idle.eq(1),
            self.word.eq(tally.count),
            self.clear_busy.eq(tally.clear_busy),
            self.saturated.eq(tally.saturated),
        ]
        return m
