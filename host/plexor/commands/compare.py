"""`plexor compare`: two runs or two sweeps of a device, and whether the second is worse."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from plexor.commands.parameters import Parsed, json_option
from plexor.compare import Difference, FailOn, parse_fail_on
from plexor.errors import ExitCode

_RUN = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("before", type=_RUN, metavar="A")
@click.argument("after", type=_RUN, metavar="B")
@click.option(
    "--fail-on",
    type=Parsed("condition", parse_fail_on),
    default=None,
    metavar="LIST",
    help="Changes that are too much: 'p99.9>+5%,max>+10%,missed>+0%,saturation<-2%'.",
)
@json_option
def compare(before: Path, after: Path, fail_on: tuple[FailOn, ...] | None, as_json: bool) -> int:
    """Compare B with A, folders of `plexor measure --out` or of `plexor sweep --out`.

    Exit code 1 where a figure of B has changed by more than --fail-on allows.
    """
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.jsonable import to_json  # noqa: PLC0415
    from plexor.render.compare_text import compare_text  # noqa: PLC0415

    conditions = fail_on or ()
    found, keys = _found(before, after, conditions)
    for condition in conditions:
        if not any(entry.figure == condition.figure for entry in found):
            raise click.UsageError(f"--fail-on {condition.text}: both have no such figure")
    broken = [
        (condition, entry)
        for condition in conditions
        for entry in found
        if entry.figure == condition.figure and condition.breaks(entry)
    ]
    if len(keys) > 1:
        print(
            f"plexor: {len(keys)} keys of the configuration differ ({', '.join(keys)}): "
            "what a difference comes from cannot be told",
            file=sys.stderr,
        )
    if as_json:
        document: dict[str, Any] = {
            "schema": "plexor.compare/1",
            "differing_keys": list(keys),
            "differences": [to_json(entry) for entry in found],
            "broken": [f"{entry.channel} {condition.text}" for condition, entry in broken],
        }
        print(json.dumps(document, indent=1, ensure_ascii=False))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(compare_text(found, broken, width=width, colour=wants_colour()), end="")
    return ExitCode.BUDGET if broken else ExitCode.PASS


def _found(
    before: Path, after: Path, conditions: tuple[FailOn, ...]
) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
    """Return what differs, and the keys of the configuration that do."""
    from plexor.analyse import analyse  # noqa: PLC0415
    from plexor.commands.stored import read_run  # noqa: PLC0415
    from plexor.compare import configuration, differences, differing_keys  # noqa: PLC0415
    from plexor.sweep.compare import differences as sweep_differences  # noqa: PLC0415
    from plexor.sweep.store import is_sweep, load  # noqa: PLC0415

    kinds = [is_sweep(path) for path in (before, after)]
    if kinds[0] != kinds[1]:
        raise click.UsageError(f"{before}, {after}: one is a sweep, the other a run")
    if kinds[0]:
        sweeps = load(before), load(after)
        return sweep_differences(*sweeps), differing_keys(sweeps[0].device, sweeps[1].device)
    reports = analyse(read_run(before)), analyse(read_run(after))
    wanted = [condition.figure for condition in conditions]
    return differences(*reports, wanted), differing_keys(*map(configuration, reports))
