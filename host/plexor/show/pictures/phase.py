# SPDX-License-Identifier: Apache-2.0
"""A phase scan as pictures, and the page around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any

from plexor.base.counts import counted
from plexor.base.figure_words import source_word
from plexor.base.units import format_ticks, plot_seconds
from plexor.experiments.phase.model import ChannelPhases, PhaseBin, PhaseResult
from plexor.show import facts
from plexor.show.html import (
    PageHeading,
    html_box,
    html_details,
    html_figure,
    html_list,
    html_page,
    html_table,
)
from plexor.show.page_files import page_files
from plexor.show.pictures.canvas import Canvas, Stroke, stack
from plexor.show.pictures.frame import (
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    alone,
    framed,
    legend,
    panel,
    x_axis,
    y_times,
)
from plexor.show.pictures.scale import Axis, grouped, time_unit
from plexor.show.table import NOTHING
from plexor.show.terminal.phase import (
    DIGITS,
    INCOMPLETE,
    headline,
    notes,
    rate,
    shaded,
    summary,
    taken,
    title,
    widest,
    window_rows,
)
from plexor.show.tiles import ChannelTiles, Tile, html_tiles

HEIGHT = 420.0
LABEL_ROOM = 90.0
"""Of a window's width, beside its middle."""


def phase_picture(result: PhaseResult) -> str:
    """Return one SVG file, the plots of all channels below each other."""
    plots = stack("Phase scan", [phase_plot(result, scan) for scan in result.scans], gap=18)
    return alone(plots)


def phase_plot(result: PhaseResult, scan: ChannelPhases, width: float = WIDTH) -> Canvas:
    """Return one channel's latency over phase: minimum to maximum, median, masked windows."""
    source = source_word(result.simulated)
    canvas = framed(title(scan), widest(scan, result.tick_fs), HEIGHT, source, width)
    top, bottom = TOP + 24, HEIGHT - 46
    panel(canvas, top, bottom)
    x = Axis(0, plot_seconds(scan.span_ticks, result.tick_fs), LEFT, width - RIGHT)
    x_axis(canvas, x, top, bottom, time_unit(x.high))
    _windows(canvas, result, scan, x, (top, bottom))
    answered = [entry.max_ticks for entry in scan.bins if entry.max_ticks is not None]
    if not answered:
        canvas.text(width / 2, (top + bottom) / 2, "no response", style="muted", anchor="middle")
        return canvas
    y = Axis(0, plot_seconds(max(answered), result.tick_fs) * 1.08 or 1e-9, bottom, top)
    y_times(canvas, y, "latency")
    _latencies(canvas, result, scan, x, y)
    periodic = scan.reference.period_ticks is not None
    entries = [
        ("minimum to maximum", "s0", Stroke(8, opacity=0.4)),
        ("median", "s0", Stroke(2.2)),
    ]
    if any(entry.missed for entry in scan.bins):
        entries.append(("missed", "worst", Stroke(5)))
    said = "phase of the strike" if periodic else "strike after the edge"
    legend(canvas, entries, bottom + 36, said)
    return canvas


def _windows(
    canvas: Canvas, result: PhaseResult, scan: ChannelPhases, x: Axis, height: tuple[float, float]
) -> None:
    """Shade the masked phases, and name the widest window."""
    top, bottom = height
    if not scan.windows:
        return
    shade = ""
    for start, end in shaded(scan):
        low, high = (x.at(plot_seconds(phase, result.tick_fs)) for phase in (start, end))
        shade += f"M{low:.1f} {top:.1f}H{max(high, low + 1):.1f}V{bottom:.1f}H{low:.1f}z"
    canvas.area(shade, "alarm", 0.1)
    window = scan.windows[0]
    # Of one that wraps, the wider part has the name.
    first = replace(scan, windows=(window,))
    start, end = max(shaded(first), key=lambda part: part[1] - part[0])
    middle = x.at(plot_seconds((start + end) / 2, result.tick_fs))
    middle = min(max(middle, LEFT + LABEL_ROOM), canvas.width - RIGHT - LABEL_ROOM)
    text = f"masked for {format_ticks(float(window.width_ticks), result.tick_fs, DIGITS)}"
    canvas.text(middle, top - 8, text, style="alarm", anchor="middle", bold=True)


