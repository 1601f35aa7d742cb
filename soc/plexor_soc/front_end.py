"""The pins: a coarse tier, for as long as a board has no sampler of its own.

Every pin goes through two flip-flops of a clock four times the core's, which is all that a tick is:
what the identity says is what the pins get, 4 to 5 ns and not less. Samplers that use a family's
I/O and several phases take this module's place behind `front_end`.
"""

from __future__ import annotations

from litex.gen import LiteXModule
from migen import Cat, If, Instance, Replicate, Signal
from migen.fhdl.specials import Tristate
from migen.genlib.cdc import MultiReg

from plexor.protocol.registers import InputSelect
from plexor_soc.core import PlexorCore

SAMPLES = 4
"""Ticks, and clocks of the domain `fast`, in a clock of the core."""
LOOP_CLOCKS = 4
"""Core clocks from a strike word's to those of the samples taken while it stands at the pins."""
OSCILLATOR_DIVIDER = 128


class Pads(LiteXModule):
    """The pins of a board with an ECP5, and an oscillation that no clock of the board knows of.

    `strikes` drive their pads, `backs` is what stands there. `source` is of OSCG, which divides
    about 310 MHz (Lattice FPGA-DS-02012, "Internal Oscillators").
    """

    def __init__(self, pads) -> None:
        self.channels, self.load, self.gate = pads.channels, pads.load, pads.gate
        self.strikes, self.backs = Signal(len(pads.strikes)), Signal(len(pads.strikes))
        self.source = Signal()
        for number in range(len(pads.strikes)):
            self.specials += Tristate(
                pads.strikes[number], self.strikes[number], 1, self.backs[number]
            )
        self.specials += Instance("OSCG", p_DIV=OSCILLATOR_DIVIDER, o_OSC=self.source)


class CoarsePins(LiteXModule):
    """Samples and strikes in the domain `fast`, whose edges the core's are among.

    A word is handed over two clocks of `fast` after an edge of the core's clock and stands for
    four, so neither side sees one that changes, whatever the two clocks' skew. At the pads a strike
    word of clock n stands with the sample word of clock n + LOOP_CLOCKS; so does the load's. `pads`
    is as Pads. `input_select` and `loopback_output` are as in docs/PROTOCOL.md, and choose before
    the flip-flops.
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
        other = Signal()
        self.comb += [
            If(core.input_select == InputSelect.ASYNCHRONOUS, other.eq(pads.source)),
            If(
                core.input_select == InputSelect.LOOPBACK,
                other.eq(pads.backs >> core.loopback_output),
            ),
        ]
        for number in range(channels):
            chosen, level, history = Signal(), Signal(), Signal(SAMPLES)
            word, kept = Signal(SAMPLES), Signal(SAMPLES)
            self.comb += chosen.eq(other)
            self.comb += If(core.input_select == InputSelect.PINS, chosen.eq(pads.channels[number]))
            self.specials += MultiReg(chosen, level, "fast")
            # The oldest sample is the lowest bit.
            self.sync.fast += [
                history.eq(Cat(history[1:], level)),
                If(change, word.eq(history)),
            ]
            in_core += kept.eq(word)
            self.comb += core.samples[number * SAMPLES : (number + 1) * SAMPLES].eq(kept)
        outputs = [
            (core.strikes[number * SAMPLES : (number + 1) * SAMPLES], pads.strikes[number])
            for number in range(strikes)
        ]
        for ours, pad in (*outputs, (Replicate(core.load, SAMPLES), pads.load)):
            out, kept = Signal(SAMPLES), Signal(SAMPLES)
            in_core += kept.eq(ours)
            self.sync.fast += [
                If(change, out.eq(kept)).Else(out.eq(out[1:])),
                pad.eq(out[0]),
            ]
        gate = Signal()
        self.specials += MultiReg(pads.gate, gate, core.clock_domain)
        self.comb += core.gate.eq(gate)


def front_end(core: PlexorCore, pads) -> LiteXModule:
    """Return what is between a board's pins and the instrument: the seam for samplers.

    `pads` has the signals channels, strikes, load and gate; the geometry's W, phases and tick, and
    the core's `loop_clocks`, must be those of what is returned.
    """
    module = LiteXModule()
    module.pads = Pads(pads)
    module.pins = CoarsePins(core, module.pads)
    return module
