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
from plexor.library.run import Run
from plexor.library.specs.values import path_of

if TYPE_CHECKING:
    from plexor.library.mixed.mixed import Mixed
    from plexor.library.scans.burst import BurstScan
    from plexor.library.scans.phase import PhaseScan
    from plexor.library.scans.sweep import Sweep

_FIGURES = "run"
"""The figures of a run, which `--json` prints."""
_KINDS: Mapping[str, tuple[str, str]] = {
    "burst": ("plexor.burst.store", "BURST"),
    "calibration": ("plexor.calibration.store", "CALIBRATION"),
    "mixed": ("plexor.mixed.store", "MIXED"),
    "phase": ("plexor.phase.store", "PHASE"),
    "proof": ("plexor.prove.store", "PROOF"),
    "run-file": ("plexor.store.run_folder", "RUN"),
    "sweep": ("plexor.sweep.store", "SWEEP"),
}


def load(path: str | Path) -> Run | Sweep | PhaseScan | BurstScan | Mixed:
    """Return what is stored at a path: a run, a sweep, a phase scan, a burst scan or a schedule.

    The path is a folder of `out`, its run.json, sweep.json, phase.json, burst.json or mixed.json,
    or a file of raw bytes of a link. The folder of a phase scan holds the run that it was taken
    from, too: its run.json is that run.

    Raises StoreError for a folder without a readable result, LinkError for a file that cannot be
    read, and IdentityError for one that is no recording of an instrument.
    """
    place = path_of(path)
    return _scan(place) or load_run(place)


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


def _scan(path: Path) -> Sweep | PhaseScan | BurstScan | Mixed | None:
    """Return the scan in a folder or its result file; None if there is none."""
    readers = {
        "sweep.json": _sweep,
        "phase.json": _phase,
        "burst.json": _burst,
        "mixed.json": _mixed,
    }
    for name, reader in readers.items():
        if path.name == name and path.is_file():
            return reader(path.parent)
        if (path / name).is_file():
            return reader(path)
    return None


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


def _mixed(folder: Path) -> Mixed:
    from plexor.library.mixed.mixed import load_mixed  # noqa: PLC0415

    return load_mixed(folder)


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of document.

    `kind` is the middle of a document's schema, such as `sweep` of `plexor.sweep/2`: `burst`,
    `calibration`, `mixed`, `phase`, `proof`, `run` for the figures of a run that `--json` prints,
    `run-file` for the run.json of its folder, or `sweep`. Raises UsageError for any other.
    """
    if kind == _FIGURES:
        text = (files("plexor") / "schema" / "run.json").read_text(encoding="utf-8")
        return json.loads(text)
    if kind not in _KINDS:
        names = ", ".join(sorted((_FIGURES, *_KINDS)))
        raise UsageError(f"schema: {kind!r}; must be one of {names}")
    module, name = _KINDS[kind]
    return schema_of(getattr(import_module(module), name))
