# SPDX-License-Identifier: Apache-2.0
"""32-bit counters, each complete in memory. Only their present state can be read."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring

from plexor_hdl.interfaces import PACE_CLOCKS
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.counters import PacedTally
from plexor_hdl.lib.history import Line
from plexor_hdl.results.bins import bins_ports

FAR_ENTRIES = 1 << 12
"""Number of counters from which on the memory has blocks far from its adder."""


class PlainBins(wiring.Component):
    """Counts by twos as Bins does, with its ports, where nothing is frozen.

    The first counters are below `second_from`, the second ones, `windows` of them, from there on. A
    pair is announced while `room` is high, at most one each PACE_CLOCKS, and comes later.

    Latency: 7 clocks until a pair has counted; at most 4 clocks from `address` to `word`, 7 while a
        pair counts.
    Throughput: a pair in PACE_CLOCKS (5) clocks.
    Reset: `saturated` is cleared; the counters keep their values, 0 at configuration.
    Wrap: none; a counter stays at its greatest value and sets `saturated`.
    Full: `room` is low for PACE_CLOCKS - 1 clocks after each announcement.

    Ports:
        i_pair: Stream of pairs of counters, each of which counts one; always taken.
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

    def __init__(self, entries: int, second_from: int, windows: int) -> None:
        """`windows` is a power of two. If it is 0, there are no second counters."""
        self._second_from = second_from
        sizes = [1 << (second_from - 1).bit_length(), *((windows,) if windows else ())]
        self.tallies = [PacedTally(size, WORD_BITS, size >= FAR_ENTRIES) for size in sizes]
        super().__init__(bins_ports(entries))

    def elaborate(self, platform) -> Module:
        m = Module()
        pair, words = self.i_pair.payload, []
        for number, tally in enumerate(self.tallies):
            m.submodules[f"tally{number}"] = tally
            place = (pair.first, pair.second)[number]
            inside = len(tally.address)
            m.d.comb += [
                tally.valid.eq(self.i_pair.valid),
                tally.address.eq(place[:inside]),
                tally.read_address.eq(self.address[:inside]),
                tally.there.eq(self.there),
                tally.clear_stb.eq(self.clear_stb),
            ]
            words.append(tally.count)
        taken = Line(m, self.expect_stb, "taken")
        near = Signal()
        m.d.sync += near.eq(Cat(taken[clocks] for clocks in range(PACE_CLOCKS - 1)).any())
        is_second = self.address >= self._second_from if len(words) > 1 else 0
        m.d.comb += [
            self.room.eq(~near),
            self.some.eq(1),
            self.idle.eq(1),
            self.word.eq(Mux(is_second, words[-1], words[0])),
            self.clear_busy.eq(Cat(tally.clear_busy for tally in self.tallies).any()),
            self.saturated.eq(Cat(tally.saturated for tally in self.tallies).any()),
        ]
        return m
