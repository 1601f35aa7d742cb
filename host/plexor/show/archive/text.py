# SPDX-License-Identifier: Apache-2.0
"""An archive on the terminal: its runs, newest first, and how figures changed."""

from __future__ import annotations

from collections.abc import Sequence

from plexor.base.counts import counted
from plexor.files.archive.query import ArchivedRun
from plexor.files.archive.trend import Histories
from plexor.show.archive import words
from plexor.show.pictures.scale import grouped
from plexor.show.terminal.columns import LEAST_WIDTH, Paint, table, wrapped


def log_text(runs: Sequence[ArchivedRun], total: int, *, width: int, colour: bool) -> str:
    """Return a row for each run as lines of at most `width` columns; `total` counts all runs."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = list(table(*words.log_rows(list(runs)), width, paint)) if runs else []
    summary = counted(total, "run")
    if len(runs) < total:
        summary = f"the newest {grouped(len(runs))} of {summary}"
    lines += wrapped(summary, width, paint, "muted")
    for run in runs:
        if not run.valid:
            summary = f"{run.run} is an INVALID RUN: {run.invalid_reasons}"
            lines += wrapped(summary, width, paint, "bad")
    return paint.done(lines)


def trend_text(trend: Histories, *, width: int, colour: bool) -> str:
    """Return the histories and their changes as lines of at most `width` columns."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    source = words.source(trend.histories)
    lines = [
        *wrapped(
            f"{source}: {words.title(trend)}, {words.extent(trend)}",
            width,
            paint,
            "alarm" if trend.simulated else "muted",
        ),
        "",
    ]
    lines += table(*words.history_rows(trend), width, paint)
    lines.append("")
    for note in words.too_few(trend):
        lines += wrapped(note, width, paint, "doubt")
    changed = False
    for history in trend.histories:
        for course in history.courses:
            for step in course.steps:
                changed = True
                text = words.step_text(trend, history, course, step)
                lines += wrapped(text, width, paint, "bad" if step.after > step.before else "good")
    undecided = words.undecided(trend)
    for text in undecided:
        lines += wrapped(text, width, paint, "doubt")
    if not changed and not undecided:
        lines += wrapped("no change", width, paint, "good")
    lines += wrapped(words.METHOD, width, paint, "muted")
    return paint.done(lines)
