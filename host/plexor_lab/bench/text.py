# SPDX-License-Identifier: Apache-2.0
"""The figures of a suite of benchmarks on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from plexor.base.units import format_mean, format_seconds, seconds_of
from plexor.library.parts.results import RunResult, least_count
from plexor.library.parts.show import (
    LEAST_WIDTH,
    MAX_SEEN,
    Cell,
    Paint,
    books,
    device_name,
    grouped,
    provenance,
    table,
    wrapped,
)
from plexor_lab.bench.figures import PERCENTS, TestedFigures
from plexor_lab.bench.operations import Operations
from plexor_lab.bench.samples import Sample

_DIGITS = 5


@dataclass(frozen=True, slots=True)
class SuiteView:
    """What is shown of a suite's run."""

    result: RunResult
    suite: str
    figures: tuple[TestedFigures, ...]
    reasons: tuple[str, ...]
    """Why the figures prove nothing."""
    skips_first: bool
    meanwhile: Callable[[Sample], tuple[tuple[str, int], ...]]
    """What began to run within a sample, in words, and how often."""


def bench_text(view: SuiteView, *, width: int, colour: bool) -> str:
    """Return all tests as a table, then what goes with them, at most `width` columns wide."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    return paint.done(_lines(view, width, paint))


def _lines(view: SuiteView, width: int, paint: Paint) -> Iterator[str]:
    name = device_name(view.result.device)
    head = f"{view.suite} on {name}" if name else view.suite
    yield from wrapped(head, width, paint, "bold")
    summary = f"{provenance(view.result)} · {books(view.result.accounting)}"
    yield from wrapped(summary, width, paint, "muted")
    for reason in view.reasons:
        yield from wrapped(f"INVALID: {reason}", width, paint, "bad")
    if not view.figures:
        return
    yield ""
    for figures in view.figures:
        yield from wrapped(f"{figures.test.id}  {figures.test.title}", width, paint, "")
    yield ""
    yield from wrapped(_what(view), width, paint, "muted")
    yield from table(*time_rows(view), width, paint)
    yield ""
    yield from wrapped("base, and what the firmware counted", width, paint, "muted")
    yield from table(*book_rows(view), width, paint)
    if any(figures.own for figures in view.figures):
        yield ""
        yield from wrapped(
            "the firmware's own counter of cycles, and its error", width, paint, "muted"
        )
        yield from table(*own_rows(view), width, paint)
    yield ""
    yield from _worst(view, width, paint)


def _what(view: SuiteView) -> str:
    skipped = "; the first sample is left out of the others" if view.skips_first else ""
    return f"times of one operation, less the base{skipped}"


def time_rows(view: SuiteView, titled: bool = False) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each test: times of one operation, with its title or not."""
    head = ["test", "samples", "first", "min", *(f"p{percent}" for percent in PERCENTS)]
    head += ["mean", MAX_SEEN, *["operation"] * titled]
    rows: list[list[Cell]] = []
    for figures in view.figures:
        operations = figures.operations
        texts = [figures.test.id, grouped(operations.count)]
        texts += [time_text(view, time) for time in (figures.first_ticks, operations.min_ticks)]
        cells = [(text, "") for text in texts]
        cells += [_percentile(view, figures, percent) for percent in PERCENTS]
        cells += [(mean_text(view, operations), ""), (time_text(view, operations.max_ticks), "")]
        cells += [(figures.test.title, "")] * titled
        rows.append(cells)
    return head, rows


def _percentile(view: SuiteView, figures: TestedFigures, percent: int) -> Cell:
    ticks = figures.percentiles_ticks[percent]
    if ticks is None:
        return "too few", f"needs {grouped(least_count(Fraction(percent, 100)))}"
    return time_text(view, ticks), ""


def book_rows(view: SuiteView) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each test: its base, and samples by both counts."""
    head = ["test", "base in ticks", "operations a sample", "clamped", "counted", "by the firmware"]
    rows: list[list[Cell]] = []
    for figures in view.figures:
        operations = figures.operations
        counters = " + ".join(grouped(count) for count in figures.counters)
        total = f" = {grouped(sum(figures.counters))}" if len(figures.counters) > 1 else ""
        texts = [
            figures.test.id,
            "-" if figures.test.base is None else grouped(operations.base_ticks),
            grouped(operations.iterations),
            grouped(operations.clamped),
            grouped(len(figures.samples)),
            f"{counters}{total}" or "-",
        ]
        rows.append([(text, "") for text in texts])
    return head, rows


def own_rows(view: SuiteView) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each test that the firmware times too."""
    head = ["test", "mean by itself", "mean from outside", "error: mean", "min", MAX_SEEN]
    rows: list[list[Cell]] = []
    for figures in view.figures:
        if figures.own is None:
            continue
        errors = (
            figures.own.mean_error_ticks,
            figures.own.least_error_ticks,
            figures.own.most_error_ticks,
        )
        means = (figures.own.mean_ticks, figures.operations.mean_ticks)
        texts = [figures.test.id, *(time_text(view, time) for time in (*means, *errors))]
        rows.append([(text, "") for text in texts])
    return head, rows


def _worst(view: SuiteView, width: int, paint: Paint) -> Iterator[str]:
    yield from wrapped("the longest sample of each test, and what ran meanwhile", width, paint, "")
    for row in worst_rows(view)[1]:
        (test, _), (sample, _), (time, _), (ran, _) = row
        yield from wrapped(f"{test}  sample {sample}, {time}: {ran}", width, paint, "muted")


def worst_rows(view: SuiteView) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each test: its longest sample, and what ran meanwhile."""
    rows: list[list[Cell]] = []
    for figures in view.figures:
        if figures.test.base is None:
            continue
        worst = figures.worst
        words = [
            name if times == 1 else f"{name} ({times} times)"
            for name, times in view.meanwhile(worst)
        ]
        ran = ", ".join(words) if words else "nothing that says so"
        sample = grouped(figures.samples.index(worst) + 1)
        texts = (figures.test.id, sample, time_text(view, Fraction(worst.ticks)), ran)
        rows.append([(text, "") for text in texts])
    return ["test", "sample", "lasted", "what ran meanwhile"], rows


def mean_text(view: SuiteView, operations: Operations) -> str:
    """Return a mean to the digit that its standard error reaches."""
    mean, variance = float(operations.mean_ticks), float(operations.variance_ticks2)
    return format_mean(mean, variance, operations.count, view.result.tick_fs)


def time_text(view: SuiteView, ticks: Fraction) -> str:
    """Return a time as text."""
    return format_seconds(seconds_of(ticks, view.result.tick_fs), _DIGITS)
