"""The pins: a coarse tier, for as long as a board has no sampler of its own.

Every pin goes through two flip-flops of a clock four times the core's, which is all that a tick is:
what the identity says is what the pins get, 4 to 5 ns and not less. Samplers that use a family's
I/O and several phases take this module's place behind `front_end`.
"""

from __future__ import annotations

from litex.gen import LiteXModule
from migen import Cat, If, Signal
from migen.genlib.cdc import MultiReg

from plexor_soc.core import PlexorCore

SAMPLES = 4
"""Ticks, and clocks of the domain `fast`, in a clock of the core."""


class CoarsePins(LiteXModule):
    """Samples and strikes in the domain `fast`, whose edges the core's are among.

    A word is handed over two clocks of `fast` after an edge of the core's clock and stands for
    four, so neither side sees one that changes, whatever the two clocks' skew.
    """

    def __init__(self, core: PlexorCore, pads) -> None:
        channels, strikes = core.geometry.channels, core.geometry.strikes
        in_core = getattr(self.sync, core.clock_domain)
        turn, seen, before, change = Signal(), Signal(), Signal(), Signal()
        # As late as a turn takes, so that it is a register's output and at the same place of each.
        turns = Signal(SAMPLES)
        in_core += turn.eq(~turn)
        self.sync.fast += [
            seen.eq(turn),
            before.eq(seen),
            turns.eq(Cat(seen != before, turns[:-1])),
        ]
        self.comb += change.eq(turns[-1])
        for number in range(channels):
            level, history = Signal(), Signal(SAMPLES)
            word, kept = Signal(SAMPLES), Signal(SAMPLES)
            self.specials += MultiReg(pads.channels[number], level, "fast")
            # The oldest sample is the lowest bit.
            self.sync.fast += [
                history.eq(Cat(history[1:], level)),
                If(change, word.eq(history)),
            ]
            in_core += kept.eq(word)
            self.comb += core.samples[number * SAMPLES : (number + 1) * SAMPLES].eq(kept)
        for number in range(strikes):
            out = Signal(SAMPLES)
            ours = core.strikes[number * SAMPLES : (number + 1) * SAMPLES]
            kept = Signal(SAMPLES)
            in_core += kept.eq(ours)
            self.sync.fast += [
                If(change, out.eq(kept)).Else(out.eq(out[1:])),
                pads.strikes[number].eq(out[0]),
            ]
        gate, load = Signal(), Signal()
        self.specials += MultiReg(pads.gate, gate, core.clock_domain)
        in_core += load.eq(core.load)
        self.comb += [core.gate.eq(gate), pads.load.eq(load)]


def front_end(core: PlexorCore, pads) -> LiteXModule:
    """Return what is between a board's pins and the instrument: the seam for samplers.

    `pads` has the signals channels, strikes, load and gate; the geometry's W and tick must be those
    of what is returned.
    """
    return CoarsePins(core, pads)
