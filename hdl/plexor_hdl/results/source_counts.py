# SPDX-License-Identifier: Apache-2.0
"""Counts what was dropped of each source, in a build whose host matches and counts the events."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_LOAD
from plexor.protocol.geometry import Geometry
from plexor_hdl.capture.capture import SourceAmounts
from plexor_hdl.control.registers import SOURCE_ADDRESS_BITS
from plexor_hdl.interfaces import COUNT_BITS
from plexor_hdl.lib.split_sum import CHUNK_BITS
from plexor_hdl.results.count_memory import CountMemory
from plexor_hdl.uplink.upload import Drop

VISIT_BITS = 3
VISIT_CLOCKS = 1 << VISIT_BITS
"""Clocks between visits of two sources' counts."""
CLEAR_PASSES = 4
"""How often a clear passes through the memory. So a run's start, which waits for it, comes a fixed
time after START, also while the bus is busy with the host's next commands."""


class SourceCounts(wiring.Component):
    """Counts what was dropped of each source on the chip: before the merge, and before the link.

    All edges are numbered, so the host knows how many there were. Dropped ones go to short
    counters, which are visited in turn, one each VISIT_CLOCKS; visits carry them into the memory. A
    visit of the source that is read waits, once in a round.

    Latency: SOURCE_CLOCKS (plexor_hdl.control.registers) from `source_stb` to `source_value`.
    Throughput: every edge of each source in each clock.
    Reset: nothing is under way; the memory keeps its words, so a clear must come first.
    Wrap: counts wrap at 2**48 and set `saturated`.
    Full: never.

    Ports:
        i_sources: Edges of each source in this clock, of which those dropped count.
        i_drop: An event that was dropped before the link, if it is valid.
        source_stb: Asks for a source's count; at least SOURCE_CLOCKS after the last, or for the
            same source.
        source_address: The source x 2, and one more for what was dropped of it; it stands from the
            clock before `source_stb` until the value is there. The other address reads 0.
        source_value: The count asked for; it stands until the next.
        settle_stb: Asks when all that came before is counted.
        settled_stb: Answers, once that is in memory.
        clear_stb: Zeroes all; nothing may come until `clear_busy` is low.
        clear_busy: 1 while the clear takes.
        saturated: 1 from the first wrap until the next clear.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._sources = geometry.merged
        self._samples = geometry.samples
        super().__init__(
            {
                "i_sources": In(
                    data.ArrayLayout(SourceAmounts(geometry.samples), len(geometry.merged))
                ),
                "i_drop": In(Drop),
                "source_stb": In(1),
                "source_address": In(SOURCE_ADDRESS_BITS),
                "source_value": Out(COUNT_BITS),
                "settle_stb": In(1),
                "settled_stb": Out(1),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        lines = len(self._sources)
        # Each line is visited once in a round, but a visit may have to wait for a read.
        bits = (VISIT_CLOCKS * (lines + 3) * (self._samples + 1)).bit_length()
        m.submodules.counts = counts = CountMemory(SOURCE_ADDRESS_BITS, bits)
        line, wait = Signal(range(lines), name="line"), Signal(VISIT_BITS, name="wait")
        due, visited, before = Signal(name="due"), Signal(name="visited"), Signal()
        line_place = Signal(SOURCE_ADDRESS_BITS, name="visit_place")
        last_line = Signal(name="last_line")
        asked, watched = Signal(4, name="asked"), Signal(name="watched")
        passes, again, was_busy = Signal(range(CLEAR_PASSES)), Signal(), Signal()
        m.d.sync += was_busy.eq(counts.clear_busy)
        with m.If(self.clear_stb):
            m.d.sync += passes.eq(CLEAR_PASSES - 1)
        with m.Elif(again):
            m.d.sync += passes.eq(passes - 1)
        m.d.comb += [
            counts.visit.eq(
                due & ~visited & ~before & ~(watched & (self.source_stb | asked.any()))
            ),
            counts.visit_place.eq(line_place),
            counts.sample.eq(self._sample(m, line, bits)),
            again.eq(was_busy & ~counts.clear_busy & passes.any()),
            counts.clear_stb.eq(self.clear_stb | again),
            self.clear_busy.eq(counts.clear_busy | passes.any()),
            self.saturated.eq(counts.saturated),
        ]
        numbers = [source << 1 | 1 for source in self._sources]
        m.d.sync += [
            wait.eq(wait + 1),
            last_line.eq(line == lines - 1),
            line_place.eq(Array(numbers)[line]),
            watched.eq(line_place == self.source_address),
        ]
        with m.If(counts.visit_taken):
            m.d.sync += due.eq(0)
        with m.If(wait.all()):
            m.d.sync += due.eq(1)
        with m.If(counts.second):
            m.d.sync += [visited.eq(counts.visit_taken), before.eq(visited)]
        with m.If(counts.second & visited):
            m.d.sync += line.eq(Mux(last_line, 0, line + 1))
        self._settle(m, counts.second & visited & last_line)
        self._read(m, counts, asked)
        return m

    def _sample(self, m: Module, line: Signal, bits: int):
        """Count each line's input, up to 2**bits; return the inverted count of `line`."""
        chosen = Signal(bits)
        shorts = []
        for number, source in enumerate(self._sources):
            dropped, refused = self.i_sources[number].dropped, Signal(name=f"refused{number}")
            # These sources have at most one edge in a word.
            dropped = dropped[0] if source >= SOURCE_LOAD else dropped
            short = Signal(bits, name=f"short{number}")
            m.d.sync += [
                refused.eq(self.i_drop.valid & (self.i_drop.source == source)),
                short.eq(short + dropped + refused),
            ]
            with m.If(self.clear_busy):
                m.d.sync += short.eq(0)
            shorts.append(short)
        m.d.sync += chosen.eq(~Array(shorts)[line])
        return chosen

    def _settle(self, m: Module, round_stb) -> None:
        """Wait for the ends of two rounds."""
        left = Signal(2)
        m.d.sync += self.settled_stb.eq((left == 1) & ~self.settled_stb)
        with m.If(self.settle_stb):
            m.d.sync += left.eq(3)
        with m.Elif((round_stb & left[1]) | (left == 1)):
            m.d.sync += left.eq(left - 1)

    def _read(self, m: Module, counts: CountMemory, asked: Signal) -> None:
        """Read a source's count on request, once nothing under way can change it."""
        m.d.sync += asked.eq(asked + asked.any())
        with m.If(self.source_stb):
            m.d.sync += asked.eq(1)
        reads = asked[3] & ~asked[1:3].all()
        chunk, came, chunk_came, comes = Signal(2), Signal(), Signal(2), Signal()
        m.d.sync += [
            comes.eq(reads),
            chunk.eq(asked[1:3]),
            counts.read_row.eq(Cat(self.source_address, asked[1:3])),
        ]
        with m.If(counts.second):
            m.d.sync += [came.eq(comes), chunk_came.eq(chunk)]
            with m.If(came):
                m.d.sync += self.source_value.word_select(chunk_came, CHUNK_BITS).eq(counts.word)
