# SPDX-License-Identifier: Apache-2.0
"""Stored results of any kind, read as objects that show themselves, and their schemas."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

from plexor.base.documents import Document
from plexor.base.errors import IdentityError, StoreError, UsageError
from plexor.base.json_schema import schema_of
from plexor.base.meant import path_meant
from plexor.base.shown import SHOWN
from plexor.experiments.calibration.store import CALIBRATION
from plexor.experiments.prove.store import PROOF
from plexor.figures.judge.figured import Figured
from plexor.files.imports.open import READERS as CAPTURES
from plexor.files.store.document import schema as figures_schema
from plexor.files.store.notes import notes_on
from plexor.files.store.run_folder import RUN
from plexor.files.store.run_folder import load as read_run
from plexor.library.parts.extensions import KINDS, RUNS, Kept, names, offer_of
from plexor.library.run import Run
from plexor.library.scans.burst import BurstScan
from plexor.library.scans.phase import PhaseScan
from plexor.library.scans.scan import Ended
from plexor.library.scans.sweep import Sweep
from plexor.library.specs.values import path_of
from plexor.run.session.replay import replay

_FIGURES = "run"
"""The figures of a run, which `--json` prints."""
_SCANS: Mapping[str, type[Ended[Any]]] = {
    scan.kept.name: scan for scan in (Sweep, PhaseScan, BurstScan)
}
_DOCUMENTS: Mapping[str, Document[Any]] = {
    document.name: document
    for document in (CALIBRATION, PROOF, RUN, *(scan.kept for scan in _SCANS.values()))
}


def load(path: str | Path) -> Run | Ended[Any]:
    """Return what is stored at a path: a run, a sweep, a phase scan, a burst scan or a schedule.

    The path is a folder of `out`, its run.json, sweep.json, phase.json or burst.json, or a file of
    raw bytes of a link. The folder of a phase scan holds the run that it was taken from, too: its
    run.json is that run. Other packages add their own, such as mixed.json, by entry points in the
    group `plexor.kinds`.

    Raises UsageError if another package's reader cannot be imported, and for a capture of another
    tool; StoreError for what is not there and for a folder without a readable result; LinkError for
    a file that cannot be read; and IdentityError for one that is no recording of an instrument.
    """
    file = path_of(path)
    if not os.path.lexists(file):
        raise StoreError(f"{path}: there is no such folder or file{path_meant(file)}")
    return _scan(file) or load_run(file)


def run_in(path: str | Path, only: str) -> Run:
    """Return the run that is stored at a path; raise as `load`, and UsageError for anything else.

    `only` says what needs a run, such as `only runs have a profile`.
    """
    found = load(path)
    if not isinstance(found, Run):
        raise UsageError(f"{path}: holds a {found.what}; {only}")
    return found


def load_run(path: Path) -> Run:
    """Return the run in a folder, in its run.json, or in a file of raw bytes; raise as `load`."""
    if path.is_dir() or path.name == "run.json":
        folder = path if path.is_dir() else path.parent
        try:
            run = Run(read_run(folder))
            run.notes = notes_on(folder)
            return run
        except StoreError as error:
            absent = isinstance(error.__cause__, FileNotFoundError)
            if absent and path.is_dir() and not os.path.lexists(folder / "run.json"):
                raise StoreError(
                    f"{path}: holds no run, scan or schedule; must be a folder of --out"
                ) from error
            raise
    try:
        return Run(replay(path))
    except IdentityError as error:
        if path.suffix.lower() in CAPTURES:
            raise UsageError(
                f"{path}: is a capture of another tool; plexor import {path} makes a run of it"
            ) from error
        if path.suffix.lower() in SHOWN:
            raise UsageError(
                f"{path}: is a page or a picture, and no run; name the folder of --out"
            ) from error
        raise


def is_result(folder: Path) -> bool:
    """Return whether a folder holds a run, a scan or another package's result."""
    return any((folder / f"{kind}.json").exists() for kind in ("run", *_SCANS, *names(KINDS)))


def figured_run(run: Run) -> Figured | None:
    """Return what another package has to compare of a run, by a key of it; None if none has."""
    for key in names(RUNS):
        offer = offer_of(RUNS, key) if key in run.device else None
        found = None if offer is None else offer.call(offer.load(FunctionType), run)
        if isinstance(found, Figured):
            return found
    return None


def _scan(path: Path) -> Ended[Any] | None:
    """Return the scan in a folder or its result file; None if there is none."""
    for kind in (*_SCANS, *names(KINDS)):
        name = f"{kind}.json"
        if path.name == name and path.is_file():
            folder = path.parent
        elif (path / name).is_file():
            folder = path
        else:
            continue
        return (_SCANS[kind] if kind in _SCANS else _of_package(kind)).load(folder)
    return None


def _of_package(kind: str) -> Kept:
    """Return what another package says of a kind; raise UsageError as `Offer.load`."""
    offer = offer_of(KINDS, kind)
    assert offer is not None
    return offer.load(Kept)


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of document.

    `kind` is the middle of a document's schema, such as `sweep` of `plexor.sweep/2`: `burst`,
    `calibration`, `phase`, `proof`, `run` for the figures of a run that `--json` prints,
    `run-file` for the run.json of its folder, `sweep`, or one of another package, such as `mixed`.
    Raises UsageError for any other.
    """
    if kind == _FIGURES:
        return figures_schema()
    if kind in _DOCUMENTS:
        return schema_of(_DOCUMENTS[kind])
    other_kinds = names(KINDS)
    if kind not in other_kinds:
        known = ", ".join(sorted({_FIGURES, *_DOCUMENTS, *other_kinds}))
        raise UsageError(f"schema: {kind!r}; must be one of {known}")
    return schema_of(_of_package(kind).document)
