"""Sums of several words in one memory, added a word a clock."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.fetch import plain_memory
from plexor_hdl.limb import Line

WORD_BITS = 32
PASSES = 4
"""Words of a sum, or of sums that belong together: one is added in a clock."""


class WordSums(wiring.Component):
    """Sums of several words in a memory of words: `rows` in all, of which PASSES belong together.

    With `run` the row `row` gets the `addend` of the clock behind and, unless `first`, the carry
    of the row of the clock
    before; rows are the same ones again after PASSES clocks at the earliest. Else `row` is read:
    `word` has it 3 clocks later and until another one is read. `clear` zeroes `clear_row`.
    Reset: the memory keeps its words.
    """

    def __init__(self, rows: int, live: bool) -> None:
        self._rows, self._live = rows, live
        super().__init__(
            {
                "run": In(1),
                "first": In(1),
                "row": In(range(rows)),
                "addend": In(WORD_BITS),
                "word": Out(WORD_BITS),
                "clear": In(1),
                "clear_row": In(range(rows)),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.memory = memory = plain_memory(WORD_BITS, self._rows, ram_style="block")
        read, write = memory.read_port(), memory.write_port()
        run, first = Line(m, self.run, "run"), Line(m, self.first, "first")
        row = Line(m, self.row, "row")
        stored, carry = Signal(WORD_BITS), Signal()
        addend = Line(m, self.addend, "addend")[1]
        total = (Cat(Const(1, 1), stored) + Cat(carry & ~first[2], addend))[1:]
        m.d.comb += read.addr.eq(self.row)
        m.d.sync += [
            stored.eq(read.data),
            carry.eq(total[-1]),
            write.data.eq(Mux(self.clear, 0, total[:WORD_BITS])),
            write.addr.eq(Mux(self.clear, self.clear_row, row[2])),
            write.en.eq(self.clear | run[2]),
        ]
        if self._live:
            with m.If(~run[2]):
                m.d.sync += self.word.eq(stored)
        else:
            m.d.comb += self.word.eq(stored)
        return m
