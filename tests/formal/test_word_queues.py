# SPDX-License-Identifier: Apache-2.0
"""The queues of words, proved for few sources and short words: what leaves, and what is dropped."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal
from amaranth.lib import data

from plexor_hdl.capture import word_queues
from plexor_hdl.capture.word_queues import WordQueues

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

CLOCK_BITS = 5
"""More clocks than any of these proofs looks at."""
SHORT_CLOCKS = 11
"""Of the short proofs: enough to refute what is wrong on purpose."""
SUM_BITS = 6
STAGES = 4
"""Stages through which a slot goes from the order to its tag."""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(word_queues, "clock_bits", lambda geometry: CLOCK_BITS)
    monkeypatch.setattr(word_queues, "GAP_BITS", SUM_BITS)
    monkeypatch.setattr(word_queues, "SPARE_SLOTS", STAGES)


class QueuedOrCounted(Elaboratable):
    """WordQueues of two sources under any words and stalls.

    A word has one edge and carries the number of its clock. Claims: slots leave in the order of
    their clocks, each with the words of its clock and their ticks; of source `which` as many leave
    as were taken; the gaps up to the slot of clock `when` are what was dropped up to that clock.
    `slots` replaces the size of the order. It moves in every other clock at most.
    """

    def __init__(self, depth: int, slots: int | None = None) -> None:
        geometry = SimpleNamespace(
            samples=4,
            word_fifo_depth=depth,
            sources=(0, 1),
            merged=(0, 1),
            code_bits=0,
            indexed=True,
            queue_depth=1 << CLOCK_BITS,
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
            prover.constant(m, signal)
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
    ("mode", "clocks"), [("bmc", 16), pytest.param("cover", 30, marks=pytest.mark.full)]
)
def test_words_leave_in_order_of_time_and_what_is_dropped_is_told(mode, clocks):
    design = QueuedOrCounted(2)
    holds, log = prover.prove(design, f"queues_{mode}", clocks, mode, design.free)
    assert holds, log[-3000:]


def test_the_proof_sees_an_order_that_is_too_small():
    design = QueuedOrCounted(2, slots=2)
    holds, _ = prover.prove(design, "queues_small", SHORT_CLOCKS, "bmc", design.free)
    assert not holds
