# SPDX-License-Identifier: Apache-2.0
"""`plexor bound fit`: what accesses take, by services that were measured."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plexor.commands.parameters import json_option

_FILE = click.Path(path_type=Path)
FETCHED = "text"
"""The region of fetches; plexor_lab.bound.fitted, which has it too, is imported later."""


@click.command()
@click.argument("measured", type=_FILE, metavar="MEASURED...", nargs=-1, required=True)
@click.option(
    "--try",
    "tried",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Services to try the fit on, which are not fitted: a CSV file like MEASURED. Repeatable.",
)
@click.option(
    "--fetch",
    "fetched",
    multiple=True,
    default=(FETCHED,),
    show_default=True,
    metavar="REGION",
    help="Region of the models whose reads are fetches. Repeat it for each region.",
)
@click.option(
    "--platform",
    type=_FILE,
    metavar="FILE",
    help="Platform for which --out has the time of each access, with what the core adds.",
)
@click.option(
    "--model",
    "models",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Model whose accesses --out has too, beside those of MEASURED. Repeat it for each.",
)
@click.option(
    "--map", "region_map", type=_FILE, metavar="FILE", help="Where the regions of --model lie."
)
@click.option("--out", type=_FILE, metavar="FILE", help="Write these times: a TOML or CSV file.")
@click.option(
    "--bound",
    is_flag=True,
    help="Write times with a margin, so that none of the services took longer.",
)
@json_option
def fit(
    measured: tuple[Path, ...],
    tried: tuple[Path, ...],
    fetched: tuple[str, ...],
    platform: Path | None,
    models: tuple[Path, ...],
    region_map: Path | None,
    out: Path | None,
    bound: bool,
    as_json: bool,
) -> None:
    """Fit what a core adds to the times of its memories, by services that were measured.

    MEASURED is a CSV file with the columns model, platform, map, n and measured: files of a service
    and of a platform, N, and a time such as 51111ns. Accesses without a time on the platform get
    one: of `branch`, or of all. The least squares of relative errors are taken, and no time
    is below 0. The sum without the core's part is shown beside it.

    \b
      plexor bound fit measured.csv
      plexor bound fit measured.csv --try tried.csv --platform sdram.toml --out fitted.toml
    """
    if (platform is None) != (out is None):
        raise click.UsageError("--platform and --out need each other; give both or none")
    for name, given in (("--bound", bound), ("--model", models), ("--map", region_map)):
        if given and out is None:
            raise click.UsageError(f"{name} is for --out; give --platform and --out too")
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor_lab.bound.fitted import fit_services  # noqa: PLC0415
    from plexor_lab.bound.traced import suffix_of  # noqa: PLC0415

    if out is not None:
        suffix_of(out)
    check_outputs(out)
    found = fit_services(measured, tried, fetched=fetched)
    show(found, as_json)
    if out is not None and platform is not None:
        found.write(out, platform, bound=bound, models=models, region_map=region_map)
        print(f"plexor: platform {out}", file=sys.stderr)
