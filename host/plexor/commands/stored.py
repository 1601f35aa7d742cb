"""Reads runs that were kept: folders, and raw bytes off a link."""

from __future__ import annotations

from pathlib import Path

from plexor.results import RunResult


def read_run(path: Path) -> RunResult:
    """Return the run in a folder, in its run.json, or in a file of raw bytes."""
    if path.is_dir() or path.name == "run.json":
        from plexor.store import load  # noqa: PLC0415

        return load(path if path.is_dir() else path.parent)
    from plexor.replay import replay  # noqa: PLC0415

    return replay(path)
