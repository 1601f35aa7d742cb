# SPDX-License-Identifier: Apache-2.0
"""Figures of each code: count, sum, minimum and maximum of values."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import CODE_FIGURES, VALUE_BITS, VALUE_MOST
from plexor_hdl.interfaces import TIME_BITS, SpaceRead
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.clearing import Clearing
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import high_part, low_part
from plexor_hdl.lib.word_sums import WordSums
from plexor_hdl.results.records import biased
from plexor_hdl.uplink.dumper import FRAME_WORDS

PASSES = 2
"""Words of a count, and of a sum; clocks that a value takes."""
AGAIN_CLOCKS = 4
"""Least clocks from a value to another one of its record."""
IDLE_CLOCKS = 8
FRAME_BITS = (FRAME_WORDS * 4 // CODE_FIGURES.size_bytes - 1).bit_length()
"""Bits of a record's place in a frame of a dump."""
ENTRY_BITS = (CODE_FIGURES.size_bytes // 4 - 1).bit_length()


class CodeTable(wiring.Component):
    """Keeps 2**`place_bits` records CODE_FIGURES (plexor.protocol.memory).

    A value goes to the record at `place`. A value above VALUE_MOST is whole in the sum, and
    VALUE_MOST in the extremes. Words are read while `idle`.

    Latency: `idle` falls 1 clock after `stb` and rises IDLE_CLOCKS later; the value is in memory by
        then. A word is there 10 clocks, at most, after its address came.
    Throughput: a value in PASSES (2) clocks, and one of the same record AGAIN_CLOCKS (4) later.
    Reset: nothing is under way; the memories keep their words, so a clear must come first.
    Wrap: count and sum wrap at 2**64; no run is that long.
    Full: never; a value must not come sooner than that.

    Ports:
        stb: Adds a value.
        place: Its record.
        value_ticks: The value; it comes a clock after its `stb`.
        idle: No value is under way.
        read: Reads the space.
        clear_stb: Zeroes all records.
        clear_busy: 1 while that takes; no values may come.
    """

    def __init__(self, place_bits: int) -> None:
        self._place_bits = place_bits
        super().__init__(
            {
                "stb": In(1),
                "place": In(place_bits),
                "value_ticks": In(signed(TIME_BITS)),
                "idle": Out(1, init=1),
                "read": In(SpaceRead()),
                "clear_stb": In(1),
                "clear_busy": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        words = PASSES << self._place_bits
        m.submodules.clearing = clearing = Clearing(words)
        clears = Line(m, clearing.busy, "clears")
        m.d.comb += [
            clearing.stb.eq(self.clear_stb),
            self.clear_busy.eq(Cat(clears[clocks] for clocks in range(4)).any()),
        ]
        runs, second, calm = Signal(), Signal(), Signal(range(IDLE_CLOCKS))
        m.d.sync += [
            runs.eq(self.stb | (runs & ~second)),
            second.eq(runs & ~second),
            self.idle.eq(~self.stb & ~calm.any()),
        ]
        with m.If(self.stb):
            m.d.sync += calm.eq(IDLE_CLOCKS - 1)
        with m.Elif(calm.any()):
            m.d.sync += calm.eq(calm - 1)
        key, value, above = Signal(self._place_bits), Signal(TIME_BITS), Signal()
        with m.If(self.stb):
            m.d.sync += key.eq(self.place)
        with m.If(runs & ~second):
            m.d.sync += [
                value.eq(self.value_ticks),
                above.eq(~self.value_ticks[-1] & self.value_ticks[VALUE_BITS - 1 :].any()),
            ]
        shown = Mux(above, VALUE_MOST, value[:VALUE_BITS])
        address, entry, chosen = Signal(ENTRY_BITS), Signal(self._place_bits), Signal()
        m.d.sync += [
            address.eq(self.read.address),
            entry.eq(self.read.address[ENTRY_BITS:]),
            chosen.eq(
                ~self.read.address[-1] & ~self.read.address[ENTRY_BITS + self._place_bits :].any()
            ),
        ]
        # The count's word is 1 or 0; it and the value's word are added a clock after their place.
        late = Line(m, second, "second")[1]
        found = []
        for name, addend in (("counts", ~late), ("sums", value.word_select(late, WORD_BITS))):
            m.submodules[name] = sums = WordSums(words, WORD_BITS, live=False)
            m.d.comb += [
                sums.run.eq(runs),
                sums.first.eq(~second),
                sums.chunk.eq(Mux(clearing.busy, clearing.address, Cat(second, key))),
                sums.addend.eq(addend),
                sums.row.eq(Cat(address[0], entry)),
                sums.clear.eq(clearing.busy),
            ]
            found.append(sums.word)
        extreme = self._extremes(m, runs, second, key, shown, address, entry, clearing)
        m.d.sync += self.read.data.eq(
            Mux(chosen, Mux(address[2], extreme, Mux(address[1], found[1], found[0])), 0)
        )
        self._frames(m, runs, key, entry, clearing)
        return m

    def _frames(self, m: Module, runs, key, entry, clearing) -> None:
        """Keep in which frames of a dump there is a value; tell so of the one that is read."""
        asked, used = entry[FRAME_BITS:], key[FRAME_BITS:]
        m.submodules.frames = memory = plain_memory(1, 1 << len(asked))
        read, write = memory.read_port(domain="comb"), memory.write_port()
        m.d.comb += [
            write.en.eq(runs | clearing.busy),
            write.addr.eq(Mux(clearing.busy, clearing.address, used)),
            write.data.eq(~clearing.busy),
            read.addr.eq(asked),
        ]
        m.d.sync += self.read.some.eq(read.data)

    def _extremes(self, m: Module, runs, second, key, shown, address, entry, clearing):
        """Keep minima in row 0 and maxima in row 1; return the word that is read.

        Row 1 holds the complement of the maximum, so in both rows a smaller value replaces another.
        The bit above is set once there is a value.
        """
        memory = plain_memory(VALUE_BITS + 1, 2 << self._place_bits, ram_style="block")
        m.submodules.extremes = memory
        read, write = memory.read_port(), memory.write_port()
        row = Mux(runs, Cat(second, key), Cat(address[1], entry))
        rows, compares = Line(m, row, "row"), Line(m, runs, "compares")
        most = Line(m, second, "most")[1]
        candidate, stored, known = Signal(VALUE_BITS), Signal(VALUE_BITS), Signal()
        low_less, high_less, high_same, first = (Signal() for _ in range(4))
        m.d.comb += read.addr.eq(row)
        m.d.sync += [
            candidate.eq(biased(shown) ^ most.replicate(VALUE_BITS)),
            Cat(stored, known).eq(read.data),
            low_less.eq(low_part(candidate) < low_part(stored)),
            high_less.eq(high_part(candidate) < high_part(stored)),
            high_same.eq(high_part(candidate) == high_part(stored)),
            first.eq(~known),
        ]
        keeps = compares[3] & (first | high_less | (high_same & low_less))
        clear = Line(m, clearing.busy, "clear")[1]
        place = Line(m, clearing.address, "clear_place")[1]
        m.d.comb += [
            write.addr.eq(Mux(clear, place, rows[3])),
            write.data.eq(Mux(clear, 0, Cat(Line(m, candidate, "candidate")[1], 1))),
            write.en.eq(clear | keeps),
        ]
        word = Mux(known, biased(stored ^ address[1].replicate(VALUE_BITS)), 0)
        return Mux(address[0], word[-1].replicate(VALUE_BITS), word)
