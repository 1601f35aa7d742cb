# SPDX-License-Identifier: Apache-2.0
"""The merge: turns slots of edge words into one stream of events in time order."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.capture.edges import EdgeWord, at_least
from plexor_hdl.capture.word_queues import Slot


class Column(data.StructLayout):
    """The edges of one tick, with a bit for each source in `edges` and `polarities`.

    `first` marks the first column of a slot. A `blank` column has no edges. With neither edges nor
    `blank`, there is no column; but where edges are removed, a `first` one takes the slot's time
    along.
    """

    def __init__(self, sources: int, samples: int) -> None:
        super().__init__(
            {
                "edges": sources,
                "polarities": sources,
                "fine": (samples - 1).bit_length(),
                "first": 1,
                "blank": 1,
            }
        )


class MergedEvent(data.StructLayout):
    """One event, its source as a number in the order of `geometry.merged`; or a `blank` slot.

    With `removes` a slot whose first tick has lost all its edges is `gone`, too.
    """

    def __init__(self, sources: int, samples: int, *, removes: bool = False) -> None:
        super().__init__(
            {
                "source": (sources - 1).bit_length(),
                "polarity": 1,
                "fine": (samples - 1).bit_length(),
                "first": 1,
                "blank": 1,
                **({"gone": 1} if removes else {}),
            }
        )


def lowest(bits: Value) -> Value:
    """Return the lowest bit of `bits` that is set, alone."""
    return Cat(bit & ~bits[:number].any() for number, bit in enumerate(bits))


def encode(one_hot: Value, values: Sequence[int]) -> Value:
    """Return the value that belongs to the set bit of `one_hot`, as an OR of ANDs."""
    width = max(values).bit_length() or 1
    return Cat(
        Cat(bit for bit, value in zip(one_hot, values, strict=True) if value >> place & 1).any()
        if any(value >> place & 1 for value in values)
        else Const(0)
        for place in range(width)
    )


class Columns(wiring.Component):
    """Turns slots into columns: the ticks of a slot that hold edges, in order.

    All its stages move together in the clocks with `advance`, and the first one also where it is
    empty. A slot's words are taken with `take_words`, a clock or more after the slot.

    Latency: at the third `advance` after a slot is taken, it is in `o_column`.
    Throughput: one column each `advance`, and one slot each 2 clocks.
    Reset: empty.
    Wrap: none; a column has its place in the word, not its time.
    Full: `i_ready` is low while a slot stands.

    Ports:
        advance: Moves all stages; not in two clocks in a row.
        i_valid: `i_slot` is a slot.
        i_ready: The slot that is offered is taken.
        i_slot: The sources of a slot, and the ticks in which one of them has an edge.
        i_words: The words that were taken last, of all sources; valid from the clock after
            `take_words` on.
        take_words: A bit for each source: its next word is taken.
        either: A bit for each source: each of its edges has polarity 1.
        o_column: The edges of one tick, all sources side by side; a register.
        empty: No slot and no column is inside, `o_column` left out.
    """

    def __init__(self, geometry: Geometry, *, removes: bool = False) -> None:
        """`removes`: words may come without the edges that the slot's ticks have."""
        self._samples, self._removes = geometry.samples, removes
        self._sources = len(geometry.merged)
        super().__init__(
            {
                "advance": In(1),
                "i_valid": In(1),
                "i_ready": Out(1),
                "i_slot": In(Slot(self._sources, geometry.samples)),
                "i_words": In(data.ArrayLayout(EdgeWord(geometry.samples), self._sources)),
                "take_words": Out(self._sources),
                "either": In(self._sources),
                "o_column": Out(Column(self._sources, geometry.samples)),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        head, head_valid = Signal(self.i_slot.shape()), Signal()
        here, mask, turned = (Signal(self._sources) for _ in range(3))
        valid, blank, first, filled = Signal(), Signal(), Signal(), Signal()
        # The next tick has a register apart from the later ones, because much logic waits for it.
        tick, rest, more = Signal(self._samples), Signal(self._samples), Signal()
        load, more_next = Signal(), Signal()
        m.d.comb += [
            more_next.eq(
                Mux(self.advance, Mux(more, at_least(rest)[1], head.several & head_valid), more),
            ),
            load.eq(self.advance & ~more),
            self.i_ready.eq(~head_valid),
            here.eq(Mux(head_valid, head.mask, 0)),
        ]
        # The words come a clock later, but before the next `advance`.
        m.d.sync += self.take_words.eq(Mux(load, here, 0))
        with m.If(self.i_ready):
            m.d.sync += [head_valid.eq(self.i_valid), head.eq(self.i_slot)]
        with m.Elif(load):
            m.d.sync += head_valid.eq(0)

        chosen = mask & Cat((word.edges & tick).any() for word in self.i_words)
        with m.If(load):
            m.d.sync += [
                mask.eq(here),
                valid.eq(head_valid),
                blank.eq(head_valid & ~head.mask.any()),
            ]
        # Each edge inverts its source's polarity for the later columns of the slot.
        turns = Mux(first, 0, turned ^ self.o_column.edges)
        with m.If(self.advance):
            m.d.sync += [
                turned.eq(turns),
                # Both candidates are computed, because the choice between them is known late.
                tick.eq(Mux(more, lowest(rest), lowest(head.ticks))),
                rest.eq(Mux(more, rest & ~lowest(rest), head.ticks & ~lowest(head.ticks))),
                first.eq(load & head_valid if self._removes else load),
                filled.eq(valid),
                self.o_column.edges.eq(chosen),
                self.o_column.polarities.eq(
                    (turns ^ Cat(word.polarity for word in self.i_words)) | self.either,
                ),
                self.o_column.fine.eq(encode(tick, range(self._samples))),
                self.o_column.first.eq(first),
                self.o_column.blank.eq(blank),
            ]
        m.d.sync += more.eq(more_next)
        m.d.comb += self.empty.eq(~head_valid & ~valid & ~filled)
        return m


class Rows(wiring.Component):
    """Turns columns into events: the sources of a tick that hold an edge, in order.

    It moves in the clocks with `o_ready`, and takes a column in those with `i_ready`. With
    `removes` a slot's first column without edges is a blank one that is `gone`.

    Latency: 1 clock from `i_column` to `o_event`.
    Throughput: one event each clock with `o_ready`.
    Reset: empty.
    Wrap: none; an event has its place in the word, not its time.
    Full: `i_ready` is low until the column before is done.

    Ports:
        i_ready: `i_column` is taken in this clock, if it has edges or is blank.
        i_column: The edges of one tick, all sources side by side.
        active_only: With `leaves_out`: a bit for each source whose trailing edges are left out.
        o_valid: `o_event` is an event or a blank slot.
        o_ready: The event is taken, if there is one.
        o_event: One event or a blank slot, which tells only the time.
    """

    def __init__(
        self, geometry: Geometry, *, leaves_out: bool = False, removes: bool = False
    ) -> None:
        """`removes`: as that of Columns."""
        self._removes = removes
        self._numbers = range(len(geometry.merged))
        self._column = Column(len(self._numbers), geometry.samples)
        self._leaves_out = leaves_out
        active_only = {"active_only": In(len(self._numbers))} if leaves_out else {}
        super().__init__(
            {
                **active_only,
                "i_ready": Out(1),
                "i_column": In(self._column),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_event": Out(MergedEvent(len(self._numbers), geometry.samples, removes=removes)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        column, more, more_next = Signal(self._column), Signal(), Signal()
        left, first = column.edges, Signal(len(column.edges))
        m.d.comb += [
            self.i_ready.eq(self.o_ready & ~more),
            more_next.eq(more),
            first.eq(lowest(left)),
            self.o_event.source.eq(encode(first, self._numbers)),
            self.o_event.polarity.eq((first & column.polarities).any()),
            self.o_event.fine.eq(column.fine),
            self.o_event.first.eq(column.first),
            self.o_event.blank.eq(column.blank),
        ]
        edges, blank = self.i_column.edges, self.i_column.blank
        if self._leaves_out:
            # A slot's first column takes its time along, also where nothing is left of it.
            blank |= self.i_column.first & self.i_column.edges.any()
            edges &= self.i_column.polarities | ~self.active_only
        gone = Signal()
        if self._removes:
            blank |= self.i_column.first
            m.d.comb += self.o_event.gone.eq(gone)
        with m.If(self.i_ready):
            one, two, _ = at_least(edges)
            m.d.comb += more_next.eq(two)
            if self._removes:
                m.d.sync += gone.eq(~one & ~self.i_column.blank)
            m.d.sync += [
                column.eq(self.i_column),
                left.eq(edges),
                column.blank.eq(blank & ~one),
                self.o_valid.eq(one | blank),
            ]
        with m.Elif(self.o_ready):
            m.d.comb += more_next.eq(at_least(left)[2])
            m.d.sync += [left.eq(left & ~first), column.first.eq(0)]
        m.d.sync += more.eq(more_next)
        return m
