"""The figures of a suite of benchmarks on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from plexor.bench.figures import PERCENTS, Figures
from plexor.render.facts import books, device_name
from plexor.render.pictures.frame import provenance
from plexor.render.pictures.scale import grouped
from plexor.render.table import Cell
from plexor.render.terminal.columns import LEAST_WIDTH, Paint, table, wrapped
from plexor.units import format_seconds, seconds_of

if TYPE_CHECKING:
    from plexor.library.bench.bench import Bench

_DIGITS = 5


def bench_text(bench: Bench, *, width: int = 100, colour: bool = False) -> str:
    """Return all tests as a table, then what goes with them, at most `width` columns wide."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    return "".join(f"{line}\n" for line in _lines(bench, width, paint))


def _lines(bench: Bench, width: int, paint: Paint) -> Iterator[str]:
    run = bench.run
    name = device_name(run.device)
    head = f"{bench.suite.name} on {name}" if name else bench.suite.name
    yield from wrapped(head, width, paint, "bold")
    summary = f"{provenance(run.result)} · {books(run.accounting)}"
    yield from wrapped(summary, width, paint, "muted")
    for reason in bench.reasons:
        yield from wrapped(f"INVALID: {reason}", width, paint, "bad")
    if not bench.figures:
        return
    yield ""
    for each in bench.figures:
        yield from wrapped(f"{each.test.id}  {each.test.title}", width, paint, "")
    yield ""
    yield from wrapped(_what(bench), width, paint, "muted")
    yield from table(*_times(bench), width, paint)
    yield ""
    yield from wrapped("base, and what the firmware counted", width, paint, "muted")
    yield from table(*_books(bench), width, paint)
    if any(each.own for each in bench.figures):
        yield ""
        yield from wrapped(
            "the firmware's own counter of cycles, and its error", width, paint, "muted"
        )
        yield from table(*_own(bench), width, paint)
    yield ""
    yield from _worst(bench, width, paint)


def _what(bench: Bench) -> str:
    skipped = "; the first sample is left out of the others" if bench.skips_first else ""
    return f"times of one operation, less the base{skipped}"


def _times(bench: Bench) -> tuple[list[str], list[list[Cell]]]:
    head = ["test", "samples", "first", "min", *(f"p{percent}" for percent in PERCENTS)]
    head += ["mean", "max"]
    rows: list[list[Cell]] = []
    for each in bench.figures:
        found = each.operations
        ticks = [each.first_ticks, found.min_ticks]
        ticks += [each.percentiles_ticks[percent] for percent in PERCENTS]
        ticks += [found.mean_ticks, found.max_ticks]
        texts = [each.test.id, grouped(found.count), *(_time(bench, time) for time in ticks)]
        rows.append([(text, "") for text in texts])
    return head, rows


def _books(bench: Bench) -> tuple[list[str], list[list[Cell]]]:
    head = ["test", "base in ticks", "operations a sample", "clamped", "counted", "by the firmware"]
    rows: list[list[Cell]] = []
    for each in bench.figures:
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


def _own(bench: Bench) -> tuple[list[str], list[list[Cell]]]:
    head = ["test", "mean by itself", "mean from outside", "error: mean", "min", "max"]
    rows: list[list[Cell]] = []
    for each in bench.figures:
        if each.own is None:
            continue
        errors = (
            each.own.mean_error_ticks,
            each.own.least_error_ticks,
            each.own.most_error_ticks,
        )
        texts = [each.test.id, _time(bench, each.own.mean_ticks)]
        texts += [_time(bench, each.exact_mean_ticks), *(_time(bench, time) for time in errors)]
        rows.append([(text, "") for text in texts])
    return head, rows


def _worst(bench: Bench, width: int, paint: Paint) -> Iterator[str]:
    yield from wrapped("the longest sample of each test, and what ran meanwhile", width, paint, "")
    for each in bench.figures:
        if each.test.base is None:
            continue
        yield from wrapped(_worst_line(bench, each), width, paint, "muted")


def _worst_line(bench: Bench, each: Figures) -> str:
    worst = each.worst
    place = grouped(each.samples.index(worst) + 1)
    words = [
        what if times == 1 else f"{what} ({times} times)" for what, times in bench.meanwhile(worst)
    ]
    ran = ", ".join(words) if words else "nothing that says so"
    return f"{each.test.id}  sample {place}, {_time(bench, Fraction(worst.ticks))}: {ran}"


def _time(bench: Bench, ticks: Fraction) -> str:
    return format_seconds(seconds_of(ticks, bench.run.tick_fs), _DIGITS)
