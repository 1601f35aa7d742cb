"""The glitch filter of one source."""

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Filter(wiring.Component):
    """Removes pulses shorter than `filter_ticks` (2 to W; 0 and 1: none; above W: as W).

    The output takes the input's level from the first of `filter_ticks` consecutive samples on, and
    holds between: a level's edge keeps its true time. At the rise of `capture` the level held is
    the first sample's own. Latency LATENCY clocks whatever the setting, so that every source can be
    delayed alike; `o_capture` is `capture` with the same latency. One word a clock. Reset: low.
    """

    LATENCY = 4

    def __init__(self, samples: int) -> None:
        self._samples = samples
        super().__init__(
            {
                "word": In(samples),
                "capture": In(1),
                "filter_ticks": In(5),
                "o_word": Out(samples),
                "o_capture": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = self._samples
        current, following = Signal(width), Signal(width)
        capture = Signal(4)
        m.d.sync += [
            following.eq(self.word),
            current.eq(following),
            capture.eq(Cat(self.capture, capture)),
        ]

        # Runs of each length that start at each sample, by doubling what is known of shorter runs.
        window = Cat(current, following[: width - 1])
        choices = []
        for level in (1, 0):
            samples = window if level else ~window
            runs = [Cat(samples[:width])]
            for length in range(2, width + 1):
                runs.append(runs[-1] & samples[length - 1 : length - 1 + width])
            choices.append([runs[max(min(ticks, width), 1) - 1] for ticks in range(32)])
        rise, fall = Signal(width), Signal(width)
        filter_r = Signal(5)
        m.d.sync += [
            filter_r.eq(self.filter_ticks),
            rise.eq(Array(choices[0])[filter_r]),
            fall.eq(Array(choices[1])[filter_r]),
        ]

        # At the start of a capture the first sample decides, however short its level is.
        start = Signal()
        first = Signal()
        m.d.sync += [start.eq(capture[1] & ~capture[2]), first.eq(current[0])]
        held = Signal()
        entry = Signal()
        m.d.comb += entry.eq(held)
        with m.If(start):
            m.d.comb += entry.eq(first)
        level = entry
        levels = []
        for place in range(width):
            # The latest decided sample at or before this one; a prefix scan by synthesis.
            level = rise[place] | (level & ~fall[place])
            levels.append(level)
        m.d.sync += [self.o_word.eq(Cat(*levels)), held.eq(levels[-1])]
        m.d.comb += self.o_capture.eq(capture[3])
        return m
