# SPDX-License-Identifier: Apache-2.0
"""`plexor farm`: a matrix of instruments, loads and builds, measured into an archive."""

from __future__ import annotations

import sys
import time
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
    from plexor.library.farm import farm as run  # noqa: PLC0415

    found = run(file, **replace(asked, on_cell=CellTeller().cell).keywords())
    show(found, as_json)
    if found.error is not None:
        raise found.error
    return found.exit_code()


class CellTeller:
    """Prints each cell on standard error, with the time that the rest may take."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._known = 0
        """Cells that were measured before."""

    def cell(self, found: CellOutcome, done: int, total: int) -> None:
        """Print one cell and the number of cells."""
        if found.state == "kept":
            self._known += 1
            return
        each_s = (time.monotonic() - self._began) / (done - self._known)
        left = f", about {each_s * (total - done):.0f} s left" if done < total else ""
        words = found.reason if found.state == "failed" else _channels(found)
        print(
            f"plexor: cell {done} of {total}{left}: {found.cell.name}: {words}",
            file=sys.stderr,
            flush=True,
        )


def _channels(found: CellOutcome) -> str:
    from plexor.units import format_seconds  # noqa: PLC0415

    words = [
        f"{own.name} max {format_seconds(own.max_s)}, {own.missed} missed"
        for own in found.figures
        if own.max_s is not None
    ]
    return ", ".join(words) or "no response"
