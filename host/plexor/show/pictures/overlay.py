# SPDX-License-Identifier: Apache-2.0
"""Runs on top of each other, a colour a run: persistence, and histogram and tail of a channel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from plexor.base.units import format_ticks, plot_seconds
from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report
from plexor.figures.analyse.tail import survival
from plexor.figures.analyse.traces import average_trace, persistence
from plexor.files.archive.archived import Archived
from plexor.show.pictures.canvas import Canvas, Stroke
from plexor.show.pictures.columns import Reals, count_axis, samples_in_columns
from plexor.show.pictures.frame import (
    LEFT,
    LEGEND_LINE,
    RIGHT,
    TOP,
    WIDTH,
    Label,
    beside,
    framed,
    in_rows,
    legend,
    panel,
    provenance,
    spread,
    x_axis,
    y_line,
    y_name,
)
from plexor.show.pictures.latency import axis_of, tail_lines
from plexor.show.pictures.names import cut_letters, cut_middle
from plexor.show.pictures.scale import Axis, time_unit
from plexor.show.pictures.scope import COLUMN, ROW, SWING, density, stairs, window_of

_COUNTS, _SHARES, _BETWEEN = 210.0, 130.0, 26.0
_MOST_LETTERS = 20
"""Of a run's name in a legend."""
_COLOURS = 8

Overlaid = Report | Archived
"""A run that can be drawn over another: with its events, or as an archive has it."""


class _Drawn(NamedTuple):
    """One channel of one run, and the number of the run's colour."""

    colour: int
    name: str
    channel: ChannelFigures
    rise: Figures


def overlaid_channels(reports: Sequence[Overlaid]) -> list[str]:
    """Return the channels that two or more of the runs have latencies of, by name."""
    names = [c.name for report in reports for c in report.channels if c.rise is not None]
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def overlaid_scope(
    reports: Sequence[Overlaid], names: Sequence[str], width: float = WIDTH
) -> Canvas | None:
    """Return the persistence view of each channel of all runs; None if they share no channel."""
    channels = overlaid_channels(reports)
    if not channels:
        return None
    tick_fs = reports[0].tick_fs
    height = TOP + 24 + ROW * len(channels) + 62
    canvas = framed(
        "Persistence of all runs",
        "All responses of each run on top of each other, a colour a run; a line is the average.",
        height,
        _source(reports),
        width,
    )
    top, bottom = TOP, height - 62
    panel(canvas, top, bottom)
    drawn = [list(_of(reports, names, channel)) for channel in channels]
    low, high = window_of([each.channel for row in drawn for each in row])
    axis = Axis(plot_seconds(low, tick_fs), plot_seconds(high, tick_fs), LEFT, width - RIGHT)
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    ticks = Axis(low, high, LEFT, width - RIGHT)
    for place, (channel, row) in enumerate(zip(channels, drawn, strict=True)):
        base = top + 24 + ROW * place + (ROW + SWING) / 2 - 4
        _row(canvas, row, ticks, base)
        y = base - SWING / 2 + 4
        canvas.text(LEFT - 9, y, beside(channel, channels), anchor="end", bold=True)
        (labels,) = _labels(row, ticks, 1, tick_fs, width - LEFT - RIGHT - 8)[:1] or ([],)
        places = spread(labels, LEFT + 4, width - RIGHT - 4)
        for label, x in zip(labels, places, strict=True):
            canvas.text(
                x, base - SWING - 9, label.content, style=f"f{label.style}", anchor="middle"
            )
    legend(canvas, _keys(names), bottom + 36, "time after the strike")
    return canvas


def _row(canvas: Canvas, row: Sequence[_Drawn], axis: Axis, base: float) -> None:
    """Draw one channel of all runs above `base`, averages on top."""
    columns = round((axis.end - axis.start) / COLUMN)
    window = round(axis.low), round(axis.high)
    lines: list[tuple[str, int]] = []
    for each in row:
        fall = each.channel.fall
        falls = None if fall is None or not fall.count else fall.distribution.closed
        traces = max(each.channel.result.strikes, each.rise.count)
        image = persistence(each.rise.distribution, falls, window, columns, traces)
        density(canvas, image, each.colour, base)
        average = average_trace(each.rise.distribution, falls, traces)
        lines.append((stairs(axis, base, average), each.colour))
    for data, colour in lines:
        canvas.path(data, f"s{colour}", Stroke(1.8))


