# SPDX-License-Identifier: Apache-2.0
"""Sums of several words in one memory. Each clock adds a chunk."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory


class WordSums(wiring.Component):
    """Keeps sums of several words in one memory, and adds to them a chunk each clock.

    A chunk is a word, or half of one. Words are read in clocks without `run`; in a memory that is
    `live` the word then stays while chunks are added to. A chunk may be added to again 4 clocks
    later at the earliest.

    Latency: 2 clocks from `row` to `word`; up to 2 more where a chunk is half a word, and 1 more in
        a memory that is `live`. 4 clocks from a chunk to its new value in the memory.
    Throughput: one chunk is added to each clock; or one word is read.
    Reset: the memory keeps its words.
    Wrap: the carry of a sum's last chunk is dropped; sums must have chunks enough.
    Full: never; each chunk is added to in its clock.

    Ports:
        run: Adds to `chunk`; else `row` is read.
        first: `chunk` takes no carry from the chunk of the clock before; valid with `run`.
        chunk: The chunk that is added to or cleared.
        addend: What is added; valid in the clock after its `chunk`.
        row: The word to read.
        word: The word that was read; it stays until another is read or, if not `live`, until `run`.
        clear: Sets `chunk` to 0.
    """

    def __init__(self, words: int, chunk_bits: int, live: bool) -> None:
        self._chunk_bits, self._live = chunk_bits, live
        self._chunks = words * WORD_BITS // chunk_bits
        super().__init__(
            {
                "run": In(1),
                "first": In(1),
                "chunk": In(range(self._chunks)),
                "addend": In(chunk_bits),
                "row": In(range(words)),
                "word": Out(WORD_BITS),
                "clear": In(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        bits, halves = self._chunk_bits, self._chunk_bits < WORD_BITS
        m.submodules.memory = memory = plain_memory(bits, self._chunks, ram_style="block")
        read, write = memory.read_port(), memory.write_port()
        run, first = Line(m, self.run, "run"), Line(m, self.first, "first")
        turn = Signal()
        m.d.sync += turn.eq(~turn)
        row = Cat(turn, self.row) if halves else self.row
        place = Line(m, Mux(self.run | self.clear, self.chunk, row), "place")
        stored, carry = Signal(bits), Signal()
        addend = Line(m, self.addend, "addend")[1]
        total = (Cat(Const(1, 1), stored) + Cat(carry & ~first[2], addend))[1:]
        clear = Line(m, self.clear, "clear")[2]
        m.d.comb += read.addr.eq(place[0])
        m.d.sync += [
            stored.eq(read.data),
            carry.eq(total[-1]),
            write.data.eq(Mux(clear, 0, total[:bits])),
            write.addr.eq(place[2]),
            write.en.eq(clear | run[2]),
        ]
        word = stored
        if halves:
            # Limbs and chunks alternate.
            halves_read = [Signal(bits, name=f"half{half}") for half in range(2)]
            turns = Line(m, turn, "turn")[2]
            for half, part in enumerate(halves_read):
                with m.If(turns == half):
                    m.d.sync += part.eq(stored)
            word = Cat(*halves_read)
        if self._live:
            with m.If(~run[2]):
                m.d.sync += self.word.eq(word)
        else:
            m.d.comb += self.word.eq(word)
        return m
