# SPDX-License-Identifier: Apache-2.0
"""Systems side by side, for a terminal: a table like the study's Figure 7, and its conclusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from plexor.base.units import format_rate, format_seconds
from plexor.library.parts.results import SweepResult
from plexor.library.parts.show import (
    LEAST_WIDTH,
    NOTHING,
    Cell,
    Paint,
    bracket_text,
    notes,
    table,
    wrapped,
)
from plexor_lab.study.reference import (
    CE_3_0,
    CE_NET,
    IDLE,
    LOADED,
    SOURCE,
    STATEMENTS,
    Role,
    StatementSubject,
    stated,
)
from plexor_lab.study.systems import (
    ROLES,
    Inequality,
    Jitter,
    LoadChange,
    PinTiming,
    SystemRow,
    guideline,
)

REFERENCE = "reference"
UNKNOWN = "."
"""Stands for a figure that the reference's text does not have."""
_PINS = {Role.INTERRUPT: "IST", Role.TASK: "APP"}
"""The reference's names for them."""
_COLUMNS = (StatementSubject.LATENCY, StatementSubject.JITTER, StatementSubject.SATURATION)


def systems_text(
    rows: Sequence[SystemRow],
    changes: Sequence[LoadChange],
    inequalities: Sequence[Inequality],
    sweeps: Sequence[tuple[str, SweepResult]],
    jitter: Jitter,
    *,
    reference: bool = True,
    interval_s: Fraction | None = None,
    width: int,
    colour: bool,
) -> str:
    """Return all of it as lines of at most `width` columns, the reference apart from the rest."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = list(table(_heads(jitter), [_row(row) for row in rows], width, paint))
    lines += _origins(rows, sweeps, width, paint)
    if changes:
        lines += [
            "",
            *wrapped("Change of the saturation frequency under load", width, paint, "bold"),
        ]
        heads = ["system", "load", "pin", "change", "by the brackets", ""]
        cells: list[list[Cell]] = [[(text, "") for text in _change(change)] for change in changes]
        lines += table(heads, cells, width, paint)
    if inequalities:
        lines += ["", *wrapped(f"Is the task's {jitter} lower under load?", width, paint, "bold")]
        for inequality in inequalities:
            style = "good" if inequality.holds else "doubt"
            lines += wrapped(_inequality(inequality), width, paint, style)
    if reference:
        lines += ["", *_reference(jitter, width, paint)]
    if interval_s is not None:
        advice = f"For {format_seconds(interval_s)}, {REFERENCE}: {guideline(interval_s)}."
        lines += ["", *wrapped(advice, width, paint, "bold")]
    return paint.done(lines)


def _heads(jitter: Jitter) -> list[str]:
    heads = ["system", "load"]
    for role in ROLES:
        heads += [f"{role} p50", jitter.value, "saturation"]
    return heads


def _row(row: SystemRow) -> list[Cell]:
    cells: list[Cell] = [(row.system, ""), (row.load, "")]
    for role in ROLES:
        timing, saturation = row.timing.get(role), row.saturation.get(role)
        cells += [_time(timing, None if timing is None else timing.median_s)]
        cells += [_time(timing, None if timing is None else timing.jitter_s)]
        if saturation is None:
            cells.append((NOTHING, ""))
        else:
            low = saturation.bracket.passing_hz
            closed = low is not None and saturation.bracket.failing_hz is not None
            text = (
                format_rate(low) if closed and low is not None else bracket_text(saturation.bracket)
            )
            cells.append((text, saturation.source))
    return cells


def _time(timing: PinTiming | None, value_s: Fraction | None) -> Cell:
    if timing is None or value_s is None:
        return NOTHING, ""
    return format_seconds(value_s), timing.source


def _origins(
    rows: Sequence[SystemRow], sweeps: Sequence[tuple[str, SweepResult]], width: int, paint: Paint
) -> Iterator[str]:
    """Yield the rates at which latencies were taken, the meaning of saturation, and doubts."""
    rates: dict[str, list[str]] = {}
    for row in rows:
        for timing in row.timing.values():
            rate = "no strikes" if timing.rate_hz is None else format_rate(timing.rate_hz)
            named = rates.setdefault(rate, [])
            named += [] if timing.taken_from in named else [timing.taken_from]
    for rate, paths in rates.items():
        yield from wrapped(
            f"latency and jitter at {rate}: {', '.join(paths)}", width, paint, "muted"
        )
    criteria: dict[str, list[str]] = {}
    for path, result in sweeps:
        criteria.setdefault(f"{', '.join(result.criteria)}, {result.shape}", []).append(path)
    for text, paths in criteria.items():
        line = f"saturation, the highest rate that keeps {text}: {', '.join(paths)}"
        yield from wrapped(line, width, paint, "muted")
    if len(criteria) > 1:
        line = "saturation frequencies by different criteria cannot be compared"
        yield from wrapped(line, width, paint, "doubt")
    for path, result in sweeps:
        if result.interrupted:
            yield from wrapped(f"{path}: the sweep was interrupted", width, paint, "doubt")
        for knee in result.knees:
            for note in notes(knee, result):
                line = f"{path}: {knee.load}, {knee.channel}: {note}"
                yield from wrapped(line, width, paint, "doubt")


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):+.1f} %"


def _change(load_change: LoadChange) -> list[str]:
    interval = NOTHING
    if load_change.least is not None and load_change.most is not None:
        interval = f"{_percent(load_change.least)} to {_percent(load_change.most)}"
    elif load_change.least is not None:
        interval = f"at least {_percent(load_change.least)}"
    elif load_change.most is not None:
        interval = f"at most {_percent(load_change.most)}"
    change = NOTHING if load_change.part is None else _percent(load_change.part)
    return [
        load_change.system,
        load_change.load,
        load_change.role.value,
        change,
        interval,
        load_change.source,
    ]


def _inequality(inequality: Inequality) -> str:
    sign, word = ("<", "yes") if inequality.holds else ("≥", "no ")
    return (
        f"{word}  {inequality.system}, {inequality.load} "
        f"{format_seconds(inequality.jitter_s)} {sign} "
        f"{format_seconds(inequality.other_s)} {inequality.other_system}, {inequality.other_load} "
        f"({inequality.source})"
    )


def _reference(jitter: Jitter, width: int, paint: Paint) -> Iterator[str]:
    yield from wrapped(f"Reference, measured by others: {SOURCE}", width, paint, "bold")
    # Its latency is what a scope showed, its jitter the span of 128.
    heads = ["system", "load"]
    for role in ROLES:
        heads += [f"{_PINS[role]} latency", Jitter.SPAN_128.value, "saturation"]
    rows: list[list[Cell]] = []
    for system in (CE_3_0, CE_NET):
        for load in (IDLE, LOADED):
            row: list[Cell] = [(system, ""), (load, "")]
            for role in ROLES:
                row += [_stated(system, load, role, subject) for subject in _COLUMNS]
            rows.append(row)
    yield from table(heads, rows, width, paint)
    for statement in STATEMENTS:
        if statement.what in (StatementSubject.CHANGE, StatementSubject.REMARK):
            prefix = "saturation changes by " if statement.what == StatementSubject.CHANGE else ""
            line = f"{statement.system}, {', '.join(statement.loads)}, {_PINS[statement.role]}: "
            line += f"{prefix}{statement.text}"
            yield from wrapped(f"{line} ({REFERENCE} {statement.row})", width, paint, "muted")
    note = f"{UNKNOWN} not in the text   ? the load is not explicit"
    if jitter != Jitter.SPAN_128:
        note += f"   the reference's jitter is {Jitter.SPAN_128}, not {jitter}"
    yield from wrapped(note, width, paint, "muted")


def _stated(system: str, load: str, role: Role, subject: StatementSubject) -> Cell:
    statement = stated(system, load, role, subject)
    return (UNKNOWN, "") if statement is None else (statement.shown, f"{REFERENCE} {statement.row}")
