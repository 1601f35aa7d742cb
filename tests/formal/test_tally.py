# SPDX-License-Identifier: Apache-2.0
"""PacedTally, proved: a counter of any address counts exactly, and stays at its greatest."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cat, Elaboratable, Module, Mux, Signal

from plexor_hdl.interfaces import PACE_CLOCKS, READ_CLOCKS
from plexor_hdl.lib.counters import PacedTally

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

ENTRIES = 4


class CountsExactly(Elaboratable):
    """A PacedTally under any beats; the words and the memory of any one address against a count.

    With `flag` also `saturated`, which no induction from a count of one address alone can reach.
    """

    def __init__(self, tally: PacedTally, bits: int, flag: bool, entries=ENTRIES) -> None:
        self.entries = entries
        self.flag = flag
        self.bits = bits
        self.tally = tally
        # Limb n is written one clock after chunk n - 1: its memory shows a count one clock older.
        first = tally.latency - 1
        self.parts = [(memory, first + lag) for lag, memory in enumerate(tally.memories)]
        self.valid = Signal()
        self.address = Signal(range(entries))
        self.chosen = Signal(range(entries))
        self.free = (self.valid, self.address, self.chosen)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.tally = tally = self.tally
        waiting = Signal(range(PACE_CLOCKS))
        m.d.sync += waiting.eq(Mux(self.valid, PACE_CLOCKS - 1, waiting - waiting.any()))
        most = (1 << self.bits) - 1
        started = Signal()
        chosen_before = Signal.like(self.chosen)
        m.d.sync += [started.eq(1), chosen_before.eq(self.chosen)]
        m.d.comb += [
            Assume(~started | (self.chosen == chosen_before)),
            Assume(~self.valid | (waiting == 0)),
            tally.valid.eq(self.valid),
            tally.address.eq(self.address),
            tally.read_address.eq(self.chosen),
            tally.there.eq(1),
        ]
        # counts[n] is the exact count of the beats up to n clocks ago, this clock's not included.
        hits = self.valid & (self.address == self.chosen)
        counts = [Signal(range(most + 1), name=f"count_{n}") for n in range(tally.latency + 1)]
        m.d.sync += counts[0].eq(counts[0] + (hits & (counts[0] != most)))
        for older, newer in zip(counts[1:], counts, strict=False):
            m.d.sync += older.eq(newer)

        low = 0
        for memory, clocks in self.parts:
            port = memory.read_port(domain="comb")
            width = len(port.data)
            shown = counts[clocks][low : low + width]
            m.d.comb += [port.addr.eq(self.chosen), Assert(port.data == shown)]
            low += width

        idle_clocks = Signal(range(64))
        m.d.sync += idle_clocks.eq(Mux(self.valid, 0, Mux(idle_clocks == 63, 63, idle_clocks + 1)))
        quiet = idle_clocks >= tally.latency + READ_CLOCKS
        any_lost = Signal()
        others = [Signal(range(most + 1), name=f"entry_{n}") for n in range(self.entries)]
        refused = []
        for number, entry in enumerate(others):
            hit = self.valid & (self.address == number)
            m.d.sync += entry.eq(entry + (hit & (entry != most)))
            refused.append(hit & (entry == most))
        m.d.sync += any_lost.eq(any_lost | Cat(refused).any())
        m.d.comb += Assert(~quiet | (tally.count == counts[0]))
        if self.flag:
            m.d.comb += Assert(~quiet | (tally.saturated == any_lost))
        return m


@pytest.mark.parametrize(
    "far", [pytest.param(False, id="near", marks=pytest.mark.full), pytest.param(True, id="far")]
)
def test_every_paced_beat_is_counted_and_the_greatest_count_stays_for_ever(far):
    design = CountsExactly(PacedTally(ENTRIES, 4, far), 4, flag=False)
    holds, log = prover.prove(design, f"tally_paced_{far}", 18, "prove", design.free)
    assert holds, log[-3000:]


@pytest.mark.full
def test_saturated_tells_exactly_of_counts_refused():
    design = CountsExactly(PacedTally(2, 2), 2, flag=True, entries=2)
    # Four beats of one address, then quiet.
    holds, log = prover.prove(design, "tally_saturated", 28, "bmc", design.free)
    assert holds, log[-3000:]
