"""The end of a command: judge a run, print it, write its page, choose the exit code."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from plexor.commands.output import raise_first, write_text
from plexor.errors import ExitCode, PlexorError, StoreError, UsageError
from plexor.library.run import Budget, Run, Verdict


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to make of a run."""

    budget: Budget | None = None
    json: bool = False
    page: Path | None = None
    taken_now: bool = False
    """Whether this command took the run. It then ends as interrupted if the run was."""
    unsaved: StoreError | None = None
    """Why the run could not be kept."""


def conclude(run: Run, wanted: Wanted) -> ExitCode:
    """Print a run's figures, write the wanted files and return the exit code.

    The figures are printed whatever else fails. The first failure is raised afterwards.
    """
    failures: list[PlexorError] = [] if wanted.unsaved is None else [wanted.unsaved]
    verdict = None
    try:
        if wanted.budget is not None:
            verdict = run.judge(wanted.budget)
    except UsageError as error:
        failures.append(error)
    try:
        if wanted.page is not None:
            write_text(wanted.page, run.page(verdict))
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
        print(f"plexor: page {wanted.page}", file=sys.stderr)
    return code


def _show(run: Run, verdict: Verdict | None, code: ExitCode, *, as_json: bool) -> None:
    if as_json:
        json.dump(run.document(verdict, code), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        sys.stdout.write(run.text(verdict, width=width, colour=wants_colour()))
    sys.stdout.flush()


def print_verdict(run: Run, verdict: Verdict) -> None:
    """Print only the verdict of a budget on a run."""
    width = shutil.get_terminal_size((100, 24)).columns
    print(run.verdict_text(verdict, width=width, colour=wants_colour()), end="", flush=True)


def wants_colour() -> bool:
    """Return whether standard output is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
