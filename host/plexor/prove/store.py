"""Keeps proofs in the user's data folder, one sealed file for each board and build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from plexor.calibration import store as calibrations
from plexor.disk.errors import writing
from plexor.disk.whole import write_text
from plexor.errors import StoreError
from plexor.jsonable import from_json, read_document, sealed, to_json
from plexor.model.identity import Identity
from plexor.prove.model import Outcome, Proof

FORMAT = 1
SEAL = "sha256"
_SHOWN_DIGITS = 12


def default_path(serial: str, placement: int, folder: Path | None = None) -> Path:
    """Return the path of a board's proof for a build with that Identity.placement."""
    own = calibrations.default_path(serial, placement, folder)
    return own.parent.with_name("proofs") / own.name


def document(proof: Proof) -> dict[str, Any]:
    """Return a proof as a document, sealed with the SHA-256 of the rest of it.

    Its numbers are those that a file gives back, so that the digest is the same.
    """
    entries = to_json(from_json(Proof, to_json(proof)))
    return sealed({"format": FORMAT, "proof": entries})


def save(proof: Proof, path: Path) -> None:
    """Write a proof, completely or not at all. Raises StoreError with the path."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(document(proof), indent=1, ensure_ascii=False) + "\n")


def load(path: Path) -> Proof:
    """Return the proof in a file. Raises StoreError with its path if it has none or was changed."""
    return read_document(path, "proof", FORMAT, Proof, _check)


def named(serial: str, identity: Identity) -> str:
    """Return the proof that is kept for this instrument, as a run names it; empty if none is.

    None is named for a simulated instrument: it gives the same documents whatever was done before.
    """
    path = default_path(serial, identity.placement)
    if identity.simulated or not path.is_file():
        return ""
    try:
        proof = load(path)
    except StoreError as error:
        return f"cannot be read: {error}"
    if (proof.serial, proof.placement) != (serial, identity.placement):
        return ""
    return said(proof)


def said(proof: Proof) -> str:
    """Return which proof it is, and of how much."""
    proven = [step.name for step in proof.steps if step.outcome == Outcome.PROVEN]
    failed = [step.name for step in proof.failed]
    text = f"{document(proof)[SEAL][:_SHOWN_DIGITS]} of {proof.made}: {', '.join(proven)} proven"
    return f"{text}; {', '.join(failed)} failed" if failed else text


def _check(proof: Proof) -> None:
    names = [step.name for step in proof.steps]
    if len(set(names)) < len(names):
        raise ValueError(f"steps {names}; must be different")
    for step in proof.steps:
        if bool(step.findings) != (step.outcome == Outcome.FAILED):
            raise ValueError(f"{step.name}: {step.outcome} with {len(step.findings)} findings")
