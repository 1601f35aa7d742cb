# SPDX-License-Identifier: Apache-2.0
"""A timeline as a picture: a lane for each task and interrupt, and who ran after whom."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

import numpy as np

from plexor.base.counts import counted
from plexor.base.units import format_tick_range, format_ticks, plot_seconds
from plexor.figures.codes.lanes import Lane, LaneKind, LaneState, switches
from plexor.show import facts
from plexor.show.html import PageHeading, html_box, html_figure, html_page, html_table
from plexor.show.page_files import page_files
from plexor.show.pictures.canvas import Canvas, Stroke, text_width
from plexor.show.pictures.frame import (
    LEFT,
    LEGEND_LINE,
    RIGHT,
    TOP,
    WIDTH,
    Label,
    alone,
    beside,
    framed,
    panel,
    provenance,
    spread,
    x_axis,
)
from plexor.show.pictures.scale import Axis, grouped, time_unit
from plexor.show.tiles import ChannelTiles, Tile, html_tiles
from plexor.show.timeline import (
    LEGEND,
    TimelineView,
    cursor_lines,
    delta_text,
    instance_rows,
    interaction_rows,
    state_rows,
    summary,
    value_rows,
)

LANE, GAP = 22.0, 8.0
CURSOR = 14.0
"""Height of the line above the lanes that has the time between two cursors."""
FOOT = 46.0
_SHADES = {
    LaneState.RUNNING: (1.0, 1.0),
    LaneState.ACTIVE: (1.0, 1.0),
    LaneState.READY: (0.45, 0.55),
    LaneState.BLOCKED: (0.16, 0.3),
    LaneState.SLEEPING: (0.12, 0.12),
    LaneState.UNKNOWN: (1.0, 0.5),
}
"""Opacity of each state, and its height as a part of the lane's. Idle is left blank."""
_LEAST = 1.0
"""Least width of a span: a narrower one is not seen on every screen."""
_MOST_LINES = 1500
"""Interactions are drawn if there are at most so many."""


def timeline_plot(view: TimelineView, width: float = WIDTH) -> Canvas:
    """Return the plot of what is shown."""
    lanes = view.lanes.lanes
    top = TOP + (CURSOR if view.cursors else 0)
    bottom = top + GAP + (LANE + GAP) * max(len(lanes), 1)
    first, last = (t - view.lanes.start_ticks for t in view.shown)
    start, end = format_tick_range(first, last, view.tick_fs)
    said = f"{start} to {end} of the run"
    canvas = framed("Timeline", said, bottom + FOOT, provenance(view.result), width)
    panel(canvas, top, bottom)
    if not lanes:
        said = "the device sent no codes of tasks, interrupts or states"
        canvas.text(width / 2, (top + bottom) / 2, said, style="muted", anchor="middle")
        return canvas
    seconds = [plot_seconds(t - view.lanes.start_ticks, view.tick_fs) for t in view.shown]
    axis = Axis(seconds[0], seconds[1], LEFT, width - RIGHT)
    x_axis(canvas, axis, top, bottom, time_unit(axis.high), "time in the run")
    place = partial(_place, view, axis)
    names = [view.names[lane] for lane in lanes]
    tops = {lane: top + GAP + (LANE + GAP) * row for row, lane in enumerate(lanes)}
    for row, lane in enumerate(lanes):
        canvas.text(
            LEFT - 9,
            tops[lane] + LANE / 2 + 4,
            beside(view.names[lane], names),
            style=f"f{row % 8}",
            anchor="end",
            bold=True,
        )
        for state in _SHADES:
            _spans(canvas, lane, state, (tops[lane], f"f{row % 8}"), place)
    _interactions(canvas, view, tops, place)
    _cursors(canvas, view, (top, bottom), place)
    _legend(canvas, view, bottom + 36)
    return canvas


def _place(view: TimelineView, axis: Axis, ticks: float) -> float:
    return axis.at(plot_seconds(ticks - view.lanes.start_ticks, view.tick_fs))


def _spans(
    canvas: Canvas, lane: Lane, state: LaneState, drawn: tuple[float, str], place: partial[float]
) -> None:
    """Fill a lane's spans in a state: one path, whose parts are joined where no eye parts them."""
    top, style = drawn
    opacity, part = _SHADES[state]
    height = LANE * part
    y = top + LANE - height
    parts: list[str] = []
    low = high = -1.0
    last = canvas.width - RIGHT - _LEAST
    for start, end in zip(*(each.tolist() for each in lane.spans(state)), strict=True):
        if end <= start:
            continue
        left = min(place(start), last)
        right = max(place(end), left + _LEAST)
        if high >= 0 and left - high < 0.1:
            high = right
            continue
        if high > low:
            parts.append(_box(low, high, y, height))
        low, high = left, right
    if high > low:
        parts.append(_box(low, high, y, height))
    if parts:
        canvas.area("".join(parts), "region" if state == LaneState.UNKNOWN else style, opacity)


