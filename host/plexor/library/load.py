# SPDX-License-Identifier: Apache-2.0
"""Stored results of any kind, read as objects that show themselves, and their schemas."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plexor.errors import StoreError, UsageError
from plexor.json_schema import schema_of
from plexor.library.parts.extensions import KINDS, Kept, names, offer_of
from plexor.library.run import Run
from plexor.library.scans.scan import Ended
from plexor.library.specs.values import path_of

if TYPE_CHECKING:
    from plexor.library.scans.burst import BurstScan
    from plexor.library.scans.phase import PhaseScan
    from plexor.library.scans.sweep import Sweep

_FIGURES = "run"
"""The figures of a run, which `--json` prints."""
_KINDS: Mapping[str, tuple[str, str]] = {
    "burst": ("plexor.burst.store", "BURST"),
    "calibration": ("plexor.calibration.store", "CALIBRATION"),
    "phase": ("plexor.phase.store", "PHASE"),
    "proof": ("plexor.prove.store", "PROOF"),
    "run-file": ("plexor.store.run_folder", "RUN"),
    "sweep": ("plexor.sweep.store", "SWEEP"),
}


def load(path: str | Path) -> Run | Sweep | PhaseScan | BurstScan | Ended[Any]:
    """Return what is stored at a path: a run, a sweep, a phase scan, a burst scan or a schedule.

    The path is a folder of `out`, its run.json, sweep.json, phase.json or burst.json, or a file of
    raw bytes of a link. The folder of a phase scan holds the run that it was taken from, too: its
    run.json is that run. Other packages add their own, such as mixed.json, by entry points in the
    group `plexor.kinds`.

    Raises UsageError if another package's reader cannot be imported, StoreError for a folder
    without a readable result, LinkError for a file that cannot be read, and IdentityError for one
    that is no recording of an instrument.
    """
    file = path_of(path)
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
        from plexor.store.run_folder import load as read  # noqa: PLC0415

        folder = path if path.is_dir() else path.parent
        try:
            return Run(read(folder))
        except StoreError as error:
            absent = isinstance(error.__cause__, FileNotFoundError)
            if absent and path.is_dir() and not os.path.lexists(folder / "run.json"):
                raise StoreError(
                    f"{path}: holds no run, scan or schedule; must be a folder of --out"
                ) from error
            raise
    from plexor.session.replay import replay  # noqa: PLC0415

    return Run(replay(path))


def _scan(path: Path) -> Sweep | PhaseScan | BurstScan | Ended[Any] | None:
    """Return the scan in a folder or its result file; None if there is none."""
    readers = {"sweep": _sweep, "phase": _phase, "burst": _burst}
    for kind in (*readers, *names(KINDS)):
        name = f"{kind}.json"
        if path.name == name and path.is_file():
            folder = path.parent
        elif (path / name).is_file():
            folder = path
        else:
            continue
        return readers[kind](folder) if kind in readers else _of_package(kind).load(folder)
    return None


def _of_package(kind: str) -> Kept:
    """Return what another package says of a kind; raise UsageError as `Offer.load`."""
    offer = offer_of(KINDS, kind)
    assert offer is not None
    return offer.load(Kept)


def _sweep(folder: Path) -> Sweep:
    from plexor.library.scans.sweep import Sweep  # noqa: PLC0415
    from plexor.sweep.store import load as read  # noqa: PLC0415

    return Sweep(read(folder))


def _phase(folder: Path) -> PhaseScan:
    from plexor.library.scans.phase import PhaseScan  # noqa: PLC0415
    from plexor.phase.store import load as read  # noqa: PLC0415

    return PhaseScan(read(folder))


def _burst(folder: Path) -> BurstScan:
    from plexor.burst.store import load as read  # noqa: PLC0415
    from plexor.library.scans.burst import BurstScan  # noqa: PLC0415

    return BurstScan(read(folder))


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of document.

    `kind` is the middle of a document's schema, such as `sweep` of `plexor.sweep/2`: `burst`,
    `calibration`, `phase`, `proof`, `run` for the figures of a run that `--json` prints,
    `run-file` for the run.json of its folder, `sweep`, or one of another package, such as `mixed`.
    Raises UsageError for any other.
    """
    if kind == _FIGURES:
        text = (files("plexor") / "schema" / "run.json").read_text(encoding="utf-8")
        return json.loads(text)
    other_kinds = names(KINDS)
    if kind not in _KINDS:
        if kind in other_kinds:
            return schema_of(_of_package(kind).document)
        known = ", ".join(sorted({_FIGURES, *_KINDS, *other_kinds}))
        raise UsageError(f"schema: {kind!r}; must be one of {known}")
    module, name = _KINDS[kind]
    return schema_of(getattr(import_module(module), name))
