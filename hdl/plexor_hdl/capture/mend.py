# SPDX-License-Identifier: Apache-2.0
"""The mender of one channel: puts samples of neighbouring phases that came in the wrong order."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

MEND_CLOCKS = 2
"""Clocks that it delays samples by."""
REACH = 3
"""Number of samples before a word, and after it, that its samples depend on."""


def swaps(samples: Value) -> Value:
    """Return which samples are to change places with the one before: where three edges in a row
    stand alone.

    Bit n is for the sample REACH + n of `samples`.
    """
    edges = samples[1:] ^ samples[:-1]
    # edges[n] lies between samples n and n + 1.
    three = edges[1:-3] & edges[2:-2] & edges[3:-1]
    return three & ~edges[:-4] & ~edges[4:]


class Mend(wiring.Component):
    """Puts two neighbouring samples in order where an edge shows that they were exchanged.

    By the sheet of its PLL, a phase may sample after the next one. An edge between the two instants
    is then seen as three, each a tick after the one before: 0 0 1 0 1 1. So three edges in a row,
    with none in the tick before and none in the tick behind, become the one in the middle. A pad
    passes no such pulses: three edges in three ticks are a frequency of half the samples'.

    Latency: MEND_CLOCKS clocks from `word` to `o_word`, and to `mended`.
    Throughput: one word each clock.
    Reset: all levels are low.
    Wrap: none; it holds no time and no count.
    Full: never; each word leaves a fixed time after it came.

    Ports:
        word: W samples of one channel, oldest lowest.
        o_word: W samples in order, oldest lowest.
        mended: Two samples of `o_word`, the later one at least, changed places.
    """

    def __init__(self, samples: int) -> None:
        self._samples = samples
        super().__init__({"word": In(samples), "o_word": Out(samples), "mended": Out(1)})

    def elaborate(self, platform):
        m = Module()
        samples = self._samples
        before, word = Signal(REACH), Signal(samples)
        m.d.sync += [word.eq(self.word), before.eq(word[-REACH:])]
        # Of the samples of the word, and of the first one behind it.
        swap = Signal(samples + 1)
        m.d.comb += swap.eq(swaps(Cat(before, word, self.word[:REACH])))
        m.d.sync += [
            self.o_word.eq(word ^ swap[:-1] ^ swap[1:]),
            self.mended.eq(swap[:-1].any()),
        ]
        return m
