# SPDX-License-Identifier: Apache-2.0
"""Latency plots of all channels: histogram, tail, course over time, and shares."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from plexor.base.units import format_ticks, plot_seconds
from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report
from plexor.figures.analyse.tail import Survival, survival, thin
from plexor.show.pictures.canvas import Canvas, Stroke, text_width
from plexor.show.pictures.columns import Reals, count_axis, draw_columns, samples_in_columns
from plexor.show.pictures.frame import (
    LABEL_SIZE,
    LEFT,
    LEGEND_LINE,
    RIGHT,
    TOP,
    WIDTH,
    Label,
    framed,
    in_rows,
    legend,
    panel,
    provenance,
    short,
    spread,
    why_empty,
    x_axis,
    y_line,
    y_name,
    y_times,
)
from plexor.show.pictures.names import cut_apart
from plexor.show.pictures.scale import Axis, number, power_of_ten, time_unit

_AFTER = "time after the strike"
SLICES = 420
LOG_FROM = 12
"""Latencies that span more than this factor get a logarithmic axis."""


def _answered(*reports: Report) -> list[ChannelFigures]:
    return [channel for each in reports for channel in each.channels if channel.rise is not None]


def latency_axis(reports: Sequence[Report], start: float, end: float) -> Axis:
    """Return the latency axis in seconds that the plots share; logarithmic for a wide span.

    The instruments of the reports have the same tick.
    """
    rises = [c.rise for c in _answered(*reports) if c.rise is not None]
    return axis_of(rises, reports[0].result.tick_fs, start, end)


def axis_of(rises: Sequence[Figures], tick_fs: int, start: float, end: float) -> Axis:
    """Return an axis in seconds that holds all of these latencies, as `latency_axis` does."""
    least = min(rise.min_ticks or 0 for rise in rises)
    most = max(rise.max_ticks or 0 for rise in rises)
    if least > 0 and most > LOG_FROM * least:
        low, high = least * 0.92, most * 1.12
        return Axis(plot_seconds(low, tick_fs), plot_seconds(high, tick_fs), start, end, True)
    margin = max((most - least) * 0.06, 1)
    low, high = least - margin, most + margin
    if least >= 0 and low < 0.15 * high:
        low = 0
    return Axis(plot_seconds(low, tick_fs), plot_seconds(high, tick_fs), start, end)


@dataclass(frozen=True, slots=True)
class Heading:
    """Title and subtitle of a plot, and how high it is with them."""

    title: str
    subtitle: str
    height: float


LATENCY = Heading(
    "Latency",
    "Samples in each column, on a logarithmic scale: one outlier is as visible as a million.",
    390,
)


def histogram(
    report: Report,
    heading: Heading = LATENCY,
    beside: Sequence[Report] = (),
    width: float = WIDTH,
) -> Canvas:
    """Return the histogram of latencies with logarithmic counts; its axes are those of `beside`."""
    shown = _answered(report)
    source, tick_fs = provenance(report.result), report.result.tick_fs
    canvas = framed(heading.title, heading.subtitle, heading.height, source, width)
    top, bottom = TOP + 22, heading.height - 46.0
    if not shown:
        panel(canvas, top, bottom)
        return _nothing(canvas, report, top, bottom)
    together = beside or [report]
    axis = latency_axis(together, LEFT, width - RIGHT)
    walls = _wall_labels(canvas, shown, axis, tick_fs)
    top += LEGEND_LINE * (len(walls) - 1)
    panel(canvas, top, bottom)
    rows = [_columns(channel, axis, tick_fs) for channel in shown]
    most = max(float(_columns(c, axis, tick_fs).max()) for c in _answered(*together))
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    counts = count_axis(canvas, most, bottom, top)
    for channel, row in zip(shown, rows, strict=True):
        draw_columns(canvas, axis, counts, row, f"f{channel.result.number}")
    _walls(canvas, walls, (top, bottom))
    _key(canvas, shown, bottom + 36, _AFTER)
    return canvas


def _nothing(canvas: Canvas, report: Report, top: float, bottom: float) -> Canvas:
    why, middle = why_empty(report), (top + bottom) / 2
    canvas.text(canvas.width / 2, middle, why, style="muted", anchor="middle")
    return canvas


def _columns(channel: ChannelFigures, axis: Axis, tick_fs: int) -> Reals:
    assert channel.rise is not None
    return samples_in_columns(channel.rise.distribution, axis, tick_fs)


def _wall_labels(
    canvas: Canvas, shown: list[ChannelFigures], axis: Axis, tick_fs: int
) -> list[list[Label]]:
    """Return each channel's latest response as labels, in as many lines as hold them."""
    room = canvas.width - LEFT - RIGHT
    walls = [(c.result.number, c.name, c.rise.max_ticks) for c in shown if c.rise is not None]
    among = [channel for _, channel, _ in walls]
    rows: list[list[Label]] = []
    for name in ("{} max seen ", "{} ", ""):
        labels = [
            Label(
                axis.at(plot_seconds(ticks, tick_fs)),
                name.format(short(channel, among)) + format_ticks(ticks, tick_fs),
                f"{number}",
            )
            for number, channel, ticks in walls
            if ticks is not None
        ]
        rows = in_rows(labels, room)
        if len(rows) < 2:
            break
    return rows


