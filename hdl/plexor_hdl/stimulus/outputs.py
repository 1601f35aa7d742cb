"""All strike outputs: a stimulus for each, and what they share."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.interfaces import block_layout
from plexor_hdl.lib.crossing import CROSSING_CLOCKS, Crossing
from plexor_hdl.stimulus.stimulus import Stimulus

GATE_CLOCKS = CROSSING_CLOCKS
"""Clocks from the gate's pin to the stimuli, through the synchroniser's flip-flops."""


class Outputs(wiring.Component):
    """Draws the samples of all strike outputs; each stimulus sees the others' strikes.

    `strike_stb`, `striking` and `done` leave out endless outputs, and with `table` all but output
    0.

    Latency: TRIGGER_CLOCKS + 1 clocks from a trigger to phase 0 in `levels`; GATE_CLOCKS more from
        the gate.
    Throughput: one word of each output each clock.
    Reset: every stimulus is idle; the pins are low, and as `invert` says from the first clock on.
    Wrap: as Stimulus.
    Full: never; a trigger of an output whose sequence runs is ignored.

    Ports:
        config: The registers of each stimulus.
        start_stb: Begins a run.
        restart_stb: Starts output 0 anew.
        table: A sweep table sets output 0; only it counts for `done`.
        stop: No strike starts any more.
        gate: The gate's pin, of any clock.
        code_stb: The code that triggers came.
        levels: The samples of each pin, oldest lowest.
        active: `levels` before they are inverted.
        strike_stb: A strike starts; with the stimuli's words, a clock before `levels`.
        striking: A strike is active; a clock before `levels`.
        done: No strike will come; low where no enabled output has a count.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        words = data.ArrayLayout(geometry.samples, geometry.strikes)
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)).array(geometry.strikes),
                "start_stb": In(1),
                "restart_stb": In(1),
                "table": In(1),
                "stop": In(1),
                "gate": In(1),
                "code_stb": In(1),
                "levels": Out(words),
                "active": Out(words),
                "strike_stb": Out(1),
                "striking": Out(1),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        count, samples = self._geometry.strikes, self._geometry.samples
        m.submodules.gate_to_core = gate = Crossing()
        m.d.comb += gate.bit.eq(self.gate)
        strikes, active, done, counted = (Signal(count) for _ in range(4))
        stimuli = [Stimulus(self._geometry, number) for number in range(count)]
        for number, (stimulus, config) in enumerate(zip(stimuli, self.config, strict=True)):
            m.submodules[f"stimulus{number}"] = stimulus
            m.d.comb += [
                stimulus.config.eq(config),
                stimulus.start_stb.eq(self.start_stb | (self.restart_stb & (number == 0))),
                stimulus.stop.eq(self.stop),
                stimulus.gate.eq(gate.crossed),
                stimulus.code_stb.eq(self.code_stb),
                stimulus.strikes.eq(strikes),
                strikes[number].eq(stimulus.strike_stb),
                active[number].eq(stimulus.word.any()),
                done[number].eq(stimulus.done),
            ]
            m.d.sync += [
                counted[number].eq(
                    config.enable & ~stimulus.endless & (~self.table | (number == 0))
                ),
                self.active[number].eq(stimulus.word),
                self.levels[number].eq(stimulus.word ^ config.invert.replicate(samples)),
            ]
        m.d.comb += [
            self.strike_stb.eq((strikes & counted).any()),
            self.striking.eq((active & counted).any()),
            self.done.eq((done | ~counted).all() & counted.any()),
        ]
        return m
