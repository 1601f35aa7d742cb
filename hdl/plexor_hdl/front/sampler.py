# SPDX-License-Identifier: Apache-2.0
"""Samples pins at each phase of the fast clocks, and makes a word of samples each core clock."""

from collections.abc import Callable

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.front.phases import RATIO, carried, domain

HOP_PERIODS = 3
"""Fast periods from a sample's own to the one at whose start its period's samples are aligned."""

Way = Callable[[Module, Signal, int], Signal]
"""The path from a channel's look-up table to a phase's flip-flop: a wire, or a test's model."""


class Sampler(wiring.Component):
    """Samples pins at each phase of the fast clocks, and makes a word of them each core clock.

    A word has W = 2 x phases samples of one pin, oldest in bit 0. `pins` and `other` meet in one
    look-up table, and the flip-flops that sample can stand beside it: so their skew depends on
    neither the pin nor the way from it. Each sample passes five flip-flops before the core's own.

    Latency: the word that the core's clock m takes is of 2 fast periods, from phase 0 of period 2m
        - 5 on, where period 2m is that of the divider's `load` before that clock.
    Throughput: one word of each pin each core clock.
    Reset: none; words before a channel's first `load` and 3 core clocks after it are of no time.
    Wrap: none; it holds no count.
    Full: never; words must go into flip-flops of the core at once.

    Ports:
        pins: The pins; they may change at any time.
        other: What each channel sees in place of its pin; it may change at any time.
        select: The words are of `other`.
        load: A bit for each channel: the divider's `load`.
        words: W samples of each channel, the first channel lowest.
    """

    def __init__(self, channels: int, phases: int, way: Way | None = None) -> None:
        self._phases, self._way = phases, way
        super().__init__(
            {
                "pins": In(channels),
                "other": In(channels),
                "select": In(1),
                "load": In(channels),
                "words": Out(channels * RATIO * phases),
            }
        )

    def elaborate(self, platform):
        m = Module()
        phases, words = self._phases, []
        for channel in range(len(self.pins)):
            aligned = []
            seen = Signal(name=seen_name(channel), attrs={"keep": 1})
            m.d.comb += seen.eq(Mux(self.select, self.other[channel], self.pins[channel]))
            for phase in range(phases):
                first = Signal(name=first_name(channel, phase), attrs={"keep": 1})
                m.d[domain(phase)] += first.eq(self._way(m, seen, phase) if self._way else seen)
                aligned.append(carried(m, first, phase, HOP_PERIODS * phases, phases))
            before = Signal(phases, name=f"before_{channel}")
            word = Signal(RATIO * phases, name=f"word_{channel}", attrs={"keep": 1})
            m.d[domain(0)] += before.eq(Cat(aligned))
            with m.If(self.load[channel]):
                m.d[domain(0)] += word.eq(Cat(before, *aligned))
            words.append(word)
        m.d.comb += self.words.eq(Cat(words))
        return m


def seen_name(channel: int | str) -> str:
    """Return the name of the look-up table's output that a channel's flip-flops sample."""
    return f"seen_{channel}"


def first_name(channel: int | str, phase: int) -> str:
    """Return the name of the flip-flop that samples a channel at a phase."""
    return f"first_{channel}_{phase}"
