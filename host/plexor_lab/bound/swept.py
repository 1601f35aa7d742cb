# SPDX-License-Identifier: Apache-2.0
"""A service measured at one N after the other, each beside its bound."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plexor.base.errors import ExitCode, UsageError
from plexor.library.parts.results import Outcome
from plexor.library.parts.show import LEAST_WIDTH, Paint, grouped, table, wrapped
from plexor_lab.bound.check import KEY, BoundCheck
from plexor_lab.bound.files.measured_file import COLUMNS, OF_RUN
from plexor_lab.bound.spec import SWEPT, ns_of
from plexor_lab.bound.text import OUTCOMES, doubts, exact, margin_text, most_text, overestimation

MEASURED_FILE = "measured.csv"
"""Names the runs of a sweep, for a fit."""
SCHEMA = "plexor.bound-sweep/1"
_WORDS = {
    Outcome.PASS: "SAFE",
    Outcome.FAIL: "UNSAFE",
    Outcome.TOO_FEW: "NOT PROVEN",
    Outcome.NOT_COMPARABLE: "NOT PROVEN",
}
_WORST = (ExitCode.BUDGET, ExitCode.INVALID, ExitCode.PASS)
"""An UNSAFE estimate is refuted whatever was not proven beside it."""


@dataclass(frozen=True, slots=True)
class BoundSweep:
    """The verdict on a bound at each N."""

    checks: tuple[BoundCheck, ...]
    """At least one, in the order in which they were measured."""
    folders: tuple[Path, ...] = ()
    """Where the run of each is kept; none if they are not."""

    def exit_code(self) -> ExitCode:
        """Return the exit code: BUDGET if any N is unsafe, INVALID if any is not proven."""
        codes = {check.exit_code() for check in self.checks}
        return next(code for code in _WORST if code in codes)

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return a row for each N, for a terminal of `width` columns."""
        width, paint = max(width, LEAST_WIDTH), Paint(colour)
        first = self.checks[0]
        measured = first.verdict.measured
        lines = list(
            wrapped(f"{first.model.title} on {first.platform.title}", width, paint, "bold")
        )
        lines += wrapped(f"{measured.what}, {measured.provenance}", width, paint, "muted")
        head = ["N", "estimate, ns", "measured, ns", "margin, ns", "overestimation", "samples", ""]
        rows = [[(cell, "") for cell in _row(check)] for check in self.checks]
        lines += ["", *table(head, rows, width, paint), ""]
        word, style = OUTCOMES[self._worst.outcome]
        lines += wrapped(word, width, paint, style)
        for check in self.checks:
            for doubt in doubts(check.verdict):
                lines += wrapped(f"N = {grouped(check.n or 0)}: {doubt}", width, paint, "doubt")
        return paint.done(lines)

    def document(self) -> dict[str, Any]:
        """Return the document of `plexor lab bound sweep --json`: that of each check, by N."""
        return {
            "schema": SCHEMA,
            "exit_code": int(self.exit_code()),
            "outcome": self._worst.outcome.value,
            "folders": [str(folder) for folder in self.folders],
            "checks": [check.document() for check in self.checks],
        }

    def measured_csv(self, files: Sequence[Path | None], beside: Path) -> str:
        """Return a file for `plexor lab bound fit` that is to lie in the folder `beside`.

        `files` are model, platform and map; None: there is no map.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*COLUMNS, *OF_RUN])
        named = ["" if path is None else os.path.relpath(path, beside) for path in files]
        for check, folder in zip(self.checks, self.folders, strict=True):
            place = os.path.relpath(folder, beside)
            writer.writerow([*named, check.n, place, check.channel or "", check.of])
        return text.getvalue()

    @property
    def _worst(self) -> BoundCheck:
        code = self.exit_code()
        return next(check for check in self.checks if check.exit_code() == code)


def swept_ns(text: str) -> tuple[int, ...]:
    """Return the numbers of `N=0,1,13,50`, each once.

    Raises UsageError for another name, and for what is no whole number in range.
    """
    name, equals, values = text.partition("=")
    try:
        if name.strip() != KEY or not equals:
            raise ValueError("it names no N")
        return ns_of([value.strip() for value in values.split(",")])
    except ValueError as error:
        raise UsageError(f"{text!r}: {error}; must be such as N=0,1,13,50") from error


def at_n(text: str, n: int) -> str:
    """Return a text with N in each place that is left for it."""
    return text.replace(SWEPT, str(n))


def _row(check: BoundCheck) -> Iterator[str]:
    verdict = check.verdict
    yield grouped(check.n or 0)
    yield exact(verdict.estimate_ns)
    yield most_text(verdict.measured).removesuffix(" ns")
    yield margin_text(verdict).removesuffix(" ns")
    yield overestimation(verdict).partition(" of")[0]
    yield grouped(verdict.measured.samples or 0)
    yield _WORDS[check.outcome]
