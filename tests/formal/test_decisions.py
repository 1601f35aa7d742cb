# SPDX-License-Identifier: Apache-2.0
"""Strikes by decision, proved: each strikes once, in its clock, unless a strike is under way.

The expected word is that of docs/instrument.md, "Triggers" and "Strikes", reckoned from the clock
of the decision alone.
"""

import importlib.util
from functools import reduce
from operator import or_
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cat, Const, Elaboratable, Module, Mux, Signal

from plexor.protocol.geometry import TRIGGER_CLOCKS, Feature, Geometry
from plexor.protocol.registers import Trigger
from plexor_hdl.stimulus.outputs import Outputs

_spec = importlib.util.spec_from_file_location("prover", Path(__file__).with_name("prover.py"))
prover = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(prover)

GEOMETRY = Geometry(channels=1, strikes=2, samples=4, features=Feature.EVENTS | Feature.MATCH)
SAMPLES = GEOMETRY.samples
SETTLE_CLOCKS = 24
"""Clocks for which registers stand before a run starts."""
OWN = 1
"""The output that decisions start."""
FIRST_CLOCK = TRIGGER_CLOCKS + 2
"""From a decision to phase 0 on `active`: a register before the trigger and one behind it."""


class EachDecisionStrikes(Elaboratable):
    """Outputs of which the last one waits for decisions of one kind, with one strike a sequence.

    Decisions of both kinds come at any time, before the run starts too, and `stop` from any clock
    on. `early` plants the error to strike a clock too soon in what is expected.
    """

    def __init__(self, trigger: Trigger, phase: int, width: int, *, early: bool = False) -> None:
        self._trigger = trigger
        self._phase = phase
        self._width = width
        self._first = FIRST_CLOCK - early
        self.latency, self.missed, self.stop = Signal(), Signal(), Signal()
        self.free = (self.latency, self.missed, self.stop)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.outputs = outputs = Outputs(GEOMETRY)
        config = outputs.config[OWN]
        clock = Signal(range(SETTLE_CLOCKS + 2))
        starts, runs, stopped = Signal(), Signal(), Signal()
        m.d.sync += clock.eq(Mux(clock > SETTLE_CLOCKS, clock, clock + 1))
        m.d.comb += [
            starts.eq(clock == SETTLE_CLOCKS),
            config.enable.eq(1),
            config.trigger.eq(self._trigger),
            config.phase_ticks.eq(self._phase),
            config.width_ticks.eq(self._width),
            config.interval_ticks.eq(64),
            config.burst_count.eq(1),
            config.spacing_ticks.eq(64),
            config.strike_count.eq(1),
            config.seed.eq(1),
            outputs.start_stb.eq(starts),
            outputs.latency_stb.eq(self.latency),
            outputs.missed_stb.eq(self.missed),
            outputs.stop.eq(self.stop),
        ]
        m.d.sync += [runs.eq(runs | starts), stopped.eq(stopped | self.stop)]
        m.d.comb += Assume(~stopped | self.stop)

        decides = Signal()
        m.d.comb += decides.eq(self.latency if self._trigger == Trigger.LATENCY else self.missed)
        last_clock = self._first + (self._phase + self._width - 1) // SAMPLES
        # Bit n: a decision was taken n + 1 clocks ago. Triggers count up to the clock in which the
        # pulse ends, a register behind the decision and one before `active`.
        taken, history = Signal(), Signal(last_clock)
        m.d.comb += taken.eq(decides & (runs | starts) & ~history[: last_clock - 2].any())
        m.d.sync += history.eq(Cat(taken, history))
        pulse = (1 << self._width) - 1 << self._phase
        expected = Signal(SAMPLES)
        m.d.comb += expected.eq(
            reduce(
                or_,
                (
                    Mux(history[clocks - 1], pulse >> SAMPLES * (clocks - self._first), 0)
                    for clocks in range(self._first, last_clock + 1)
                ),
            )
        )
        m.d.comb += [
            Assert(stopped | self.stop | (outputs.active[OWN] == expected)),
            Assert(outputs.active[0] == Const(0, SAMPLES)),
        ]
        return m


@pytest.mark.parametrize(
    ("trigger", "phase", "width"),
    [
        (Trigger.LATENCY, 0, 1),
        (Trigger.MISSED, 3, 6),
        pytest.param(Trigger.MISSED, 0, 1, marks=pytest.mark.full),
        pytest.param(Trigger.LATENCY, 3, 6, marks=pytest.mark.full),
    ],
)
def test_each_decision_strikes_once_in_its_clock(trigger, phase, width):
    design = EachDecisionStrikes(trigger, phase, width)
    name = f"decisions_{trigger.name}_{phase}_{width}".lower()
    holds, log = prover.prove(design, name, SETTLE_CLOCKS + 2 * FIRST_CLOCK + 8, "bmc", design.free)
    assert holds, log[-3000:]


def test_the_proof_sees_a_strike_in_another_clock():
    design = EachDecisionStrikes(Trigger.LATENCY, 0, 1, early=True)
    holds, _ = prover.prove(design, "decisions_early", SETTLE_CLOCKS + 30, "bmc", design.free)
    assert not holds
