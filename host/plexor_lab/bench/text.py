# SPDX-License-Identifier: Apache-2.0
"""The figures of a suite of benchmarks on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from plexor.library.parts.results import RunResult, least_count
from plexor.library.parts.show import (
    LEAST_WIDTH,
    Cell,
    Paint,
    books,
    device_name,
    grouped,
    provenance,
    table,
    wrapped,
)
from plexor.units import format_mean, format_seconds, seconds_of
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


def bench_text(view: SuiteView, *, width: int = 100, colour: bool = False) -> str:
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
    for each in view.figures:
        yield from wrapped(f"{each.test.id}  {each.test.title}", width, paint, "")
    yield ""
    yield from wrapped(_what(view), width, paint, "muted")
    yield from table(*_times(view), width, paint)
    yield ""
    yield from wrapped("base, and what the firmware counted", width, paint, "muted")
    yield from table(*_books(view), width, paint)
    if any(each.own for each in view.figures):
        yield ""
        yield from wrapped(
            "the firmware's own counter of cycles, and its error", width, paint, "muted"
        )
        yield from table(*_own(view), width, paint)
    yield ""
    yield from _worst(view, width, paint)


def _what(view: SuiteView) -> str:
    skipped = "; the first sample is left out of the others" if view.skips_first else ""
    return f"times of one operation, less the base{skipped}"


def _times(view: SuiteView) -> tuple[list[str], list[list[Cell]]]:
    head = ["test", "samples", "first", "min", *(f"p{percent}" for percent in PERCENTS)]
    head += ["mean", "max"]
    rows: list[list[Cell]] = []
    for each in view.figures:
        found = each.operations
        texts = [each.test.id, grouped(found.count)]
        texts += [_time(view, time) for time in (each.first_ticks, found.min_ticks)]
        cells = [(text, "") for text in texts]
        cells += [_percentile(view, each, percent) for percent in PERCENTS]
        cells += [(_mean(view, found), ""), (_time(view, found.max_ticks), "")]
        rows.append(cells)
    return head, rows


def _percentile(view: SuiteView, each: TestedFigures, percent: int) -> Cell:
    ticks = each.percentiles_ticks[percent]
    if ticks is None:
        return "too few", f"needs {grouped(least_count(Fraction(percent, 100)))}"
    return _time(view, ticks), ""


def _books(view: SuiteView) -> tuple[list[str], list[list[Cell]]]:
    head = ["test", "base in ticks", "operations a sample", "clamped", "counted", "by the firmware"]
    rows: list[list[Cell]] = []
    for each in view.figures:
        found = each.operations
        counters = " + ".join(grouped(count) for count in each.counters)
        total = f" = {grouped(sum(each.counters))}" if len(each.counters) > 1 else ""
        texts = [
            each.test.id,
            "-" if each.test.base is None else grouped(found.base_ticks),
            grouped(found.iterations),
            grouped(found.clamped),
            grouped(len(each.samples)),
            f"{counters}{total}" or "-",
        ]
        rows.append([(text, "") for text in texts])
    return head, rows


def _own(view: SuiteView) -> tuple[list[str], list[list[Cell]]]:
    head = ["test", "mean by itself", "mean from outside", "error: mean", "min", "max"]
    rows: list[list[Cell]] = []
    for each in view.figures:
        if each.own is None:
            continue
        errors = (
            each.own.mean_error_ticks,
            each.own.least_error_ticks,
            each.own.most_error_ticks,
        )
        texts = [each.test.id, _time(view, each.own.mean_ticks)]
        texts += [_mean(view, each.operations), *(_time(view, time) for time in errors)]
        rows.append([(text, "") for text in texts])
    return head, rows


def _worst(view: SuiteView, width: int, paint: Paint) -> Iterator[str]:
    yield from wrapped("the longest sample of each test, and what ran meanwhile", width, paint, "")
    for each in view.figures:
        if each.test.base is None:
            continue
        yield from wrapped(_worst_line(view, each), width, paint, "muted")


def _worst_line(view: SuiteView, each: TestedFigures) -> str:
    worst = each.worst
    place = grouped(each.samples.index(worst) + 1)
    words = [
        what if times == 1 else f"{what} ({times} times)" for what, times in view.meanwhile(worst)
    ]
    ran = ", ".join(words) if words else "nothing that says so"
    return f"{each.test.id}  sample {place}, {_time(view, Fraction(worst.ticks))}: {ran}"


def _mean(view: SuiteView, found: Operations) -> str:
    mean, variance = float(found.mean_ticks), float(found.variance_ticks2)
    return format_mean(mean, variance, found.count, view.result.tick_fs)


def _time(view: SuiteView, ticks: Fraction) -> str:
    return format_seconds(seconds_of(ticks, view.result.tick_fs), _DIGITS)
