"""`plexor archive`: runs kept in one folder, listed, and their figures from run to run."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from plexor.commands.parameters import (
    across_option,
    json_option,
    only_page_option,
    where_option,
)

_PATH = click.Path(path_type=Path)
_MOST_RUNS = 1_000_000


archive_option = click.option(
    "--archive",
    "folder",
    type=_PATH,
    default="archive",
    show_default=True,
    metavar="DIR",
    help="Folder of the archive. It may be on shared storage.",
)


@click.group(no_args_is_help=False)
def archive() -> None:
    """Keep runs in one folder, and ask how their figures changed."""


@archive.command()
@click.argument(
    "runs", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True, metavar="RUN..."
)
@archive_option
@click.option("--commit", metavar="NAME", help="Commit of the device. Default: what git says.")
@click.option("--branch", metavar="NAME", help="Branch of the device. Default: what git says.")
def add(runs: tuple[Path, ...], folder: Path, commit: str | None, branch: str | None) -> None:
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

    kept = Archive(folder)

    def put(run: Path) -> None:
        added = kept.add(run, commit=commit, branch=branch)
        what = "added as" if added.new else "is there already, as"
        print(f"{run}: {what} {added.run}", flush=True)

    all_of(*(partial(put, run) for run in runs))


@archive.command()
@archive_option
@where_option
@click.option(
    "--last",
    type=click.IntRange(1, _MOST_RUNS),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of runs to list.",
)
@json_option
def log(folder: Path, where: tuple[str, ...], last: int, as_json: bool) -> None:
    """List the runs of the archive, newest first.

    \b
      plexor archive log --where branch=main --where load=none --json
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.library.archive import Archive  # noqa: PLC0415

    show(Archive(folder).log(where, last), as_json)


@archive.command()
@click.argument("channel", metavar="CHANNEL")
@archive_option
@click.option(
    "--figure",
    "figures",
    multiple=True,
    default=("p99", "max"),
    show_default=True,
    metavar="NAME",
    help="A figure: min, mean, max, peak_to_peak, a percentile such as p99.9, or a share of "
    "strikes, such as missed. Repeat it for each.",
)
@click.option(
    "--by",
    type=click.Choice(["commit", "board", "load"]),
    default="commit",
    show_default=True,
    help="commit: runs in the order of commits, and changes between commits only. board, load: "
    "runs in the order of time, boards or loads in different colours.",
)
@click.option(
    "--kind",
    type=click.Choice(["rise", "fall", "width", "period"]),
    default="rise",
    show_default=True,
    help="What is measured: latency of the rising or falling edge, on-width or period.",
)
@where_option
@across_option
@click.option(
    "--last",
    type=click.IntRange(1, _MOST_RUNS),
    default=1000,
    show_default=True,
    metavar="N",
    help="Number of the newest runs of each history.",
)
@json_option
@only_page_option
def trend(
    channel: str,
    folder: Path,
    figures: tuple[str, ...],
    by: str,
    kind: str,
    where: tuple[str, ...],
    across: tuple[str, ...],
    last: int,
    as_json: bool,
    page: Path | None,
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
    from plexor.library.files import write_text  # noqa: PLC0415

    check_outputs(page)
    found = Archive(folder).trend(
        channel, figures, by=by, kind=kind, where=where, across=across, last=last
    )
    show(found, as_json)
    if page is not None:
        write_text(page, found.page())
        print(f"plexor: page {page}", file=sys.stderr)
