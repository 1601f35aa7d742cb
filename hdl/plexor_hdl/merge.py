"""The merge: a FIFO of edge words a source, one stream of events in time order."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.edges import EdgeWord, edge_mask
from plexor_hdl.timebase import LOW_BITS

GAP_BITS = 16


class Column(data.StructLayout):
    """The edges of one tick, a bit a source for edge and level; `gap` were dropped before it."""

    def __init__(self, sources: int, samples: int) -> None:
        super().__init__(
            {
                "edges": sources,
                "levels": sources,
                "fine": (samples - 1).bit_length(),
                "clock": LOW_BITS,
                "gap": GAP_BITS,
            }
        )


class MergedEvent(data.StructLayout):
    """One event, its source as a number in the order of `geometry.sources`."""

    def __init__(self, sources: int, samples: int) -> None:
        super().__init__(
            {
                "source": (sources - 1).bit_length(),
                "polarity": 1,
                "fine": (samples - 1).bit_length(),
                "clock": LOW_BITS,
                "gap": GAP_BITS,
            }
        )


def lowest(bits):
    """Return only the lowest one of `bits`."""
    return bits & (~bits + 1)[: len(bits)]


def at_least(bits):
    """Return whether one, two and three or more of `bits` are one, as a balanced tree."""
    terms = [(bit, Const(0, 1), Const(0, 1)) for bit in bits]
    while len(terms) > 1:
        joined = []
        for place in range(0, len(terms) - 1, 2):
            (one, two, three), (more1, more2, more3) = terms[place : place + 2]
            joined.append(
                (
                    one | more1,
                    two | more2 | (one & more1),
                    three | more3 | (one & more2) | (two & more1),
                )
            )
        terms = joined + terms[len(joined) * 2 :]
    return terms[0]


def encode(one_hot, values):
    """Return the value that belongs to the one bit of `one_hot`, as an or of ands."""
    width = max(values).bit_length() or 1
    return Cat(
        Cat(bit for bit, value in zip(one_hot, values, strict=True) if value >> place & 1).any()
        if any(value >> place & 1 for value in values)
        else Const(0)
        for place in range(width)
    )


class WordQueues(wiring.Component):
    """The sources' FIFOs and the order in which their words were taken.

    Every clock each source may offer one word with edges (`i_edges`, `i_valid`; all of one clock,
    number `clock`). A word that finds its FIFO full is dropped whole, and `dropped` has the
    source's bit in that clock. The output is one slot a clock: the words taken in one clock, their
    clock, and how many edges of all sources were dropped since the slot before (`o_gap`). While
    `empty`, `rest` has what was dropped after the last slot.

    Latency 8 clocks; throughput one slot a clock in and out. The order FIFO has a place for every
    word of every FIFO and so cannot be full before them. `gap_saturated` is sticky until `clear`.
    """

    DROP_CLOCKS = 4

    def __init__(self, geometry: Geometry) -> None:
        self._samples = geometry.samples
        self._depth = geometry.word_fifo_depth
        self.sources = len(geometry.sources)
        words = self.sources * self._depth
        self._slots = 1 << (words + self.DROP_CLOCKS - 1).bit_length()
        word = EdgeWord(geometry.samples)
        super().__init__(
            {
                "i_edges": In(data.ArrayLayout(word, self.sources)),
                "i_valid": In(self.sources),
                "clock": In(LOW_BITS),
                "clear": In(1),
                "dropped": Out(self.sources),
                "gap_saturated": Out(1),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_mask": Out(self.sources),
                "o_words": Out(data.ArrayLayout(geometry.samples + 1, self.sources)),
                "o_clock": Out(LOW_BITS),
                "o_gap": Out(GAP_BITS),
                "rest": Out(GAP_BITS),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        kept = Signal(self.sources)
        heads, head_valids, takes = [], [], Signal(self.sources)
        for number in range(self.sources):
            word = self.i_edges[number]
            fifo = SyncFIFOBuffered(width=self._samples + 1, depth=self._depth)
            m.submodules[f"fifo{number}"] = fifo
            head = Signal(self._samples + 1, name=f"head{number}")
            head_valid = Signal(name=f"head_valid{number}")
            m.d.comb += [
                fifo.w_data.eq(Cat(word.before, word.word)),
                fifo.w_en.eq(self.i_valid[number]),
                kept[number].eq(self.i_valid[number] & fifo.w_rdy),
                self.dropped[number].eq(self.i_valid[number] & ~fifo.w_rdy),
                fifo.r_en.eq(takes[number] | ~head_valid),
            ]
            with m.If(takes[number] | ~head_valid):
                m.d.sync += [head.eq(fifo.r_data), head_valid.eq(fifo.r_rdy)]
            heads.append(head)
            head_valids.append(head_valid)

        # What is dropped is summed over sources in DROP_CLOCKS clocks; the order waits as long, so
        # that a gap goes before the first word kept after it.
        slot = data.StructLayout({"mask": self.sources, "clock": LOW_BITS, "dropped": 1})
        waiting = Signal(data.ArrayLayout(slot, self.DROP_CLOCKS))
        m.d.sync += [
            waiting[0].mask.eq(kept),
            waiting[0].clock.eq(self.clock),
            waiting[0].dropped.eq(self.dropped.any()),
            *(waiting[i].eq(waiting[i - 1]) for i in range(1, self.DROP_CLOCKS)),
        ]
        terms = []
        for number in range(self.sources):
            term = Signal(len(self.i_edges[number].count), name=f"drop{number}")
            m.d.sync += term.eq(Mux(self.dropped[number], self.i_edges[number].count, 0))
            terms.append(term)
        for level in range(self.DROP_CLOCKS - 1):
            sums = []
            for place in range(0, len(terms), 3):
                total = Signal(len(terms[0]) + 2, name=f"sum{level}_{place}")
                group = terms[place : place + 3]
                m.d.sync += total.eq(sum(group[1:], group[0]))
                sums.append(total)
            terms = sums
        oldest = waiting[self.DROP_CLOCKS - 1]
        push = Signal()
        gap = Signal(GAP_BITS)
        total = Signal(GAP_BITS + 1)
        m.d.comb += [
            push.eq(oldest.mask.any()),
            total.eq(gap + terms[0]),
        ]
        with m.If(push | self.clear):
            m.d.sync += gap.eq(0)
        with m.Elif(total[GAP_BITS]):
            m.d.sync += [gap.eq((1 << GAP_BITS) - 1), self.gap_saturated.eq(1)]
        with m.Else():
            m.d.sync += gap.eq(total)
        with m.If(self.clear):
            m.d.sync += self.gap_saturated.eq(0)

        m.submodules.order = order = SyncFIFOBuffered(
            width=self.sources + LOW_BITS + GAP_BITS, depth=self._slots
        )
        order_valid = Signal()
        advance = Signal()
        m.d.comb += [
            order.w_data.eq(Cat(oldest.mask, oldest.clock, total[:GAP_BITS])),
            order.w_en.eq(push),
            order.r_en.eq(advance | ~order_valid),
        ]
        with m.If(advance | ~order_valid):
            m.d.sync += [
                Cat(self.o_mask, self.o_clock, self.o_gap).eq(order.r_data),
                order_valid.eq(order.r_rdy),
            ]
        ready = Signal()
        present = Cat(*head_valids)
        m.d.comb += [
            ready.eq(~(self.o_mask & ~present).any()),
            self.o_valid.eq(order_valid & ready),
            advance.eq(self.o_valid & self.o_ready),
            takes.eq(Mux(advance, self.o_mask, 0)),
            *(self.o_words[number].eq(heads[number]) for number in range(self.sources)),
            self.empty.eq(
                ~order_valid
                & (order.level == 0)
                & ~Cat(Cat(entry.mask, entry.dropped) for entry in waiting).any()
            ),
            self.rest.eq(gap),
        ]
        return m


class Columns(wiring.Component):
    """Slots to columns: the ticks of a slot that hold edges, in order, one a clock.

    Latency 3 clocks; sustained one column a clock where slots follow each other.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._samples = geometry.samples
        self._sources = len(geometry.sources)
        super().__init__(
            {
                "i_valid": In(1),
                "i_ready": Out(1),
                "i_mask": In(self._sources),
                "i_words": In(data.ArrayLayout(geometry.samples + 1, self._sources)),
                "i_clock": In(LOW_BITS),
                "i_gap": In(GAP_BITS),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_column": Out(Column(self._sources, geometry.samples)),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        slot = data.StructLayout(
            {
                "edges": data.ArrayLayout(self._samples, self._sources),
                "levels": data.ArrayLayout(self._samples, self._sources),
                "clock": LOW_BITS,
                "gap": GAP_BITS,
            }
        )
        # Stage 0: each source's edges. Stage 1: the ticks left. Stage 2: one tick chosen.
        found, found_valid, found_ready = Signal(slot), Signal(), Signal()
        walked, left, walked_ready = Signal(slot), Signal(self._samples), Signal()
        chosen, one_hot, chosen_valid = Signal(slot), Signal(self._samples), Signal()

        m.d.comb += self.i_ready.eq(~found_valid | found_ready)
        with m.If(self.i_ready):
            m.d.sync += [
                found_valid.eq(self.i_valid),
                found.clock.eq(self.i_clock),
                found.gap.eq(self.i_gap),
            ]
            for number in range(self._sources):
                word = self.i_words[number]
                mask = edge_mask(word[0], word[1:])
                m.d.sync += [
                    found.edges[number].eq(Mux(self.i_mask[number], mask, 0)),
                    found.levels[number].eq(word[1:]),
                ]

        # How many ticks are left is kept beside them: much waits for it.
        some, several = Signal(), Signal()
        step = Signal()
        m.d.comb += [
            step.eq(some & walked_ready),
            found_ready.eq(~some | (walked_ready & ~several)),
        ]
        with m.If(step):
            m.d.sync += [
                left.eq(left & (left - 1)[: self._samples]),
                some.eq(several),
                several.eq(at_least(left)[2]),
                walked.gap.eq(0),
            ]
        with m.If(found_ready):
            m.d.sync += [left.eq(0), some.eq(0), several.eq(0)]
            with m.If(found_valid):
                ticks = 0
                for number in range(self._sources):
                    ticks = ticks | found.edges[number]
                one, two, _ = at_least(ticks)
                m.d.sync += [walked.eq(found), left.eq(ticks), some.eq(one), several.eq(two)]

        m.d.comb += walked_ready.eq(~chosen_valid | self.o_ready)
        with m.If(walked_ready):
            m.d.sync += [
                chosen_valid.eq(some),
                chosen.eq(walked),
                one_hot.eq(lowest(left)),
            ]
        column = self.o_column
        m.d.comb += [
            self.o_valid.eq(chosen_valid),
            column.clock.eq(chosen.clock),
            column.gap.eq(chosen.gap),
            column.fine.eq(encode(one_hot, range(self._samples))),
            *(
                column.edges[number].eq((chosen.edges[number] & one_hot).any())
                for number in range(self._sources)
            ),
            *(
                column.levels[number].eq((chosen.levels[number] & one_hot).any())
                for number in range(self._sources)
            ),
            self.empty.eq(~found_valid & ~some & ~chosen_valid),
        ]
        return m


class Rows(wiring.Component):
    """Columns to events: the sources of a tick that hold an edge, in order, one a clock.

    Latency 2 clocks; sustained one event a clock.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._numbers = range(len(geometry.sources))
        column = Column(len(self._numbers), geometry.samples)
        super().__init__(
            {
                "i_valid": In(1),
                "i_ready": Out(1),
                "i_column": In(column),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_event": Out(MergedEvent(len(self._numbers), geometry.samples)),
                "empty": Out(1),
            }
        )
        self._column = column

    def elaborate(self, platform):
        m = Module()
        column = Signal(self._column)
        left = column.edges
        some, several = Signal(), Signal()
        step, out_ready = Signal(), Signal()
        m.d.comb += [
            step.eq(some & out_ready),
            self.i_ready.eq(~some | (out_ready & ~several)),
            out_ready.eq(~self.o_valid | self.o_ready),
            self.empty.eq(~some & ~self.o_valid),
        ]
        with m.If(step):
            m.d.sync += [
                left.eq(left & (left - 1)[: len(left)]),
                some.eq(several),
                several.eq(at_least(left)[2]),
                column.gap.eq(0),
            ]
        with m.If(self.i_ready):
            m.d.sync += [left.eq(0), some.eq(0), several.eq(0)]
            with m.If(self.i_valid):
                one, two, _ = at_least(self.i_column.edges)
                m.d.sync += [column.eq(self.i_column), some.eq(one), several.eq(two)]
        first = Signal.like(left)
        m.d.comb += first.eq(lowest(left))
        with m.If(out_ready):
            m.d.sync += [
                self.o_valid.eq(some),
                self.o_event.source.eq(encode(first, self._numbers)),
                self.o_event.polarity.eq((first & column.levels).any()),
                self.o_event.fine.eq(column.fine),
                self.o_event.clock.eq(column.clock),
                self.o_event.gap.eq(column.gap),
            ]
        return m
