# SPDX-License-Identifier: Apache-2.0
"""A sweep on the terminal: the bracket of each knee, and the steps on both sides of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_rate, format_seconds, format_ticks
from plexor.experiments.step import REST, RateStep
from plexor.experiments.sweep.model import Bracket, Knee, SweepResult
from plexor.protocol.memory import ResponseClass
from plexor.show.facts import load_word
from plexor.show.sweep_rows import own_steps
from plexor.show.table import Cell
from plexor.show.terminal.columns import LEAST_WIDTH, Paint, table, wrapped
from plexor.show.terminal.sweep_bars import sweep_bars

LEAST_IDLE = 0.1
"""Responses that answer no strike, as a part of all strikes, from which on it is said."""
NOTHING = "-"
DETERMINISTIC = (
    "deterministic: neither the strikes nor the device are random, so the same strikes always get "
    "the same answers"
)
SHIFTED = (
    "without latencies: missed strikes were still open when the next ones came, so responses may "
    "have been matched with earlier strikes; a --timeout of at most the period keeps them apart"
)


def bracket_text(bracket: Bracket) -> str:
    """Return `passes 46.8 kHz, fails 47.2 kHz`, or what is known of it."""
    low, high = bracket.passing_hz, bracket.failing_hz
    if low is None:
        return NOTHING if high is None else f"below {format_rate(high)}"
    if high is None:
        return f"above {format_rate(low)}"
    return f"passes {format_rate(low)}, fails {format_rate(high)}"


def knee_rows(result: SweepResult) -> tuple[list[str], list[list[str]]]:
    """Return the heads and a row for each channel under each load."""
    head = ["load", "channel", "passes", "fails", "width", "why it fails", "p99", MAX_SEEN]
    head.append("strikes")
    return head, [_knee_row(result, knee) for knee in result.knees]


def _knee_row(result: SweepResult, knee: Knee) -> list[str]:
    bracket = knee.bracket
    passing = _step(result.steps, knee, bracket.passing_hz)
    failing = _step(result.steps, knee, bracket.failing_hz)
    row = [load_word(knee.load), knee.channel]
    for rate_hz in (bracket.passing_hz, bracket.failing_hz):
        row.append(NOTHING if rate_hz is None else format_rate(rate_hz))
    row.append(NOTHING if bracket.width is None else f"{bracket.width:.2%}")
    why = "the instrument ends" if bracket.instrument_hz is not None else NOTHING
    row.append(why if failing is None else failing.of(knee.channel).reason)
    figures = None if passing is None else passing.of(knee.channel)
    for ticks in (None, None) if figures is None else (figures.p99_ticks, figures.max_ticks):
        row.append(NOTHING if ticks is None else format_ticks(ticks, result.tick_fs))
    row.append(f"{knee.strikes:,}")
    return row


def _step(steps: Sequence[RateStep], knee: Knee, rate_hz: object) -> RateStep | None:
    return next((step for step in own_steps(steps, knee) if step.rate_hz == rate_hz), None)


def sweep_text(result: SweepResult, *, width: int, colour: bool) -> str:
    """Return all of it as lines of at most `width` columns, with the notes on each knee below."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    head = (
        f"{'simulated, ' if result.simulated else ''}{', '.join(result.criteria)}, {result.shape}"
    )
    lines = [*wrapped(head, width, paint, "alarm" if result.simulated else "muted"), ""]
    heads, rows = knee_rows(result)
    cells: list[list[Cell]] = [[(cell, "") for cell in row] for row in rows]
    lines += table(heads, cells, width, paint)
    for knee in result.knees:
        for note in notes(knee, result):
            lines += wrapped(
                f"{load_word(knee.load)}, {knee.channel}: {note}", width, paint, "doubt"
            )
    for note, doubtful in (*scan_notes(result), *step_notes(result)):
        lines += wrapped(note, width, paint, "doubt" if doubtful else "muted")
    lines += sweep_bars(result, width, paint)
    return paint.done(lines)


