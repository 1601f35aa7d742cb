# SPDX-License-Identifier: Apache-2.0
"""All strike outputs: a stimulus for each, and what they share."""

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import STIMULUS, Trigger, register
from plexor_hdl.interfaces import block_layout
from plexor_hdl.lib.crossing import CROSSING_CLOCKS, Crossing
from plexor_hdl.stimulus.stimulus import Stimulus

GATE_CLOCKS = CROSSING_CLOCKS
"""Clocks from the gate's pin to the stimuli, through the synchroniser's flip-flops."""


class Outputs(wiring.Component):
    """Draws the samples of all strike outputs; each stimulus sees the others' strikes.

    `strike_stb`, `striking` and `done` leave out endless outputs and those that decisions start,
    and with `table` all but output 0. A build with one output has none that decisions start.

    Latency: TRIGGER_CLOCKS + 1 clocks from a trigger to phase 0 in `levels`; GATE_CLOCKS more from
        the gate, 1 more from a decision.
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
        latency_stb: A latency was over the limit, which starts outputs with Trigger.LATENCY.
        missed_stb: A strike was missed, which starts outputs with Trigger.MISSED.
        due_stb: With `schedule`: a due time triggers the last output.
        due_ticks: The phase of that sequence.
        due_waits: More due times wait, so that an output which they trigger is not done.
        due_idle: The last output has no sequence.
        strikes: A bit for each output: it strikes; a clock before `levels`.
        levels: The samples of each pin, oldest lowest.
        active: `levels` before they are inverted.
        strike_stb: A strike starts; with the stimuli's words, a clock before `levels`.
        striking: A strike is active; with `levels`.
        done: No strike will come; low where no enabled output has a count.
    """

    def __init__(self, geometry: Geometry, *, schedule: bool = False) -> None:
        self._geometry = geometry
        words = data.ArrayLayout(geometry.samples, geometry.strikes)
        due = {
            "due_stb": In(1),
            "due_ticks": In(register(STIMULUS.name, "phase_ticks").bits),
            "due_waits": In(1),
            "due_idle": Out(1),
        }
        self._has_due = schedule
        super().__init__(
            {
                **(due if self._has_due else {}),
                "config": In(block_layout(STIMULUS)).array(geometry.strikes),
                "start_stb": In(1),
                "restart_stb": In(1),
                "table": In(1),
                "stop": In(1),
                "gate": In(1),
                "code_stb": In(1),
                "latency_stb": In(1),
                "missed_stb": In(1),
                "strikes": Out(geometry.strikes),
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
        strikes, (active, done, counted) = self.strikes, (Signal(count) for _ in range(3))
        stimuli = [
            Stimulus(self._geometry, number, has_due=self._has_due and number == count - 1)
            for number in range(count)
        ]
        for number, (stimulus, config) in enumerate(zip(stimuli, self.config, strict=True)):
            m.submodules[f"stimulus{number}"] = stimulus
            by_decision = self._decisions(m, stimulus, config) if count > 1 else Const(0, 1)
            m.d.comb += [
                stimulus.config.eq(config),
                stimulus.start_stb.eq(self.start_stb | (self.restart_stb & (number == 0))),
                stimulus.stop.eq(self.stop),
                stimulus.gate.eq(gate.crossed),
                stimulus.code_stb.eq(self.code_stb),
                stimulus.strikes.eq(strikes),
                strikes[number].eq(stimulus.strike_stb),
                done[number].eq(stimulus.done),
            ]
            m.d.sync += [
                active[number].eq(stimulus.word.any()),
                counted[number].eq(
                    config.enable & ~stimulus.endless & ~by_decision & (~self.table | (number == 0))
                ),
                self.active[number].eq(stimulus.word),
                self.levels[number].eq(stimulus.word ^ config.invert.replicate(samples)),
            ]
        if self._has_due:
            last, by_due = stimuli[-1], Signal()
            m.d.sync += by_due.eq(self.config[-1].trigger == Trigger.DUE)
            m.d.comb += [
                last.due_stb.eq(self.due_stb),
                last.due_ticks.eq(self.due_ticks),
                self.due_idle.eq(last.done),
                done[-1].eq(last.done & ~(by_due & self.due_waits)),
            ]
        m.d.comb += [
            self.strike_stb.eq((strikes & counted).any()),
            self.striking.eq((active & counted).any()),
            self.done.eq((done | ~counted).all() & counted.any()),
        ]
        return m

    def _decisions(self, m: Module, stimulus: Stimulus, config) -> Value:
        """Wire the decisions that start a stimulus; return whether it waits for some."""
        by_latency, by_missed, decided_stb = Signal(), Signal(), Signal()
        m.d.sync += [
            by_latency.eq(config.trigger == Trigger.LATENCY),
            by_missed.eq(config.trigger == Trigger.MISSED),
            decided_stb.eq((by_latency & self.latency_stb) | (by_missed & self.missed_stb)),
        ]
        m.d.comb += stimulus.decided_stb.eq(decided_stb)
        return by_latency | by_missed
