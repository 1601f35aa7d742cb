# SPDX-License-Identifier: Apache-2.0
"""The end of a command: judge a result, print it, write its page, choose the exit code."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from plexor.base.errors import ExitCode, PlexorError, StoreError, UsageError
from plexor.base.streams import screen
from plexor.cli.options import Shown
from plexor.cli.output import raise_first
from plexor.library.drawing import write_shown
from plexor.library.run import Budget, Judged, Run
from plexor.library.scans.burst import BurstScan
from plexor.library.scans.phase import PhaseScan
from plexor.library.scans.sweep import Sweep


class Result(Protocol):
    """What shows itself as text, and as the document of `--json`."""

    def text(self, *, width: int, colour: bool) -> str: ...
    def document(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class RunUse:
    """What to make of a run."""

    budget: Budget | None = None
    json: bool = False
    page: Path | None = None
    taken_now: bool = False
    """Whether this command took the run. It then ends as interrupted if the run was."""
    unsaved: StoreError | None = None
    """Why the run could not be kept."""


def conclude(run: Run, wanted: RunUse) -> ExitCode:
    """Print a run's figures, write the wanted files and return the exit code.

    The figures are printed whatever else fails. The first failure is raised afterwards.
    """
    failures: list[PlexorError] = [] if wanted.unsaved is None else [wanted.unsaved]
    verdict, word = None, ""
    try:
        if wanted.budget is not None:
            verdict = run.judge(wanted.budget)
    except UsageError as error:
        failures.append(error)
    try:
        if wanted.page is not None:
            word = write_shown(wanted.page, partial(run.page, verdict), run.picture)
    except StoreError as error:
        failures.append(error)
    finally:
        code = run.exit_code(verdict)
        if wanted.taken_now and run.interrupted:
            code = ExitCode.INTERRUPTED
        code = failures[0].exit_code if failures else code
        _show(run, verdict, code, as_json=wanted.json)
    raise_first(failures)
    if wanted.page is not None:
        print(f"plexor: {word} {wanted.page}", file=sys.stderr)
    return code


def _show(run: Run, verdict: Judged | None, code: ExitCode, *, as_json: bool) -> None:
    if as_json:
        print_json(run.document(verdict, code))
    else:
        draw(run.text(verdict, width=text_width(), colour=wants_colour()))
    sys.stdout.flush()


def conclude_scan(
    scan: Sweep | PhaseScan | BurstScan, shown: Shown, steps: Path | None = None
) -> ExitCode:
    """Print a scan that was taken now, write its page or picture, and return the exit code.

    `steps`: the folder with whose steps the same command goes on. The first failure is raised
    afterwards: the file's before what ended the scan early.
    """
    show(scan, shown.as_json)
    failures: list[PlexorError] = [] if scan.unsaved is None else [scan.unsaved]
    try:
        if shown.page is not None:
            write_drawn(shown.page, scan)
    except StoreError as error:
        failures.append(error)
    raise_first(failures)
    if scan.error is not None:
        raise scan.error
    if not scan.interrupted:
        return scan.exit_code()
    goes_on = "" if steps is None else f"; {steps} has its steps: the same command goes on"
    print(f"plexor: interrupted{goes_on}", file=sys.stderr)
    return ExitCode.INTERRUPTED


class Drawn(Protocol):
    """What has a page and a picture."""

    def page(self) -> str: ...
    def picture(self) -> str: ...


def write_drawn(path: Path, result: Drawn) -> None:
    """Write the page or the picture of a result, by the file's suffix, and say so."""
    word = write_shown(path, result.page, result.picture)
    print(f"plexor: {word} {path}", file=sys.stderr)


def show(result: Result, as_json: bool) -> None:
    """Print a result: as JSON, or as text for the terminal."""
    if as_json:
        print_json(result.document())
    else:
        draw(result.text(width=text_width(), colour=wants_colour()))


def print_json(document: Any) -> None:
    """Print a document, as `--json` of every command does."""
    print(json.dumps(document, indent=2, ensure_ascii=False), flush=True)


def print_verdict(run: Run, verdict: Judged) -> None:
    """Print only the verdict of a budget on a run."""
    draw(run.verdict_text(verdict, width=text_width(), colour=wants_colour()))


def draw(text: str) -> None:
    """Print text of this program, with its colours; what it quotes has no control characters."""
    print(text, end="", file=screen(sys.stdout), flush=True)


def text_width() -> int:
    """Return the columns of the terminal; 100 without one."""
    return shutil.get_terminal_size((100, 24)).columns


def wants_colour() -> bool:
    """Return whether standard output is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
