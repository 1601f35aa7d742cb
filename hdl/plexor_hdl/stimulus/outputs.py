"""All strike outputs: a stimulus each, and what they do together."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.interfaces import block_layout
from plexor_hdl.lib.crossing import CROSSING_CLOCKS, Crossing
from plexor_hdl.stimulus.stimulus import Stimulus

GATE_CLOCKS = CROSSING_CLOCKS
"""From the gate's pin to the stimuli: the flip-flops of its synchroniser."""


class Outputs(wiring.Component):
    """Draws the samples of every strike output; each stimulus sees the others' strikes.

    `levels` are those of the pins, `active` the same before they are inverted, both a clock after
    the stimuli's words. `strike_stb` and `striking` (a strike starts, is active) go with the words
    and `done` (no strike comes) with the stimuli's; all three leave out endless outputs, and `done`
    is low where no enabled output has a count. With `table` they leave out all outputs but 0, which
    `restart_stb` starts anew. Latency and reset are those of Stimulus; the gate is GATE_CLOCKS
    late.
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
