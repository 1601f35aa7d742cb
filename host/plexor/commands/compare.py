# SPDX-License-Identifier: Apache-2.0
"""`plexor compare`: runs and sweeps of a device, and whether the later ones are worse."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plexor.commands.parameters import json_option
from plexor.commands.specs import asks
from plexor.library.archive_spec import JUDGES, InArchive, LastGoodSpec

_RUN = click.Path(exists=True, path_type=Path)


class Against(
    InArchive,
    told={"archive": "The one run A is compared with the last good run of its configuration."},
):
    """The archive in which the result A is looked for."""


@click.command()
@click.argument("before", type=_RUN, metavar="A")
@click.argument("after", type=_RUN, metavar="[B]...", nargs=-1)
@asks(place=Against, asked=LastGoodSpec)
@json_option
@click.pass_context
def compare(
    context: click.Context,
    before: Path,
    after: tuple[Path, ...],
    place: Against,
    asked: LastGoodSpec,
    as_json: bool,
) -> int:
    """Compare result B with the earlier result A, or run A with the last good one in an archive.

    A and B are folders of `plexor measure --out` or of `plexor sweep --out`. They may also be
    folders that hold such folders: those with the same name are compared. There may be several B,
    up to 25: each is compared with A, and they are called B, C and so on.

    With --archive, A is one run. What it is compared with is the newest run of the same
    configuration that is valid, was not interrupted and did not begin later; --where and --across
    choose from those.

    The exit code is 1 if a figure has certainly changed by more than --fail-on allows, 4 if there
    are too few samples to tell, and 6 if the results have nothing in common.
    """
    if asked.judge != JUDGES[0] and not asked.fail_on:
        raise click.UsageError("--judge says how --fail-on judges; give --fail-on too")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415

    if after:
        _no_archive(context)
        from plexor.library.compare import comparison  # noqa: PLC0415

        found = comparison(before, after, asked)
    elif place.archive is not None:
        from plexor.library.archive import Archive  # noqa: PLC0415

        found = Archive(place.archive).comparison(before, **asked.keywords())
    else:
        raise click.UsageError("name a result B, or an archive with --archive")
    for note in (*found.invalid_reasons, *found.notes):
        print(f"plexor: {note}", file=sys.stderr)
    for condition in found.skipped:
        print(
            f"plexor: --fail-on {condition.text}: skipped, because neither result has this figure",
            file=sys.stderr,
        )
    show(found, as_json)
    return found.exit_code()


def _no_archive(context: click.Context) -> None:
    """Raise UsageError for options of an archive where two results are named."""
    for name in ("archive", "where", "across"):
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} is for one run that is compared with an archive")
