# SPDX-License-Identifier: Apache-2.0
"""A timeline: what is shown of it, and its tables, the same on terminal and page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plexor.base.counts import counted
from plexor.base.units import FEMTOSECONDS, format_tick_range, format_ticks
from plexor.figures.codes.instances import instances
from plexor.figures.codes.lanes import Lane, LaneKind, Lanes, LaneState, switches
from plexor.figures.codes.values import SentValue
from plexor.model.results import RunResult
from plexor.show.pictures.frame import provenance
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell

LEGEND = {
    LaneState.RUNNING: "runs",
    LaneState.ACTIVE: "is served, or holds",
    LaneState.READY: "could run",
    LaneState.BLOCKED: "waits for something",
    LaneState.SLEEPING: "waits for a time",
    LaneState.IDLE: "does nothing",
    LaneState.UNKNOWN: "not known",
}
"""What each state means, in words."""
MOST_VALUES = 20
"""Values in a table; a document has all of them."""


@dataclass(frozen=True, slots=True)
class TimelineView:
    """What is shown of a timeline. Times are ticks of the instrument."""

    result: RunResult
    lanes: Lanes
    names: Mapping[Lane, str]
    shown: tuple[int, int]
    """First tick that is drawn, and the one after the last."""
    cursors: tuple[int, ...] = ()
    """Two times, or none."""
    values: tuple[SentValue, ...] = ()
    """All values that the device sent, in order."""

    @property
    def tick_fs(self) -> int:
        """Length of a tick, in femtoseconds."""
        return self.result.tick_fs


def summary(view: TimelineView) -> str:
    """Return what is shown."""
    lanes = view.lanes
    length = format_ticks(lanes.end_ticks - lanes.start_ticks, view.tick_fs)
    parts = [length, provenance(view.result)]
    if lanes.torn:
        parts.append(f"{counted(lanes.torn, 'code')} left out, because their value is in doubt")
    if lanes.gaps:
        parts.append(f"codes are missing in {counted(lanes.gaps, 'place')}")
    if not view.result.valid:
        parts.append("INVALID RUN")
    return " · ".join(parts)


def delta_text(ticks: int, tick_fs: int) -> str:
    """Return a time in seconds, without a leading zero, and in microseconds, both exact."""
    exact = Fraction(abs(ticks) * tick_fs, FEMTOSECONDS)
    digits = next(n for n in (6, 9, 12, 15) if (exact * 10**n).denominator == 1)
    whole, part = divmod(int(exact * 10**digits), 10**digits)
    seconds = f"{whole or ''}.{part:0{digits}d}"
    micro = f"{float(exact * 10**6):.15g}"
    sign = "-" if ticks < 0 else ""
    return f"{sign}{seconds} seconds ({sign}{micro} µs)"


def state_rows(view: TimelineView) -> tuple[list[str], list[list[Cell]]]:
    """Return the time that each lane was in each state, and its share of the run."""
    states = [state for state in LaneState if any(lane.time_in(state) for lane in view.lanes.lanes)]
    length = view.lanes.end_ticks - view.lanes.start_ticks
    rows: list[list[Cell]] = []
    for lane in view.lanes.lanes:
        cells: list[Cell] = [(view.names[lane], ""), (lane.kind.value, "")]
        for state in states:
            ticks = lane.time_in(state)
            share = f"{ticks / length:.1%}" if ticks else ""
            cells.append((format_ticks(ticks, view.tick_fs) if ticks else NOTHING, share))
        rows.append(cells)
    return ["lane", "kind", *(state.value for state in states)], rows


def instance_rows(view: TimelineView) -> tuple[list[str], list[list[Cell]]]:
    """Return how long the instances of each lane took, and how far they were apart."""
    heads = ["lane", "instances", "execution", "response", "period", "fragments"]
    rows: list[list[Cell]] = []
    for lane in view.lanes.lanes:
        if lane.kind == LaneKind.STATE:
            continue
        found = instances(lane, view.lanes)
        if not len(found.start_ticks):
            continue
        spans = [found.execution_ticks, found.response_ticks, found.period_ticks]
        rows.append(
            [
                (view.names[lane], ""),
                (grouped(len(found.start_ticks)), ""),
                *(_spread(values, view.tick_fs) for values in spans),
                (f"at most {int(found.fragments.max())}", ""),
            ]
        )
    return heads, rows


def _spread(values: np.ndarray[tuple[int], np.dtype[np.int64]], tick_fs: int) -> Cell:
    if not len(values):
        return NOTHING, ""
    low, high = format_tick_range(float(values.min()), float(values.max()), tick_fs)
    middle = format_ticks(float(np.median(values)), tick_fs)
    return middle, low if low == high else f"{low} to {high}"


def interaction_rows(view: TimelineView) -> tuple[list[str], list[list[Cell]]]:
    """Return how often each task ran after each other one, and inherited a priority."""
    tasks = {lane.number: view.names[lane] for lane in view.lanes.lanes if lane.kind == "task"}
    counts = Counter((each.from_task, each.to_task) for each in switches(view.lanes))
    rows: list[list[Cell]] = [
        [(f"{tasks[before]} → {tasks[after]}", ""), (grouped(count), "")]
        for (before, after), count in counts.most_common()
    ]
    rows += [
        [(f"{view.names[lane]} inherits a priority", ""), (grouped(len(lane.inherits)), "")]
        for lane in view.lanes.lanes
        if len(lane.inherits)
    ]
    return ["interaction", "times"], rows


def value_rows(view: TimelineView) -> tuple[list[str], list[list[Cell]]]:
    """Return the first values that the device sent in what is drawn, and how many came behind."""
    low, high = view.shown
    found = [sent for sent in view.values if low <= sent.time_ticks < high]
    rows: list[list[Cell]] = [
        [
            (format_ticks(sent.time_ticks - view.lanes.start_ticks, view.tick_fs, 7), ""),
            (grouped(sent.value), ""),
            (f"{sent.value:#010x}", ""),
        ]
        for sent in found[:MOST_VALUES]
    ]
    if len(found) > MOST_VALUES:
        rows.append([(f"and {grouped(len(found) - MOST_VALUES)} more", ""), ("", ""), ("", "")])
    return ["sent at", "value", "hexadecimal"], rows


def cursor_lines(view: TimelineView) -> list[str]:
    """Return both cursors and the time between them; nothing without cursors."""
    if not view.cursors:
        return []
    first, second = (time - view.lanes.start_ticks for time in view.cursors)
    at = [format_ticks(time, view.tick_fs, 9) for time in (first, second)]
    return [f"cursors at {at[0]} and {at[1]}: delta {delta_text(second - first, view.tick_fs)}"]
