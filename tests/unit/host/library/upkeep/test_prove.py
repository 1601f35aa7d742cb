# SPDX-License-Identifier: Apache-2.0
"""Proofs by Python: which steps, which wires, where the document goes."""

from dataclasses import replace as changed
from types import SimpleNamespace

import pytest

import plexor
from plexor.base.errors import ExitCode, UsageError
from plexor.experiments.prove import store
from plexor.experiments.prove.run import STEPS, StepWires
from plexor.library.upkeep import prove
from plexor.library.upkeep.prove import (
    OwnFixture,
    Proven,
    SimulatedFixture,
    check_wired,
    proven,
    steps_of,
)
from plexor.protocol.geometry import Feature

from ...experiments.prove.proofs import JUMPER, SELFTEST, TEE, proof
from ...fake_device import FakeDevice
from ...plain_text import columns_and_colour
from ...scenario import GEOMETRY, Scenario


def test_steps_are_chosen_and_left_out_by_name():
    assert steps_of((), ()) == tuple(STEPS)
    assert steps_of(("tee", "bins"), ()) == ("bins", "tee")
    left = ("bins", "jumper", "wire", "tee", "strikes", "codes", "pps")
    assert steps_of((), ("soak", "selftest")) == left
    with pytest.raises(UsageError, match="no step is left"):
        steps_of(("tee",), ("tee",))


def test_wires_that_are_in_place_are_those_of_one_wiring():
    check_wired(("selftest", "jumper"))
    for only in ((), ("selftest",), ("jumper", "tee")):
        with pytest.raises(UsageError, match="--wired: name steps that need the same wires"):
            check_wired(only)


@pytest.fixture
def opened(monkeypatch):
    """Links that were opened, and closed, instead of a simulator each."""
    links = []

    def open_any(link):
        links.append(link)
        geometry = SimpleNamespace(channels=2, strikes=2, code_bits=3)
        device = SimpleNamespace(identity=SimpleNamespace(geometry=geometry))
        return ClosedLater(device, links)

    monkeypatch.setattr(prove, "open_any", open_any)
    return links


class ClosedLater:
    def __init__(self, device, links):
        self.device, self.links = device, links

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.links.append("closed")


def test_a_simulated_instrument_gets_its_wires_beside_what_its_link_plants(opened):
    bench = SimulatedFixture("sim:?board=icebreaker&front-end=input_ps.0=3000")
    for wires in (StepWires.NONE, StepWires.JUMPER, StepWires.LONG, StepWires.TEE):
        bench.wired(wires)
    for wires in (StepWires.STRIKES, StepWires.RIBBON):
        bench.wired(wires)
    bench.close()
    own = "sim:?board=icebreaker&front-end=input_ps.0=3000"
    assert opened == [
        *(own, "closed"),
        *(f"{own},jumper.0=0,wire_ps.0=300", "closed"),
        *(f"{own},jumper.0=0,wire_ps.0=5300", "closed"),
        *(f"{own},jumper.0=0,wire_ps.0=300,jumper.1=0,wire_ps.1=300", "closed"),
        *(f"{own},jumper.0=0,wire_ps.0=300,jumper.1=1,wire_ps.1=300", "closed"),
        *(f"{own},ribbon=0:1:2", "closed"),
    ]


def test_a_simulated_reference_is_a_device_unless_the_link_has_one(opened):
    reference = prove.Reference(1, prove.Fraction(10_000_000))
    SimulatedFixture("sim:?board=icebreaker", reference).wired(StepWires.REFERENCE)
    SimulatedFixture("sim:my.toml", reference).wired(StepWires.REFERENCE)
    assert opened == [
        "sim:synthetic:ch1.tick=100000ps,ch1.width=50000ps?board=icebreaker",
        "sim:my.toml",
    ]


def test_somebody_is_asked_for_wires_and_for_none_nobody():
    asked = []
    bench = OwnFixture(SimpleNamespace(device="board"), lambda text: asked.append(text) or False)
    assert bench.wired(StepWires.NONE) == "board"
    assert bench.wired(StepWires.JUMPER) is None
    assert asked == ["put a jumper from strike0 to ch0"]


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ((SELFTEST, TEE), ExitCode.PASS),
        ((), ExitCode.BUDGET),
        ((TEE,), ExitCode.INVALID),
    ],
)
def test_the_exit_code_tells_failed_from_nothing_proven(steps, code):
    assert Proven(proof(*steps)).exit_code() == code


@pytest.fixture
def taken(monkeypatch, tmp_path):
    """A proof that is there at once, and what was asked of it."""
    asked = []
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(prove, "prove", lambda bench, wanted, say: asked.append(wanted) or PROOF)
    return asked


PROOF = proof(SELFTEST, JUMPER)


def test_a_boards_proof_is_kept_for_board_and_build_and_comes_back(taken):
    with FakeDevice(Scenario([50])) as fake:
        found = proven(fake.uri, only=["selftest"], wire="1m", soak="1s", edges="2k")
    assert found.path == store.default_path("D123", PROOF.build_id)
    assert store.load(found.path) == PROOF
    assert found.seal == found.document()["sha256"]
    (wanted,) = taken
    assert (wanted.steps, wanted.edges, wanted.wire_ps, wanted.soak_s) == (
        *(("selftest",), 2000, (3300, 6000), 1),
    )


def test_a_simulations_proof_is_kept_only_where_a_file_is_named(taken, monkeypatch, tmp_path):
    monkeypatch.setattr(prove, "prove", lambda bench, wanted, say: proof(SELFTEST, simulated=True))
    with FakeDevice(Scenario([50])) as fake:
        assert proven(fake.uri).path is None
        found = proven(fake.uri, path=tmp_path / "own.json")
    assert (found.path, found.unsaved) == (tmp_path / "own.json", None)


def test_a_proof_that_cannot_be_kept_says_why(taken, tmp_path):
    (tmp_path / "file").touch()
    with FakeDevice(Scenario([50])) as fake:
        found = proven(fake.uri, path=tmp_path / "file" / "own.json")
    assert "own.json" in str(found.unsaved)


@pytest.mark.parametrize(
    "options",
    [{"wire": "far"}, {"edges": 10}, {"pps": "ch1=3k"}, {"only": ["nosuch"]}, {"skip": "nosuch"}],
)
def test_what_cannot_be_done_is_refused_before_a_link_is_opened(options):
    with pytest.raises(UsageError):
        proven("tcp://127.0.0.1:1", **options)


def test_a_run_names_the_proof_of_its_instrument(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    board = changed(GEOMETRY, features=GEOMETRY.features & ~Feature.SIMULATED)
    with FakeDevice(Scenario([50], board)) as fake:
        own = changed(PROOF, serial=fake.uri, build_id=0, gateware_hash=0x1122334455667788)
        store.save(own, store.default_path(fake.uri, own.placement))
        with plexor.open(fake.uri) as instrument:
            result = instrument.run(rate="1k", count=1, channels=["x=ch0"]).result
        assert result.versions["proof"] == store.proof_text(own, store.document(own)["sha256"])
    with FakeDevice(Scenario([50], board)) as other, plexor.open(other.uri) as instrument:
        assert "proof" not in instrument.run(rate="1k", count=1, channels=["x=ch0"]).result.versions


def test_its_text_is_plain_and_of_100_columns_unless_it_is_asked_for_otherwise():
    assert columns_and_colour(Proven.text) == (100, False)
