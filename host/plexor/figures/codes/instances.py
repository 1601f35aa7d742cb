# SPDX-License-Identifier: Apache-2.0
"""Instances of a task or an interrupt: from becoming ready to the end of its work. Pure.

A task's instance begins when it stops waiting, and ends when it waits again. An interrupt's
instance begins and ends with its service.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.figures.codes.lanes import STATES, Lane, LaneKind, Lanes, LaneState

Ticks = npt.NDArray[np.int64]

_WAITS = (LaneState.BLOCKED, LaneState.SLEEPING, LaneState.IDLE)


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """All whole instances of one lane, in order. Times are in ticks."""

    start_ticks: Ticks
    response_ticks: Ticks
    """Time from begin to end."""
    execution_ticks: Ticks
    """Time in which the lane ran, without interrupts."""
    fragments: Ticks
    """Number of stretches in which it ran."""
    period_ticks: Ticks
    """Time from the start of an instance to the start of the next one, where no code is missing."""


def instances(lane: Lane, lanes: Lanes) -> Instances:
    """Return the instances of a lane. Those at the run's ends and at gaps are left out."""
    runs = LaneState.RUNNING if lane.kind == LaneKind.TASK else LaneState.ACTIVE
    numbers: list[int] = lane.states.tolist()
    names = [STATES[state] for state in numbers]
    ends = lane.ends().tolist()
    rows: list[tuple[int, int, int, int]] = []
    interrupted = _Interrupted(lanes) if lane.kind == LaneKind.TASK else None
    begin: int | None = None
    last_begin: int | None = None
    periods: list[int] = []
    executed = fragments = 0
    for position, (start, state) in enumerate(zip(lane.starts.tolist(), names, strict=True)):
        if state in _WAITS:
            if begin is not None:
                rows.append((begin, start - begin, executed, fragments))
            begin = None
        elif state == LaneState.UNKNOWN:
            begin = last_begin = None
        else:
            if begin is None and position and names[position - 1] in _WAITS:
                begin, executed, fragments = start, 0, 0
                periods += [] if last_begin is None else [start - last_begin]
                last_begin = start
            if begin is not None and state == runs:
                own = ends[position] - start
                executed += own - (interrupted.within(start, ends[position]) if interrupted else 0)
                fragments += 1
    table = np.array(rows, np.int64).reshape(-1, 4)
    return Instances(*table.T, period_ticks=np.array(periods, np.int64))


class _Interrupted:
    """The time in which any interrupt was served."""

    def __init__(self, lanes: Lanes) -> None:
        spans = [e.spans(LaneState.ACTIVE) for e in lanes.lanes if e.kind == LaneKind.INTERRUPT]
        edges = [(time, 1) for starts, _ in spans for time in starts.tolist()]
        edges += [(time, -1) for _, ends in spans for time in ends.tolist()]
        self._times = [lanes.start_ticks]
        self._served, self._depth = [0], [0]
        for time, step in sorted(edges):
            self._served.append(self._until(time))
            self._depth.append(self._depth[-1] + step)
            self._times.append(time)

    def within(self, start: int, end: int) -> int:
        """Return the time served from start to end."""
        return self._until(end) - self._until(start)

    def _until(self, time: int) -> int:
        position = bisect_right(self._times, time) - 1
        passed = time - self._times[position] if self._depth[position] else 0
        return self._served[position] + passed
