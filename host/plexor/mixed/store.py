"""Loads stored results of schedules, and rejects those that contradict themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from plexor.documents import Document
from plexor.mixed.join import status_of
from plexor.mixed.model import Limits, MixedResult, ModeRun, Row, Status

FILE = "mixed.json"
MOST_TICKS = 1 << 62


def load(folder: Path) -> MixedResult:
    """Return the result in a folder. Raises StoreError if there is no valid one."""
    return MIXED.read(folder / FILE)


def contradictions_of(result: MixedResult) -> Iterator[str]:
    """Yield each contradiction in a result, and what would be right."""
    if not 0 < result.tick_fs < MOST_TICKS:
        yield f"tick_fs: {result.tick_fs}; must be above 0"
    if result.spike_sds < 0:
        yield f"spike_sds: {result.spike_sds}; must be 0 or more"
    if not result.runs:
        yield "no runs; must be one or more"
    for name, times in Counter(run.name for run in result.runs).items():
        if times > 1:
            yield f"{name}: {times} runs; must be one"
    for run in result.runs:
        yield from (f"{run.name}: {text}" for text in _of_run(run, result))


def _of_run(run: ModeRun, result: MixedResult) -> Iterator[str]:
    if len(run.rows) > result.schedule.count:
        yield f"{len(run.rows)} rows; must be at most {result.schedule.count}"
    if any(later.number <= before.number for before, later in pairwise(run.rows)):
        yield "numbers of rows that do not rise"
    served = run.served
    if min(served.written, served.struck, served.past, served.refused, served.waiting) < 0:
        yield "a count below 0; must be 0 or more"
    for row in run.rows:
        yield from (f"row {row.number}: {text}" for text in _of_row(row, result.limits))
    for extra in run.extras:
        if abs(extra.time_ticks) >= MOST_TICKS:
            yield f"a response at {extra.time_ticks} ticks; must be below {MOST_TICKS}"


def _of_row(row: Row, limits: Limits) -> Iterator[str]:
    if row.number < 0 or row.event_id < 0 or row.due_step < 1:
        yield f"id {row.event_id} at step {row.due_step}; must be 0 or more, from step 1 on"
    if not 0 <= row.due_ticks < MOST_TICKS or abs(row.measured_ticks or 0) >= MOST_TICKS:
        yield f"{row.due_ticks} and {row.measured_ticks} ticks; must be below {MOST_TICKS}"
    late = row.lateness_ticks
    right = Status.MISSED if late is None else status_of(late, limits)
    if row.status is not right:
        yield f"{row.status}; must be {right}"


MIXED = Document("mixed", 1, MixedResult, contradictions_of)
