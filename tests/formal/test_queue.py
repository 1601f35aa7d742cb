"""StrikeQueue, proved: first in, first out, none lost, its level and its head exact."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Signal

from plexor_hdl.queue import StrikeQueue

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

DEPTHS = (4, pytest.param(8, marks=pytest.mark.full))
BITS = 4
"""More numbers than words, so that a word out of place has another number."""


class NumbersInOrder(Elaboratable):
    """A queue of the numbers 0, 1, 2 ...: what is at its head, and how many are inside.

    With `overrun` a push into a full queue is not prevented, which must be refuted.
    """

    def __init__(self, depth: int, overrun: bool = False) -> None:
        self._depth = depth
        self._overrun = overrun
        self.push, self.pop, self.clear = Signal(), Signal(), Signal()
        self.free = (self.push, self.pop, self.clear)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.queue = queue = StrikeQueue(self._depth, BITS)
        pushed, popped = Signal(BITS), Signal(BITS)
        inside = Signal(BITS)
        taken = Signal()
        m.d.comb += [
            inside.eq(pushed - popped),
            taken.eq(self.pop & queue.head_valid),
            queue.push.eq(self.push),
            queue.push_data.eq(pushed),
            queue.pop.eq(self.pop),
            queue.clear.eq(self.clear),
        ]
        if not self._overrun:
            m.d.comb += Assume(~self.push | (inside != self._depth) | taken)
        m.d.sync += [pushed.eq(pushed + self.push), popped.eq(popped + taken)]
        with m.If(self.clear):
            m.d.sync += popped.eq(pushed + self.push)

        m.d.comb += [
            Assert(~queue.head_valid | (queue.head == popped)),
            Assert(queue.head_valid == (inside != 0)),
            Assert(queue.level == inside),
            Assert(queue.full == (inside == self._depth)),
            Cover((popped == 6) & queue.full),
        ]
        return m


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    ("mode", "clocks"),
    [("bmc", 11), pytest.param("bmc", 13, marks=pytest.mark.full), ("cover", 18)],
)
def test_strikes_leave_in_the_order_in_which_they_came(depth, mode, clocks):
    design = NumbersInOrder(depth)
    holds, log = prover.prove(design, f"queue{depth}_{mode}", clocks, mode, design.free)
    assert holds, log[-3000:]


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_proof_sees_a_push_into_a_full_queue(depth):
    design = NumbersInOrder(depth, overrun=True)
    holds, _ = prover.prove(design, f"queue{depth}_overrun", 12, "bmc", design.free)
    assert not holds
