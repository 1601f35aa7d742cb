"""The edge detector of one source: sample words in, words that hold edges out."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out


class EdgeWord(data.StructLayout):
    """A sample word with the level before it; `count` is the number of its edges."""

    def __init__(self, samples: int) -> None:
        super().__init__({"before": 1, "word": samples, "count": (samples).bit_length()})


def edge_mask(before, word):
    """Return one bit a sample: whether it differs from the sample before it."""
    return word ^ Cat(before, word)[: len(word)]


def bit_count(bits):
    """Return how many of `bits` are one, as a balanced sum."""
    terms = list(bits)
    while len(terms) > 1:
        terms = [
            sum(terms[place + 1 : place + 2], terms[place]) for place in range(0, len(terms), 2)
        ]
    return terms[0]


class Edges(wiring.Component):
    """Finds every edge of a sample word, both polarities, whatever their number.

    Only words taken while `capture` is high have edges; the first is compared with the last sample
    of the word before it. A disabled source has no edges. Latency LATENCY clocks, one word a clock,
    no back-pressure. Reset: level low, no edge.
    """

    LATENCY = 2

    def __init__(self, samples: int) -> None:
        self._samples = samples
        super().__init__(
            {
                "word": In(samples),
                "enable": In(1),
                "capture": In(1),
                "o_edges": Out(EdgeWord(samples)),
                "o_valid": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        word_r = Signal(self._samples)
        before_r = Signal()
        live_r = Signal()
        last = Signal()
        m.d.sync += [
            last.eq(self.word[-1]),
            word_r.eq(self.word),
            before_r.eq(last),
            live_r.eq(self.capture & self.enable),
        ]
        mask = Signal(self._samples)
        m.d.comb += mask.eq(edge_mask(before_r, word_r))
        m.d.sync += [
            self.o_edges.before.eq(before_r),
            self.o_edges.word.eq(word_r),
            self.o_edges.count.eq(bit_count(mask)),
            self.o_valid.eq(live_r & mask.any()),
        ]
        return m
