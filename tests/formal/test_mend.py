# SPDX-License-Identifier: Apache-2.0
"""Mend, proved for all words: samples exchanged at any of a pin's edges become those of the pin."""

import importlib.util
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cat, Elaboratable, Module, Signal

from plexor_hdl.capture.mend import MEND_CLOCKS, Mend

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

APART = 4
"""Ticks, at least, from one edge of the pin to the next: a pad of LVCMOS33 takes five on ECP5."""
CLOCKS = 9
"""No output depends on more words than three, and each word is compared in each of these clocks."""


class MendsExchanges(Elaboratable):
    """A pin with any edges that are `apart`, whose samples are exchanged at any of them."""

    def __init__(self, samples: int, apart: int = APART) -> None:
        self.samples, self.apart = samples, apart
        self.pin, self.exchanged = Signal(samples), Signal(samples)
        self.free = (self.pin, self.exchanged)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.mend = mend = Mend(self.samples)
        before, last = Signal(self.samples), Signal(self.samples)
        m.d.sync += [before.eq(self.pin), last.eq(self.exchanged)]
        levels = Cat(before[-self.apart :], self.pin)
        edges = levels[1:] ^ levels[:-1]
        own = edges[self.apart - 1 :]
        for place in range(self.apart - 1, len(edges)):
            near = edges[place - self.apart + 1 : place]
            m.d.comb += Assume(~edges[place] | ~near.any())
        # Bit n: the samples n - 1 and n are exchanged, between which the pin changes.
        m.d.comb += [
            Assume((self.exchanged & ~own) == 0),
            mend.word.eq(before ^ last ^ Cat(last[1:], self.exchanged[0])),
        ]
        truth, some = before, last.any()
        for clock in range(MEND_CLOCKS):
            later, any_later = Signal.like(truth, name=f"t{clock}"), Signal(name=f"s{clock}")
            m.d.sync += [later.eq(truth), any_later.eq(some)]
            truth, some = later, any_later
        m.d.comb += Assert((mend.o_word == truth) & (mend.mended == some))
        return m


@pytest.mark.parametrize(
    "samples", [8, *(pytest.param(n, marks=pytest.mark.full) for n in (4, 16))]
)
def test_a_word_of_any_pin_with_any_exchanges_is_that_pins_and_tells_of_them(samples):
    design = MendsExchanges(samples)
    holds, log = prover.prove(design, f"mend_{samples}", CLOCKS, free=design.free)
    assert holds, log


def test_edges_that_are_closer_may_be_taken_for_an_exchange():
    """The proof can fail: pulses of two ticks beside an exchange are not told from it."""
    design = MendsExchanges(8, apart=2)
    holds, _ = prover.prove(design, "mend_closer", CLOCKS, free=design.free)
    assert not holds
