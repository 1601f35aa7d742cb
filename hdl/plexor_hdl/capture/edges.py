# SPDX-License-Identifier: Apache-2.0
"""The edge detector of one source: finds the edges in each sample word."""

from amaranth.hdl import Cat, Const, Module, Signal, Value, ValueLike
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out


class EdgeWord(data.StructLayout):
    """A bit for each sample, set if it differs from the sample before it.

    `polarity` is that of the first edge. Later edges of a word alternate, so they need none.
    """

    def __init__(self, samples: int) -> None:
        super().__init__({"edges": samples, "polarity": 1})


def edge_mask(before: ValueLike, word: Value) -> Value:
    """Return a bit for each sample: whether it differs from the sample before it."""
    return word ^ Cat(before, word)[: len(word)]


def at_least(bits: Value) -> tuple[Value, Value, Value]:
    """Return whether at least one, two and three of `bits` are 1, as a balanced tree."""
    terms = [(bit, Const(0, 1), Const(0, 1)) for bit in bits]
    while len(terms) > 1:
        joined = []
        for place in range(0, len(terms) - 1, 2):
            (one, two, three), (more1, more2, more3) = terms[place : place + 2]
            joined.append(
                (
                    one | more1,
                    two | more2 | (one & more1),
                    three | more3 | (one & more2) | (two & more1),
                )
            )
        terms = joined + terms[len(joined) * 2 :]
    return terms[0]


class Edges(wiring.Component):
    """Finds every edge of a sample word, of both polarities, whatever their number.

    Only words that come while `capture` is high have edges. The first of them is compared with the
    last sample of the word before it. A disabled source has no edges.

    Latency: LATENCY clocks from `word` to `o_edges` and `o_valid`.
    Throughput: one word each clock.
    Reset: the sample before the first word counts as 0; no edge stands at the output.
    Wrap: none; it holds no time and no count.
    Full: never; it has no back-pressure, and the next stage must take each word.

    Ports:
        word: W samples of one source, oldest lowest.
        invert: Swaps the polarities of this source's edges.
        enable: The source has edges.
        capture: The `word` of this clock belongs to the run.
        o_edges: The edges of a word; right in each clock, without an edge where `o_valid` is low.
        o_valid: The word has an edge.
    """

    LATENCY = 1

    def __init__(self, samples: int) -> None:
        self._samples = samples
        super().__init__(
            {
                "word": In(samples),
                "invert": In(1),
                "enable": In(1),
                "capture": In(1),
                "o_edges": Out(EdgeWord(samples)),
                "o_valid": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        last, live = Signal(), self.capture & self.enable
        levels = Cat(last, self.word)
        m.d.sync += [
            last.eq(self.word[-1]),
            self.o_edges.edges.eq(edge_mask(last, self.word) & live.replicate(self._samples)),
            self.o_edges.polarity.eq(last ^ ~self.invert),
            # It is made from levels, not from the edges behind them: a FIFO's write waits for it.
            self.o_valid.eq(live & levels.any() & ~levels.all()),
        ]
        return m
