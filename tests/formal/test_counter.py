"""Counter, proved: the exact sum of its amounts behind its carries, and the wrap told."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Cat, Const, Elaboratable, Module, Mux, Signal

from plexor_hdl import counter

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

LIMB_BITS = 2
COUNT_BITS = 6
LIMBS = COUNT_BITS // LIMB_BITS
AMOUNT_BITS = 2


class SumsExactly(Elaboratable):
    """A Counter against one wide sum, limb n of which it shows n clocks late.

    `early` looks a clock too soon, which must be refuted.
    """

    def __init__(self, early: bool = False) -> None:
        self._early = early
        self.amount, self.clear = Signal(AMOUNT_BITS), Signal()
        self.free = (self.amount, self.clear)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.counter = dut = counter.Counter(AMOUNT_BITS)
        m.d.comb += [dut.amount.eq(self.amount), dut.clear.eq(self.clear)]
        total, wrapped = Signal(COUNT_BITS), Signal()
        following = Signal(COUNT_BITS + 1)
        m.d.comb += following.eq(total + self.amount)
        m.d.sync += [total.eq(following), wrapped.eq(wrapped | following[-1])]
        sums, wraps = [total], [wrapped]
        for ago in range(1, LIMBS + 1):
            sums.append(Signal(COUNT_BITS, name=f"sum_{ago}"))
            wraps.append(Signal(name=f"wrap_{ago}"))
            m.d.sync += [sums[ago].eq(sums[ago - 1]), wraps[ago].eq(wraps[ago - 1])]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (*sums, *wraps)]
        for number in range(LIMBS):
            limb = slice(number * LIMB_BITS, (number + 1) * LIMB_BITS)
            ago = max(number - self._early, 0)
            m.d.comb += Assert(dut.count[limb] == sums[ago][limb])
        m.d.comb += Assert(dut.saturated == wraps[LIMBS - self._early])
        still = Signal(range(LIMBS + 1))
        quiet = (self.amount == 0) & ~self.clear
        m.d.sync += still.eq(Mux(quiet, Mux(still == LIMBS, LIMBS, still + 1), 0))
        with m.If(still == LIMBS):
            m.d.comb += Assert(Cat(dut.count, Const(0, 1)) == total)
        return m


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(counter, "LIMB_BITS", LIMB_BITS)
    monkeypatch.setattr(counter, "COUNT_BITS", COUNT_BITS)


@pytest.mark.usefixtures("small")
def test_a_count_is_the_sum_and_a_wrap_is_told_for_ever():
    design = SumsExactly()
    holds, log = prover.prove(design, "counter", 12, "prove", design.free)
    assert holds, log[-3000:]


@pytest.mark.usefixtures("small")
def test_a_count_and_its_flag_hold_from_the_beginning_through_a_wrap():
    design = SumsExactly()
    holds, log = prover.prove(design, "counter_wrap", 30, "bmc", design.free)
    assert holds, log[-3000:]


@pytest.mark.usefixtures("small")
def test_the_proof_sees_a_carry_that_is_still_on_its_way():
    design = SumsExactly(early=True)
    holds, _ = prover.prove(design, "counter_early", 12, "bmc", design.free)
    assert not holds
