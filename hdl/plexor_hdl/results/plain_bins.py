"""Counters of 32 bits, whole in memory, of which one state is known: the present one."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring

from plexor_hdl.interfaces import PACE_CLOCKS
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.counters import PacedTally
from plexor_hdl.lib.history import Line
from plexor_hdl.results.bins import bins_ports

FAR_ENTRIES = 1 << 12
"""Counters whose memory takes so many blocks that some are far from its adder."""


class PlainBins(wiring.Component):
    """Counts by twos as Bins does, with its ports, where nothing is frozen.

    Throughput: a pair in PACE_CLOCKS. `some` is always high. `frozen` is ignored; `folding` stays
    low, `idle` high: a pair has counted 7 clocks after it came.
    """

    def __init__(self, entries: int, second_from: int, windows: int) -> None:
        """Without `windows`, a power of two, there are no second counters."""
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
