# SPDX-License-Identifier: Apache-2.0
"""`plexor report`: the page of a stored run or scan, or its picture."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from plexor.commands.parameters import (
    budget_option,
    no_run_options,
    pages_option,
)
from plexor.commands.specs import asks
from plexor.library.drawing import SHOWN, write_shown
from plexor.library.specs.options import Less


@click.command()
@click.argument(
    "paths", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True, metavar="RUN..."
)
@pages_option(*SHOWN, default=" Default: report.html in the run's folder.")
@asks(less=Less)
@budget_option
def report(
    paths: tuple[Path, ...],
    page: Path | None,
    less: Less,
    budget: str | None,
) -> int:
    """Write the page of RUN, which is a folder of --out or the raw bytes of a link.

    RUN holds a run, a sweep, a phase scan or a burst scan. A picture (--page FILE.svg, .png or
    .pdf) can show several runs on the same axes: its title says what they have in common, and each
    plot which run it is of.
    """
    from plexor.commands.conclude import print_verdict  # noqa: PLC0415
    from plexor.library.load import load  # noqa: PLC0415
    from plexor.library.run import Run, load_budget  # noqa: PLC0415
    from plexor.library.scans.scan import Scan  # noqa: PLC0415

    drawn = page is not None and SHOWN.get(page.suffix) == "picture"
    first, *others = paths
    if others and (not drawn or budget is not None):
        raise click.UsageError(
            "several runs make one picture; give --page FILE.svg and leave out --budget"
        )
    folder = first if first.is_dir() else first.parent
    target = page or folder / "report.html"
    found = [load(path) for path in paths]
    runs = [each for each in found if isinstance(each, Run)]
    scans = [each for each in found if not isinstance(each, Run)]
    if scans:
        if others:
            raise click.UsageError(
                f"several runs make one picture, but one of these is a {scans[0].what}"
            )
        (scan,) = scans
        if not isinstance(scan, Scan):
            raise click.UsageError(
                f"{first}: holds a {scan.what}, which has no page; plexor replay prints it"
            )
        no_run_options(scan.what)
        word = write_shown(target, scan.page, scan.picture)
        print(f"plexor: {word} {target}", file=sys.stderr)
        return scan.exit_code()
    limits = None if budget is None else load_budget(budget)
    run, *more = [each.less(**less.keywords()) for each in runs]
    verdict = None if limits is None else run.judge(limits)
    if verdict is not None:
        print_verdict(run, verdict)
    picture = partial(run.picture, *more, names=_names(paths))
    word = write_shown(target, partial(run.page, verdict), picture)
    print(f"plexor: {word} {target}", file=sys.stderr)
    return max(each.exit_code(verdict) for each in (run, *more))


def _names(paths: tuple[Path, ...]) -> list[str]:
    """Return the shortest ends of paths that tell them apart."""
    parts = [path.resolve().parts for path in paths]
    ends = (["/".join(own[-n:]) for own in parts] for n in range(1, max(map(len, parts)) + 1))
    return next(names for names in ends if len(set(names)) == len(set(parts)))
