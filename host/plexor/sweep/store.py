# SPDX-License-Identifier: Apache-2.0
"""Loads and keeps the result of a sweep, beside its steps."""

from __future__ import annotations

from pathlib import Path

from plexor.disk.errors import writing
from plexor.documents import Document
from plexor.experiments.store import made_of_steps
from plexor.sweep.consistent import contradictions_of
from plexor.sweep.model import SweepResult

RESULT_FILE = "sweep.json"
SWEEP = Document("sweep", 2, SweepResult, contradictions_of, wrapped="sweep")


def is_sweep(folder: Path) -> bool:
    """Return whether a folder holds a sweep's result."""
    return (folder / RESULT_FILE).is_file()


def save(result: SweepResult, folder: Path) -> None:
    """Write a sweep's result to its folder; raise StoreError where that cannot be."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    SWEEP.write(result, folder / RESULT_FILE)


def load(folder: Path) -> SweepResult:
    """Return the result in a folder; raise StoreError where there is none that can be."""
    with made_of_steps(folder):
        return SWEEP.read(folder / RESULT_FILE)
