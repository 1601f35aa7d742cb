# SPDX-License-Identifier: Apache-2.0
"""A phase scan on the terminal: latency over phase, and the masked windows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from plexor.base.counts import counted
from plexor.base.figure_words import source_word
from plexor.base.units import format_rate, format_tick_range, format_ticks, plot_seconds
from plexor.experiments.phase.model import ChannelPhases, MaskedWindow, PhaseResult
from plexor.model.load import load_texts
from plexor.show import facts
from plexor.show.pictures.scale import Axis, grouped, time_unit
from plexor.show.table import NOTHING, Cell
from plexor.show.terminal.blocks import EIGHTHS, MARGIN, axis_line, bars, columns_of
from plexor.show.terminal.columns import CHANNEL_COLOURS, LEAST_WIDTH, Paint, table, wrapped

ROWS = 4
DIGITS = 5
SHOWN = 8
"""Windows in the table."""
LEAST_PART, MUCH, MOST_POWER = 0.01, 0.1, 9
"""From the first on a chance is in percent, from the second in whole ones; below, the power of ten
that it is under, up to the third."""
INCOMPLETE = "INCOMPLETE: events were dropped or lost; the affected strikes are left out"


def phase_text(result: PhaseResult, *, width: int, colour: bool) -> str:
    """Return all of it as lines of at most `width` columns (40 at least), each ended."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = list(wrapped(headline(result), width, paint, "bold"))
    lines += wrapped(summary(result), width, paint, "alarm" if result.simulated else "muted")
    for scan in result.scans:
        lines += ["", *wrapped(title(scan), width, paint, "bold")]
        lines += wrapped(taken(scan, result.tick_fs), width, paint, "muted")
        lines += ["", *_plot(scan, result.tick_fs, width, paint), ""]
        heads, rows = window_rows(scan, result.tick_fs)
        if rows:
            lines += [*table(heads, rows, width, paint), ""]
        lines += wrapped(widest(scan, result.tick_fs), width, paint, "bold")
        for note in notes(scan, result.tick_fs):
            lines += wrapped(note, width, paint, "doubt")
    lines += ["", *wrapped(facts.books(result.accounting), width, paint, "muted")]
    if not result.complete:
        lines += wrapped(INCOMPLETE, width, paint, "bad")
    for reason in result.invalid_reasons:
        lines += wrapped(f"INVALID RUN: {reason}", width, paint, "bad")
    return paint.done(lines)


def headline(result: PhaseResult) -> str:
    """Return the device under test in one line."""
    return facts.device_name(result.device) or "Phase scan"


def summary(result: PhaseResult) -> str:
    """Return what was done to it."""
    parts = [
        counted(result.strikes, "strike"),
        rate(result),
        *load_texts(result.device_load, result.load, result.load_name),
        source_word(result.simulated),
    ]
    parts += ["interrupted"] if result.interrupted else []
    parts += ["INVALID RUN"] if result.invalid_reasons else []
    return " · ".join(parts)


def rate(result: PhaseResult) -> str:
    """Return the rate of the strikes, and the requested rate if that is different."""
    taken, asked = format_rate(result.rate_hz), format_rate(result.asked_rate_hz)
    random = any(scan.reference.period_ticks is None for scan in result.scans)
    text = f"{taken} on average" if random else taken
    return text if taken == asked else f"{text} of the {asked} requested"


def title(scan: ChannelPhases) -> str:
    """Return the title of a scan."""
    if scan.reference.period_ticks is None:
        return f"{scan.channel} by the time since {scan.reference.name}"
    return f"{scan.channel} over the phase of {scan.reference.name}"


def taken(scan: ChannelPhases, tick_fs: int) -> str:
    """Return reference, steps, base and threshold."""
    reference = scan.reference
    least, most = format_tick_range(reference.least_ticks, reference.most_ticks, tick_fs)
    apart = f"{counted(reference.edges, 'edge')}, {least} to {most} apart"
    if reference.period_ticks is not None:
        period = format_ticks(float(reference.period_ticks), tick_fs, 7)
        apart = f"period {period} ({apart})"
    steps = f"{counted(len(scan.bins), 'step')} of {format_ticks(float(scan.step_ticks), tick_fs)}"
    if scan.base_ticks is None:
        return f"{apart}; {steps}; no strike was answered"
    base = format_ticks(scan.base_ticks, tick_fs, DIGITS)
    over = format_ticks(scan.threshold_ticks, tick_fs)
    return (
        f"{apart}; {steps}; base {base}, the median of the fastest quarter; masked: missed, or "
        f"more than {over} above it, and not by chance"
    )


def window_rows(scan: ChannelPhases, tick_fs: int) -> tuple[list[str], list[list[Cell]]]:
    """Return the heads and a row for each window, the widest first."""
    heads = ["window", "start", "end", "width", "longest delay", "waits until", "masked", "missed"]
    return [*heads, "by chance"], [
        _row(n + 1, window, scan, tick_fs) for n, window in enumerate(scan.windows[:SHOWN])
    ]