def _latencies(canvas: Canvas, result: PhaseResult, scan: ChannelPhases, x: Axis, y: Axis) -> None:
    """Draw each step from its minimum to its maximum latency, the medians, and missed strikes."""
    tick_fs = result.tick_fs
    spans, medians, missed = "", "", ""
    for entry in scan.bins:
        low, high = _ends(entry, scan, x, tick_fs)
        if entry.missed:
            missed += f"M{low:.1f} {y.end + 5:.1f}H{max(high, low + 1.5):.1f}"
        if entry.min_ticks is None or entry.median_ticks is None or entry.max_ticks is None:
            continue
        least, middle, most = (
            y.at(plot_seconds(ticks, tick_fs))
            for ticks in (entry.min_ticks, entry.median_ticks, entry.max_ticks)
        )
        spans += f"M{low:.1f} {least + 0.8:.1f}V{most - 0.8:.1f}H{high:.1f}V{least + 0.8:.1f}z"
        medians += f"M{low:.1f} {middle:.1f}H{high:.1f}"
    canvas.area(spans, "f0", 0.4)
    canvas.path(medians, "s0", Stroke(2.2))
    if missed:
        canvas.path(missed, "worst", Stroke(5))


def _ends(entry: PhaseBin, scan: ChannelPhases, x: Axis, tick_fs: int) -> tuple[float, float]:
    end = min(float(entry.phase_ticks + scan.step_ticks), float(scan.span_ticks))
    return (
        x.at(plot_seconds(float(entry.phase_ticks), tick_fs)),
        x.at(plot_seconds(end, tick_fs)),
    )


def phase_page(result: PhaseResult, document: Mapping[str, Any] | None = None) -> str:
    """Return the page's text in UTF-8: nothing is fetched. It carries the scan's `document`."""
    banner = body = ""
    if result.invalid_reasons:
        reasons = "; ".join(result.invalid_reasons)
        banner += html_box("bad", "Invalid: these figures prove nothing", reasons)
    if not result.complete:
        banner += html_box("bad", "Incomplete", INCOMPLETE.partition(": ")[2])
    banner += html_tiles([_tiles(scan, n, result.tick_fs) for n, scan in enumerate(result.scans)])
    for scan in result.scans:
        said = notes(scan, result.tick_fs)
        body += _figure(result, scan)
        body += f'<p class="muted">{escape(taken(scan, result.tick_fs))}</p>'
        body += html_box("doubt", "About this scan", said[0], said[1:]) if said else ""
        heads, rows = window_rows(scan, result.tick_fs)
        if rows:
            body += f"<h2>Masked windows of {escape(scan.channel)}</h2>{html_table((heads, rows))}"
    entries = [("accounting", facts.books(result.accounting))]
    entries += [("strike rate", rate(result)), *facts.began(result)]
    entries += [(f"device {name}", text) for name, text in result.device.items()]
    entries += [(f"{name} version", text) for name, text in result.versions.items()]
    if result.scans:
        body += page_files("phase", document, window_rows(result.scans[0], result.tick_fs))
    body += html_details("What was done, and with what", html_list(entries))
    source = source_word(result.simulated)
    return html_page(PageHeading(headline(result), source, summary(result), banner), body)


def _tiles(scan: ChannelPhases, number: int, tick_fs: int) -> ChannelTiles:
    """Return a channel's widest masked window, the longest delay in it, and what was masked."""
    if not scan.windows:
        width = Tile("widest masked window", "none", widest(scan, tick_fs))
        delay = Tile("longest delay", NOTHING)
    else:
        window = scan.windows[0]
        start = format_ticks(float(window.start_ticks), tick_fs, DIGITS)
        width = Tile(
            "widest masked window",
            format_ticks(float(window.width_ticks), tick_fs, DIGITS),
            f"± {format_ticks(float(window.width_error_ticks), tick_fs, 3)}, from {start} on",
        )
        delay = Tile("longest delay", NOTHING, "all missed")
        if window.delay_ticks is not None:
            least = "≥ " if window.missed else ""
            longest = format_ticks(window.delay_ticks, tick_fs, DIGITS)
            delay = Tile("longest delay", f"{least}{longest}")
    missed = sum(entry.missed for entry in scan.bins)
    style = "doubt" if missed else ""
    lost = Tile("missed", grouped(missed), f"of {counted(scan.strikes, 'strike')}", style)
    return ChannelTiles(scan.channel, f"after {scan.reference.name}", number, (width, delay, lost))


def _figure(result: PhaseResult, scan: ChannelPhases) -> str:
    return html_figure(lambda width: phase_plot(result, scan, width))
