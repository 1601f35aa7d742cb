# SPDX-License-Identifier: Apache-2.0
"""The merge, proved for few sources and short words: each edge of a slot leaves once, in order."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal
from amaranth.lib import data

from plexor_hdl.capture.edges import EdgeWord
from plexor_hdl.capture.merge import Columns, Rows

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

CLOCK_BITS = 5
"""More clocks than any of these proofs looks at."""
SHORT_ROWS_CLOCKS = 11
"""Of the short proofs: enough to refute what is wrong on purpose."""
SUM_BITS = 6


class EveryEdgeOnce(Elaboratable):
    """Columns and Rows under any slots and stalls of a stamp: each edge leaves once, in order.

    Events rise in (slot, tick, source), the first of each slot marked. The edge of source `which`
    in tick `fine` of slot number `when` is an event just where its word has it, with its polarity,
    or with polarity 1 where the source is of `either`; as many events leave as edges came, and one
    for each blank slot. With `late` the words of a slot stand a clock late.

    Without `matches` a source of `active_only` loses its trailing edges. A slot whose first column
    loses all its edges leaves as a blank one first, so that its time is not lost. With `removes`
    the words of any sources come without their edges, and such a blank one is gone.
    """

    def __init__(
        self,
        sources: int,
        samples: int,
        late: bool = False,
        matches: bool = True,
        removes: bool = False,
    ) -> None:
        self._sources = sources
        self._samples = samples
        self._late = late
        self.geometry = SimpleNamespace(
            samples=self._samples,
            sources=tuple(range(sources)),
            merged=tuple(range(sources)),
        )
        self._matches, self._removes = matches, removes
        self.valid, self.ready = Signal(), Signal()
        self.words = Signal(data.ArrayLayout(EdgeWord(samples), sources))
        self.mask = Signal(sources)
        self.which, self.fine = Signal(range(sources)), Signal(range(self._samples))
        self.when = Signal(CLOCK_BITS)
        self.either = Signal(sources)
        self.active_only = Signal(sources)
        self.removed = Signal(sources)
        chosen = (self.which, self.fine, self.when, self.either, self.active_only)
        self.free = (self.valid, self.ready, self.words.as_value(), self.mask, *chosen)
        self.free += (self.removed,) if removes else ()

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.columns = columns = Columns(self.geometry, removes=self._removes)
        m.submodules.rows = rows = Rows(
            self.geometry, leaves_out=not self._matches, removes=self._removes
        )
        for signal in (self.which, self.fine, self.when, self.either, self.active_only):
            prover.constant(m, signal)
        m.d.comb += columns.either.eq(self.either)
        if self._matches:
            m.d.comb += Assume(~self.active_only.any())
        else:
            m.d.comb += rows.active_only.eq(self.active_only)
        edges = [
            Mux(self.mask[number], word.edges, 0)[: self._samples]
            for number, word in enumerate(self.words)
        ]
        # A word is only queued where it has an edge.
        for number, found in enumerate(edges):
            m.d.comb += Assume(~self.mask[number] | found.any())
        m.d.comb += Assume(self.which < self._sources)
        # As the stamp does, which takes an event each second clock at most.
        taken = Signal()
        m.d.sync += taken.eq(self.ready)
        m.d.comb += Assume(~(self.ready & taken))
        ticks = Signal(self._samples)
        m.d.comb += ticks.eq(edges[0] | edges[1])
        m.d.comb += [
            columns.advance.eq(rows.i_ready),
            columns.i_valid.eq(self.valid),
            columns.i_slot.mask.eq(self.mask),
            columns.i_slot.ticks.eq(ticks),
            columns.i_slot.several.eq((ticks & (ticks - 1)).any()),
            rows.i_column.eq(columns.o_column),
            rows.o_ready.eq(self.ready),
        ]
        enters = Signal()
        came, slots_in, slots_out = Signal(SUM_BITS), Signal(CLOCK_BITS), Signal(CLOCK_BITS)
        due, polarity = Signal(), Signal()
        chosen = self.which * self._samples + self.fine
        before = [Cat(found[:tick].xor() for tick in range(self._samples)) for found in edges]
        levels = Cat(
            odd ^ word.polarity.replicate(self._samples)
            for odd, word in zip(before, self.words, strict=True)
        )
        polarities = [
            levels.word_select(number, self._samples) | self.either[number].replicate(self._samples)
            for number in range(self._sources)
        ]
        kept = [
            found
            & (active | ~self.active_only[number].replicate(self._samples))
            & ~self.removed[number].replicate(self._samples)
            for number, (found, active) in enumerate(zip(edges, polarities, strict=True))
        ]
        # The first column of a slot, if nothing of it is kept.
        lost = Signal()
        first = ticks & ~(ticks - 1)
        m.d.comb += [
            enters.eq(self.valid & columns.i_ready),
            lost.eq(~((kept[0] | kept[1]) & first).any()),
        ]
        offered = Signal.like(self.words)
        with m.If(enters):
            m.d.sync += [
                *(
                    offered[number].eq(Cat(Mux(self.removed[number], 0, word.edges), word.polarity))
                    for number, word in enumerate(self.words)
                ),
                came.eq(came + sum(Cat(*kept), lost)),
                slots_in.eq(slots_in + 1),
            ]
            with m.If(slots_in == self.when):
                m.d.sync += [
                    due.eq(Cat(*kept).bit_select(chosen, 1)),
                    polarity.eq(Cat(*polarities).bit_select(chosen, 1)),
                ]
        words = Signal.like(self.words)
        for number in range(self._sources):
            with m.If(columns.take_words[number]):
                m.d.sync += words[number].eq(offered[number])
        late = Signal.like(words)
        m.d.sync += late.eq(words)
        m.d.comb += columns.i_words.eq(late if self._late else words)

        event = rows.o_event
        left, leaves, any_left = Signal(SUM_BITS), Signal(), Signal()
        place = Cat(event.source, event.fine)
        last_place, number = Signal(len(place)), Signal(CLOCK_BITS)
        seen = Signal()
        m.d.comb += [
            leaves.eq(rows.o_valid & self.ready),
            number.eq(slots_out + event.first - 1),
        ]
        with m.If(leaves):
            m.d.sync += [
                left.eq(left + 1),
                any_left.eq(1),
                slots_out.eq(slots_out + event.first),
                last_place.eq(place),
            ]
            m.d.comb += [
                Assert(event.first | (any_left & (place > last_place))),
                Assert(event.first | ~event.blank),
                *([Assert(event.blank | ~event.gone)] if self._removes else []),
            ]
            with m.If((number == self.when) & ~event.blank & (place == Cat(self.which, self.fine))):
                m.d.comb += Assert(due & (event.polarity == polarity))
                m.d.sync += seen.eq(1)
        with m.If(columns.empty & ~rows.o_valid):
            m.d.comb += [
                Assert(left == came),
                Assert(slots_in == slots_out),
                Assert(seen == (due & (slots_in > self.when))),
            ]
            m.d.comb += Cover((came > 6) & (slots_in > 2))
        return m


@pytest.mark.parametrize(
    ("matches", "samples", "mode", "clocks"),
    [
        (True, 2, "bmc", SHORT_ROWS_CLOCKS),
        (False, 2, "bmc", SHORT_ROWS_CLOCKS),
        pytest.param(True, 4, "bmc", SHORT_ROWS_CLOCKS - 1, marks=pytest.mark.full),
        pytest.param(True, 2, "bmc", 13, marks=pytest.mark.full),
        pytest.param(True, 4, "bmc", 12, marks=pytest.mark.full),
        pytest.param(False, 4, "bmc", 12, marks=pytest.mark.full),
        pytest.param(True, 2, "cover", 24, marks=pytest.mark.full),
        pytest.param(False, 2, "cover", 24, marks=pytest.mark.full),
    ],
)
def test_each_edge_of_a_slot_leaves_once_in_order_with_its_polarity(matches, samples, mode, clocks):
    design = EveryEdgeOnce(2, samples, matches=matches)
    name = f"rows_{samples}_{mode}_{matches}".lower()
    holds, log = prover.prove(design, name, clocks, mode, design.free)
    assert holds, log[-3000:]


@pytest.mark.parametrize(
    ("samples", "mode", "clocks"),
    [
        (2, "bmc", SHORT_ROWS_CLOCKS),
        pytest.param(4, "bmc", 12, marks=pytest.mark.full),
        pytest.param(2, "cover", 24, marks=pytest.mark.full),
    ],
)
def test_each_edge_that_is_not_removed_leaves_once_with_its_slots_time(samples, mode, clocks):
    design = EveryEdgeOnce(2, samples, removes=True)
    holds, log = prover.prove(design, f"removed_{samples}_{mode}", clocks, mode, design.free)
    assert holds, log[-3000:]


def test_the_proof_sees_words_that_come_late():
    design = EveryEdgeOnce(2, 2, late=True)
    holds, _ = prover.prove(design, "rows_late", SHORT_ROWS_CLOCKS, "bmc", design.free)
    assert not holds