def _box(left: float, right: float, top: float, height: float) -> str:
    return f"M{left:.2f} {top:.1f}H{right:.2f}v{height:.1f}H{left:.2f}z"


def _interactions(
    canvas: Canvas, view: TimelineView, tops: dict[Lane, float], place: partial[float]
) -> None:
    """Join a task to the one that ran before it."""
    low, high = view.shown
    found = [each for each in switches(view.lanes) if low <= each.time_ticks < high]
    if len(found) > _MOST_LINES:
        return
    rows = {lane.number: top for lane, top in tops.items() if lane.kind == LaneKind.TASK}
    lines = ""
    for each in found:
        x = place(each.time_ticks)
        ends = sorted((rows[each.from_task], rows[each.to_task]))
        lines += f"M{x:.2f} {ends[0] + LANE:.1f}V{ends[1]:.1f}"
    if lines:
        canvas.path(lines, "last", Stroke(0.8))
    for lane, top in tops.items():
        times = lane.inherits[(lane.inherits >= low) & (lane.inherits < high)]
        for x in np.unique(np.round([place(time) for time in times], 1)).tolist():
            canvas.path(f"M{x - 4:.1f} {top - 1:.1f}l4-5l4 5", "worst", Stroke(1.6))


def _cursors(
    canvas: Canvas, view: TimelineView, ends: tuple[float, float], place: partial[float]
) -> None:
    if not view.cursors:
        return
    top, bottom = ends
    places = [place(min(max(time, view.shown[0]), view.shown[1])) for time in view.cursors]
    for x in places:
        canvas.line(x, top, x, bottom, "worst", Stroke(1.2, dash=(5, 3)))
    delta = delta_text(view.cursors[1] - view.cursors[0], view.tick_fs)
    labels = [Label(x, name, "alarm") for name, x in zip("AB", places, strict=True)]
    labels.insert(1, Label(sum(places) / 2, f"Δ {delta}", "alarm"))
    for label, x in zip(labels, spread(labels, LEFT, canvas.width - RIGHT, True), strict=True):
        canvas.text(x, top - 4, label.content, style=label.style, anchor="middle", bold=True)


def _legend(canvas: Canvas, view: TimelineView, y: float) -> None:
    """Say what the shades mean, in as many lines as it takes."""
    x, right = LEFT, canvas.width - RIGHT - 150
    for state, (opacity, part) in _SHADES.items():
        lanes = view.lanes.lanes
        if state == LaneState.ACTIVE or not any(lane.time_in(state) for lane in lanes):
            continue
        words = LEGEND[state]
        width = 26 + text_width(words, 12)
        if x > LEFT and x + width > right:
            x, y = LEFT, y + LEGEND_LINE
            canvas.height += LEGEND_LINE
        height = 12 * part
        style = "region" if state == LaneState.UNKNOWN else "ink"
        canvas.area(_box(x, x + 20, y - height + 1, height), style, opacity)
        canvas.text(x + 26, y, words, style="muted")
        x += width + 18


def timeline_picture(view: TimelineView) -> str:
    """Return one SVG file."""
    return alone(timeline_plot(view))


def timeline_page(view: TimelineView, document: Mapping[str, Any] | None = None) -> str:
    """Return the page's text in UTF-8: nothing is fetched. It carries the view's `document`."""
    banner = "".join(
        html_box("bad", "Invalid: these figures prove nothing", text)
        for text in view.result.invalid_reasons
    )
    banner += html_tiles([timeline_tiles(view)])
    body = timeline_body(view) + page_files("timeline", document, state_rows(view))
    name = facts.device_name(view.result.device) or "Timeline"
    return html_page(PageHeading(name, provenance(view.result), summary(view), banner), body)


def timeline_body(view: TimelineView) -> str:
    """Return the picture and the tables of a page."""
    body = html_figure(partial(timeline_plot, view))
    for line in cursor_lines(view):
        body += f"<p>{escape(line)}</p>"
    for title, rows in (
        ("Time in each state", state_rows(view)),
        ("Instances", instance_rows(view)),
        ("Interactions", interaction_rows(view)),
        ("Values that the device sent", value_rows(view)),
    ):
        if rows[1]:
            body += f"<h2>{title}</h2>{html_table(rows)}"
    return body


def timeline_tiles(view: TimelineView) -> ChannelTiles:
    """Return what is shown: for how long, of how many, and how often they switch."""
    low, high = view.shown
    start = format_ticks(low - view.lanes.start_ticks, view.tick_fs)
    tasks = sum(lane.kind == LaneKind.TASK for lane in view.lanes.lanes)
    others = len(view.lanes.lanes) - tasks
    found = [each for each in switches(view.lanes) if low <= each.time_ticks < high]
    return ChannelTiles(
        "Timeline",
        provenance(view.result),
        0,
        (
            Tile("shown", format_ticks(high - low, view.tick_fs), f"from {start} of the run on"),
            Tile("tasks", grouped(tasks), f"and {counted(others, 'interrupt')} and states"),
            Tile("switches", grouped(len(found)), "from one task to another"),
        ),
    )
