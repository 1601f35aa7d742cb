"""Sums of several words in one memory, added a limb a clock."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory


class WordSums(wiring.Component):
    """Sums of several words in a memory of limbs: a word, or half of one, with `words` in all.

    With `run` the limb `limb` gets the `addend` of the clock behind and, unless `first`, the carry
    of the limb of the clock before; limbs are the same ones again after 4 clocks at the earliest.
    Else the word `row` is read: `word` has it 3 clocks later, or 4 where a limb is half a word, and
    until another one is read. It is read while nothing is added, but where it is `live`. `clear`
    zeroes the limb `limb`. Reset: the memory keeps its words.
    """

    def __init__(self, words: int, limb_bits: int, live: bool) -> None:
        self._limb_bits, self._live = limb_bits, live
        self._limbs = words * WORD_BITS // limb_bits
        super().__init__(
            {
                "run": In(1),
                "first": In(1),
                "limb": In(range(self._limbs)),
                "addend": In(limb_bits),
                "row": In(range(words)),
                "word": Out(WORD_BITS),
                "clear": In(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        bits, halves = self._limb_bits, self._limb_bits < WORD_BITS
        m.submodules.memory = memory = plain_memory(bits, self._limbs, ram_style="block")
        read, write = memory.read_port(), memory.write_port()
        run, first = Line(m, self.run, "run"), Line(m, self.first, "first")
        turn = Signal()
        m.d.sync += turn.eq(~turn)
        row = Cat(turn, self.row) if halves else self.row
        place = Line(m, Mux(self.run | self.clear, self.limb, row), "place")
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
            # Limb by limb in turns.
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
