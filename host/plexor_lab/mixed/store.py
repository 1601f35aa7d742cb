# SPDX-License-Identifier: Apache-2.0
"""The document of a schedule, and what rejects one that contradicts itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from plexor.base.counts import counted
from plexor.library.parts.files import Document
from plexor_lab.mixed.join import status_of
from plexor_lab.mixed.model import Limits, MixedResult, ModeRun, Row, Status

FILE = "mixed.json"


def contradictions_of(result: MixedResult) -> Iterator[str]:
    """Yield each contradiction in a result, and what would be right."""
    if not result.runs:
        yield "no runs; must be one or more"
    for name, times in Counter(run.name for run in result.runs).items():
        if times > 1:
            yield f"{name}: {counted(times, 'run')}; must be one"
    for run in result.runs:
        yield from (f"{run.name}: {text}" for text in _of_run(run, result))


def _of_run(run: ModeRun, result: MixedResult) -> Iterator[str]:
    if len(run.rows) > result.schedule.count:
        yield f"{counted(len(run.rows), 'row')}; must be at most {result.schedule.count}"
    if any(later.number <= before.number for before, later in pairwise(run.rows)):
        yield "numbers of rows that do not rise"
    for row in run.rows:
        yield from (f"row {row.number}: {text}" for text in _of_row(row, result.limits))


def _of_row(row: Row, limits: Limits) -> Iterator[str]:
    late = row.lateness_ticks
    right = Status.MISSED if late is None else status_of(late, limits)
    if row.status is not right:
        yield f"{row.status}; must be {right}"


MIXED = Document("mixed", 1, MixedResult, contradictions_of)
