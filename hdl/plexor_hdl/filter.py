"""The glitch filter of one source."""

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Filter(wiring.Component):
    """Removes pulses shorter than `filter_ticks` (2 to W; 0 and 1: none; above W: as W).

    The output takes the input's level from the first of `filter_ticks` consecutive samples on, and
    holds between: a level's edge keeps its true time. Latency LATENCY clocks whatever the setting,
    so that every source can be delayed alike. One word a clock. Reset: low.
    """

    LATENCY = 4

    def __init__(self, samples: int) -> None:
        self._samples = samples
        super().__init__(
            {
                "word": In(samples),
                "filter_ticks": In(5),
                "o_word": Out(samples),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = self._samples
        current, following = Signal(width), Signal(width)
        m.d.sync += [
            following.eq(self.word),
            current.eq(following),
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

        held = Signal()
        level = held
        levels = []
        for place in range(width):
            # The latest decided sample at or before this one; a prefix scan by synthesis.
            level = rise[place] | (level & ~fall[place])
            levels.append(level)
        m.d.sync += [self.o_word.eq(Cat(*levels)), held.eq(levels[-1])]
        return m
