"""Sums of several words in one memory, added a limb a clock."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory


class WordSums(wiring.Component):
    """Keeps sums of several words in one memory, and adds to them a limb each clock.

    A limb is a word, or half of one. Words are read in clocks without `run`; in a memory that is
    `live` the word then stays while limbs are added to. A limb may be added to again 4 clocks later
    at the earliest.

    Latency: 2 clocks from `row` to `word`; up to 2 more where a limb is half a word, and 1 more in
        a memory that is `live`. 4 clocks from a limb to its new value in the memory.
    Throughput: one limb is added to each clock; or one word is read.
    Reset: the memory keeps its words.
    Wrap: the carry of a sum's last limb is dropped; sums must have limbs enough.
    Full: never; each limb is added to in its clock.

    Ports:
        run: Adds to `limb`; else `row` is read.
        first: `limb` takes no carry from the limb of the clock before; valid with `run`.
        limb: The limb that is added to or cleared.
        addend: What is added; valid in the clock after its `limb`.
        row: The word to read.
        word: The word that was read; it stays until another is read or, if not `live`, until `run`.
        clear: Sets `limb` to 0.
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
