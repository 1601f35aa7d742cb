"""`plexor report`: the page of a stored run or scan, or its picture."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.parameters import base_option, budget_option, velocity_option


@click.command()
@click.argument(
    "runs", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True, metavar="RUN..."
)
@click.option(
    "--page",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File to write; NAME.svg for a picture. Default: report.html in the run's folder.",
)
@base_option
@velocity_option
@budget_option
def report(
    runs: tuple[Path, ...],
    page: Path | None,
    base: Fraction,
    velocity: Fraction | None,
    budget: str | None,
) -> int:
    """Write the page of RUN, which is a folder of --out or the raw bytes of a link.

    RUN holds a run, a sweep, a phase scan or a burst scan. A picture (--page NAME.svg) can show
    several runs on the same axes.
    """
    from plexor.analyse.analyse import analyse  # noqa: PLC0415
    from plexor.commands.conclude import exit_code, print_verdict  # noqa: PLC0415
    from plexor.commands.output import write_text  # noqa: PLC0415
    from plexor.commands.stored import no_run_options, read_run, read_scan  # noqa: PLC0415
    from plexor.errors import UsageError  # noqa: PLC0415
    from plexor.judge.budget import judge  # noqa: PLC0415
    from plexor.judge.budget_file import load as load_budget  # noqa: PLC0415
    from plexor.render.page import page as page_of  # noqa: PLC0415
    from plexor.render.pictures.picture import picture  # noqa: PLC0415
    from plexor.units import ticks_of  # noqa: PLC0415

    drawn = page is not None and page.suffix == ".svg"
    first, *others = runs
    if others and (not drawn or budget is not None):
        raise click.UsageError(
            "several runs make one picture; give --page NAME.svg and leave out --budget"
        )
    folder = first if first.is_dir() else first.parent
    target = page or folder / "report.html"
    scans = [scan for run in runs if (scan := read_scan(run)) is not None]
    if scans:
        if others:
            raise click.UsageError(
                f"several runs make one picture, but one of these is a {scans[0].what}"
            )
        (scan,) = scans
        no_run_options(scan)
        write_text(target, scan.picture() if drawn else scan.page())
        print(f"plexor: {'picture' if drawn else 'page'} {target}", file=sys.stderr)
        return scan.code
    limits = None if budget is None else load_budget(budget)
    results = [read_run(run) for run in runs]
    ticks = {result.tick_fs for result in results}
    if len(ticks) > 1:
        raise UsageError(
            f"report: the runs have ticks of {sorted(ticks)} fs; all must have the same tick"
        )
    found = [analyse(result, round(ticks_of(base, result.tick_fs)), velocity) for result in results]
    try:
        verdict = None if limits is None else judge(found[0], limits)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if verdict is not None:
        print_verdict(found[0], verdict)
    write_text(target, picture(*found) if drawn else page_of(found[0], verdict))
    print(f"plexor: {'picture' if drawn else 'page'} {target}", file=sys.stderr)
    return max(exit_code(each, verdict) for each in found)
