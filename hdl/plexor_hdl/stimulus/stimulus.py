# SPDX-License-Identifier: Apache-2.0
"""One strike output: turns its registers and triggers into the samples of its pin."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import TRIGGER_CLOCKS, Geometry
from plexor.protocol.registers import STIMULUS, Trigger, register
from plexor_hdl.interfaces import block_layout
from plexor_hdl.stimulus.painter import Painter
from plexor_hdl.stimulus.random import WARM_CLOCKS
from plexor_hdl.stimulus.scheduler import Scheduler

QUIET_CLOCKS = 2
"""Clocks without a sequence before `done`. A stimulus that this one triggers begins within them."""


class Stimulus(wiring.Component):
    """Draws the samples of one strike output, from its registers and triggers.

    docs/instrument.md, "Stimulus", says what it draws. A sequence runs from its trigger to the
    clock in which its last pulse ends; triggers up to that clock are ignored. Each sequence begins
    its random numbers and its fraction anew.

    Latency: bit 0 of the word TRIGGER_CLOCKS after a trigger is phase 0. The fall of `gate` leaves
        no start in words from TRIGGER_CLOCKS later on, `stop` none from STOP_CLOCKS later on.
    Throughput: one word each clock; intervals down to W ticks.
    Reset: idle and done; the level is low.
    Wrap: none; counts of strikes and of clocks stop at their ends.
    Full: never; a trigger that comes while a sequence runs is ignored.

    Ports:
        config: The registers of this stimulus; they stand from 24 clocks before `start_stb`.
        start_stb: Begins a run, and is its trigger. It resets everything, also amid a pulse.
        stop: No strike starts any more.
        strikes: A bit for each output: it strikes; triggers where `config` names that output.
        gate: The gate, of this clock. Its rise triggers; if high at `start_stb` it rises then.
        code_stb: The code that triggers came.
        decided_stb: The decision that triggers was made.
        due_stb: With `has_due`: a due time triggers.
        due_ticks: The phase of that sequence; it stands from 24 clocks before its trigger.
        word: The samples, oldest lowest, before they are inverted.
        strike_stb: A strike starts in `word`.
        done: No strike will start unless one is triggered. It rises QUIET_CLOCKS or more after the
            word in which the last pulse ends, and falls in the clock after a trigger.
        endless: No count ends a sequence.
    """

    def __init__(self, geometry: Geometry, number: int, *, has_due: bool = False) -> None:
        if not 0 <= number < geometry.strikes:
            raise ValueError(f"number: {number}; must be 0 to {geometry.strikes - 1}")
        self.geometry = geometry
        self.number = number
        self.has_due = has_due
        phase_bits = register(STIMULUS.name, "phase_ticks").bits
        super().__init__(
            {
                **({"due_stb": In(1), "due_ticks": In(phase_bits)} if has_due else {}),
                "config": In(block_layout(STIMULUS)),
                "start_stb": In(1),
                "stop": In(1),
                "strikes": In(geometry.strikes),
                "gate": In(1),
                "code_stb": In(1),
                "decided_stb": In(1),
                "word": Out(geometry.samples),
                "strike_stb": Out(1),
                "done": Out(1),
                "endless": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.scheduler = scheduler = Scheduler(self.geometry)
        m.submodules.painter = painter = Painter(self.geometry, burst=scheduler.burst)
        # The rest of TRIGGER_CLOCKS, after the stages' own, passes between a trigger and `go`. A
        # clock of it is before the lead.
        lead_clocks = TRIGGER_CLOCKS - 2 - scheduler.start_clocks - painter.paint_clocks
        if lead_clocks <= WARM_CLOCKS:
            raise ValueError(f"TRIGGER_CLOCKS: {TRIGGER_CLOCKS}; the stages take more")

        # These are constant during a run.
        config = self.config
        by_run, by_gate, by_code = Signal(), Signal(), Signal()
        by_strike = Signal(len(self.strikes))
        m.d.sync += [
            by_run.eq(config.enable & (config.trigger == Trigger.RUN)),
            by_gate.eq(config.enable & (config.trigger == Trigger.GATE)),
            by_code.eq(config.enable & (config.trigger == Trigger.CODE)),
            by_strike.eq(
                Cat(
                    config.enable
                    & (config.trigger == Trigger.STRIKE)
                    & (config.trigger_source == source)
                    for source in range(len(self.strikes))
                )
            ),
        ]

        due_stb: Value = Const(0, 1)
        m.d.comb += scheduler.config.eq(config)
        if self.has_due:
            by_due = Signal()
            m.d.sync += by_due.eq(config.enable & (config.trigger == Trigger.DUE))
            due_stb = by_due & self.due_stb
            with m.If(by_due):
                m.d.comb += scheduler.config.phase_ticks.eq(self.due_ticks)

        # `begun` is high in the clock after a trigger, then `running` while a strike may start.
        armed, running, alive, go = Signal(), Signal(), Signal(), Signal()
        # The delayed trigger or gate. A sequence starts when it rises at the end of the lead.
        lead = Signal(lead_clocks + 1)
        gate_r, spent_r, lingers = Signal(), Signal(), Signal()
        busy, begun, idle, over = Signal(), Signal(), Signal(), Signal()
        done = Signal(init=1)
        m.d.sync += [
            begun.eq(
                ~self.stop
                & Mux(
                    self.start_stb,
                    by_run | (by_gate & self.gate),
                    armed
                    & ~busy
                    & (
                        (self.strikes & by_strike).any()
                        | (by_gate & self.gate & ~gate_r)
                        | (by_code & self.code_stb)
                        | (config.enable & self.decided_stb)
                        | due_stb
                    ),
                )
            ),
        ]
        m.d.comb += [
            busy.eq(running | lingers),
            idle.eq(self.start_stb | self.stop),
            over.eq(idle | painter.spent | (by_gate & ~lead[-1] & (go | alive))),
        ]
        m.d.sync += [
            gate_r.eq(self.gate),
            armed.eq((armed | self.start_stb) & ~self.stop),
            lead.eq(Mux(idle, 0, Cat(begun | (lead[0] & by_gate & gate_r), lead))),
            go.eq(lead[-2] & ~lead[-1] & ~idle),
            alive.eq((go | alive) & ~over),
            running.eq((begun & ~idle) | (running & ~over)),
            # Strikes after the last one are left out.
            spent_r.eq((spent_r | painter.spent) & ~go),
            lingers.eq(
                running | painter.pending | (~spent_r & (scheduler.pending | painter.waiting))
            ),
        ]

        m.d.comb += [
            scheduler.warm.eq(lead[-1 - WARM_CLOCKS : -1].any() & ~lead[-1]),
            scheduler.near.eq(lead[-2] & ~lead[-1]),
            scheduler.go.eq(go),
            scheduler.alive.eq(alive),
            scheduler.clear.eq(self.start_stb),
            painter.config.eq(config),
            painter.load.eq(go),
            painter.clear.eq(self.start_stb),
            painter.stop.eq(self.stop),
            painter.strike.eq(scheduler.strike),
            painter.offset.eq(scheduler.offset),
            painter.starts.eq(scheduler.starts),
            self.word.eq(painter.word),
            self.strike_stb.eq(painter.strike_stb),
            self.endless.eq(painter.endless),
        ]

        quiet = Signal(QUIET_CLOCKS)
        m.d.sync += [
            quiet.eq(Mux(busy | self.start_stb, 0, Cat(1, quiet))),
            done.eq(~begun & (done | self.start_stb | (quiet.all() & ~busy))),
        ]
        m.d.comb += self.done.eq(done & ~begun)
        return m
