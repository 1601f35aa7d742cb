# SPDX-License-Identifier: Apache-2.0
"""Keeps proofs in the user's data folder, one sealed file for each board and build."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plexor.base.disk.errors import writing
from plexor.base.documents import SEAL, Document, sealed
from plexor.base.errors import StoreError
from plexor.base.jsonable import from_json, parse_json, to_json
from plexor.experiments.calibration import store as calibrations
from plexor.experiments.prove.model import Proof, StepOutcome
from plexor.model.identity import Identity

_SHOWN_DIGITS = 12


def default_path(serial: str, placement: int, folder: Path | None = None) -> Path:
    """Return the path of a board's proof for a build with that Identity.placement."""
    own = calibrations.default_path(serial, placement, folder)
    return own.parent.with_name("proofs") / own.name


def document(proof: Proof) -> dict[str, Any]:
    """Return a proof as a document, sealed with the SHA-256 of the rest of it.

    Its numbers are as a file returns them, so that the digest is the same.
    """
    return sealed(PROOF.of(_exact(proof)))


def save(proof: Proof, path: Path) -> None:
    """Write a proof, completely or not at all. Raises StoreError with the path."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    PROOF.write(_exact(proof), path)


def _exact(proof: Proof) -> Proof:
    """Return a proof with its numbers as a file returns them."""
    return from_json(Proof, to_json(proof))


def load(path: Path) -> Proof:
    """Return the proof in a file. Raises StoreError with its path if it has none or was changed."""
    return PROOF.read(path)


def named(serial: str, identity: Identity) -> str:
    """Return the text by which a run names the stored proof of this instrument; empty if none.

    A simulated instrument has none, so that its documents do not depend on earlier commands.
    """
    path = default_path(serial, identity.placement)
    if identity.simulated or not path.is_file():
        return ""
    try:
        proof = load(path)
        # The seal is read, not computed: earlier runs name a file of an older version by it.
        seal = str(parse_json(path.read_bytes()).get(SEAL, ""))
    except StoreError as error:
        return f"cannot be read: {error}"
    if (proof.serial, proof.placement) != (serial, identity.placement):
        return ""
    return proof_text(proof, seal)


def proof_text(proof: Proof, seal: str) -> str:
    """Return a proof as text: its digest, its time, and its steps by outcome."""
    proven = [step.name for step in proof.steps if step.outcome == StepOutcome.PROVEN]
    failed = [step.name for step in proof.failed]
    text = f"{seal[:_SHOWN_DIGITS]} of {proof.made}: {', '.join(proven)} proven"
    return f"{text}; {', '.join(failed)} failed" if failed else text


def contradictions_of(proof: Proof) -> Iterator[str]:
    """Yield each contradiction in a proof, and what would be right."""
    names = [step.name for step in proof.steps]
    if len(set(names)) < len(names):
        yield f"steps {names}; must be different"
    for step in proof.steps:
        if bool(step.findings) != (step.outcome == StepOutcome.FAILED):
            yield f"{step.name}: {step.outcome} with {len(step.findings)} findings"


PROOF = Document("proof", 2, Proof, contradictions_of, wrapped="proof")
