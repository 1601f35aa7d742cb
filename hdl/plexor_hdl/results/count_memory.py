# SPDX-License-Identifier: Apache-2.0
"""Many 48-bit counts in one memory of narrow words. Each is incremented in place."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.interfaces import COUNT_BITS
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import CHUNK_BITS

COUNT_CHUNKS = COUNT_BITS // CHUNK_BITS
CHUNK_NUMBER_BITS = 2
QUIET_CLOCKS = 12
"""Clocks from the last count's acceptance until all of it is in memory."""


class CountMemory(wiring.Component):
    """Many 48-bit counts in one memory, each in COUNT_CHUNKS rows of CHUNK_BITS.

    Chunk n of a place is in row (n, place), n in the upper bits. A slot takes two clocks; what is
    asked for in its `second` clock is done if it is taken. A count adds one. A visit adds what a
    short counter outside has grown by since its last visit; it must come before that counter wraps.
    A carry goes before a visit, a visit before a count. A place that was taken in the slot before
    waits for one slot; a place must not be visited in two slots that follow each other.

    Latency: 4 clocks from the clock in which a count was taken until it is written, 4 more for each
        carry; after QUIET_CLOCKS (12) all of it is in memory. 2 clocks from `read_row` to `word`.
    Throughput: a count, a visit or a carry each 2 clocks; a read each 2, with `reads` each clock.
    Reset: nothing is under way; the memory keeps its words.
    Wrap: a count wraps at 2**48 and sets `saturated`.
    Full: never; what is not taken waits outside.

    Ports:
        second: 1 in the second clock of each slot.
        valid: 1 asks to count at `place`; it changes only at the end of a second clock.
        place: Where to count; it stands as `valid` does.
        taken: 1, in a second clock, if the count is taken.
        visit: 1, through a slot, asks to visit `visit_place`.
        visit_place: Count of the counter outside.
        visit_taken: 1, in a second clock, if the visit is taken.
        sample: Lower bits of the visited counter, inverted, in the second clock of the slot after.
        reads: 1 reads in each clock; only while nothing is under way.
        read_row: Row that is read, in second clocks.
        word: The row's word, in the next second clock; any value if the row was written as it was
            read.
        clear_stb: Zeroes all.
        clear_busy: 1 while that takes; nothing may come.
        saturated: 1 from the first wrap until the next clear.
    """

    def __init__(self, place_bits: int, sample_bits: int) -> None:
        self._sample_bits = sample_bits
        self._row_bits = place_bits + CHUNK_NUMBER_BITS
        super().__init__(
            {
                "second": Out(1),
                "valid": In(1),
                "place": In(place_bits),
                "taken": Out(1),
                "visit": In(1),
                "visit_place": In(place_bits),
                "visit_taken": Out(1),
                "sample": In(sample_bits),
                "reads": In(1),
                "read_row": In(self._row_bits),
                "word": Out(CHUNK_BITS),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = plain_memory(
            CHUNK_BITS, 1 << self._row_bits, ram_style="block"
        )
        write, read = memory.write_port(), memory.read_port()
        # The row read in this slot, and the row written at the slot's end.
        row, written = Signal(self._row_bits, name="row"), Signal(self._row_bits)
        live, writing = Signal(name="live"), Signal(name="writing")
        visiting, sampled, wiping = Signal(name="visiting"), Signal(), Signal()
        addend, carry = Signal(CHUNK_BITS, name="addend"), Signal()
        total, stored = Signal(CHUNK_BITS + 1), Signal(CHUNK_BITS)
        low, place_bits = self._sample_bits, len(self.place)
        chunk, place = written[place_bits:], written[:place_bits]
        wraps, go, visits = Signal(), Signal(), Signal()
        m.d.comb += [
            read.addr.eq(Mux(self.second | self.reads, self.read_row, row)),
            total.eq(self.word + addend),
            write.addr.eq(written),
            write.data.eq(stored),
            write.en.eq(writing & self.second),
            self.visit_taken.eq(visits & ~carry),
            self.taken.eq(go & ~carry),
        ]
        # The first clock prepares what the second one needs.
        first, same = ~self.second, live & (self.place == row[:place_bits])
        m.d.sync += [
            self.second.eq(first),
            self.word.eq(read.data),
            # The stored low bits equal the sample's low bits. Only wraps of the sample are added.
            stored.eq(
                Cat(Mux(sampled, ~addend[:low], total[:low]), total[low:CHUNK_BITS])
                & (~wiping).replicate(CHUNK_BITS)
            ),
            carry.eq(total[-1] & first & writing & ~wiping & ~chunk[1]),
            wraps.eq(total[-1] & first & writing & ~wiping & chunk[1]),
            visits.eq(first & self.visit & ~self.clear_busy),
            go.eq(first & self.valid & ~self.visit & ~same & ~self.clear_busy),
        ]
        with m.If(self.second):
            m.d.sync += [
                wiping.eq(self.clear_busy),
                written.eq(row),
                writing.eq(live),
                sampled.eq(visiting),
                addend.eq(Mux(visiting, self.sample, 1)),
                visiting.eq(self.visit_taken),
                live.eq(carry | visits | go | self.clear_busy),
            ]
            with m.If(self.clear_busy):
                m.d.sync += row.eq(row + 1)
                with m.If(row.all()):
                    m.d.sync += [self.clear_busy.eq(0), live.eq(0)]
            with m.Elif(carry):
                m.d.sync += row.eq(Cat(place, ~chunk[0], chunk[0]))
            with m.Elif(visits):
                m.d.sync += row.eq(self.visit_place)
            with m.Else():
                m.d.sync += row.eq(self.place)
        with m.If(wraps):
            m.d.sync += self.saturated.eq(1)
        with m.If(self.clear_stb):
            m.d.sync += [self.clear_busy.eq(1), self.saturated.eq(0), row.eq(0), live.eq(1)]
            m.d.sync += visiting.eq(0)
        return m
