# SPDX-License-Identifier: Apache-2.0
"""A figure of histories as a picture: each run, the medians between changes, and the changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from plexor.base.counts import counted
from plexor.files.archive.trend import Course, GroupedBy, Histories, History, LevelStep
from plexor.show.archive import words
from plexor.show.pictures.canvas import Canvas, Stroke, stack, text_width
from plexor.show.pictures.colours import CHANNEL_LIGHT
from plexor.show.pictures.frame import (
    LABEL_GAP,
    LABEL_SIZE,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Label,
    alone,
    framed,
    legend,
    panel,
    y_line,
    y_name,
)
from plexor.show.pictures.names import cut_letters, cut_middle
from plexor.show.pictures.scale import Axis, number, time_unit

HEIGHT = 230.0
LABEL_LINE = 18.0
MOST_LINES = 3
MOST_PLOTS = 24
_SERIES_LETTERS = 24
"""Plots of a page or a picture; a page's table has the histories of all of them."""
_DOT = Stroke(5, opacity=0.5, round_ends=True)
_LEVEL = Stroke(2.4)
_CHANGE = Stroke(1.4, dash=(4, 3))
_DAYS_S = 4 * 86_400
"""A span of time from which on days are named, not minutes."""
_SECONDS_S = 600
"""A span of time below which seconds are named too."""
_MINUTES = "%m-%d %H:%M"
_OF_BOARD = ("board", "instrument", "gateware", "tick")
"""What may differ between the boards of one plot."""


@dataclass(frozen=True, slots=True)
class Plot:
    """Histories that are drawn on the same axes, and which of their figures."""

    trend: Histories
    histories: tuple[History, ...]
    number: int
    """Number of the figure."""

    @property
    def courses(self) -> list[Course]:
        """The figure of each history."""
        return [each.courses[self.number] for each in self.histories]

    @property
    def colours(self) -> list[int]:
        """The number of each history's colour: that of its series in all plots of the trend."""
        own = [each.series for each in self.histories]
        if len(set(own)) < len(own):
            return [place % len(CHANNEL_LIGHT) for place in range(len(own))]
        series = list(dict.fromkeys(each.series for each in self.trend.histories))
        return [series.index(name) % len(CHANNEL_LIGHT) for name in own]


def plots(trend: Histories) -> list[Plot]:
    """Return what is drawn: by commit each history alone, else boards or loads together."""
    apart = {GroupedBy.COMMIT: (), GroupedBy.BOARD: _OF_BOARD, GroupedBy.LOAD: ("load",)}[trend.by]
    groups: dict[object, list[History]] = {}
    for place, history in enumerate(trend.histories):
        common = {k: v for k, v in history.configuration.items() if k not in apart}
        key = tuple(sorted(common.items())) if apart else place
        groups.setdefault(key, []).append(history)
    figures = range(len(trend.histories[0].courses))
    return [Plot(trend, tuple(own), n) for own in groups.values() for n in figures]


def course(plot: Plot, width: float = WIDTH) -> Canvas | None:
    """Return the picture of a plot; None if the figure of no run is known."""
    values = np.concatenate([each.values[each.known] for each in plot.courses])
    if not len(values):
        return None
    rows = _labels(plot, width)
    top = TOP + LABEL_LINE * len(rows)
    bottom = top + HEIGHT
    title, subtitle = _heading(plot)
    source = words.source(plot.histories)
    canvas = framed(title, subtitle, bottom + 46, source, width)
    for line, labels in enumerate(rows):
        y = TOP + LABEL_LINE * (line + 1) - 7
        for label in labels:
            canvas.text(label.x, y, label.content, style=label.style, anchor="middle", bold=True)
    panel(canvas, top, bottom)
    axis = _values(plot, values, bottom - 12, top + 12)
    _x_axis(canvas, plot, top, bottom)
    for value in axis.ticks(6):
        y_line(canvas, axis.at(value), _written(plot, value))
    for colour, history in zip(plot.colours, plot.histories, strict=True):
        _draw(canvas, plot, history, colour, axis, (top, bottom))
    y_name(canvas, plot.courses[0].figure.word, axis.log)
    _legend(canvas, plot, bottom + 40)
    return canvas