def notes(knee: Knee, result: SweepResult) -> list[str]:
    """Return what a reader of a knee must know."""
    bracket = knee.bracket
    found: list[str] = []
    if bracket.passing_hz is None and bracket.failing_hz is not None:
        found.append(f"fails {format_rate(bracket.failing_hz)}, the lowest rate tried")
    if bracket.failing_hz is None and bracket.passing_hz is not None:
        found.append(f"passes {format_rate(bracket.passing_hz)}, {_upper(bracket)}")
    passing = _step(result.steps, knee, bracket.passing_hz)
    if passing is not None:
        counts = passing.of(knee.channel).classes
        idle = counts[ResponseClass.DUPLICATE] + counts[ResponseClass.SPURIOUS]
        if idle > LEAST_IDLE * passing.strikes:
            found.append(
                f"{counted(idle, 'response')} to {counted(passing.strikes, 'strike')} at "
                f"{format_rate(passing.rate_hz)} "
                "answer no strike: a pin that moves by itself only seems to answer"
            )
    found += _cycle_note(knee, result)
    if not bracket.monotonic:
        rates = ", ".join(map(format_rate, bracket.passing_above_hz))
        found.append(f"not monotonic: {rates} passed above the lowest rate that failed")
    if bracket.undecided_hz and (bracket.width is None or bracket.width > result.width):
        rates = ", ".join(map(format_rate, bracket.undecided_hz))
        found.append(f"wider than requested, because the test could not decide at {rates}")
    return found


def _upper(bracket: Bracket) -> str:
    """Return why nothing is known above the highest rate that passed, if none failed."""
    end = bracket.instrument_hz
    if end is None:
        return "the highest rate tried"
    return f"and the instrument ends at {format_rate(end)}, before the device does"


def _cycle_note(knee: Knee, result: SweepResult) -> list[str]:
    """Return a note if more strikes at the ends of a bracket would get the same answers again."""
    ends = (knee.bracket.passing_hz, knee.bracket.failing_hz)
    steps = [step for rate in ends if (step := _step(result.steps, knee, rate)) is not None]
    found = [
        f"every {'strike' if cycle == 1 else counted(cycle, 'strike')} at "
        f"{format_rate(step.rate_hz)}"
        for step in steps
        if (cycle := step.of(knee.channel).cycle) is not None
    ]
    if not found:
        return []
    return [f"its answers repeat {' and '.join(found)}: more strikes reveal nothing new there"]


def step_notes(result: SweepResult) -> list[tuple[str, bool]]:
    """Return what a reader of all steps must know, and whether that is a doubt."""
    found: list[tuple[str, bool]] = []
    loads = dict.fromkeys(step.load for step in result.steps)
    known = {step.load for step in result.steps if step.drawn is not False}
    same = [load for load in loads if load not in known]
    if same:
        text = f"{', '.join(map(load_word, same))}: {DETERMINISTIC}; --dither gives each strike a "
        text += "phase of its own"
        found.append((text, True))
    shifted = sum(any(entry.shifted for entry in step.channels) for step in result.steps)
    if shifted:
        found.append((f"{shifted} of {counted(len(result.steps), 'step')} {SHIFTED}", False))
    return found


def scan_notes(result: SweepResult) -> list[tuple[str, bool]]:
    """Return what scans both ways show of knees and recovery, and whether that is a doubt."""
    found: list[tuple[str, bool]] = []
    for knee in result.knees:
        if knee.up is None or knee.down is None:
            continue
        said = "agree with the search" if knee.agrees else "do not agree with the search"
        scans = f"scan up {bracket_text(knee.up)}; down {bracket_text(knee.down)}"
        said = "hysteresis" if knee.hysteresis else said
        text = f"{load_word(knee.load)}, {knee.channel}: {scans}: {said}"
        found.append((text, not knee.agrees))
    for step in result.steps:
        if step.direction == REST:
            found.append(
                (f"{load_word(step.load)}: {_recovery_text(step)}", step.recovery_s is None)
            )
    return found


def _recovery_text(step: RateStep) -> str:
    rate = format_rate(step.rate_hz)
    if step.recovery_s is None:
        return f"after the highest rate it never again answers every strike at {rate}"
    within = format_seconds(Fraction(step.recovery_s))
    return f"after the highest rate it answers every strike at {rate} within {within}"
