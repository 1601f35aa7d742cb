"""Many 48-bit counts in one memory of narrow words: each visit adds to one of them."""

from collections.abc import Callable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.fetch import plain_memory

COUNT_BITS = 48
LIMB_BITS = 16
LIMBS = COUNT_BITS // LIMB_BITS


class Counts(wiring.Component):
    """Counts at places; `row_of` says in which row of the memory limb n of a place is.

    A visit takes LIMBS clocks, in which `limb` counts up from 0. In the clock of limb 1 `addend` is
    looked at. In the last one, and only then, `live` may be high: without it nothing changes, and
    the next visit is one to the same place, else to `place`.
    The count grows by the addend; or with `narrow` or `wide`, for a counter outside that is sampled
    before it can come round, by what its `narrow_bits` or `wide_bits` bits have grown: `addend`
    is then the inverted sample, with zeros above it. With `wipe` the count becomes 0. A place's
    next visit must not be the one behind.

    While `read` `read_row` is read in place of the visit's, and is there as `word` 2 clocks after:
    such visits must not be live. `next_limb`, which is the limb of 2 clocks ago too, goes with what
    will be read. A limb that is written in that clock reads as any value: where it is one of the
    place `watch`, which must stand from the clock before, `watch_stb` is high and `written` has it.
    `saturated_stb` strobes where a count wraps. Reset: the memory keeps its words.
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
                "next_limb": Out(range(LIMBS), init=1),
                "place": In(place_bits),
                "addend": In(LIMB_BITS),
                "narrow": In(1),
                "wide": In(1),
                "wipe": In(1),
                "live": In(1),
                "read": In(1),
                "read_row": In(row_bits),
                "word": Out(LIMB_BITS),
                "watch": In(place_bits),
                "watch_stb": Out(1),
                "written": Out(LIMB_BITS),
                "saturated_stb": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        second, last = self.limb == 1, self.limb == LIMBS - 1
        m.d.sync += [
            self.limb.eq(self.next_limb),
            self.next_limb.eq(Mux(self.next_limb == LIMBS - 1, 0, self.next_limb + 1)),
        ]

        # A limb is read, kept, added to and written back in the same clock of the next visit.
        m.submodules.memory = memory = plain_memory(LIMB_BITS, 1 << self._row_bits)
        write = memory.write_port()
        place, before, row = (
            Signal.like(self.place),
            Signal.like(self.place),
            Signal(self._row_bits),
        )
        live, wipe = Signal(), Signal()
        addend, written = Signal(LIMB_BITS, name="added"), self.written
        narrow, wide, carry = Signal(), Signal(), Signal()
        watched = Signal()
        total = Signal(LIMB_BITS + 1)
        sampled = Cat(
            *((narrow | wide).replicate(self._narrow_bits)),
            *(wide.replicate(self._wide_bits - self._narrow_bits)),
        )
        low = len(sampled)
        read = memory.read_port()
        m.d.comb += [
            read.addr.eq(Mux(self.read, self.read_row, row)),
            total.eq(self.word + addend + carry),
            write.addr.eq(self._row_of(before, self.limb)),
            write.data.eq(written),
            write.en.eq(live),
            self.watch_stb.eq(live & watched),
            self.saturated_stb.eq(second & live & total[-1]),
        ]
        m.d.sync += [
            self.word.eq(read.data),
            row.eq(self._row_of(place, self.next_limb)),
            addend.eq(0),
            narrow.eq(second & self.narrow),
            wide.eq(second & self.wide),
            carry.eq(total[-1] & ~second),
            watched.eq(self.watch == Mux(last, place, before)),
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
            m.d.sync += [before.eq(place), live.eq(self.live), wipe.eq(self.wipe)]
        with m.If(self.live):
            m.d.sync += [
                place.eq(self.place),
                row.eq(self._row_of(self.place, Const(0, len(self.limb)))),
            ]
        with m.If(Mux(last, self.wipe, wipe)):
            m.d.sync += [written.eq(0), carry.eq(0)]
        return m
