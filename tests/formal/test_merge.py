"""The merge, proved for few sources and short words: time order, and no edge lost silently."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal
from amaranth.lib import data

from plexor.protocol.geometry import ALL_FEATURES, Feature
from plexor_hdl.capture import word_queues
from plexor_hdl.capture.edges import EdgeWord
from plexor_hdl.capture.merge import Columns, Rows
from plexor_hdl.capture.word_queues import WordQueues

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

CLOCK_BITS = 5
"""More clocks than any of these proofs looks at."""
SHORT_CLOCKS, SHORT_ROWS_CLOCKS = 11, 8
"""Of the short proofs: enough to refute what is wrong on purpose."""
SUM_BITS = 6
STAGES = 4
"""Stages through which a slot goes from the order to its tag."""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(word_queues, "clock_bits", lambda geometry: CLOCK_BITS)
    monkeypatch.setattr(word_queues, "GAP_BITS", SUM_BITS)
    monkeypatch.setattr(word_queues, "SPARE_SLOTS", STAGES)


def constant(m: Module, signal: Signal) -> None:
    """Assume that a free signal keeps whatever value it begins with."""
    started, before = Signal(name=f"{signal.name}_set"), Signal.like(signal, name="before")
    m.d.sync += [started.eq(1), before.eq(signal)]
    m.d.comb += Assume(~started | (signal == before))


class QueuedOrCounted(Elaboratable):
    """WordQueues of two sources under any words and stalls.

    A word has one edge and carries the number of its clock. Claims: slots leave in the order of
    their clocks, each with the words of its clock and their ticks; of source `which` as many leave
    as were taken; the gaps up to the slot of clock `when` are what was dropped up to that clock.
    `slots` replaces the size of the order. It moves in every other clock at most.
    """

    def __init__(
        self, depth: int, slots: int | None = None, features: Feature = ALL_FEATURES
    ) -> None:
        geometry = SimpleNamespace(
            samples=4,
            word_fifo_depth=depth,
            sources=(0, 1),
            indexed=True,
            queue_depth=1 << CLOCK_BITS,
            features=features,
        )
        self.queues = WordQueues(geometry)
        if slots is not None:
            self.queues._slots = slots
        self.valid, self.ready, self.blank = Signal(2), Signal(), Signal()
        self.which, self.when = Signal(), Signal(CLOCK_BITS)
        self.free = (self.valid, self.ready, self.blank, self.which, self.when)

    def elaborate(self, platform) -> Module:
        m = Module()
        queues = self.queues
        m.submodules.queues = queues
        for signal in (self.which, self.when):
            constant(m, signal)
        clock, moved = Signal(CLOCK_BITS), Signal()
        m.d.sync += [clock.eq(clock + 1), moved.eq(self.ready)]
        m.d.comb += [
            Assume(~(self.ready & moved)),
            queues.clock.eq(clock - queues.latency),
            queues.blank.eq(self.blank),
            queues.o_ready.eq(self.ready),
            Assume(~self.blank | queues.empty),
        ]

        def word_of(number):
            return Cat((number[1:3] == tick for tick in range(4)), number[0])

        for number in range(2):
            valid = self.valid[number]
            m.d.comb += [
                Cat(queues.i_edges[number].edges, queues.i_edges[number].polarity).eq(
                    Mux(valid, word_of(clock), 0)
                ),
                queues.i_valid[number].eq(valid),
            ]

        # The amounts are those of two clocks before.
        then = Signal(data.ArrayLayout(CLOCK_BITS, 2))
        valid_then = Signal(data.ArrayLayout(2, 2))
        m.d.sync += [then[0].eq(clock), then[1].eq(then[0])]
        m.d.sync += [valid_then[0].eq(self.valid), valid_then[1].eq(valid_then[0])]
        drops = [queues.amounts[number].dropped for number in range(2)]
        lost = Cat(drop.any() for drop in drops)
        mine = (valid_then[1] & ~lost).bit_select(self.which, 1)
        taken, left = Signal(SUM_BITS), Signal(SUM_BITS)
        dropped, dropped_then = Signal(SUM_BITS), Signal(SUM_BITS)
        told, told_now = Signal(SUM_BITS), Signal(SUM_BITS)
        m.d.sync += [taken.eq(taken + mine), dropped.eq(dropped + drops[0] + drops[1])]
        with m.If(then[1] <= self.when):
            m.d.sync += dropped_then.eq(dropped_then + drops[0] + drops[1])
        for number in range(2):
            amount = queues.amounts[number]
            m.d.comb += [
                Assert(amount.generated == valid_then[1].bit_select(number, 1)),
                Assert((amount.dropped == 0) | (amount.dropped == amount.generated)),
            ]

        # As the columns and rows do: the words a clock after the slot, the tag in the last stage.
        stage = data.StructLayout(
            {"valid": 1, "slot": queues.o_slot.shape(), "words": queues.o_words.shape()}
        )
        stages = [Signal(stage, name=f"stage{number}") for number in range(STAGES)]
        last = stages[-1]
        leaves = Signal()
        m.d.comb += [
            leaves.eq(last.valid & self.ready),
            queues.take_words.eq(
                Mux(stages[0].valid & self.ready, stages[0].slot.mask, 0),
            ),
            queues.take_tag.eq(leaves),
            told_now.eq(told + queues.tag.gap),
        ]
        with m.If(self.ready):
            m.d.sync += [
                stages[0].valid.eq(queues.o_valid),
                stages[0].slot.eq(queues.o_slot),
                *(new.eq(old) for new, old in zip(stages[1:], stages[:-1], strict=True)),
                stages[2].words.eq(queues.o_words),
            ]
        any_left, last_clock = Signal(), Signal(CLOCK_BITS)
        slot = last.slot
        with m.If(leaves):
            m.d.sync += [
                left.eq(left + slot.mask.bit_select(self.which, 1)),
                told.eq(told_now),
                any_left.eq(1),
                last_clock.eq(queues.tag.clock),
            ]
            m.d.comb += [
                Assert(slot.mask.any() == slot.ticks.any()),
                Assert(slot.several == 0),
                Assert(~any_left | (queues.tag.clock > last_clock)),
                Assert((queues.tag.clock != self.when) | (told_now == dropped_then)),
                Assert(slot.ticks == Mux(slot.mask.any(), word_of(queues.tag.clock)[:4], 0)),
            ]
            for number in range(2):
                with m.If(slot.mask[number]):
                    m.d.comb += Assert(last.words[number].as_value() == word_of(queues.tag.clock))
        settled = Signal(range(8))
        idle = queues.empty & ~self.blank
        m.d.sync += settled.eq(Mux(idle, Mux(settled == 7, 7, settled + 1), 0))
        with m.If(queues.empty & (settled == 7)):
            m.d.comb += [Assert(taken == left), Cover((left > 2) & (dropped > 1) & (told > 0))]
        return m


@pytest.mark.parametrize(
    ("mode", "clocks", "features"),
    [
        ("bmc", SHORT_CLOCKS, ALL_FEATURES),
        pytest.param("bmc", 15, ALL_FEATURES, marks=pytest.mark.full),
        pytest.param("cover", 30, ALL_FEATURES, marks=pytest.mark.full),
        ("bmc", 16, Feature(0)),
        pytest.param("cover", 30, Feature(0), marks=pytest.mark.full),
    ],
)
def test_words_leave_in_order_of_time_and_what_is_dropped_is_told(mode, clocks, features):
    design = QueuedOrCounted(2, features=features)
    holds, log = prover.prove(design, f"queues_{mode}_{features}", clocks, mode, design.free)
    assert holds, log[-3000:]


def test_the_proof_sees_an_order_that_is_too_small():
    design = QueuedOrCounted(2, slots=2)
    holds, _ = prover.prove(design, "queues_small", SHORT_CLOCKS, "bmc", design.free)
    assert not holds


class EveryEdgeOnce(Elaboratable):
    """Columns and Rows under any slots and stalls: each edge leaves once, in order.

    Events rise in (slot, tick, source), the first of each slot marked. The edge of source `which`
    in tick `fine` of slot number `when` is an event just where its word has it, with its polarity;
    as many events leave as edges came, and one for each blank slot. With `late` the words of a slot
    stand a clock late.
    """

    def __init__(self, sources: int, samples: int, late: bool = False) -> None:
        self._sources = sources
        self._samples = samples
        self._late = late
        self.geometry = SimpleNamespace(samples=self._samples, sources=tuple(range(sources)))
        self.valid, self.ready = Signal(), Signal()
        self.words = Signal(data.ArrayLayout(EdgeWord(samples), sources))
        self.mask = Signal(sources)
        self.which, self.fine = Signal(range(sources)), Signal(range(self._samples))
        self.when = Signal(CLOCK_BITS)
        chosen = (self.which, self.fine, self.when)
        self.free = (self.valid, self.ready, self.words.as_value(), self.mask, *chosen)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.columns = columns = Columns(self.geometry)
        m.submodules.rows = rows = Rows(self.geometry)
        for signal in (self.which, self.fine, self.when):
            constant(m, signal)
        edges = [
            Mux(self.mask[number], word.edges, 0)[: self._samples]
            for number, word in enumerate(self.words)
        ]
        # A word is only queued where it has an edge.
        for number, found in enumerate(edges):
            m.d.comb += Assume(~self.mask[number] | found.any())
        m.d.comb += Assume(self.which < self._sources)
        ticks = Signal(self._samples)
        m.d.comb += ticks.eq(edges[0] | edges[1])
        blank = Signal()
        m.d.comb += [
            blank.eq(~self.mask.any()),
            columns.go.eq(self.ready),
            columns.stays.eq(rows.stays),
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
        m.d.comb += enters.eq(self.valid & columns.i_ready)
        offered = Signal.like(self.words)
        with m.If(enters):
            m.d.sync += [
                offered.eq(self.words),
                came.eq(came + sum(Cat(*edges), blank)),
                slots_in.eq(slots_in + 1),
            ]
            with m.If(slots_in == self.when):
                m.d.sync += [
                    due.eq(Cat(*edges).bit_select(chosen, 1)),
                    polarity.eq(levels.bit_select(chosen, 1)),
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
    ("samples", "mode", "clocks"),
    [
        (2, "bmc", SHORT_ROWS_CLOCKS),
        pytest.param(4, "bmc", SHORT_ROWS_CLOCKS - 1, marks=pytest.mark.full),
        pytest.param(2, "bmc", 10, marks=pytest.mark.full),
        pytest.param(4, "bmc", 9, marks=pytest.mark.full),
        (2, "cover", 16),
    ],
)
def test_each_edge_of_a_slot_leaves_once_in_order_with_its_polarity(samples, mode, clocks):
    design = EveryEdgeOnce(2, samples)
    holds, log = prover.prove(design, f"rows_{samples}_{mode}", clocks, mode, design.free)
    assert holds, log[-3000:]


def test_the_proof_sees_words_that_come_late():
    design = EveryEdgeOnce(2, 2, late=True)
    holds, _ = prover.prove(design, "rows_late", SHORT_ROWS_CLOCKS, "bmc", design.free)
    assert not holds
