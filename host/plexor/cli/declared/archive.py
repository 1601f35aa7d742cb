# SPDX-License-Identifier: Apache-2.0
"""Commands about many stored runs: `plexor compare`, `plexor archive`, `plexor farm`."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.cli.helping import HelpedGroup
from plexor.cli.options import AsJson, Shown
from plexor.cli.parameters import refuse
from plexor.cli.specs import command
from plexor.library.specs.archive_spec import (
    JUDGES,
    AddSpec,
    Archiving,
    FarmSpec,
    InArchive,
    LastGoodSpec,
    LogSpec,
    TrendSpec,
)
from plexor.library.specs.scope_spec import Serving

_KEPT = click.Path(exists=True, path_type=Path)


class Against(
    InArchive,
    told={"archive": "The one run A is compared with the last good run of its configuration."},
):
    """The archive in which the result A is looked for."""


@command("plexor.cli.compare:compare", place=Against, asked=LastGoodSpec, shown=Shown)
@click.argument("before", type=_KEPT, metavar="A")
@click.argument("after", type=_KEPT, metavar="[B]...", nargs=-1)
def compare(after: tuple[Path, ...], place: Against, asked: LastGoodSpec) -> None:
    """Compare result B with the earlier result A, or run A with the last good one in an archive.

    A and B are folders of --out, both of measure, sweep, mixed or bench. They may also be folders
    that hold such folders: those with the same name are compared. There may be several B, up to 25:
    each is compared with A, and they are called B, C and so on.

    With --archive, A is one run. What it is compared with is the newest run of the same
    configuration that is valid, was not interrupted and did not begin later; --where and --across
    choose from those.

    A page (--page FILE.html) has a sentence, the verdict and the changes, the runs drawn on top of
    each other, and what differs; a picture has the histograms. A run of an archive is drawn on
    pages alone.

    The exit code is 1 if a figure has certainly changed by more than --fail-on allows, 4 if there
    are too few samples to tell, and 6 if the results have nothing in common.
    """
    if asked.judge != JUDGES[0] and not asked.fail_on:
        raise UsageError("--judge says how --fail-on judges; give --fail-on too")
    if after:
        why = "is for one run that is compared with an archive"
        refuse(("archive", "where", "across"), why)
    elif place.archive is None:
        raise UsageError("name a result B, or an archive with --archive")


@click.group(cls=HelpedGroup, no_args_is_help=False)
def archive() -> None:
    """Keep runs in one folder, and ask how their figures changed."""


@command("plexor.cli.archive:add", place=Archiving, asked=AddSpec)
@click.argument("runs", type=_KEPT, nargs=-1, required=True, metavar="RUN...")
def add() -> None:
    """Add runs to the archive: folders of `plexor measure --out`, or raw bytes of a link.

    A run that is there already is not added again. A run that cannot be read is told, and the
    others are added. Any number of processes may add runs at the same time. Without --commit, the
    commit and the branch are those of the repository around each run's folder.

    \b
      plexor archive add main branch
      plexor archive add main --archive nightly --commit 3fa9c2d --branch main
    """


@command("plexor.cli.archive:log", place=Archiving, asked=LogSpec, shown=AsJson)
def log() -> None:
    """List the runs of the archive, newest first.

    \b
      plexor archive log --where branch=main --where load=none --json
    """


@command("plexor.cli.archive:trend", place=Archiving, asked=TrendSpec, shown=Shown)
@click.argument("channel", metavar="CHANNEL")
def trend() -> None:
    """Show how a channel's figures went from run to run, and where they changed.

    Runs of one configuration are a history. A history without a change is marked with a
    probability of at most 1 %. Invalid and interrupted runs are left out.

    \b
      plexor archive trend entry --by load --figure max --where branch=main
    """


@command(
    "plexor.scope.archive_command:serve_archive",
    name="serve",
    missing="the archive's page needs {}, which is not installed; in a clone: pip install "
    "'.[scope,archive]'",
    place=Archiving,
    serving=Serving,
)
def serve() -> None:
    """Show the archive in the browser: its runs, each run, runs compared, and trends.

    Runs are chosen by commit, branch, board, load and whatever else tells them apart. The address
    has a token, without which nobody sees the page. Ctrl-C ends it.

    \b
      plexor archive serve --archive nightly
    """


for _part in (add, log, trend, serve):
    archive.add_command(_part)


@command("plexor.cli.farm:farm", asked=FarmSpec, shown=AsJson)
@click.argument("file", type=_KEPT, metavar="FILE.toml")
def farm() -> None:
    """Measure each instrument under each load with each build, and archive all runs.

    FILE.toml names them. A real instrument is used by one cell at a time; a simulated one is
    started for each. The same command continues a farm that was ended early.

    \b
      plexor farm farm.toml --out nightly --executor local:2
    """
