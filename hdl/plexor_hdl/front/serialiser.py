# SPDX-License-Identifier: Apache-2.0
"""Puts a word's bits out on a pin, one bit at each phase of the fast clocks."""

from collections.abc import Callable

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.front.phases import RATIO, carried, domain

LUT_INPUTS = 4


class Serialiser(wiring.Component):
    """Puts the bits of each output's word on its pin, oldest first, one at each phase.

    A word has W = 2 x phases bits. A pin is the exclusive or of one flip-flop for each phase, which
    toggles where its bit differs from the one before. A look-up table without a clock joins them,
    so no pin needs a faster clock than the phases'. `xor(m, bits, name)` adds that table, of up to
    LUT_INPUTS bits.

    Latency: words of the core's clock m stand at the pins from phase 0 of fast period 2m + 5 on;
        Sampler has the count.
    Throughput: one word of each output each core clock.
    Reset: none; a pin is low while `running` is, and until the first `load`.
    Wrap: none; it holds no count.
    Full: never; each word goes in its core clock.

    Ports:
        words: W bits of each output, oldest lowest, the first output lowest.
        load: A bit for each output: the divider's `load`.
        running: A bit for each output: the divider's `running`.
        pins: The levels of the outputs.
    """

    def __init__(
        self, outputs: int, phases: int, xor: Callable[[Module, list[Signal], str], Signal]
    ) -> None:
        self._phases, self._xor = phases, xor
        super().__init__(
            {
                "words": In(outputs * RATIO * phases),
                "load": In(outputs),
                "running": In(outputs),
                "pins": Out(outputs),
            }
        )

    def elaborate(self, platform):
        m = Module()
        phases, width = self._phases, RATIO * self._phases
        fast = m.d[domain(0)]
        for output in range(len(self.pins)):
            word = self.words[output * width :][:width]
            # The first half of a word goes out at once, the second half a period later.
            now = Signal(phases, name=f"now_{output}")
            later = Signal(phases, name=f"later_{output}")
            fast += now.eq(Mux(self.load[output], word[:phases], later))
            with m.If(self.load[output]):
                fast += later.eq(word[phases:])
            last = Signal(name=f"last_{output}")
            fast += last.eq(now[-1] & self.running[output])
            bits = Cat(last, now)
            ends = []
            for phase in range(phases):
                toggle = Signal(name=f"toggle_{output}_{phase}")
                change = bits[phase] ^ bits[phase + 1]
                fast += toggle.eq((toggle ^ change) & self.running[output])
                end = carried(m, toggle, 0, 2 * phases + phase, phases)
                end.attrs["keep"] = 1
                end.name = last_name(output, phase)
                ends.append(end)
            # All flip-flops have the same number of look-up tables behind them. The tables of all
            # families have four inputs.
            joined = []
            for number in range(0, phases, LUT_INPUTS):
                name = joined_name(output, number // LUT_INPUTS)
                joined.append(self._xor(m, ends[number : number + LUT_INPUTS], name))
            if len(joined) > 1:
                joined = [self._xor(m, joined, driven_name(output))]
            m.d.comb += self.pins[output].eq(joined[0])
        return m


def last_name(output: int | str, phase: int) -> str:
    """Return the name of the last flip-flop of an output at a phase."""
    return f"strike_{output}_{phase}"


def joined_name(output: int | str, number: int) -> str:
    """Return the name of the net that joins four phases of an output."""
    return f"joined_{output}_{number}"


def driven_name(output: int | str) -> str:
    """Return the name of the net that joins these nets, if there are more than four phases."""
    return f"driven_{output}"


def table_names(output: int | str, phases: int, phase: int) -> list[str]:
    """Return the names of the look-up tables behind a phase's flip-flop, in order."""
    names = [f"{joined_name(output, phase // LUT_INPUTS)}_table"]
    return [*names, f"{driven_name(output)}_table"] if phases > LUT_INPUTS else names
