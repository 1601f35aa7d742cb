# SPDX-License-Identifier: Apache-2.0
"""`plexor farm`: a matrix of instruments, loads and builds, measured into an archive."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from plexor.base.units import format_seconds
from plexor.cli.conclude import show
from plexor.cli.options import AsJson
from plexor.cli.progress import StepLines
from plexor.library.farm import CellOutcome
from plexor.library.farm import farm as measured
from plexor.library.parts.show import MAX_SEEN
from plexor.library.specs.archive_spec import FarmSpec


def farm(file: Path, asked: FarmSpec, shown: AsJson) -> int:
    """Measure the cells, print what came and return the exit code."""
    lines = StepLines("cell")

    def on_cell(found: CellOutcome, done: int, total: int) -> None:
        if found.state == "kept":
            lines.skip()
            return
        words = found.reason if found.state == "failed" else _channels(found)
        lines.say(f"{found.cell.name}: {words}", done, total)

    found = measured(file, **replace(asked, on_cell=on_cell).keywords())
    show(found, shown.as_json)
    if found.error is not None:
        raise found.error
    return found.exit_code()


def _channels(found: CellOutcome) -> str:
    words = [
        f"{own.name} {MAX_SEEN} {format_seconds(own.max_s)}, {own.missed} missed"
        for own in found.figures
        if own.max_s is not None
    ]
    return ", ".join(words) or "no response"
