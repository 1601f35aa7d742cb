# SPDX-License-Identifier: Apache-2.0
"""`plexor farm`: a matrix of instruments, loads and builds, measured into an archive."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plexor.commands.parameters import json_option
from plexor.commands.specs import asks
from plexor.library.archive_spec import FarmSpec

if TYPE_CHECKING:
    from plexor.library.farm import CellOutcome


@click.command()
@click.argument("file", type=click.Path(exists=True, path_type=Path), metavar="FILE.toml")
@asks(asked=FarmSpec)
@json_option
def farm(file: Path, asked: FarmSpec, as_json: bool) -> int:
    """Measure each instrument under each load with each build, and archive all runs.

    FILE.toml names them. A real instrument is used by one cell at a time; a simulated one is
    started for each. The same command continues a farm that was ended early.

    \b
      plexor farm farm.toml --out nightly --executor local:2
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.progress import StepLines  # noqa: PLC0415
    from plexor.library.farm import farm as run  # noqa: PLC0415

    lines = StepLines("cell")

    def on_cell(found: CellOutcome, done: int, total: int) -> None:
        if found.state == "kept":
            lines.skip()
            return
        words = found.reason if found.state == "failed" else _channels(found)
        lines.say(f"{found.cell.name}: {words}", done, total)

    found = run(file, **replace(asked, on_cell=on_cell).keywords())
    show(found, as_json)
    if found.error is not None:
        raise found.error
    return found.exit_code()


def _channels(found: CellOutcome) -> str:
    from plexor.units import format_seconds  # noqa: PLC0415

    words = [
        f"{own.name} max {format_seconds(own.max_s)}, {own.missed} missed"
        for own in found.figures
        if own.max_s is not None
    ]
    return ", ".join(words) or "no response"
