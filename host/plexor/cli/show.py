# SPDX-License-Identifier: Apache-2.0
"""`plexor show`: the figures of a stored run or scan, its page, its picture, files of its run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from plexor.base.errors import UsageError
from plexor.base.shown import SHOWN
from plexor.cli.conclude import RunUse, conclude, draw, print_verdict, write_drawn
from plexor.cli.conclude import show as print_result
from plexor.cli.declared.stored import Noted
from plexor.cli.options import AsJson, Budgeted, Written
from plexor.cli.output import all_of
from plexor.cli.parameters import no_run_options
from plexor.library.compare import compare
from plexor.library.drawing import check_converter, write_shown
from plexor.library.exchange import ALIASES, suffixes
from plexor.library.files import is_direct
from plexor.library.load import figured_run, load
from plexor.library.parts.files import short_names
from plexor.library.run import Budget, Run, load_budget
from plexor.library.scans.scan import Ended, Scan
from plexor.library.specs.options import Less
from plexor.library.upkeep.notes import note


def show(
    paths: tuple[Path, ...],
    written: Written,
    less: Less,
    judged: Budgeted,
    noted: Noted,
    shown: AsJson,
) -> int:
    """Print what is stored, or write its files, and return the exit code."""
    for file in written.files:
        _check(file)
    if noted.note is not None:
        _note(paths, noted.note)
    first, *others = paths
    if others and (shown.as_json or judged.budget is not None):
        raise UsageError(f"{'--json' if shown.as_json else '--budget'} is of one run; name one RUN")
    found = [load(path) for path in paths]
    scans: list[Ended[Any]] = [each for each in found if not isinstance(each, Run)]
    runs = [each.less(**less.keywords()) for each in found if isinstance(each, Run)]
    for scan in scans:
        no_run_options(scan.what)
    limits = None if judged.budget is None else load_budget(judged.budget)
    if not written.files:
        return _printed(paths, found, limits, less, shown)
    if not scans:
        return _runs(paths, runs, written, limits, less, shown)
    if others:
        if all(SHOWN.get(file.suffix.lower()) == SHOWN[".html"] for file in written.files):
            page = partial(_together, paths, less)
            all_of(*(partial(_draw_one, file, page, page) for file in written.files))
            return max(each.exit_code() for each in found)
        raise UsageError(f"several runs make one picture, but one of these is a {scans[0].what}")
    return _scan(first, scans[0], written, shown)


def _note(paths: tuple[Path, ...], text: str) -> None:
    """Keep a note beside a run, in its folder."""
    path, *others = paths
    if others:
        raise UsageError("--note is on one run; name one RUN")
    print(f"plexor: noted in {note(path, text)}", file=sys.stderr)


def _printed(
    paths: tuple[Path, ...],
    found: list[Run | Ended[Any]],
    limits: Budget | None,
    less: Less,
    shown: AsJson,
) -> int:
    """Print the figures of each."""
    codes: list[int] = []
    for path, each in zip(paths, found, strict=True):
        if len(paths) > 1:
            draw(f"{'' if each is found[0] else chr(10)}{path}\n")
        if isinstance(each, Run):
            codes.append(conclude(each.less(**less.keywords()), RunUse(limits, shown.as_json)))
            _tell_figures(path, each)
        else:
            print_result(each, shown.as_json)
            codes.append(each.exit_code())
    return max(codes)


def _tell_figures(path: Path, run: Run) -> None:
    """Say which command of another package prints what a run was taken for, if one does."""
    figured = figured_run(run)
    if figured is not None and figured.command:
        text = f"plexor: {path} is a run of {figured.kind}: {figured.command} {path} prints it"
        print(text, file=sys.stderr)


def _scan(path: Path, scan: Ended[Any], written: Written, shown: AsJson) -> int:
    """Write the page and the picture of a scan."""
    for file in written.files:
        if not _is_drawn(file):
            raise UsageError(f"{path}: holds a {scan.what}; only runs are written to such a file")
    if not isinstance(scan, Scan):
        raise UsageError(f"{path}: holds a {scan.what}, which has no page; plexor show prints it")
    if shown.as_json:
        print_result(scan, True)
    all_of(*(partial(write_drawn, file, scan) for file in written.files))
    return scan.exit_code()


def _runs(
    paths: tuple[Path, ...],
    runs: list[Run],
    written: Written,
    limits: Budget | None,
    less: Less,
    shown: AsJson,
) -> int:
    """Write the files of runs; a verdict is printed, whatever else fails."""
    run, *more = runs
    drawn = [file for file in written.files if _is_drawn(file)]
    others = [file for file in written.files if not _is_drawn(file)]
    if more and others:
        raise UsageError(
            "several runs make one page or picture; give --to FILE.html, .svg, .png or .pdf"
        )
    verdict = None if limits is None else run.judge(limits)
    if shown.as_json:
        conclude(run, RunUse(limits, json=True))
    elif verdict is not None:
        print_verdict(run, verdict)
    picture = partial(run.picture, *more, names=short_names([path.resolve() for path in paths]))
    has_less = less.keywords() != Less.of({}).keywords()
    sources = runs if has_less else paths
    page = partial(_together, sources, less) if more else partial(run.page, verdict)

    def export() -> None:
        run.export(*others, budget=limits)
        for file in others:
            print(f"plexor: wrote {file}", file=sys.stderr)

    all_of(
        *(partial(_draw_one, file, page, picture) for file in drawn), *([export] if others else [])
    )
    for path, each in zip(paths, runs, strict=True):
        _tell_figures(path, each)
    return max(each.exit_code(verdict) for each in runs)


def _together(sources: Sequence[Path | Run], less: Less) -> str:
    """Return the page of several results: each compared with the first."""
    first, *others = sources
    columns = "variance" if "variance" in less.named_columns else None
    return compare(first, others, columns=columns).page()


def _draw_one(file: Path, page: Callable[[], str], picture: Callable[[], str]) -> None:
    word = write_shown(file, page, picture)
    print(f"plexor: {word} {file}", file=sys.stderr)


def _check(file: Path) -> None:
    """Raise UsageError for a file that nothing is written to, or that needs what is missing."""
    if _is_drawn(file):
        check_converter(file)
    elif file.suffix.lower() not in (*suffixes(), *ALIASES):
        known = ", ".join((*SHOWN, *suffixes()))
        raise UsageError(f"{file}: its suffix must be one of {known}")


def _is_drawn(file: Path) -> bool:
    """Return whether a file gets a page or a picture; a pipe or a device of any name does."""
    return file.suffix.lower() in SHOWN or (not file.suffix and is_direct(file))
