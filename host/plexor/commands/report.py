"""`plexor report`: the page of a run that was kept, or its picture."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.parameters import base_option, budget_option


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--page",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to. Default: report.html in the run's folder; NAME.svg for a picture.",
)
@base_option
@budget_option
def report(run: Path, page: Path | None, base: Fraction, budget: str | None) -> int:
    """Write the page of RUN, a folder of `plexor measure --out` or raw bytes off a link."""
    from plexor.analyse import analyse  # noqa: PLC0415
    from plexor.budget import judge  # noqa: PLC0415
    from plexor.budget_file import load as load_budget  # noqa: PLC0415
    from plexor.commands.conclude import exit_code, write_text  # noqa: PLC0415
    from plexor.commands.stored import read_run  # noqa: PLC0415
    from plexor.errors import UsageError  # noqa: PLC0415
    from plexor.render.page import page as page_of  # noqa: PLC0415
    from plexor.render.picture import picture  # noqa: PLC0415
    from plexor.units import ticks_of  # noqa: PLC0415

    limits = None if budget is None else load_budget(budget)
    result = read_run(run)
    found = analyse(result, round(ticks_of(base, result.tick_fs)))
    try:
        verdict = None if limits is None else judge(found, limits)
    except ValueError as error:
        raise UsageError(str(error)) from error
    folder = run if run.is_dir() else run.parent
    target = page or folder / "report.html"
    write_text(target, picture(found) if target.suffix == ".svg" else page_of(found, verdict))
    print(f"plexor: page {target}", file=sys.stderr)
    return exit_code(found, verdict)
