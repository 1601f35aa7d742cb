# SPDX-License-Identifier: Apache-2.0
"""The glitch filter of one source."""

# Every build has at least one stage, which pyright does not know.
# pyright: reportOperatorIssue=false

from itertools import pairwise

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.split_sum import up

TICKS_BITS = 5
QUAD = 4
"""Number of samples whose level is settled together."""
STAGES = {
    4: (((0, 1), (0, 1, 2)),),
    8: (((0, 1), (0, 1, 2)), ((0, 2, 3),)),
    16: (((0, 1), (0, 1, 2)), ((0, 2, 3), (0, 4)), ((0, 4),)),
}
"""Steps that lengthen a window of samples, by W. The steps of one stage share a clock.

A step joins windows that begin the given numbers of samples later. A window of n + 1 samples has n
places for an edge. From two samples on, these steps make windows of every length up to W.
"""


def filter_clocks(samples: int) -> int:
    """Return the filter's latency in clocks, for words of `samples` samples."""
    return 3 + len(STAGES[samples])


def steps_to(places: int, steps: tuple[tuple[int, ...], ...]) -> list[bool]:
    """Return which steps lengthen a window with one place for an edge to one with `places`.

    Raises ValueError if no choice of steps does.
    """
    if not steps:
        if places != 1:
            raise ValueError(f"places: {places}; must be 1 where no step is left")
        return []
    *before, last = steps
    shorter = places - last[-1]
    gap = max(b - a for a, b in pairwise(last))
    for length, taken in ((places, False), (shorter, True)):
        if length >= 1 and (not taken or gap <= length):
            try:
                return [*steps_to(length, tuple(before)), taken]
            except ValueError:
                continue
    raise ValueError(f"places: {places}; the steps do not reach it")


def samples_at(samples: int, place: int) -> Const:
    """Return a word with bit `place` of each quad set."""
    return Const(sum(1 << at for at in range(place, samples, QUAD)), samples)


class Filter(wiring.Component):
    """Removes pulses that are shorter than a number of ticks.

    The output takes the input's level from the first of `filter_ticks` alike consecutive samples
    on, and holds it between. So an edge that stays keeps its true time. The latency does not depend
    on the setting: all sources can be delayed alike.

    Latency: filter_clocks(W) clocks from `word` to `o_word`.
    Throughput: one word each clock.
    Reset: all levels are low.
    Wrap: none; it holds no time and no count.
    Full: never; each word leaves a fixed time after it came.

    Ports:
        word: W samples of one source, oldest lowest.
        filter_ticks: Pulses shorter than this go. 0 and 1: none; above W: as W. It stands still
            during a run.
        o_word: W filtered samples, oldest lowest.
    """

    def __init__(self, samples: int) -> None:
        self._samples = samples
        super().__init__(
            {
                "word": In(samples),
                "filter_ticks": In(TICKS_BITS),
                "o_word": Out(samples),
            }
        )

    def elaborate(self, platform):
        m = Module()
        samples = self._samples
        none, takes = self._setting(m)

        # Bit n tells whether the level changes in the window that begins at sample n. Windows reach
        # into the next word, so that word is used one clock before it is kept.
        level = Signal(samples, name="level")
        m.d.sync += level.eq(self.word)
        window = Cat(level, self.word)
        changes: Value = window[:-1] ^ window[1:]
        for number, steps in enumerate(STAGES[samples]):
            kept = Signal(samples, name=f"changes_{number}")
            for taps in steps:
                length = len(changes) - taps[-1]
                later = [changes[tap : tap + length] for tap in taps[1:]]
                joined = later[0] | later[-1]
                changes = changes[:length] | Mux(takes.pop(0), joined, 0)
            level_r = Signal(samples, name=f"level_{number}")
            m.d.sync += [kept.eq(changes), level_r.eq(level)]
            level = level_r
            # The next word's bits have no register yet, so they come from the inputs.
            changes = Cat(kept, changes[: len(changes) - samples])
        with m.If(none):
            m.d.sync += kept.eq(0)

        # A sample whose window has no change settles the level. If one of two neighbours settles,
        # the later one has its level: if only the earlier one settled, its window would hold both.
        # The first step finds, for each sample, whether any sample of its quad up to it settles,
        # and the level that results.
        stays, places = Signal(samples), [samples_at(samples, n) for n in range(QUAD)]
        m.d.comb += stays.eq(~kept)
        settles, values = Signal(samples), Signal(samples)
        some = stays | (up(stays, 1) & ~places[0])
        third, fourth = stays & places[2], (stays | up(stays, 1)) & places[3]
        own = places[0] | places[1] | third | fourth
        second = (up(level, 1) & places[2]) | (up(level, 2) & places[3])
        m.d.sync += [
            settles.eq(some | (up(some, 2) & (places[2] | places[3]))),
            values.eq((level & own) | (second & ~own)),
        ]
        # Each quad continues with the level of the last quad before it that settles.
        held = Signal()
        befores: list[Value] = [held]
        for last in range(QUAD - 1, samples, QUAD):
            befores.append(Mux(settles[last], values[last], befores[-1]))
        before = Cat(level.replicate(QUAD) for level in befores[:-1])
        m.d.sync += [
            self.o_word.eq((settles & values) | (~settles & before)),
            held.eq(befores[-1]),
        ]
        return m

    def _setting(self, m: Module) -> tuple[Signal, list[Signal]]:
        """Return, a clock late, whether the filter is off and which steps are taken."""
        steps = tuple(taps for stage in STAGES[self._samples] for taps in stage)
        plans = [
            steps_to(max(min(ticks, self._samples), 2) - 1, steps)
            for ticks in range(1 << TICKS_BITS)
        ]
        none = Signal()
        takes = [Signal(name=f"take_{number}") for number in range(len(steps))]
        m.d.sync += none.eq(self.filter_ticks <= 1)
        for number, take in enumerate(takes):
            chosen = Const(sum(plan[number] << at for at, plan in enumerate(plans)), len(plans))
            m.d.sync += take.eq(chosen.bit_select(self.filter_ticks, 1))
        return none, takes
