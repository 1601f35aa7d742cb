"""Tally, proved: a counter of any address counts its beats exactly, and stays at its greatest."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cat, Elaboratable, Module, Mux, Signal

from plexor_hdl.interfaces import READ_CLOCKS
from plexor_hdl.limb import WRITE_STAGE
from plexor_hdl.tally import Tally

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

ENTRIES = 4


class CountsExactly(Elaboratable):
    """A Tally under any beats; the words and the memory of any one address against a count.

    With `flag` also `saturated`, which no induction from a count of one address alone can reach.
    """

    def __init__(self, bits: int, limb_bits: int, flag: bool) -> None:
        self.flag = flag
        self.bits = bits
        self.tally = Tally(ENTRIES, bits, 1, limb_bits)
        self.valid = Signal()
        self.address = Signal(range(ENTRIES))
        self.chosen = Signal(range(ENTRIES))
        self.free = (self.valid, self.address, self.chosen)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.tally = tally = self.tally
        most = (1 << self.bits) - 1
        started = Signal()
        chosen_before = Signal.like(self.chosen)
        m.d.sync += [started.eq(1), chosen_before.eq(self.chosen)]
        m.d.comb += [
            Assume(~started | (self.chosen == chosen_before)),
            tally.i_address.valid.eq(self.valid),
            tally.i_address.payload.address.eq(self.address),
            tally.read.address.eq(self.chosen),
        ]
        # counts[n] is the exact count of the beats up to n clocks ago, this clock's not included.
        hits = self.valid & (self.address == self.chosen)
        counts = [Signal(range(most + 1), name=f"count_{n}") for n in range(WRITE_STAGE + 3)]
        m.d.sync += counts[0].eq(counts[0] + (hits & (counts[0] != most)))
        for older, newer in zip(counts[1:], counts, strict=False):
            m.d.sync += older.eq(newer)

        # Limb n is written one clock after limb n - 1: its memory shows a count one clock older.
        low = 0
        for lag, limb in enumerate(tally.limbs):
            width = len(limb.addend)
            port = limb.memories[0].read_port(domain="comb")
            shown = counts[WRITE_STAGE + lag][low : low + width]
            m.d.comb += [port.addr.eq(self.chosen), Assert(port.data == shown)]
            low += width

        idle_clocks = Signal(range(64))
        m.d.sync += idle_clocks.eq(Mux(self.valid, 0, Mux(idle_clocks == 63, 63, idle_clocks + 1)))
        quiet = idle_clocks >= tally.latency + READ_CLOCKS
        any_lost = Signal()
        others = [Signal(range(most + 1), name=f"entry_{n}") for n in range(ENTRIES)]
        refused = []
        for number, entry in enumerate(others):
            hit = self.valid & (self.address == number)
            m.d.sync += entry.eq(entry + (hit & (entry != most)))
            refused.append(hit & (entry == most))
        m.d.sync += any_lost.eq(any_lost | Cat(refused).any())
        m.d.comb += [
            Assert(~quiet | (tally.read.data == counts[0])),
        ]
        if self.flag:
            m.d.comb += Assert(~quiet | (tally.saturated == any_lost))
        return m


@pytest.mark.parametrize(
    ("bits", "limb_bits", "clocks"), [(3, 3, 14), (6, 3, 18)], ids=["one_limb", "two_limbs"]
)
def test_every_beat_is_counted_and_the_greatest_count_stays_for_ever(bits, limb_bits, clocks):
    design = CountsExactly(bits, limb_bits, flag=False)
    holds, log = prover.prove(design, f"tally_{bits}_{limb_bits}", clocks, "prove", design.free)
    assert holds, log[-3000:]


def test_saturated_tells_exactly_of_counts_refused():
    design = CountsExactly(2, 2, flag=True)
    holds, log = prover.prove(design, "tally_saturated", 19, "bmc", design.free)
    assert holds, log[-3000:]