def _row(number: int, window: MaskedWindow, scan: ChannelPhases, tick_fs: int) -> list[Cell]:
    def time(ticks: float | None, error: float | None = None) -> Cell:
        if ticks is None:
            return NOTHING, ""
        note = "" if error is None else f"± {format_ticks(error, tick_fs, 3)}"
        return format_ticks(ticks, tick_fs, DIGITS), note

    cells: list[Cell] = [(f"{number}", "")]
    span = scan.span_ticks
    wraps = window.end_ticks > span
    end = float(window.end_ticks - span * wraps)
    cells.append(time(float(window.start_ticks), float(window.start_error_ticks)))
    cells.append(time(end, float(window.end_error_ticks)))
    cells.append(time(float(window.width_ticks), float(window.width_error_ticks)))
    cells.append(time(window.delay_ticks))
    waits = window.waits_until_ticks
    cells.append(time(None if waits is None else waits - span * (waits >= span and wraps)))
    of = f"of {grouped(window.strikes)}" if window.masked < window.strikes else ""
    cells += [(grouped(window.masked), of), (grouped(window.missed), "")]
    return [*cells, (chance(window), "of scans")]


def chance(window: MaskedWindow) -> str:
    """Return at most how often a scan of a device without a window shows one like this."""
    if window.chance >= LEAST_PART:
        return f"{window.chance * 100:.{1 if window.chance < MUCH else 0}f} %"
    power = MOST_POWER if not window.chance else math.floor(-math.log10(window.chance))
    return f"< 10⁻{'⁰¹²³⁴⁵⁶⁷⁸⁹'[min(power, MOST_POWER)]}"


def widest(scan: ChannelPhases, tick_fs: int) -> str:
    """Return the widest window, by phase and by latency, in one line."""
    if not scan.strikes:
        return "no strike has a known phase and latency"
    if scan.base_ticks is None:
        return "no strike was answered at any phase"
    if not scan.windows:
        return "no phase is masked"
    window = scan.windows[0]
    start = format_ticks(float(window.start_ticks), tick_fs, DIGITS)
    width = format_ticks(float(window.width_ticks), tick_fs, DIGITS)
    error = format_ticks(float(window.width_error_ticks), tick_fs, 3)
    text = f"widest masked window: from {start} on, {width} wide ± {error}"
    if window.delay_ticks is not None:
        least = "at least " if window.missed else ""
        text += f"; by latency {least}{format_ticks(window.delay_ticks, tick_fs, DIGITS)}"
    return text


def _strays(scan: ChannelPhases, tick_fs: int) -> Iterator[str]:
    """Yield notes on masked strikes outside the windows."""
    if not scan.stray_strikes or scan.base_ticks is None:
        return
    text = (
        f"{_strikes(scan.stray_strikes)} missed or delayed outside the windows, as happens by "
        "chance"
    )
    window = scan.suspect
    if window is not None:
        start = format_ticks(float(window.start_ticks), tick_fs, DIGITS)
        how = "missed"
        if window.delay_ticks is not None:
            how = f"delayed by up to {format_ticks(window.delay_ticks, tick_fs, DIGITS)}"
        text += (
            f"; least likely: {grouped(window.masked)} at {start}, {how}, by chance in "
            f"{chance(window)} of scans; more --repeats decide"
        )
    yield text


def _strikes(count: int) -> str:
    return f"{grouped(count)} {'strike' if count == 1 else 'strikes'}"


def notes(scan: ChannelPhases, tick_fs: int) -> list[str]:
    """Return what a reader of a scan must know."""
    found = [f"{_strikes(count)} left out: {why}" for why, count in scan.left_out.items()]
    found += _strays(scan, tick_fs)
    if scan.empty_phases:
        found.append(f"{scan.empty_phases} of {len(scan.bins)} phase steps had no strike")
    if len(scan.windows) > SHOWN:
        found.append(f"{len(scan.windows) - SHOWN} narrower windows are not listed")
    inside = scan.windows[0].empty_phases if scan.windows else 0
    if inside:
        found.append(f"{counted(inside, 'step')} inside the widest window had no strike")
    return found


def shaded(scan: ChannelPhases) -> Iterator[tuple[float, float]]:
    """Yield from where to where phases are masked; a window that wraps is two."""
    span = float(scan.span_ticks)
    for window in scan.windows:
        start, end = float(window.start_ticks), float(window.end_ticks)
        yield start, min(end, span)
        if end > span:
            yield 0.0, end - span


def _plot(scan: ChannelPhases, tick_fs: int, width: int, paint: Paint) -> Iterator[str]:
    """Draw the maximum latency of each column, with missed strikes above and windows below."""
    columns = min(columns_of(width), len(scan.bins))
    column = [n * columns // len(scan.bins) for n in range(len(scan.bins))]
    most = [0] * columns
    missed = [" "] * columns
    for place, entry in zip(column, scan.bins, strict=True):
        most[place] = max(most[place], entry.max_ticks or 0)
        if entry.missed:
            missed[place] = "x"
    masked = [" "] * columns
    for low, high in shaded(scan):
        first, last = (round(phase * columns / scan.span_ticks) for phase in (low, high))
        first = min(first, columns - 1)
        for place in range(first, max(last, first + 1)):
            masked[place] = "▔"
    top = max(*most, 1)
    if "x" in missed:
        yield _marks("missed", missed, paint)
    eighths = [0 if value <= 0 else max(round(value * ROWS * EIGHTHS / top), 1) for value in most]
    values = [format_ticks(top, tick_fs, 3), *[""] * (ROWS - 2), "0"]
    yield from bars(eighths, values, paint, CHANNEL_COLOURS[0])
    yield _marks("masked", masked, paint)
    axis = Axis(0, plot_seconds(scan.span_ticks, tick_fs), 0, columns)
    yield axis_line(axis, *time_unit(axis.high), paint)


def _marks(name: str, marks: list[str], paint: Paint) -> str:
    label = paint(name.rjust(MARGIN - 1), "muted")
    return f"{label} {paint(''.join(marks).rstrip(), 'bad')}".rstrip()
