"""The end of a command: judge a run, print it, write its page, choose the exit code."""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from plexor.analyse import Report, analyse
from plexor.budget import Budget, Outcome, Verdict, judge
from plexor.document import document
from plexor.errors import ExitCode, StoreError, UsageError
from plexor.render.page import page
from plexor.render.text import text
from plexor.results import RunResult


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to make of a run."""

    budget: Budget | None = None
    json: bool = False
    page: Path | None = None
    base_ticks: int = 0
    velocity_m_s: Fraction | None = None


def conclude(result: RunResult, wanted: Wanted) -> ExitCode:
    """Print a run's figures and write what is wanted; return the exit code."""
    report = analyse(result, wanted.base_ticks, wanted.velocity_m_s)
    verdict = None
    if wanted.budget is not None:
        try:
            verdict = judge(report, wanted.budget)
        except ValueError as error:
            raise UsageError(str(error)) from error
    code = exit_code(report, verdict)
    if wanted.page is not None:
        write_text(wanted.page, page(report, verdict))
    if wanted.json:
        json.dump(document(report, verdict, code), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        sys.stdout.write(text(report, verdict, width=width, colour=wants_colour()))
    sys.stdout.flush()
    for path in [wanted.page] if wanted.page is not None else []:
        print(f"plexor: page {path}", file=sys.stderr)
    return code


def exit_code(report: Report, verdict: Verdict | None) -> ExitCode:
    """Return how a run ends the program. What is invalid proves nothing, so it comes first."""
    if report.result.interrupted:
        return ExitCode.INTERRUPTED
    if not report.valid:
        return ExitCode.INVALID
    if verdict is None or verdict.outcome == Outcome.PASS:
        return ExitCode.PASS
    return ExitCode.BUDGET if verdict.outcome == Outcome.BROKEN else ExitCode.INVALID


def wants_colour() -> bool:
    """Return whether standard output is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def write_text(path: Path, content: str) -> None:
    """Write a file whole or not at all, a pipe or device straight.

    Raises StoreError with the path.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(content, encoding="utf-8")
        else:
            _replace(path, content)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise StoreError(f"{path}: cannot write: {reason or error}") from error


def _replace(path: Path, content: str) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(content, encoding="utf-8")
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
