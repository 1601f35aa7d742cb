"""`plexor compare`: runs and sweeps of a device, and whether the later ones are worse."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plexor.commands.parameters import (
    Parsed,
    across_option,
    json_option,
    option_name,
    where_option,
)

if TYPE_CHECKING:
    from plexor.library.compare import FailOn

JUDGES = ("interval", "estimate")
"""What a change is judged by; plexor.library.compare, which has them too, is imported later."""
_RUN = click.Path(exists=True, path_type=Path)


def parse_conditions(text: str) -> tuple[FailOn, ...]:
    """Return the conditions of `p99.9>+5%,missed>+10%`; raise ValueError."""
    from plexor.library.compare import parse_fail_on  # noqa: PLC0415

    return parse_fail_on(text)


@click.command()
@click.argument("before", type=_RUN, metavar="A")
@click.argument("after", type=_RUN, metavar="[B]...", nargs=-1)
@click.option(
    "--archive",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Compare the one run A with the last good run of the same configuration in this archive.",
)
@where_option
@across_option
@click.option(
    "--fail-on",
    type=Parsed("condition", parse_conditions),
    default=(),
    metavar="LIST",
    help="Changes that are too large, such as 'p99.9>+5%,mean>+10%,missed>+10%,saturation<-2%'.",
)
@click.option(
    "--judge",
    "by",
    type=click.Choice(JUDGES),
    default=JUDGES[0],
    show_default=True,
    help="What --fail-on judges: the interval of a change, or its estimate, however uncertain.",
)
@json_option
@click.pass_context
def compare(
    context: click.Context,
    before: Path,
    after: tuple[Path, ...],
    archive: Path | None,
    where: tuple[str, ...],
    across: tuple[str, ...],
    fail_on: tuple[FailOn, ...],
    by: str,
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
    if by != JUDGES[0] and not fail_on:
        raise click.UsageError("--judge says how --fail-on judges; give --fail-on too")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.library.compare import By, comparison  # noqa: PLC0415

    if after:
        _no_archive(context)
        found = comparison(before, after, fail_on, By(by), option_name)
    elif archive is not None:
        from plexor.library.archive import Archive  # noqa: PLC0415

        kept = Archive(archive)
        found = kept.comparison(before, fail_on, By(by), where, across, option_name)
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