def _walls(canvas: Canvas, rows: list[list[Label]], height: tuple[float, float]) -> None:
    """Mark each channel's latest response, its labels above the plot."""
    top, bottom = height
    for line, labels in enumerate(reversed(rows)):
        places = spread(labels, LEFT, canvas.width - RIGHT, bold=True)
        for label, x in zip(labels, places, strict=True):
            stroke = Stroke(1.2, dash=(2, 3))
            canvas.line(label.x, top, label.x, bottom, f"s{label.style}", stroke)
            y = top - 7 - LEGEND_LINE * line
            canvas.text(x, y, label.content, style=f"f{label.style}", anchor="middle", bold=True)


def _key(canvas: Canvas, shown: list[ChannelFigures], y: float, said: str = "") -> None:
    among = [channel.name for channel in shown]
    entries = [
        (short(channel.name, among), f"s{channel.result.number}", Stroke(8, opacity=0.75))
        for channel in shown
    ]
    legend(canvas, entries, y, said)


def tail(report: Report, width: float = WIDTH) -> Canvas:
    """Return the share of samples above each latency, both logarithmic."""
    shown = _answered(report)
    canvas = framed(
        "Tail",
        "Share of responses that came later than a time. Each line ends at the latest one seen.",
        350,
        provenance(report.result),
        width,
    )
    top, bottom = TOP, 350 - 46.0
    panel(canvas, top, bottom)
    if not shown:
        return _nothing(canvas, report, top, bottom)
    total = max(c.rise.count for c in shown if c.rise is not None)
    axis = latency_axis([report], LEFT, width - RIGHT)
    y = Axis(0.5 / max(total, 2), 1.0, bottom, top, True)
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    y_name(canvas, "share that came later", log=True)
    for exponent in range(math.ceil(math.log10(y.low)), 1):
        place = y.at(10.0**exponent)
        y_line(canvas, place, power_of_ten(10.0**exponent))
        if exponent and place < bottom - 14:
            name = f"p{number(100 - 10.0 ** (exponent + 2))}"
            canvas.text(LEFT + 8, place - 5, name, style="muted")
    for channel in shown:
        assert channel.rise is not None
        found = survival(channel.rise.distribution)
        data = tail_lines(found, axis, y, report.result.tick_fs)
        canvas.path(data, f"s{channel.result.number}", Stroke(2))
    _key(canvas, shown, bottom + 36, _AFTER)
    return canvas


def tail_lines(found: Survival, axis: Axis, shares: Axis, tick_fs: int) -> str:
    """Return a tail as a path; at its end it falls to the foot of the axis of shares."""
    data = [f"M{axis.start:.1f} {shares.at(1.0):.1f}"]
    reached = -math.inf
    for value, left in zip(found.value_ticks.tolist(), found.beyond.tolist(), strict=True):
        x = axis.at(plot_seconds(value, tick_fs))
        share = left / found.total
        if x - reached >= 0.5 or not left:
            data.append(f"H{x:.1f}V{shares.at(share) if left else shares.start:.1f}")
            reached = x
    return "".join(data)


