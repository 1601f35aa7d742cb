# SPDX-License-Identifier: Apache-2.0
"""`plexor report`: the page of a stored run or scan, or its picture."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.cli.conclude import print_verdict, write_drawn
from plexor.cli.declared.stored import Reported
from plexor.cli.options import Budgeted
from plexor.cli.parameters import no_run_options
from plexor.library.drawing import SHOWN, write_shown
from plexor.library.load import load
from plexor.library.run import Run, load_budget
from plexor.library.scans.scan import Scan
from plexor.library.specs.options import Less


def report(paths: tuple[Path, ...], drawn: Reported, less: Less, judged: Budgeted) -> int:
    """Write the page or the picture of what is stored, and return the exit code."""
    page = drawn.page
    pictured = page is not None and SHOWN.get(page.suffix) == "picture"
    first, *others = paths
    if others and (not pictured or judged.budget is not None):
        raise UsageError(
            "several runs make one picture; give --page FILE.svg and leave out --budget"
        )
    folder = first if first.is_dir() else first.parent
    target = page or folder / "report.html"
    found = [load(path) for path in paths]
    runs = [each for each in found if isinstance(each, Run)]
    scans = [each for each in found if not isinstance(each, Run)]
    if scans:
        if others:
            raise UsageError(
                f"several runs make one picture, but one of these is a {scans[0].what}"
            )
        (scan,) = scans
        if not isinstance(scan, Scan):
            raise UsageError(
                f"{first}: holds a {scan.what}, which has no page; plexor replay prints it"
            )
        no_run_options(scan.what)
        write_drawn(target, scan)
        return scan.exit_code()
    limits = None if judged.budget is None else load_budget(judged.budget)
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
