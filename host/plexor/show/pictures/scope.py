# SPDX-License-Identifier: Apache-2.0
"""The scope view: all traces after the strike on top of each other, as with persistence."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from plexor.base.counts import counted
from plexor.base.units import format_ticks, plot_seconds
from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report
from plexor.figures.analyse.traces import Persistence, Staircase, average_trace, persistence
from plexor.model.settings import RegisterWrite
from plexor.model.sources import source_name
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.show.pictures.canvas import Canvas, Stroke
from plexor.show.pictures.frame import (
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Label,
    beside,
    framed,
    legend,
    panel,
    provenance,
    spread,
    why_empty,
    x_axis,
)
from plexor.show.pictures.scale import Axis, time_unit

COLUMN = 2.0
"""Width of a column of traces."""
ROW, SWING = 92.0, 50.0
SHADES = 24
"""Steps of brightness; one path each keeps the picture small."""


def scope(report: Report, title: str = "Persistence", width: float = WIDTH) -> Canvas:
    """Return the persistence view of all channels over the strike."""
    result = report.result
    shown = [channel for channel in report.channels if channel.rise is not None]
    strikes = max((channel.result.strikes for channel in report.channels), default=0)
    references = {channel.result.reference for channel in shown}
    height = TOP + 62 + ROW * max(len(shown), 1) + 62
    subtitle = (
        f"{counted(strikes, 'strike')} on top of each other: the stronger the colour, the more "
        "traces. Rare edges stay visible."
    )
    canvas = framed(title, subtitle, height, provenance(result), width)
    top, bottom = TOP, height - 62
    panel(canvas, top, bottom)
    if not shown:
        why, middle = why_empty(report), (top + bottom) / 2
        canvas.text(width / 2, middle, why, style="muted", anchor="middle")
        return canvas
    low, high = window_of(shown)
    axis = Axis(
        plot_seconds(low, result.tick_fs),
        plot_seconds(high, result.tick_fs),
        LEFT,
        width - RIGHT,
    )
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    after = "the strike" if len(references) == 1 else "each channel's own strike"
    canvas.text(LEFT - 9, top + 38, "strike", style="muted", anchor="end")
    strike = f"M{LEFT:.1f} {top + 46:.1f}H{axis.at(0):.1f}V{top + 20:.1f}"
    width_ticks = strike_width_ticks(result.registers, references)
    if width_ticks is not None and width_ticks < high:
        strike += f"H{axis.at(plot_seconds(width_ticks, result.tick_fs)):.1f}V{top + 46:.1f}"
    canvas.path(f"{strike}H{width - RIGHT:.1f}", "rule", Stroke(1.5))
    has_traces = False
    for place, channel in enumerate(shown):
        base = top + 62 + ROW * place + (ROW + SWING) / 2 - 4
        has_traces |= _row(canvas, report, channel, (low, high), base)
    entries = [("average", "average", Stroke(1.6))]
    if has_traces:
        entries.append(("last", "last", Stroke(1.4)))
    entries.append(("worst", "worst", _WORST))
    legend(canvas, entries, bottom + 36, f"time after {after}")
    return canvas


_WORST = Stroke(1.4, dash=(5, 3))


def strike_width_ticks(registers: Iterable[RegisterWrite], references: set[str]) -> int | None:
    """Return how long strikes last, where all channels are timed from those of one output."""
    widths = {
        source_name(SOURCE_STRIKE + write.copy): write.value
        for write in registers
        if (write.block, write.name) == ("stimulus", "width_ticks")
    }
    found = {widths.get(reference) for reference in references}
    return found.pop() if len(found) == 1 else None


def window_of(channels: list[ChannelFigures]) -> tuple[int, int]:
    """Return the ticks to show: all rises, and the falls not far after the last of them."""
    last = first = 0
    for channel in channels:
        rise, fall = channel.rise, channel.fall
        if rise is None or rise.max_ticks is None or rise.min_ticks is None:
            continue
        reach = rise.max_ticks
        longest = None if fall is None else fall.max_ticks or fall.limit_ticks
        if longest is not None:
            reach = max(reach, min(longest, reach + reach // 2))
        last, first = max(last, reach), min(first, rise.min_ticks)
    span = max(last - first, 1)
    return first - math.ceil(span * 0.04), last + math.ceil(span * 0.05)


def _row(
    canvas: Canvas, report: Report, channel: ChannelFigures, window: tuple[int, int], base: float
) -> bool:
    """Draw one channel above `base`; return whether its last trace is known."""
    rise, fall = channel.rise, channel.fall
    assert rise is not None
    if fall is not None and not fall.count:
        fall = None
    tick_fs, number = report.result.tick_fs, channel.result.number
    axis = Axis(window[0], window[1], LEFT, canvas.width - RIGHT)
    falls = None if fall is None else fall.distribution.closed
    columns = round((axis.end - axis.start) / COLUMN)
    image = persistence(
        rise.distribution, falls, window, columns, max(channel.result.strikes, rise.count)
    )
    density(canvas, image, number, base)
    last = _single(axis, base, *trace_of(rise, fall, -1))
    if rise.samples is not None:
        canvas.path(last, "last", Stroke(1.4))
    worst = trace_of(rise, fall, worst_position(rise))
    canvas.path(_single(axis, base, *worst), "worst", _WORST)
    average = average_trace(rise.distribution, falls, max(channel.result.strikes, rise.count))
    canvas.path(stairs(axis, base, average), "average", Stroke(1.6))
    name = beside(channel.name, [entry.name for entry in report.channels])
    canvas.text(LEFT - 9, base - SWING / 2 + 4, name, style=f"f{number}", anchor="end", bold=True)
    references = {entry.result.reference for entry in report.channels if entry.rise is not None}
    if len(references) > 1:
        at = base - SWING / 2 + 18
        canvas.text(LEFT - 9, at, channel.result.reference, style="muted", anchor="end")
    labels = [
        Label(axis.at(value), f"{name} {format_ticks(value, tick_fs)}", style)
        for name, value, style in (
            ("p50", _median(rise), f"f{number}"),
            ("max seen", rise.max_ticks, "alarm"),
        )
        if value is not None
    ]
    for label, x in zip(labels, spread(labels, LEFT + 4, canvas.width - RIGHT - 4), strict=True):
        canvas.text(x, base - SWING - 9, label.content, style=label.style, anchor="middle")
    return rise.samples is not None


def _median(rise: Figures) -> int | None:
    return next((found.value_ticks for found in rise.quantiles if found.q * 2 == 1), None)


def worst_position(rise: Figures) -> int:
    return -1 if rise.samples is None else int(np.argmax(rise.samples.value_ticks))


def trace_of(rise: Figures, fall: Figures | None, position: int) -> tuple[int, int | None]:
    """Return (rise, fall) after the strike of one response; the greatest without samples."""
    if rise.samples is None:
        return rise.max_ticks or 0, None
    up = int(rise.samples.value_ticks[position])
    if fall is None or fall.samples is None:
        return up, None
    own = np.flatnonzero(fall.samples.start_ticks == rise.samples.start_ticks[position])
    return up, int(fall.samples.value_ticks[own[0]]) if len(own) else None


def _single(axis: Axis, base: float, rise: int, fall: int | None) -> str:
    data = f"M{LEFT:.1f} {base:.1f}H{axis.at(rise):.1f}V{base - SWING:.1f}"
    if fall is not None and fall <= axis.high:
        data += f"H{axis.at(fall):.1f}V{base:.1f}"
    return data + f"H{axis.end:.1f}"


def stairs(axis: Axis, base: float, trace: Staircase) -> str:
    """Return the average trace as a path, at most one step each tenth of a unit."""
    data, level, reached = [f"M{LEFT:.1f} {base:.1f}"], 0.0, -1.0
    inside = trace.time_ticks <= axis.high
    for time, now in zip(trace.time_ticks[inside].tolist(), trace.level[inside], strict=True):
        x = axis.at(time)
        if x - reached >= 0.25:
            data.append(f"V{base - level * SWING:.1f}H{x:.1f}")
            reached = x
        level = float(now)
    return "".join(data) + f"V{base - level * SWING:.1f}H{axis.end:.1f}"


def density(canvas: Canvas, image: Persistence, number: int, base: float) -> None:
    """Draw both levels by their share of traces and each column's edges by their number."""
    width = (canvas.width - LEFT - RIGHT) / len(image.high)
    edges = image.rises + image.falls
    most = math.log1p(max(float(edges.max()), 1.0))
    bright = np.where(edges > 0, 0.12 + 0.6 * np.log1p(edges) / most, 0)
    paths: dict[int, list[str]] = defaultdict(list)
    for column, shade in enumerate(np.ceil(bright * SHADES).astype(int).tolist()):
        if shade:
            x = LEFT + (column + 0.5) * width
            paths[shade].append(f"M{x:.1f} {base:.1f}v{-SWING:g}")
    for shade, data in sorted(paths.items()):
        canvas.path(
            "".join(data),
            f"s{number}",
            Stroke(width, opacity=shade / SHADES),
            crisp=True,
        )
    for level, exact in ((base - SWING, image.high), (base, 1 - image.high)):
        # Less than a hundredth of a trace is rounding, no trace.
        share = np.where(exact * image.traces < 0.01, 0, exact)
        for shade, data in sorted(_levels(share, level, width).items()):
            canvas.path(
                "".join(data),
                f"s{number}",
                Stroke(3.4, opacity=shade / SHADES),
            )


def _levels(share: np.ndarray, y: float, width: float) -> dict[int, list[str]]:
    """Return runs of equal brightness on one level; the root lifts rare traces into sight."""
    shades = np.ceil(0.8 * np.sqrt(np.clip(share, 0, 1)) * SHADES - 1e-6).astype(int)
    bounds = np.flatnonzero(np.diff(shades)) + 1
    starts = np.concatenate([[0], bounds, [len(shades)]])
    paths: dict[int, list[str]] = defaultdict(list)
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if shades[first]:
            paths[int(shades[first])].append(
                f"M{LEFT + first * width:.1f} {y:.1f}h{(last - first) * width:.1f}"
            )
    return paths
