"""Many 48-bit counts in one memory of narrow words: each visit adds to one of them."""

from collections.abc import Callable

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.fetch import plain_memory

COUNT_BITS = 48
LIMB_BITS = 16
LIMBS = COUNT_BITS // LIMB_BITS


class Counts(wiring.Component):
    """Counts at places; `row_of` says in which row of the memory limb n of a place is.

    A visit takes LIMBS clocks, in which `limb` counts up from 0 and `place` must stand. In the
    clock of limb 1 `addend` is looked at, in the last one `live`, without which nothing changes.
    The count grows by the addend; or with `narrow` or `wide`, for a counter outside that is sampled
    before it can come round, by what its `narrow_bits` or `wide_bits` bits have grown: `addend`
    is then the inverted sample, with zeros above it. With `wipe` the count becomes 0. A place's
    next visit must not be the one behind.

    While `read` `read_row` is read in place of the visit's, and is there as `word` in the clock
    after and as `word_r` in the next: such visits must not be live. `saturated_stb` strobes where a
    count wraps. Reset: the memory keeps its words.
    """

    def __init__(
        self,
        place_bits: int,
        row_bits: int,
        row_of: Callable[[Value, Value], Value],
        narrow_bits: int,
        wide_bits: int,
    ) -> None:
        self._row_bits = row_bits
        self._row_of = row_of
        self._narrow_bits, self._wide_bits = narrow_bits, wide_bits
        super().__init__(
            {
                "limb": Out(range(LIMBS)),
                "place": In(place_bits),
                "addend": In(LIMB_BITS),
                "narrow": In(1),
                "wide": In(1),
                "wipe": In(1),
                "live": In(1),
                "read": In(1),
                "read_row": In(row_bits),
                "word": Out(LIMB_BITS),
                "word_r": Out(LIMB_BITS),
                "saturated_stb": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        second, last = self.limb == 1, self.limb == LIMBS - 1
        m.d.sync += self.limb.eq(Mux(last, 0, self.limb + 1))

        # A limb is read, kept, added to and written back in the same clock of the next visit.
        m.submodules.memory = memory = plain_memory(LIMB_BITS, 1 << self._row_bits)
        write = memory.write_port()
        place = Signal.like(self.place)
        live, wipe = Signal(), Signal()
        addend, written = Signal(LIMB_BITS, name="added"), Signal(LIMB_BITS)
        narrow, wide, carry = Signal(), Signal(), Signal()
        total = Signal(LIMB_BITS + 1)
        sampled = Cat(
            *((narrow | wide).replicate(self._narrow_bits)),
            *(wide.replicate(self._wide_bits - self._narrow_bits)),
        )
        low = len(sampled)
        row = Mux(self.read, self.read_row, self._row_of(self.place, self.limb))
        read = memory.read_port()
        m.d.comb += [
            read.addr.eq(row),
            self.word.eq(read.data),
            total.eq(self.word_r + addend + carry),
            write.addr.eq(self._row_of(place, self.limb)),
            write.data.eq(written),
            write.en.eq(live),
            self.saturated_stb.eq(second & live & total[-1]),
        ]
        m.d.sync += [
            self.word_r.eq(self.word),
            addend.eq(0),
            narrow.eq(second & self.narrow),
            wide.eq(second & self.wide),
            carry.eq(total[-1] & ~second),
            written.eq(
                Cat(
                    (total[:low] & ~sampled) | (~addend[:low] & sampled),
                    total[low:LIMB_BITS],
                )
            ),
        ]
        with m.If(second):
            m.d.sync += addend.eq(self.addend)
        with m.If(last):
            m.d.sync += [place.eq(self.place), live.eq(self.live), wipe.eq(self.wipe)]
        with m.If(Mux(last, self.wipe, wipe)):
            m.d.sync += [written.eq(0), carry.eq(0)]
        return m
