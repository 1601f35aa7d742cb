"""The end of a command: judge a run, print it, write its page, choose the exit code."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from plexor.analyse.analyse import Report, analyse
from plexor.commands.output import raise_first, write_text
from plexor.errors import ExitCode, PlexorError, StoreError, UsageError
from plexor.judge.budget import Budget, Outcome, Verdict, judge
from plexor.model.results import RunResult
from plexor.render.page import page
from plexor.render.terminal.run import text, verdict_text
from plexor.store.document import document


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to make of a run."""

    budget: Budget | None = None
    json: bool = False
    page: Path | None = None
    base_ticks: int = 0
    velocity_m_s: Fraction | None = None
    taken_now: bool = False
    """Whether this command took the run. It then ends as interrupted if the run was."""
    unsaved: StoreError | None = None
    """Why the run could not be kept."""


def conclude(result: RunResult, wanted: Wanted) -> ExitCode:
    """Print a run's figures, write the wanted files and return the exit code.

    The figures are printed whatever else fails. The first failure is raised afterwards.
    """
    report = analyse(result, wanted.base_ticks, wanted.velocity_m_s)
    failures: list[PlexorError] = [] if wanted.unsaved is None else [wanted.unsaved]
    verdict = None
    try:
        if wanted.budget is not None:
            verdict = judge(report, wanted.budget)
    except ValueError as error:
        failures.append(UsageError(str(error)))
    try:
        if wanted.page is not None:
            write_text(wanted.page, page(report, verdict))
    except StoreError as error:
        failures.append(error)
    finally:
        code = exit_code(report, verdict)
        if wanted.taken_now and result.interrupted:
            code = ExitCode.INTERRUPTED
        code = failures[0].exit_code if failures else code
        _show(report, verdict, code, as_json=wanted.json)
    raise_first(failures)
    if wanted.page is not None:
        print(f"plexor: page {wanted.page}", file=sys.stderr)
    return code


def _show(report: Report, verdict: Verdict | None, code: ExitCode, *, as_json: bool) -> None:
    if as_json:
        json.dump(document(report, verdict, code), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        sys.stdout.write(text(report, verdict, width=width, colour=wants_colour()))
    sys.stdout.flush()


def print_verdict(report: Report, verdict: Verdict) -> None:
    """Print only the verdict of a budget on a run."""
    width = shutil.get_terminal_size((100, 24)).columns
    print(verdict_text(report, verdict, width=width, colour=wants_colour()), end="", flush=True)


def exit_code(report: Report, verdict: Verdict | None) -> ExitCode:
    """Return the exit code of a run. Invalid comes first, because such a run proves nothing."""
    if not report.valid:
        return ExitCode.INVALID
    if verdict is None or verdict.outcome == Outcome.PASS:
        return ExitCode.PASS
    return ExitCode.BUDGET if verdict.outcome == Outcome.BROKEN else ExitCode.INVALID


def wants_colour() -> bool:
    """Return whether standard output is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
