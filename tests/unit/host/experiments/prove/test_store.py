# SPDX-License-Identifier: Apache-2.0
"""Proofs are kept sealed, by board and build, and runs name the one of their own."""

import hashlib
import json
from dataclasses import replace

import pytest

from plexor.base.errors import StoreError
from plexor.experiments.prove import store
from plexor.experiments.prove.model import StepOutcome
from plexor.model.identity import Identity
from plexor.protocol.geometry import Feature

from ...scenario import GEOMETRY
from .proofs import SELFTEST, proof

BUILD = 1 << 63 | 0xB1


@pytest.fixture(autouse=True)
def data(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def identity(build_id=BUILD, *, simulated=False):
    features = GEOMETRY.features if simulated else GEOMETRY.features & ~Feature.SIMULATED
    return Identity(replace(GEOMETRY, features=features), 0x11, build_id=build_id)


def test_a_proof_comes_back_as_it_was_kept(tmp_path):
    path = tmp_path / "proof.json"
    store.save(proof(), path)
    assert store.load(path) == proof()


def test_the_seal_is_the_sha_256_of_the_rest():
    kept = store.document(proof())
    rest = {name: entry for name, entry in kept.items() if name != "sha256"}
    assert kept["sha256"] == hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    assert rest["steps"][1]["figures"][1]["most"] == 714


def test_a_document_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "proof.json"
    store.save(proof(), path)
    path.write_text(path.read_text().replace('"value": 900.0', '"value": 700.0'))
    with pytest.raises(StoreError, match="changed since it was taken"):
        store.load(path)


def test_a_proof_whose_outcomes_contradict_its_findings_is_refused(tmp_path):
    path = tmp_path / "proof.json"
    store.save(proof(replace(SELFTEST, outcome=StepOutcome.FAILED)), path)
    with pytest.raises(StoreError, match="selftest: failed with 0 findings"):
        store.load(path)


def test_a_run_names_the_proof_of_its_board_and_build_and_no_other():
    kept = proof()
    store.save(kept, store.default_path("D123", BUILD))
    digest = store.document(kept)["sha256"][:12]
    named = store.named("D123", identity())
    assert named == (f"{digest} of 2026-11-28T20:00:00+00:00: selftest, jumper proven; bins failed")
    assert store.named("D123", identity(BUILD + 1)) == ""
    assert store.named("D124", identity()) == ""


def test_a_simulated_instrument_names_none():
    store.save(proof(), store.default_path("D123", BUILD))
    assert store.named("D123", identity(simulated=True)) == ""
    assert identity(simulated=True).simulated


def test_a_damaged_proof_is_said_to_be_that():
    path = store.default_path("D123", BUILD)
    store.save(proof(), path)
    path.write_text("{")
    assert store.named("D123", identity()).startswith("cannot be read: ")