def trend_picture(trend: Histories) -> str:
    """Return one SVG file, the plots below each other."""
    drawn = [course(plot) for plot in plots(trend)[:MOST_PLOTS]]
    known = [canvas for canvas in drawn if canvas is not None]
    title = words.title(trend)
    none = "the figures of these runs are not known"
    empty = framed(title, none, TOP, words.source(trend.histories))
    return alone(stack(title, known or [empty], gap=18))


def _heading(plot: Plot) -> tuple[str, str]:
    trend, first = plot.trend, plot.histories[0]
    kind = "" if trend.kind == "rise" else f" of the {trend.kind}"
    title = f"{plot.courses[0].figure.word}{kind} of {cut_middle(trend.channel, 32)}"
    parts = [counted(sum(len(each.known) for each in plot.courses), "run")]
    if trend.by == GroupedBy.COMMIT:
        commits = len({point.group for point in first.points})
        parts.append(counted(commits, "commit"))
    parts.append(words.label(trend, *plot.histories))
    begun = [p.started for each in plot.histories for p in each.points if p.started is not None]
    if begun:
        days = dict.fromkeys(f"{at:%Y-%m-%d}" for at in (min(begun), max(begun)))
        parts.append(" to ".join(days))
    return title, " · ".join(filter(None, parts))


def _values(plot: Plot, values: np.ndarray, bottom: float, top: float) -> Axis:
    """Return the axis of the figure, by logarithm where its values are of different sizes."""
    low, high = float(values.min()), float(values.max())
    if low > 0 and high / low > 8:
        return Axis(low / 1.2, high * 1.2, bottom, top, log=True)
    room = (high - low) * 0.08 or abs(high) * 0.05 or 1e-9
    return Axis(low - room, high + room, bottom, top)


def _written(plot: Plot, value: float) -> str:
    if plot.courses[0].figure.unit == "share":
        return f"{number(value * 100)} %"
    scale, unit = time_unit(value)
    return f"{number(value / scale)} {unit}"


def _across(plot: Plot, history: History, width: float) -> list[float]:
    """Return where each run of a history lies: in its order by commit, else by its time."""
    first, last = LEFT + 12, width - RIGHT - 12
    count = len(history.points)
    times = _times(plot)
    if times is None or any(point.started is None for point in history.points):
        apart = max(max(len(each.points) for each in plot.histories) - 1, 1)
        return [first + (last - first) * n / apart for n in range(count)]
    begin, end = times
    begun = [p.started.timestamp() for p in history.points if p.started is not None]
    return [first + (last - first) * (at - begin) / (end - begin) for at in begun]


def _times(plot: Plot) -> tuple[float, float] | None:
    """Return when the first and the last run began; None if runs lie in their order."""
    begun = [p.started for each in plot.histories for p in each.points if p.started is not None]
    if plot.trend.by == GroupedBy.COMMIT or len(set(begun)) < 2:
        return None
    return min(begun).timestamp(), max(begun).timestamp()


def _draw(
    canvas: Canvas,
    plot: Plot,
    history: History,
    colour: int,
    axis: Axis,
    height: tuple[float, float],
) -> None:
    own = history.courses[plot.number]
    xs = _across(plot, history, canvas.width)
    style = f"s{colour}"
    dots = "".join(f"M{xs[n]:.1f} {axis.at(float(own.values[n])):.1f}h0" for n in own.known)
    canvas.path(dots, style, _DOT)
    for first, last, level in own.levels():
        y = axis.at(level)
        canvas.line(min(xs[first], xs[last] - 2), y, max(xs[last], xs[first] + 2), y, style, _LEVEL)
    for step in own.steps:
        x = _at(xs, step)
        canvas.line(x, height[0], x, height[1], _mark(plot, "s", colour), _CHANGE)


def _at(xs: Sequence[float], step: LevelStep) -> float:
    """Return where a change lies: between the last run before it and the first after it."""
    return (xs[step.place - 1] + xs[step.place]) / 2


def _mark(plot: Plot, kind: str, colour: int) -> str:
    """Return the style of a change: of its series where there are several."""
    if len(plot.histories) > 1:
        return f"{kind}{colour}"
    return "worst" if kind == "s" else "alarm"


