# SPDX-License-Identifier: Apache-2.0
"""A timeline on the terminal: a line of blocks for each lane, and its tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from plexor.base.units import plot_seconds
from plexor.figures.codes.lanes import STATES, Lane, LaneState
from plexor.show import facts
from plexor.show.pictures.scale import Axis, time_unit
from plexor.show.terminal.blocks import MARGIN, axis_line
from plexor.show.terminal.columns import CHANNEL_COLOURS, LEAST_WIDTH, Paint, table, wrapped
from plexor.show.timeline import (
    LEGEND,
    TimelineView,
    cursor_lines,
    instance_rows,
    interaction_rows,
    state_rows,
    summary,
    value_rows,
)

_SIGNS = {
    LaneState.RUNNING: "█",
    LaneState.ACTIVE: "█",
    LaneState.READY: "▒",
    LaneState.BLOCKED: "·",
    LaneState.SLEEPING: " ",
    LaneState.IDLE: " ",
    LaneState.UNKNOWN: "?",
}
_RANK = [
    LaneState.UNKNOWN,
    LaneState.IDLE,
    LaneState.SLEEPING,
    LaneState.BLOCKED,
    LaneState.READY,
    LaneState.RUNNING,
]
"""Of several states in a column the last one here is drawn."""
_MOST_NAME = 14


def timeline_text(view: TimelineView, *, width: int, colour: bool) -> str:
    """Return it as lines of at most `width` columns (40 at least), each ended."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    name = facts.device_name(view.result.device) or "Timeline"
    lines = list(wrapped(name, width, paint, "bold"))
    style = "alarm" if view.result.simulated else "muted"
    lines += [*wrapped(summary(view), width, paint, style), ""]
    for reason in view.result.invalid_reasons:
        lines += wrapped(f"INVALID RUN: {reason}", width, paint, "bad")
    if not view.lanes.lanes and not view.values:
        lines += wrapped(
            "The device sent no codes of tasks, interrupts or states.", width, paint, ""
        )
        return paint.done(lines)
    if view.lanes.lanes:
        lines += _lanes(view, width, paint)
    shown = {state for state in LaneState if any(lane.time_in(state) for lane in view.lanes.lanes)}
    legend = [f"{_SIGNS[state]} {LEGEND[state]}" for state in LEGEND if state in shown]
    lines += [*wrapped("   ".join(legend), width, paint, "muted"), ""]
    for line in cursor_lines(view):
        lines += [*wrapped(line, width, paint, "bold"), ""]
    tables = (state_rows(view), instance_rows(view), interaction_rows(view), value_rows(view))
    for head, rows in tables:
        if rows:
            lines += [*table(head, rows, width, paint), ""]
    return paint.done(lines[:-1])


def _lanes(view: TimelineView, width: int, paint: Paint) -> Iterator[str]:
    names = {lane: _short(view.names[lane]) for lane in view.lanes.lanes}
    left = max(MARGIN - 1, *map(len, names.values()))
    columns = width - left - 2
    low, high = view.shown
    edges = np.linspace(low, high, columns + 1)
    for place, lane in enumerate(view.lanes.lanes):
        signs = "".join(_SIGNS[state] for state in _columns(lane, edges))
        colour = CHANNEL_COLOURS[place % len(CHANNEL_COLOURS)]
        yield f"{names[lane].rjust(left)} {paint(signs.rstrip(), colour)}".rstrip()
    start = plot_seconds(low - view.lanes.start_ticks, view.tick_fs)
    end = plot_seconds(high - view.lanes.start_ticks, view.tick_fs)
    axis = Axis(start, end, 0, columns)
    line = axis_line(axis, *time_unit(end), Paint(False))
    yield paint(" " * (left - MARGIN + 1) + line, "muted")


def _columns(lane: Lane, edges: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[LaneState]:
    """Return the state to draw in each column: the most active one."""
    firsts = np.searchsorted(lane.starts, edges[:-1], "right") - 1
    lasts = np.maximum(np.searchsorted(lane.starts, edges[1:], "left"), firsts + 1)
    rank = [_RANK.index(LaneState.RUNNING if s == LaneState.ACTIVE else s) for s in STATES]
    ranks = np.array(rank)[lane.states]
    found: list[LaneState] = []
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        best = int(ranks[max(first, 0) : last].max())
        found.append(_RANK[best])
    return found


def _short(name: str) -> str:
    return name if len(name) <= _MOST_NAME else f"{name[: _MOST_NAME - 1]}…"
