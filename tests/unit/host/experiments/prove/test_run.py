# SPDX-License-Identifier: Apache-2.0
"""Which steps are done, with which wires, and what a step that ends early says."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.base.errors import InstrumentError, LinkError
from plexor.experiments.calibration.reference import Reference
from plexor.experiments.prove import run
from plexor.experiments.prove.model import StepOutcome, judged
from plexor.experiments.prove.run import STEPS, ProofGoal, StepWires, prove
from plexor.experiments.prove.through import WireDelay
from plexor.model.calibration import Calibration, ChannelInstants, Instants, Scale
from plexor.model.identity import Identity
from plexor.model.oscillators import oscillator_of
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry

from ...scenario import GEOMETRY

WHOLE = replace(
    GEOMETRY, strikes=2, code_bits=8, timecode_bits=8, features=ALL_FEATURES | Feature.CODES
)
"""A board that has pins for every step."""


class Bench:
    """A bench with some wires; `asked` has those that steps needed."""

    def __init__(self, *there, geometry=WHOLE):
        self.there = there
        self.geometry = geometry
        self.asked = []

    def wired(self, wires):
        self.asked.append(wires)
        if wires not in self.there:
            return None
        return SimpleNamespace(identity=Identity(self.geometry, 0x22), name="sim:x", serial="sim")


@pytest.fixture
def steps(monkeypatch):
    """Steps that only say with which wires they were done."""
    done = {}

    def replaced(name, wires):
        def step(device, wanted, known):
            done[name] = wires
            return judged(name, "done")

        return step

    monkeypatch.setattr(
        run, "STEPS", {name: (wires, replaced(name, wires)) for name, (wires, _) in STEPS.items()}
    )
    return done


REFERENCE = Reference(1)


def test_what_a_board_has_no_pins_for_is_left_out(steps):
    found = prove(Bench(*StepWires, geometry=Geometry(strikes=1)), ProofGoal(reference=REFERENCE))
    assert [(step.name, step.summary) for step in found.left_out] == [
        ("strikes", "the board has one strike output, which the jumper proves"),
        ("codes", "the board has no code port with a timecode"),
    ]


def test_every_step_is_done_with_its_wires_and_what_needs_none_comes_first(steps):
    bench = Bench(*StepWires)
    found = prove(bench, ProofGoal(reference=REFERENCE))
    assert list(steps) == list(STEPS) == [step.name for step in found.steps]
    assert list(steps.values()) == sorted(steps.values(), key=list(StepWires).index)
    assert found.left_out == found.failed == ()
    assert (found.gateware_hash, found.simulated) == (0x22, True)


def test_what_is_not_wired_or_not_wanted_is_left_out_with_the_reason(steps):
    found = prove(Bench(StepWires.NONE), ProofGoal(("selftest", "jumper")))
    assert list(steps) == ["selftest"]
    said = {step.name: step.summary for step in found.left_out}
    assert said.pop("jumper") == "not wired: it needs a jumper from strike0 to ch0"
    assert set(said.values()) == {"not asked for"}


def test_without_a_reference_none_is_asked_for(steps):
    bench = Bench(*StepWires)
    (step,) = prove(bench, ProofGoal()).left_out
    assert (step.name, step.summary) == ("pps", "no reference was named")
    assert StepWires.REFERENCE not in bench.asked


def test_wires_of_steps_that_are_not_wanted_are_not_asked_for(steps):
    bench = Bench(*StepWires)
    prove(bench, ProofGoal(("bins",)))
    assert set(bench.asked) == {StepWires.NONE}


def test_a_step_that_the_instrument_ends_has_failed_and_the_others_go_on(monkeypatch, steps):
    def refuse(device, wanted, known):
        raise InstrumentError("ch2: saw 0 edges")

    monkeypatch.setitem(run.STEPS, "bins", (StepWires.NONE, refuse))
    found = prove(Bench(*StepWires), ProofGoal(reference=REFERENCE))
    assert [(step.name, step.findings) for step in found.failed] == [
        ("bins", ("ch2: saw 0 edges",))
    ]
    assert list(steps) == [name for name in STEPS if name != "bins"]


def test_without_an_instrument_nothing_is_proven():
    with pytest.raises(LinkError):
        prove(Bench(), ProofGoal())


def test_a_longer_wire_needs_the_jumper_before_it():
    step = STEPS["wire"][1](None, ProofGoal(), run._Known())
    assert step.outcome == StepOutcome.LEFT_OUT


def test_a_step_whose_wire_is_not_there_does_not_keep_the_later_ones_from_being_done(steps):
    bench = Bench(*(set(StepWires) - {StepWires.JUMPER}))
    found = prove(bench, ProofGoal(reference=REFERENCE))
    jumpers = {name for name, (wires, _) in STEPS.items() if wires == StepWires.JUMPER}
    assert jumpers
    assert [step.name for step in found.steps] == list(STEPS)
    assert {step.name for step in found.left_out} == jumpers
    assert list(steps) == [name for name in STEPS if name not in jumpers]


@pytest.mark.parametrize(("told_ps", "bounds"), [((4000, 6000), (4000, 6000)), (None, (0, None))])
def test_a_longer_wire_is_held_to_what_was_told_of_it(monkeypatch, told_ps, bounds):
    monkeypatch.setattr(run, "echoes", lambda *_: None)
    monkeypatch.setattr(run, "missing", lambda _: [])
    monkeypatch.setattr(run, "delay", lambda *_: WireDelay(5500, 300))
    known = run._Known(zero={0: WireDelay(400, 200), 1: WireDelay(500, 100)})
    step = STEPS["wire"][1](None, ProofGoal(wire_ps=told_ps), known)
    assert [(f.name, f.value, f.error, f.least, f.most) for f in step.figures] == [
        ("edge up", 5000, 400, *bounds),
        ("edge down", 5100, 500, *bounds),
    ]


def test_an_oscillators_error_is_told_in_ppm_beside_what_its_kind_may_have(monkeypatch):
    found = Scale(12_345, 2_021, "1 PPS on ch1", "2026")
    monkeypatch.setattr(run, "measured_scale", lambda *_: found)
    device = SimpleNamespace(identity=Identity(GEOMETRY, 0x22))
    step = STEPS["pps"][1](device, ProofGoal(reference=REFERENCE), run._Known())
    (figure,) = step.figures
    ppm = oscillator_of(device.identity.board).ppm
    assert (figure.value, figure.error, figure.unit) == (12.345, 2.021, "ppm")
    assert (figure.least, figure.most) == (-ppm, ppm)


def test_the_narrowest_and_the_widest_bin_of_each_way_are_told(monkeypatch):
    # Of a nanosecond: 1005, 970, 1025 and 1000 ps, and 1000, 1020, 980 and 1000 ps.
    ways = [Instants(late, (3, 3, 3, 3), 20_000) for late in ((10, -20, 5, 5), (5, 25, 5, 5))]
    channels = (ChannelInstants(1, *ways),)
    found = Calibration("sim", 0x22, "", False, 10**6, "2026", 1, channels, ())
    monkeypatch.setattr(run, "calibrate", lambda *_: found)
    device = SimpleNamespace(identity=Identity(GEOMETRY, 0x22))
    step = STEPS["bins"][1](device, ProofGoal(), run._Known())
    told = {figure.name: figure.value for figure in step.figures if "bin" in figure.name}
    told.pop("greatest RMS error of an edge, from its bins")
    assert told == {
        "ch1 up: narrowest bin": 970,
        "ch1 up: widest bin": 1025,
        "ch1 down: narrowest bin": 980,
        "ch1 down: widest bin": 1020,
    }


def test_each_channel_of_a_tee_is_held_to_the_first_both_ways_and_to_half_a_tick_of_spread(
    monkeypatch,
):
    skews = {(n, way): WireDelay(1000 * n + 10 * way, 100 + n) for n in range(3) for way in (0, 1)}
    monkeypatch.setattr(run, "echoes", lambda *_: None)
    monkeypatch.setattr(run, "missing", lambda _: [])
    monkeypatch.setattr(run, "delay", lambda _, edge, *__: skews[edge])
    monkeypatch.setattr(run, "spread_ps", lambda _, own, other, *__: 100 * own[0] + other[0])
    geometry = replace(GEOMETRY, channels=3, tick_fs=1_000_000)
    device = SimpleNamespace(identity=Identity(geometry, 0x22))
    step = STEPS["tee"][1](device, ProofGoal(), run._Known())
    # docs/do/prove.md: at most 5 ns between channels, and half a tick, here of 1 ns, RMS.
    assert [(f.name, f.value, f.least, f.most) for f in step.figures] == [
        ("ch1 less ch0, up", 1000, -5000, 5000),
        ("ch1 less ch0, down", 1000, -5000, 5000),
        ("ch1 with ch0: RMS", 100, None, 500),
        ("ch2 less ch0, up", 2000, -5000, 5000),
        ("ch2 less ch0, down", 2000, -5000, 5000),
        ("ch2 with ch0: RMS", 200, None, 500),
    ]


@pytest.mark.parametrize(("nominal", "least"), [(None, None), (2_000_000, 1_000_000.0)])
def test_a_soaked_link_is_held_to_half_of_what_it_must_carry_where_that_is_known(
    monkeypatch, run_of, nominal, least
):
    monkeypatch.setattr(run, "link_check", lambda device: SimpleNamespace(findings=(), summary=""))
    result = run_of([[1000] * 9])
    monkeypatch.setattr(run, "whole_run", lambda device, settings: result)
    device = SimpleNamespace(
        identity=Identity(WHOLE, 1),
        decoder=SimpleNamespace(fault_counts=Counter()),
        nominal_bytes_s=nominal,
    )
    step = run._soak(device, ProofGoal(soak_s=Fraction(1)), None)
    carried = step.figures[0]
    assert carried.least == least
    events, frames = result.accounting.received, result.accounting.frames_received
    seconds = (result.end_ticks - result.start_ticks) * result.tick_fs / 10**15
    assert carried.value == pytest.approx((4 * events + run.FRAME_BYTES * frames) / seconds)


def test_a_jumper_tells_both_edges_and_their_difference_and_is_the_zero_of_longer_wires(
    monkeypatch,
):
    monkeypatch.setattr(run, "echoes", lambda *_: {})
    monkeypatch.setattr(run, "missing", lambda measured: [])
    ways = {1: WireDelay(900, 30), 0: WireDelay(850, 20)}
    monkeypatch.setattr(run, "delay", lambda measured, way, *_: ways[way[1]])
    known = run._Known()
    step = STEPS["jumper"][1](None, ProofGoal(), known)
    assert known.zero == ways
    assert [(f.name, f.value, f.error) for f in step.figures] == [
        ("edge up", 900, 30),
        ("edge down", 850, 20),
        ("up less down", 50, 50),
    ]
    assert step.outcome == StepOutcome.PROVEN


def test_a_jumper_that_no_edge_comes_through_has_failed_and_is_no_zero(monkeypatch):
    monkeypatch.setattr(run, "echoes", lambda *_: {})
    monkeypatch.setattr(run, "missing", lambda measured: ["ch0 saw no edge of strike0"])
    known = run._Known()
    step = STEPS["jumper"][1](None, ProofGoal(), known)
    assert (step.outcome, step.figures) == (StepOutcome.FAILED, ())
    assert step.findings == ("ch0 saw no edge of strike0",)
    assert known.zero == {}
