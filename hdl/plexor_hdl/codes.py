"""How often each code comes, one a clock: the low bits of counts, in one memory."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.fetch import plain_memory
from plexor_hdl.limb import Line

PART_BITS = 12
PHASE_BITS = 2
PHASES = 1 << PHASE_BITS
WRITE_CLOCKS = 3
"""Clocks from a code to the write of its entry, less than there are phases."""
TOKEN = 1 << (PART_BITS - 1)
"""What a token stands for."""
VALUE_CLOCKS = 2


class Codes(wiring.Component):
    """Counts `i_code` where `i_valid`, a code a clock, in parts of PART_BITS bits.

    Each code has an entry for each of PHASES phases of the clock, of which this is `phase`, so that
    no sum is read before it is written; the count of an entry is what is in it and its tokens. An
    entry that has come to TOKEN gives it away as `token_valid` and `token_entry` (phase in the low
    bits), at its next turn at which no token waits. A token waits until `taken`. An entry would
    only wrap if it found a token of another waiting at TOKEN of its turns in a row.

    `value` is the entry `walk_entry` of VALUE_CLOCKS before with `walk`; `wipe` with `walk` zeroes
    it. No codes while either is high, nor WRITE_CLOCKS before. Reset: the memory keeps its words,
    so counts need a wipe first.
    """

    def __init__(self, code_bits: int) -> None:
        self._code_bits = code_bits
        self.entry_bits = code_bits + PHASE_BITS
        super().__init__(
            {
                "i_valid": In(1),
                "i_code": In(code_bits),
                "phase": Out(PHASE_BITS),
                "token_valid": Out(1),
                "token_entry": Out(self.entry_bits),
                "taken": In(1),
                "walk": In(1),
                "wipe": In(1),
                "walk_entry": In(self.entry_bits),
                "value": Out(PART_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.phase.eq(self.phase + 1)
        m.submodules.memory = memory = plain_memory(PART_BITS, 1 << self.entry_bits)
        write = memory.write_port()
        valid, code = Line(m, self.i_valid, "valid"), Line(m, self.i_code, "code")
        total, give = Signal(PART_BITS), Signal()
        wipe, wiped = Signal(), Signal(self.entry_bits)
        read = memory.read_port()

        def entry(clocks: int):
            """Return the entry of the code of so many clocks ago."""
            return Cat((self.phase - clocks)[:PHASE_BITS], code[clocks])

        m.d.comb += [
            read.addr.eq(Mux(self.walk, self.walk_entry, entry(0))),
            give.eq(self.value[-1] & valid[VALUE_CLOCKS] & ~self.token_valid),
            write.addr.eq(Mux(wipe, wiped, entry(WRITE_CLOCKS))),
            write.data.eq(total),
            write.en.eq(wipe | valid[WRITE_CLOCKS]),
        ]
        m.d.sync += [
            self.value.eq(read.data),
            total.eq(Cat(self.value[:-1], self.value[-1] & ~give) + 1),
            wipe.eq(self.wipe),
            wiped.eq(self.walk_entry),
        ]
        with m.If(self.wipe):
            m.d.sync += total.eq(0)
        with m.If(give):
            m.d.sync += [self.token_valid.eq(1), self.token_entry.eq(entry(VALUE_CLOCKS))]
        with m.If(self.taken | self.wipe):
            m.d.sync += self.token_valid.eq(0)
        return m