def course(report: Report, width: float = WIDTH) -> Canvas:
    """Return latency over the time of the run; each slice of time keeps its extremes."""
    shown = [c for c in _answered(report) if c.rise is not None and c.rise.samples is not None]
    result = report.result
    if not shown:
        known = _answered(report)
        lost = "Needs every event: this run kept none, or lost some."
        subtitle = lost if known else f"{why_empty(report).capitalize()}."
        canvas = framed("Latency over time", subtitle, 60, provenance(result), width)
        return canvas
    canvas = framed(
        "Latency over time",
        "Minimum and maximum latency in each slice of the run.",
        346,
        provenance(result),
        width,
    )
    top, bottom = TOP, 346 - 46.0
    panel(canvas, top, bottom)
    y = latency_axis([report], bottom, top)
    end = max(report.duration_ticks, 1)
    axis = Axis(0, plot_seconds(end, result.tick_fs), LEFT, width - RIGHT)
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    y_times(canvas, y, "latency")
    slices = round(SLICES * (axis.end - axis.start) / (WIDTH - LEFT - RIGHT))
    for channel in shown:
        assert channel.rise is not None
        assert channel.rise.samples is not None
        samples = channel.rise.samples
        few = thin(samples.time_ticks - result.start_ticks, samples.value_ticks, slices)
        points = [
            (
                axis.at(plot_seconds(time, result.tick_fs)),
                y.at(plot_seconds(value, result.tick_fs)),
            )
            for time, value in zip(few.time_ticks.tolist(), few.value_ticks.tolist(), strict=True)
        ]
        dots = "".join(f"M{x:.1f} {at:.1f}h0" for x, at in points)
        canvas.path(
            dots,
            f"s{channel.result.number}",
            Stroke(2.6, opacity=0.7, round_ends=True),
        )
        worst = max(range(len(points)), key=lambda i: int(few.value_ticks[i]))
        x, at = points[worst]
        canvas.ring(x, at, 5.5, f"s{channel.result.number}", Stroke(1.8))
    _key(canvas, shown, bottom + 36, "time in the run")
    return canvas


def _before(said: str, name: str, among: Collection[str], room: float) -> str:
    """Return a name, cut until it and a blank fit before what is said."""
    return cut_apart(name, among, lambda shown: text_width(f"{shown} {said}", LABEL_SIZE) <= room)


def shares(report: Report, width: float = WIDTH) -> Canvas | None:
    """Return where the latency of later channels goes, mean and worst strike; None without any."""
    if not report.shares:
        return None
    rows = 2 * len(report.shares)
    height = TOP + 36 * rows + 58
    first = report.shares[0].first
    among = [channel.name for channel in report.channels]
    name = short(first, among)
    result = report.result
    canvas = framed(
        "Where the time goes",
        f"Strike to {name}, while {name} is active, and from its end to the next pin.",
        height,
        provenance(result),
        width,
    )
    numbers = {channel.name: channel.result.number for channel in report.channels}
    left, right = LEFT + 96, width - RIGHT
    top, bottom = TOP, height - 58
    most = max(int(entry.shares.total_ticks.max()) for entry in report.shares)
    axis = Axis(0, plot_seconds(most, result.tick_fs) * 1.02, left, right)
    canvas.rect(left, top, right - left, bottom - top, "panel", radius=4)
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    for place, entry in enumerate(report.shares):
        parts = entry.shares
        worst = int(np.argmax(parts.total_ticks))
        columns = (parts.rise_ticks, parts.width_ticks, parts.gap_ticks)
        for row, (label, values) in enumerate(
            (
                ("mean", [float(part.mean()) for part in columns]),
                ("worst", [float(part[worst]) for part in columns]),
            )
        ):
            y = top + 36 * (2 * place + row) + 7
            said = f"{label} {format_ticks(sum(values), result.tick_fs, 3)}"
            canvas.text(
                left - 9,
                y + 16,
                f"{_before(said, entry.second, among, left - 10)} {said}",
                anchor="end",
                style=f"f{numbers[entry.second]}",
            )
            at = 0.0
            for part, (style, shade) in zip(
                values,
                (
                    (f"f{numbers[first]}", 0.95),
                    (f"f{numbers[first]}", 0.45),
                    (f"f{numbers[entry.second]}", 0.75),
                ),
                strict=True,
            ):
                # A second pin that rises before the first falls has no gap: its bar is cut.
                end = max(at + part, at)
                x = axis.at(plot_seconds(at, result.tick_fs))
                x2 = axis.at(plot_seconds(end, result.tick_fs))
                canvas.rect(x, y, x2 - x, 22, style, opacity=shade)
                text = format_ticks(part, result.tick_fs, 3)
                if text_width(text, LABEL_SIZE, bold=True) + 8 < x2 - x:
                    canvas.text(
                        (x + x2) / 2,
                        y + 15.5,
                        text,
                        anchor="middle",
                        style="paper" if shade > 0.6 else "ink",
                        bold=True,
                    )
                at = end
    legend(
        canvas,
        [
            (f"strike to {name}", f"s{numbers[first]}", Stroke(8, opacity=0.95)),
            (f"{name} active", f"s{numbers[first]}", Stroke(8, opacity=0.45)),
            (
                f"end of {name} to the next pin",
                f"s{numbers[report.shares[0].second]}",
                Stroke(8, opacity=0.75),
            ),
        ],
        bottom + 36,
        _AFTER,
    )
    return canvas
