"""The merge, proved for few sources and short words: time order, and no edge lost silently."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal

from plexor_hdl import merge
from plexor_hdl.edges import bit_count, edge_mask

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

CLOCK_BITS = 5
"""More clocks than any of these proofs looks at."""
SUM_BITS = 6


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(merge, "LOW_BITS", CLOCK_BITS)
    monkeypatch.setattr(merge, "GAP_BITS", SUM_BITS)
    # Enough to add up two sources, and fewer clocks to prove.
    monkeypatch.setattr(merge.WordQueues, "DROP_CLOCKS", 2)


def constant(m: Module, signal: Signal) -> None:
    """Assume that a free signal keeps whatever value it begins with."""
    started, before = Signal(name=f"{signal.name}_set"), Signal.like(signal, name="before")
    m.d.sync += [started.eq(1), before.eq(signal)]
    m.d.comb += Assume(~started | (signal == before))


class WatchedQueues(merge.WordQueues):
    """WordQueues whose order FIFO never overflows and whose slots never wait for their words."""

    def elaborate(self, platform) -> Module:
        m = super().elaborate(platform)
        order = m.submodules.order
        m.d.comb += [Assert(~order.w_en | order.w_rdy), Assert(~self.o_ready | order.r_en)]
        return m


class QueuedOrCounted(Elaboratable):
    """WordQueues of two sources under any words and stalls.

    A word carries the number of its clock. Claims: slots leave in the order of their clocks, each
    with the words of its clock; of source `which` as many leave as were taken; the gaps up to the
    slot of clock `when` are what was dropped up to that clock; and WatchedQueues. `slots` replaces
    the size of the order FIFO.
    """

    def __init__(self, depth: int, slots: int | None = None) -> None:
        geometry = SimpleNamespace(samples=1, word_fifo_depth=depth, sources=(0, 1))
        self.queues = WatchedQueues(geometry)
        if slots is not None:
            self.queues._slots = slots
        self.valid, self.ready = Signal(2), Signal()
        self.which, self.when = Signal(), Signal(CLOCK_BITS)
        self.free = (self.valid, self.ready, self.which, self.when)

    def elaborate(self, platform) -> Module:
        m = Module()
        queues = self.queues
        m.submodules.queues = queues
        for signal in (self.which, self.when):
            constant(m, signal)
        clock = Signal(CLOCK_BITS)
        m.d.sync += clock.eq(clock + 1)
        m.d.comb += [queues.clock.eq(clock), queues.o_ready.eq(self.ready)]
        lost = []
        for number in range(2):
            word = queues.i_edges[number]
            m.d.comb += [
                Cat(word.before, word.word).eq(clock),
                word.count.eq(1),
                queues.i_valid[number].eq(self.valid[number]),
            ]
            lost.append(Mux(queues.dropped[number], 1, 0))

        leaves = Signal()
        taken, left = Signal(SUM_BITS), Signal(SUM_BITS)
        dropped, dropped_then = Signal(SUM_BITS), Signal(SUM_BITS)
        told, told_now = Signal(SUM_BITS), Signal(SUM_BITS)
        mine = (self.valid & ~queues.dropped).bit_select(self.which, 1)
        m.d.comb += [
            leaves.eq(queues.o_valid & self.ready),
            told_now.eq(told + queues.o_gap),
            Assert((queues.dropped & ~self.valid) == 0),
        ]
        m.d.sync += [taken.eq(taken + mine), dropped.eq(dropped + lost[0] + lost[1])]
        with m.If(clock <= self.when):
            m.d.sync += dropped_then.eq(dropped_then + lost[0] + lost[1])
        any_left, last_clock = Signal(), Signal(CLOCK_BITS)
        with m.If(leaves):
            m.d.sync += [
                left.eq(left + queues.o_mask.bit_select(self.which, 1)),
                told.eq(told_now),
                any_left.eq(1),
                last_clock.eq(queues.o_clock),
            ]
            m.d.comb += [
                Assert(queues.o_mask.any()),
                Assert(~any_left | (queues.o_clock > last_clock)),
                Assert((queues.o_clock != self.when) | (told_now == dropped_then)),
            ]
            for number in range(2):
                with m.If(queues.o_mask[number]):
                    m.d.comb += Assert(queues.o_words[number] == queues.o_clock[:2])
        settled = Signal(range(8))
        m.d.sync += settled.eq(Mux(self.valid.any(), 0, Mux(settled == 7, 7, settled + 1)))
        with m.If(queues.empty & (settled == 7)):
            m.d.comb += [
                Assert(taken == left),
                Assert((told + queues.rest)[:SUM_BITS] == dropped),
            ]
            m.d.comb += Cover((left > 2) & (dropped > 1) & (queues.rest != dropped))
        return m


@pytest.mark.parametrize(
    ("mode", "clocks"),
    [("bmc", 11), pytest.param("bmc", 12, marks=pytest.mark.full), ("cover", 20)],
)
def test_words_leave_in_order_of_time_and_what_is_dropped_is_told(mode, clocks):
    design = QueuedOrCounted(2)
    holds, log = prover.prove(design, f"queues_{mode}", clocks, mode, design.free)
    assert holds, log[-3000:]


def test_the_proof_sees_an_order_fifo_that_is_too_small():
    design = QueuedOrCounted(2, slots=2)
    holds, _ = prover.prove(design, "queues_small", 11, "bmc", design.free)
    assert not holds


class EveryEdgeOnce(Elaboratable):
    """Columns and Rows under any slots and stalls: each edge leaves once, in order.

    Events rise in (clock, tick, source). The edge of source `which` in tick `fine` of clock `when`
    is an event just where its word has it, with its polarity; as many events leave as edges came,
    and the gaps told are those that came. With `ordered` false slots come with any clock.
    """

    def __init__(self, sources: int, samples: int, ordered: bool = True) -> None:
        self._sources = sources
        self._samples = samples
        self._ordered = ordered
        self.geometry = SimpleNamespace(samples=self._samples, sources=tuple(range(sources)))
        self.valid, self.ready = Signal(), Signal()
        self.words = Signal((self._samples + 1) * sources)
        self.mask, self.clock = Signal(sources), Signal(CLOCK_BITS)
        self.gap = Signal()
        self.which, self.fine = Signal(range(sources)), Signal(range(self._samples))
        self.when = Signal(CLOCK_BITS)
        chosen = (self.which, self.fine, self.when)
        self.free = (
            self.valid, self.ready, self.words, self.mask, self.clock, self.gap, *chosen
        )  # fmt: skip

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.columns = columns = merge.Columns(self.geometry)
        m.submodules.rows = rows = merge.Rows(self.geometry)
        for signal in (self.which, self.fine, self.when):
            constant(m, signal)
        m.d.comb += [
            columns.i_valid.eq(self.valid),
            columns.i_mask.eq(self.mask),
            columns.i_words.eq(self.words),
            columns.i_clock.eq(self.clock),
            columns.i_gap.eq(self.gap),
            rows.i_valid.eq(columns.o_valid),
            columns.o_ready.eq(rows.i_ready),
            rows.i_column.eq(columns.o_column),
            rows.o_ready.eq(self.ready),
        ]
        bits = self._samples + 1
        words = [self.words[bits * n : bits * (n + 1)] for n in range(self._sources)]
        edges = [
            Mux(self.mask[n], edge_mask(word[0], word[1:]), 0)[: self._samples]
            for n, word in enumerate(words)
        ]
        # A word is only queued where it has an edge.
        for number, found in enumerate(edges):
            m.d.comb += Assume(~self.mask[number] | found.any())
        m.d.comb += Assume(self.mask.any() & (self.which < self._sources))
        enters, any_entered = Signal(), Signal()
        last_clock = Signal(CLOCK_BITS)
        m.d.comb += enters.eq(self.valid & columns.i_ready)
        if self._ordered:
            m.d.comb += Assume(~any_entered | (self.clock > last_clock))

        came, gaps_came = Signal(SUM_BITS), Signal(SUM_BITS)
        due, polarity = Signal(), Signal()
        chosen = Cat(*edges).bit_select(self.which * self._samples + self.fine, 1)
        level = Cat(*(word[1:] for word in words)).bit_select(
            self.which * self._samples + self.fine, 1
        )
        with m.If(enters):
            m.d.sync += [
                any_entered.eq(1),
                last_clock.eq(self.clock),
                came.eq(came + bit_count(Cat(*edges))),
                gaps_came.eq(gaps_came + self.gap),
            ]
            with m.If(self.clock == self.when):
                m.d.sync += [due.eq(chosen), polarity.eq(level)]

        event = rows.o_event
        left, gaps_left = Signal(SUM_BITS), Signal(SUM_BITS)
        leaves, any_left = Signal(), Signal()
        place = Cat(event.source, event.fine, event.clock)
        last_place = Signal(len(place))
        m.d.comb += leaves.eq(rows.o_valid & self.ready)
        with m.If(leaves):
            m.d.sync += [
                left.eq(left + 1),
                gaps_left.eq(gaps_left + event.gap),
                any_left.eq(1),
                last_place.eq(place),
            ]
            m.d.comb += Assert(~any_left | (place > last_place))
            with m.If(place == Cat(self.which, self.fine, self.when)):
                m.d.comb += Assert(due & (event.polarity == polarity))
        with m.If(columns.empty & rows.empty):
            m.d.comb += [Assert(left == came), Assert(gaps_left == gaps_came)]
            m.d.comb += Cover((came > 6) & (gaps_came > 1))
        return m


@pytest.mark.parametrize(
    ("samples", "mode", "clocks"),
    [
        (2, "bmc", 9),
        (4, "bmc", 9),
        pytest.param(2, "bmc", 10, marks=pytest.mark.full),
        (2, "cover", 16),
    ],
)
def test_each_edge_of_a_slot_leaves_once_in_order_with_its_polarity(samples, mode, clocks):
    design = EveryEdgeOnce(2, samples)
    holds, log = prover.prove(design, f"rows_{samples}_{mode}", clocks, mode, design.free)
    assert holds, log[-3000:]


def test_the_proof_sees_slots_that_come_out_of_order():
    design = EveryEdgeOnce(2, 2, ordered=False)
    holds, _ = prover.prove(design, "rows_disorder", 10, "bmc", design.free)
    assert not holds
