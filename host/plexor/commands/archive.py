# SPDX-License-Identifier: Apache-2.0
"""`plexor archive`: runs kept in one folder, listed, and their figures from run to run."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from plexor.commands.parameters import json_option, page_option
from plexor.commands.specs import asks
from plexor.library.archive_spec import AddSpec, Archiving, LogSpec, TrendSpec
from plexor.library.drawing import write_shown

_LISTED = 20
"""Runs that are listed if nothing is said."""


@click.group(no_args_is_help=False)
def archive() -> None:
    """Keep runs in one folder, and ask how their figures changed."""


@archive.command()
@click.argument(
    "runs", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True, metavar="RUN..."
)
@asks(place=Archiving, asked=AddSpec)
def add(runs: tuple[Path, ...], place: Archiving, asked: AddSpec) -> None:
    """Add runs to the archive: folders of `plexor measure --out`, or raw bytes of a link.

    A run that is there already is not added again. A run that cannot be read is told, and the
    others are added. Any number of processes may add runs at the same time. Without --commit, the
    commit and the branch are those of the repository around each run's folder.

    \b
      plexor archive add main branch
      plexor archive add main --archive nightly --commit 3fa9c2d --branch main
    """
    from plexor.commands.output import all_of  # noqa: PLC0415
    from plexor.library.archive import Archive  # noqa: PLC0415

    kept = Archive(place.folder)

    def put(run: Path) -> None:
        added = kept.add(run, **asked.keywords())
        what = "added as" if added.new else "is there already, as"
        print(f"{run}: {what} {added.run}", flush=True)

    all_of(*(partial(put, run) for run in runs))


@archive.command()
@asks(place=Archiving, asked=LogSpec)
@json_option
def log(place: Archiving, asked: LogSpec, as_json: bool) -> None:
    """List the runs of the archive, newest first.

    \b
      plexor archive log --where branch=main --where load=none --json
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.library.archive import Archive  # noqa: PLC0415

    asked = replace(asked, last=asked.last or _LISTED)
    show(Archive(place.folder).log(**asked.keywords()), as_json)


@archive.command()
@click.argument("channel", metavar="CHANNEL")
@asks(place=Archiving, asked=TrendSpec)
@json_option
@page_option
def trend(
    channel: str, place: Archiving, asked: TrendSpec, as_json: bool, page: Path | None
) -> None:
    """Show how a channel's figures went from run to run, and where they changed.

    Runs of one configuration are a history. A history without a change is marked with a
    probability of at most 1 %. Invalid and interrupted runs are left out.

    \b
      plexor archive trend entry --by load --figure max --where branch=main
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.archive import Archive  # noqa: PLC0415

    check_outputs(page)
    found = Archive(place.folder).trend(channel, **asked.keywords())
    show(found, as_json)
    if page is not None:
        word = write_shown(page, found.page, found.picture)
        print(f"plexor: {word} {page}", file=sys.stderr)