def overlaid_latency(
    reports: Sequence[Overlaid], names: Sequence[str], channel: str, width: float = WIDTH
) -> Canvas:
    """Return histogram and tail of one channel of all runs, over one axis of time."""
    row = list(_of(reports, names, channel))
    tick_fs = reports[0].tick_fs
    axis = axis_of([each.rise for each in row], tick_fs, LEFT, width - RIGHT)
    lines = _labels(row, axis, plot_seconds(1, tick_fs), tick_fs, width - LEFT - RIGHT)
    top = TOP + 22 + LEGEND_LINE * max(len(lines) - 1, 0)
    middle = top + _COUNTS
    bottom = middle + _BETWEEN + _SHARES
    canvas = framed(
        f"Latency of {cut_middle(channel, 40)}",
        "Above: responses in each column. Below: the share of responses that came later than a "
        "time. Both scales are logarithmic.",
        bottom + 46,
        _source(reports),
        width,
    )
    panel(canvas, top, middle)
    panel(canvas, middle + _BETWEEN, bottom)
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    columns = [samples_in_columns(each.rise.distribution, axis, tick_fs) for each in row]
    counts = count_axis(canvas, max(float(c.max()) for c in columns), middle, top)
    for each, samples in zip(row, columns, strict=True):
        _steps(canvas, axis, counts, samples, each.colour)
    for number, line in enumerate(reversed(lines)):
        for label, x in zip(line, spread(line, LEFT, width - RIGHT, bold=True), strict=True):
            canvas.line(label.x, top, label.x, bottom, f"s{label.style}", Stroke(1.2, dash=(2, 3)))
            y = top - 7 - LEGEND_LINE * number
            canvas.text(x, y, label.content, style=f"f{label.style}", anchor="middle", bold=True)
    shares = _share_axis(canvas, row, middle + _BETWEEN, bottom)
    for each in row:
        data = tail_lines(survival(each.rise.distribution), axis, shares, tick_fs)
        canvas.path(data, f"s{each.colour}", Stroke(2))
    legend(canvas, _keys(names), bottom + 36, "time after the strike")
    return canvas


def _share_axis(canvas: Canvas, row: Sequence[_Drawn], top: float, bottom: float) -> Axis:
    """Draw the lines of the percentiles, and return the axis of the shares that came later."""
    y_name(canvas, "share that came later, log", y=top - 8)
    most = max(each.rise.count for each in row)
    axis = Axis(0.5 / max(most, 2), 1.0, bottom, top, log=True)
    for exponent in range(math.ceil(math.log10(axis.low)), 1):
        place = axis.at(10.0**exponent)
        percent = f"{100 * (1 - 10.0**exponent):.{max(-exponent - 2, 0)}f}"
        y_line(canvas, place, f"p{percent}" if exponent else "all")
    return axis


def _steps(canvas: Canvas, axis: Axis, counts: Axis, samples: Reals, colour: int) -> None:
    """Draw columns as one pale area with its outline: what lies behind it is seen."""
    step, bottom = (axis.end - axis.start) / len(samples), counts.start
    outline, level = [f"M{axis.start:.1f} {bottom:.1f}"], bottom
    for place, count in enumerate(samples.tolist()):
        y = counts.at(max(count, 0.75)) if count > 0 else bottom
        if y != level:
            outline.append(f"H{axis.start + place * step:.1f}V{y:.1f}")
            level = y
    data = "".join(outline) + f"H{axis.end:.1f}V{bottom:.1f}"
    canvas.area(f"{data}z", f"f{colour}", 0.3)
    canvas.path(data, f"s{colour}", Stroke(1.1))


def _of(reports: Sequence[Overlaid], names: Sequence[str], channel: str) -> Iterator[_Drawn]:
    for place, (report, name) in enumerate(zip(reports, names, strict=True)):
        for own in report.channels:
            if own.name == channel and own.rise is not None:
                yield _Drawn(place % _COLOURS, name, own, own.rise)


def _labels(
    row: Sequence[_Drawn], axis: Axis, unit: float, tick_fs: int, room: float
) -> list[list[Label]]:
    """Return each run's latest response as labels, in one line if short texts fit there.

    `unit` is what a tick is on the axis.
    """
    names = [each.name for each in row]
    short = [cut_letters(name, names, _MOST_LETTERS) for name in names]
    rows: list[list[Label]] = []
    for form in ("{} max seen {}", "{} {}", "{1}"):
        labels = [
            Label(
                axis.at(most * unit),
                form.format(name, format_ticks(most, tick_fs)),
                f"{each.colour}",
            )
            for each, name in zip(row, short, strict=True)
            if (most := each.rise.max_ticks) is not None
        ]
        rows = in_rows(labels, room)
        if len(rows) < 2:
            break
    return rows


def _keys(names: Sequence[str]) -> list[tuple[str, str, Stroke]]:
    return [
        (cut_letters(name, names, _MOST_LETTERS), f"s{place % _COLOURS}", Stroke(8, opacity=0.75))
        for place, name in enumerate(names)
    ]


def _source(reports: Sequence[Overlaid]) -> str:
    return " and ".join(sorted(set(map(_source_of, reports))))


def _source_of(each: Overlaid) -> str:
    if isinstance(each, Report):
        return provenance(each.result)
    return each.run.source
