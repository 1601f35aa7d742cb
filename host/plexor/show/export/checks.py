# SPDX-License-Identifier: Apache-2.0
"""A budget's checks as test cases, which JUnit and GitLab's Code Quality show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.base.units import format_ticks
from plexor.figures.analyse.analyse import ChannelFigures
from plexor.figures.analyse.percentiles import quantile
from plexor.figures.judge.budget import SILENT, Check, Judged
from plexor.figures.judge.verdict import Outcome
from plexor.show.export.about import about
from plexor.show.export.source import ExportSource
from plexor.show.table import NOTHING, found_text, interval


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; `tag` is failure, error or skipped, or empty if it passes."""

    channel: str
    name: str
    tag: str
    message: str


def judged(source: ExportSource, name: Path) -> Judged:
    """Return the checks of a budget. Raises UsageError with `name` without one."""
    if source.verdict is None:
        raise UsageError(f"{name}: holds the checks of a budget; give --budget too")
    return source.verdict


def cases(source: ExportSource) -> Iterator[Case]:
    """Yield a case for each check, and one that fails if the run is invalid.

    An undecided check is an error. All checks of an invalid run are skipped.
    """
    report, verdict = source.report, source.verdict
    assert verdict is not None
    reasons = "; ".join(report.invalid_reasons)
    holds = about(source)["accounting"]
    yield Case("", "the run is valid", "failure" if reasons else "", reasons or holds)
    for name in verdict.silent:
        yield Case(name, "answers", "skipped" if reasons else "error", f"{name} {SILENT.line}")
    channels = {channel.name: channel for channel in report.channels}
    for check in verdict.checks:
        goal = "goal: " if check.limit.goal else ""
        message = _message(channels[check.channel], check, report.result.tick_fs)
        tag = _tag(check)
        if reasons:
            tag, message = "skipped", f"the run is invalid; {message}"
        yield Case(check.channel, f"{goal}{check.limit.label} {check.limit.text}", tag, message)


def _tag(check: Check) -> str:
    if check.limit.goal:
        return ""
    tags = {Outcome.PASS: "", Outcome.FAIL: "failure"}
    return tags.get(check.outcome, "error")


def _message(channel: ChannelFigures, check: Check, tick_fs: int) -> str:
    """Return a check's figure, its interval, the samples beyond the limit, and the worst event."""
    value, violations, first = found_text(check, tick_fs)
    texts = [f"{check.channel} {check.limit.label} is {value}, limit {check.limit.text}"]
    figures = channel.latency(check.limit.kind)
    if check.limit.q is not None and figures is not None:
        known = quantile(figures.distribution, check.limit.q)
        bounds = "" if known is None else interval(known.lower_ticks, known.upper_ticks, tick_fs)
        texts += [f"95 % interval {bounds}"] if bounds else []
    if violations not in (NOTHING, "0"):
        texts.append(f"{violations} beyond it")
    texts += [note for note in (first, check.line) if note]
    of_most = not check.limit.is_count and check.limit.figure != "min"
    if figures is not None and figures.max_ticks is not None and of_most:
        worst = f"worst {format_ticks(figures.max_ticks, tick_fs, 9)}"
        if figures.max_time_ticks is not None:
            worst += f" at {format_ticks(figures.max_time_ticks, tick_fs, 9)}"
        texts.append(worst if figures.max_index is None else f"{worst}, event {figures.max_index}")
    return ", ".join(texts)