def _labels(plot: Plot, width: float) -> list[list[Label]]:
    """Return what changes say, above their marks in up to MOST_LINES lines, greatest first.

    Those for which there is no room are in the table alone.
    """
    found: list[tuple[float, Label]] = []
    for colour, history in zip(plot.colours, plot.histories, strict=True):
        xs = _across(plot, history, width)
        for step in history.courses[plot.number].steps:
            text = f"{words.change(step)} {words.position_text(plot.trend, history, step)}"
            half = text_width(text, LABEL_SIZE, bold=True) / 2
            x = min(max(_at(xs, step), half), width - half)
            found.append((abs(step.change or 1.0), Label(x, text, _mark(plot, "f", colour))))
    rows: list[list[Label]] = []
    for _, label in sorted(found, key=lambda entry: -entry[0]):
        row = next((row for row in rows if all(_apart(label, other) for other in row)), None)
        if row is not None:
            row.append(label)
        elif len(rows) < MOST_LINES:
            rows.append([label])
    return rows[::-1]


def _apart(one: Label, other: Label) -> bool:
    half, half2 = (text_width(e.content, LABEL_SIZE, bold=True) / 2 for e in (one, other))
    return abs(one.x - other.x) >= half + half2 + LABEL_GAP


def _x_axis(canvas: Canvas, plot: Plot, top: float, bottom: float) -> None:
    """Name commits below their first runs, or days, as many as fit."""
    if plot.trend.by != GroupedBy.COMMIT:
        _days(canvas, plot, top, bottom)
        return
    (history,) = plot.histories
    xs = _across(plot, history, canvas.width)
    edge = LEFT - LABEL_GAP
    before: object = None
    for x, point in zip(xs, history.points, strict=True):
        if point.group == before:
            continue
        before = point.group
        text = point.commit or words.started_text(point.started).partition(" ")[0]
        half = text_width(text, LABEL_SIZE) / 2
        middle = min(max(x, LEFT + half), canvas.width - RIGHT - half)
        if middle - half < edge + LABEL_GAP:
            continue
        edge = middle + half
        canvas.line(x, top, x, bottom)
        canvas.text(middle, bottom + 18, text, style="muted", anchor="middle")


def _days(canvas: Canvas, plot: Plot, top: float, bottom: float) -> None:
    first, last = LEFT + 12, canvas.width - RIGHT - 12
    for part, text in _day_texts(plot, max(round((last - first) / 160), 2)):
        x = first + (last - first) * part
        half = text_width(text, LABEL_SIZE) / 2
        middle = min(max(x, LEFT + half), canvas.width - RIGHT - half)
        canvas.line(x, top, x, bottom)
        canvas.text(middle, bottom + 18, text, style="muted", anchor="middle")


def _day_texts(plot: Plot, parts: int) -> list[tuple[float, str]]:
    """Return times along an axis as texts that differ, in at most so many parts of it."""
    times = _times(plot)
    if times is None:
        begun = {p.started for each in plot.histories for p in each.points}
        known = begun.pop() if len(begun) == 1 else None
        return [] if known is None else [(0.0, f"{known:{_MINUTES}}")]
    begin, end = times
    form = _MINUTES if end - begin < _DAYS_S else "%Y-%m-%d"
    if end - begin < _SECONDS_S:
        form = f"{_MINUTES}:%S"
    found: list[tuple[float, str]] = []
    for number_of in range(parts, -1, -1):
        shares = [part / max(number_of, 1) for part in range(number_of + 1)]
        at = [datetime.fromtimestamp(begin + (end - begin) * share, UTC) for share in shares]
        found = [(share, f"{moment:{form}}") for share, moment in zip(shares, at, strict=True)]
        if len({text for _, text in found}) == len(found):
            break
    return found


def _legend(canvas: Canvas, plot: Plot, y: float) -> None:
    several = len(plot.histories) > 1
    entries = [("median", "average", _LEVEL)]
    if any(own.steps for own in plot.courses):
        entries.append(("change", "average" if several else "worst", _CHANGE))
    if plot.trend.by != GroupedBy.COMMIT:
        series = [each.series or "unknown" for each in plot.histories]
        named = [
            (cut_letters(name, series, _SERIES_LETTERS), f"s{colour}", Stroke(3))
            for colour, name in zip(plot.colours, series, strict=True)
        ]
        entries = [*named, *entries]
    by_commit = plot.trend.by == GroupedBy.COMMIT
    legend(canvas, entries, y, "commit, in order" if by_commit else "when the run began, UTC")
