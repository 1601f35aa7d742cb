# SPDX-License-Identifier: Apache-2.0
"""Assertions on a run: each says what was found, how certainly, and where the worst was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_ticks
from plexor.figures.analyse.percentiles import quantile
from plexor.figures.judge.budget import SILENT, Budget, Check, Judged
from plexor.figures.judge.budget_file import of_tables
from plexor.figures.judge.verdict import Outcome
from plexor.library.run import Run
from plexor.show.table import found_text

_WORDS = {
    Outcome.PASS: "kept",
    Outcome.FAIL: "BROKEN",
    Outcome.TOO_FEW: "NOT PROVEN",
    Outcome.NOT_COMPARABLE: "NOT PROVEN",
}


class RequirementError(AssertionError):
    """A run that does not keep what is required. `run` and `verdict` are what was found."""

    def __init__(self, text: str, run: Run, verdict: Judged) -> None:
        super().__init__(text)
        self.run = run
        self.verdict = verdict


def require(
    run: Run, budget: str | Path | Budget | None = None, channel: str | None = None, **limits: Any
) -> Judged:
    """Return the verdict on a run that keeps a budget, or limits by their names in budget files.

    For example `require(run, "motor.toml")`, `require(run, max="100us", missed=0)` or
    `require(run, channel="ISR", p999="80us", period={"max": "1.1ms"})`. Without `channel`, limits
    are for all channels.

    Raises RequirementError, an AssertionError, for a limit that is broken, for one that cannot be
    proven with so few samples, and for an invalid run. Raises UsageError for limits that cannot be
    read, or of a channel that the run does not have.
    """
    __tracebackhide__ = True
    if budget is None:
        tables: Mapping[str, Any] = (
            {"all": limits} if channel is None else {"channel": {channel: limits}}
        )
        budget = of_tables(tables, "limits")
    elif limits or channel is not None:
        raise TypeError("require: give a budget, or limits by their names")
    verdict = run.judge(budget)
    if run.valid and verdict.outcome == Outcome.PASS:
        return verdict
    raise RequirementError("\n".join(_lines(run, verdict)), run, verdict)


def _lines(run: Run, verdict: Judged) -> Iterator[str]:
    broken, checks = len(verdict.broken), len(verdict.checks)
    simulated = ", simulated" if run.simulated else ""
    # pytest's summary has room for the first line's beginning alone.
    first = next((_short(check, run.tick_fs) for check in verdict.broken), "")
    yield f"{first}{verdict.budget.title}: {broken} of {checks} checks broken{simulated}"
    for reason in run.invalid_reasons:
        yield f"INVALID RUN: {reason}"
    for check in verdict.checks:
        if check.outcome != Outcome.PASS and not check.limit.goal:
            yield _check(run, check)
    for name in verdict.silent:
        yield f"NOT PROVEN: {name} {SILENT.line}"
    wrong = {check.channel for check in verdict.checks if check.outcome != Outcome.PASS}
    for reading in run.channels:
        if reading.name in wrong:
            yield from _worst(run, reading.name)


def _short(check: Check, tick_fs: int) -> str:
    value, _, _ = found_text(check, tick_fs)
    return f"{check.channel} {check.limit.label} {value}, limit {check.limit.text}; "


def _check(run: Run, check: Check) -> str:
    value, _, first = found_text(check, run.tick_fs)
    pieces = [f"{_WORDS[check.outcome]}: {check.channel} {check.limit.label} {value}"]
    figures = next(e for e in run.report.channels if e.name == check.channel)
    own = figures.latency(check.limit.kind)
    if check.limit.q is not None and own is not None:
        bounds = quantile(own.distribution, check.limit.q)
        if bounds is not None:
            low, high = (
                "unknown" if ticks is None else format_ticks(ticks, run.tick_fs, 6)
                for ticks in (bounds.lower_ticks, bounds.upper_ticks)
            )
            pieces.append(f"95 % interval {low} to {high}")
    pieces.append(f"limit {check.limit.text}")
    if own is not None and not check.limit.is_count:
        pieces.append(counted(own.count, "sample"))
    return ", ".join(pieces + [note for note in (first, check.line) if note])


def _worst(run: Run, name: str) -> Iterator[str]:
    rise = next(channel for channel in run.report.channels if channel.name == name).rise
    if rise is None or rise.max_ticks is None:
        return
    text = f"{name} {MAX_SEEN} {format_ticks(rise.max_ticks, run.tick_fs, 6)}"
    if rise.max_time_ticks is not None:
        text += f" at {format_ticks(rise.max_time_ticks, run.tick_fs, 6)} of the run"
    if rise.max_index is not None:
        text += f", event {rise.max_index:,}"
    yield text
