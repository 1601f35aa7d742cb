# SPDX-License-Identifier: Apache-2.0
"""A run's figures for a terminal: never wider than the terminal, and readable without colour."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from plexor.figures.analyse.analyse import ChannelFigures, Report
from plexor.figures.analyse.doubts import doubts
from plexor.figures.judge.budget import SILENT, Check, Judged
from plexor.figures.judge.verdict import Outcome
from plexor.files.store.notes import Note
from plexor.show import facts
from plexor.show.corrected import calibration_lines, corrected_rows
from plexor.show.pictures.columns import samples_below
from plexor.show.pictures.latency import latency_axis
from plexor.show.pictures.scale import grouped, time_unit
from plexor.show.table import (
    NOTHING,
    distance_rows,
    found_text,
    jitter_rows,
    latency_rows,
    outlier_rows,
    period_rows,
    share_rows,
)
from plexor.show.terminal.blocks import EIGHTHS, MARGIN, axis_line, bars, columns_of
from plexor.show.terminal.columns import CHANNEL_COLOURS, LEAST_WIDTH, Paint, table, wrapped

_WORDS = {
    Outcome.PASS: ("pass", "good"),
    Outcome.FAIL: ("BROKEN", "bad"),
    Outcome.TOO_FEW: ("not proven", "doubt"),
    Outcome.NOT_COMPARABLE: ("not proven", "doubt"),
}
OUTLIER_SDS = 5
"""An outlier differs from the mean by more standard deviations."""


def text(
    report: Report,
    verdict: Judged | None = None,
    notes: Sequence[Note] = (),
    *,
    width: int,
    colour: bool,
) -> str:
    """Return the figures as lines of at most `width` columns (40 at least), each ended."""
    width = max(width, LEAST_WIDTH)
    paint = Paint(colour)
    lines: list[str] = []
    lines += wrapped(facts.headline(report), width, paint, "bold")
    lines += wrapped(
        facts.summary(report), width, paint, "alarm" if report.result.simulated else "muted"
    )
    stop = facts.stop_line(report)
    lines += wrapped(stop, width, paint, "bad") if stop else ()
    for line in facts.imported(report):
        lines += wrapped(line, width, paint, "muted")
    for line in doubts(report):
        lines += wrapped(line, width, paint, "doubt")
    for note in notes:
        lines += wrapped(f"{note.heading}: {note.text}", width, paint, "bold")
    lines.append("")
    for head, rows in (
        latency_rows(report),
        corrected_rows(report),
        distance_rows(report),
        jitter_rows(report),
        share_rows(report),
        period_rows(report),
        outlier_rows(report, least_sds=OUTLIER_SDS),
    ):
        if rows:
            lines += table(head, rows, width, paint)
            lines.append("")
    for line in calibration_lines(report):
        lines += [*wrapped(line, width, paint, "muted"), ""]
    for channel in report.channels:
        if channel.rise is not None:
            lines += _histogram(report, channel, width, paint)
            lines.append("")
    lines += wrapped(facts.accounting(report), width, paint, "bold")
    lines += wrapped(facts.conserved(report), width, paint, "muted")
    before = facts.warm_up(report)
    said = (
        f"warm-up: {before}" if before else "",
        facts.clock(report),
        facts.ways(report),
        facts.computed(report),
        facts.left_out(report),
        *facts.dithers(report.result),
    )
    for name, where in facts.to_the_tick(report.result):
        lines += wrapped(f"{name}: {where}", width, paint, "muted")
    for line in filter(None, said):
        lines += wrapped(line, width, paint, "muted")
    lines += _invalid(report, width, paint)
    if verdict is not None:
        lines.append("")
        lines += _verdict(report, verdict, width, paint)
    return paint.done(lines)


def verdict_text(report: Report, verdict: Judged, *, width: int, colour: bool) -> str:
    """Return a budget's verdict on a run: why the run is invalid, each check, and the verdict."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = [*_invalid(report, width, paint), *_verdict(report, verdict, width, paint)]
    return paint.done(lines)


def _invalid(report: Report, width: int, paint: Paint) -> Iterator[str]:
    for reason in report.invalid_reasons:
        yield from wrapped(f"INVALID RUN: {reason}", width, paint, "bad")


def _histogram(report: Report, channel: ChannelFigures, width: int, paint: Paint) -> Iterator[str]:
    """Draw three lines of blocks, counts by logarithm, over the axis that all channels share."""
    assert channel.rise is not None
    columns = columns_of(width)
    axis = latency_axis([report], 0, columns)
    edges = np.array([axis.value(i) for i in range(columns + 1)])
    counts = np.diff(samples_below(channel.rise.distribution, edges, report.result.tick_fs))
    most = max(float(counts.max()), 1.0)
    rows = 3
    # One sample is one eighth of a row, so that it is seen.
    eighths = [
        0
        if count <= 0
        else 1 + round((rows * EIGHTHS - 1) * math.log1p(max(count - 1, 0)) / _top(most))
        for count in counts.tolist()
    ]
    title = f"{channel.name}: samples by latency, logarithmic counts"
    yield paint(title[:width], "bold")
    highest = grouped(round(most)) if most > 1 else ""
    highest = highest if len(highest) < MARGIN else f"{most:.0e}".replace("e+0", "e")
    values = [highest, *[""] * (rows - 2), "1"]
    yield from bars(eighths, values, paint, CHANNEL_COLOURS[channel.result.number])
    yield axis_line(axis, *time_unit(axis.high), paint)


def _top(most: float) -> float:
    return max(math.log1p(most - 1), 1e-9)


def _verdict(report: Report, verdict: Judged, width: int, paint: Paint) -> Iterator[str]:
    for check in verdict.checks:
        word, style = _WORDS[check.outcome]
        if check.limit.goal:
            word, style = ("goal met", "good") if word == "pass" else ("goal missed", "doubt")
        yield from wrapped(f"{word:<11} {_check(report, check)}", width, paint, style)
    for name in verdict.silent:
        yield from wrapped(f"not proven  {name}: {SILENT.line}", width, paint, "doubt")
    title = verdict.budget.title
    words = {
        Outcome.PASS: f"PASS: within budget {title}",
        Outcome.FAIL: f"FAIL: {len(verdict.broken)} of {len(verdict.checks)} checks of budget "
        f"{title} broken",
    }
    text = words.get(verdict.outcome, f"NOT PROVEN: budget {title} cannot be decided")
    yield from wrapped(text, width, paint, _WORDS[verdict.outcome][1])


def _check(report: Report, check: Check) -> str:
    found, violations, first = found_text(check, report.result.tick_fs)
    text = f"{check.channel} {check.limit.label} {found}, limit {check.limit.text}"
    if violations not in (NOTHING, "0"):
        text += f", {violations} beyond it"
    return text + "".join(f", {note}" for note in (first, check.line) if note)
