# SPDX-License-Identifier: Apache-2.0
"""The runs of a schedule on the terminal: counts, lateness, spikes, and the modes compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.units import format_mean, format_seconds, format_ticks, format_variance, seconds_of
from plexor.library.parts.show import (
    LEAST_WIDTH,
    MAX_SEEN,
    NOTHING,
    Cell,
    Paint,
    device_name,
    grouped,
    table,
    wrapped,
)
from plexor_lab.mixed.compare import least_safe
from plexor_lab.mixed.figures import by_distance, normal_to_mixed, summaries
from plexor_lab.mixed.model import MixedResult, Mode, ModeRun, Order, Row, Schedule, Status
from plexor_lab.mixed.summary import Summary
from plexor_lab.mixed.timecode import Timecode

SHOWN = 8
"""Spikes in the table of a run."""
DIGITS, LATE_DIGITS = 5, 9
STATUS_STYLES = {
    Status.DONE: "good",
    Status.LATE: "bad",
    Status.EARLY: "bad",
    Status.MISSED: "bad",
    Status.EXTRA: "doubt",
}


def mixed_text(result: MixedResult, *, rows: bool = False, width: int, colour: bool) -> str:
    """Return all of it as lines of at most `width` columns (40 at least), each ended.

    `rows` adds the list of every run: id, due time, measured time, lateness and status.
    """
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    found = summaries(result)
    name = device_name(result.device) or "Schedule"
    lines = list(wrapped(name, width, paint, "bold"))
    style = "alarm" if result.simulated else "muted"
    lines += wrapped(heading(result), width, paint, style)
    lines += wrapped(timecode_text(result.timecode), width, paint, "muted")
    lines += ["", *table(*_figures(result, found), width, paint), ""]
    for verdict, good in verdicts(result, found):
        lines += wrapped(verdict, width, paint, "good" if good else "bad")
    for text in compared(result, found):
        lines += wrapped(text, width, paint, "bold")
    for run in result.runs:
        lines += _spikes(run, found[run.name], result, width, paint)
        lines += _notes(run, width, paint)
        if rows and run.rows:
            lines += ["", *wrapped(run.name, width, paint, "bold")]
            lines += table(*row_table(run, result.tick_fs), width, paint)
    for reason in result.invalid_reasons:
        lines += wrapped(f"INVALID RUN: {reason}", width, paint, "bad")
    return paint.done(lines)


def heading(result: MixedResult) -> str:
    """Return what was scheduled, and where the figures are from."""
    parts = [schedule_text(result.schedule, result.timecode)]
    parts.append("simulated" if result.simulated else "measured")
    parts += ["interrupted"] if result.interrupted else []
    parts += ["INVALID RUN"] if result.invalid_reasons else []
    return " · ".join(parts)


def schedule_text(schedule: Schedule, timecode: Timecode) -> str:
    """Return `100 entries · one each 2 steps, 142.2 ms · 8 ids, random, seed 7`."""
    spacing = schedule.spacing_steps
    step = "step" if spacing == 1 else counted(spacing, "step")
    ids = f"{schedule.ids} {'id' if schedule.ids == 1 else 'ids'}, {schedule.order}"
    ids += f", seed {schedule.seed}" if schedule.order is Order.RANDOM else ""
    return (
        f"{counted(schedule.count, 'entry')} · one each {step}, "
        f"{format_seconds(spacing * timecode.period_s)} · {ids}"
    )


def timecode_text(timecode: Timecode) -> str:
    """Return `timecode of 8 bits in binary, 14.0625 steps a second, 71.111 ms each`."""
    kind = "Gray code" if timecode.gray else "binary"
    each = format_seconds(timecode.period_s, DIGITS)
    rate = f"{float(1 / timecode.period_s):.9g}"
    return (
        f"timecode of {counted(timecode.bits, 'bit')} in {kind}, {rate} steps a second, {each} each"
    )


def steps(count: int) -> str:
    """Return `1 step` or `2 steps`."""
    return counted(count, "step")


def _figures(
    result: MixedResult, found: Mapping[str, Summary]
) -> tuple[list[str], list[list[Cell]]]:
    limit = format_ticks(float(result.limits.limit_ticks), result.tick_fs)
    heads = ["run", "scheduled", *map(str, Status), f"within {limit}"]
    heads += ["mean", "variance", "SD", "min", MAX_SEEN, "spikes"]
    return heads, [_row(run.name, found[run.name], result.tick_fs) for run in result.runs]


def _row(name: str, figures: Summary, tick_fs: int) -> list[Cell]:
    cells = [name, grouped(figures.scheduled)]
    cells += [grouped(figures.counts[status]) for status in Status]
    cells.append(part(figures.within))
    moments = figures.moments
    if moments is None:
        cells += [NOTHING] * 5
    else:
        mean, variance = float(moments.mean_ticks), float(moments.variance_ticks2)
        cells.append(format_mean(mean, variance, moments.count, tick_fs))
        cells.append(format_variance(moments.variance_ticks2, tick_fs))
        cells.append(format_ticks(moments.sd_ticks, tick_fs))
        cells += [format_ticks(t, tick_fs, DIGITS) for t in (moments.min_ticks, moments.max_ticks)]
    cells.append(grouped(len(figures.spikes)))
    return [(text, "") for text in cells]


def part(value: Fraction | None) -> str:
    """Return a part as a decimal: `0.5`, `1`; `< 1` where rounding would hide the difference."""
    if value is None:
        return NOTHING
    text = f"{float(value):.4g}"
    return "< 1" if value < 1 and text == "1" else text


def verdicts(result: MixedResult, found: Mapping[str, Summary]) -> Iterator[tuple[str, bool]]:
    """Yield what the runs prove, and whether that is good."""
    limit = format_ticks(float(result.limits.limit_ticks), result.tick_fs)
    for run in result.runs:
        if run.mode is Mode.VERIFY:
            safe = found[run.name].safe
            good, bad = f"PASS, every entry is done within {limit}", f"FAIL, the limit is {limit}"
            yield f"verify: {good if safe else bad}", safe
    distances = by_distance(result, found)
    if distances:
        least = least_safe(distances)
        if least is None:
            tried = ", ".join(map(str, sorted(distances)))
            yield f"no distance is safe of those that were tried: {tried}", False
        else:
            yield f"least safe distance: {steps(least)}", True


def compared(result: MixedResult, found: Mapping[str, Summary]) -> Iterator[str]:
    """Yield by what factor the mean and the variance of the mixed run are below the normal one."""
    both = normal_to_mixed(result, found)
    if both is None or both[1].mean is None:
        return
    distance, ratio = both
    text = f"normal is {factor(both[1].mean)} times mixed-{distance} in the mean"
    if ratio.variance is not None:
        text += f", {factor(ratio.variance)} times in the variance"
    yield text


def factor(value: Fraction) -> str:
    """Return a factor with four digits, or all before its point: `9.991`, `12,070`."""
    number = float(value)
    return f"{number:,.0f}" if number >= 1000 else f"{number:.4g}"


def _spikes(
    run: ModeRun, figures: Summary, result: MixedResult, width: int, paint: Paint
) -> Iterator[str]:
    if not figures.spikes:
        return
    sds = f"{float(result.spike_sds):g}"
    tick_fs = result.tick_fs
    yield ""
    yield from wrapped(f"{run.name}: spikes above the mean + {sds} SD", width, paint, "muted")
    cells: list[list[Cell]] = [
        [
            (grouped(spike.number), ""),
            (format_ticks(spike.due_ticks, tick_fs, DIGITS), ""),
            (format_ticks(spike.lateness_ticks, tick_fs, LATE_DIGITS), ""),
        ]
        for spike in figures.spikes[:SHOWN]
    ]
    yield from table(["entry", "due", "lateness"], cells, width, paint)
    if len(figures.spikes) > SHOWN:
        yield paint(counted(len(figures.spikes) - SHOWN, "more spike"), "muted")


def _notes(run: ModeRun, width: int, paint: Paint) -> Iterator[str]:
    served = run.served
    counts = {"past due": served.past, "refused": served.refused, "unserved": served.waiting}
    told = [f"{grouped(count)} {what}" for what, count in counts.items() if count]
    if told:
        text = f"{run.name}: of {counted(served.written, 'entry')} of the instrument's schedule "
        yield from wrapped(text + ", ".join(told), width, paint, "doubt")
    heard = run.heard
    if heard is not None and not heard.whole:
        text = f"{run.name}: of the messages to the device {grouped(heard.damaged)} were damaged, "
        text += f"{grouped(heard.missing)} missing; it had no room for {grouped(heard.refused)}"
        yield from wrapped(text, width, paint, "bad")


def row_table(run: ModeRun, tick_fs: int) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each entry of a run, then for each extra response."""
    heads = ["entry", "id", "due step", "issued", "due", "measured", "lateness", "status"]
    cells = [row_cells(row, tick_fs) for row in run.rows]
    for extra in run.extras:
        event_id = NOTHING if extra.event_id is None else str(extra.event_id)
        time = _time(extra.time_ticks, tick_fs)
        cells.append([NOTHING, event_id, *[NOTHING] * 3, time, NOTHING, str(Status.EXTRA)])
    return heads, [[(text, "") for text in line] for line in cells]


def row_cells(row: Row, tick_fs: int) -> list[str]:
    """Return the cells of an entry."""
    return [
        grouped(row.number),
        str(row.event_id),
        grouped(row.due_step),
        NOTHING if row.issue_step is None else grouped(row.issue_step),
        _time(row.due_ticks, tick_fs),
        NOTHING if row.measured_ticks is None else _time(row.measured_ticks, tick_fs),
        lateness(row, tick_fs),
        str(row.status),
    ]


def lateness(row: Row, tick_fs: int) -> str:
    """Return the lateness of an entry with its sign."""
    late = row.lateness_ticks
    if late is None:
        return NOTHING
    return f"{'+' if late > 0 else ''}{format_ticks(late, tick_fs, LATE_DIGITS)}"


def _time(ticks: int, tick_fs: int) -> str:
    """Return a time from the run's start in milliseconds, to a nanosecond."""
    return f"{float(seconds_of(ticks, tick_fs) * 1000):,.6f} ms"
