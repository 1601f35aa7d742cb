# SPDX-License-Identifier: Apache-2.0
"""`plexor archive`: runs kept in one folder, listed, and their figures from run to run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from plexor.cli.conclude import show, write_drawn
from plexor.cli.options import AsJson, Shown
from plexor.cli.output import all_of, check_outputs
from plexor.library.archive import Archive
from plexor.library.specs.archive_spec import AddSpec, Archiving, LogSpec, TrendSpec

_LISTED = 20
"""Runs that are listed if nothing is said."""


def add(runs: tuple[Path, ...], place: Archiving, asked: AddSpec) -> None:
    """Add runs, each even if another one fails."""
    kept = Archive(place.folder)

    def put(run: Path) -> None:
        added = kept.add(run, **asked.keywords())
        what = "added as" if added.new else "is there already, as"
        print(f"{run}: {what} {added.run}", flush=True)

    all_of(*(partial(put, run) for run in runs))


def log(place: Archiving, asked: LogSpec, shown: AsJson) -> None:
    """Print the list of runs."""
    asked = replace(asked, last=asked.last or _LISTED)
    show(Archive(place.folder).log(**asked.keywords()), shown.as_json)


def trend(channel: str, place: Archiving, asked: TrendSpec, shown: Shown) -> None:
    """Print histories of a channel, and write their page or picture."""
    check_outputs(shown.page)
    found = Archive(place.folder).trend(channel, **asked.keywords())
    show(found, shown.as_json)
    if shown.page is not None:
        write_drawn(shown.page, found)
