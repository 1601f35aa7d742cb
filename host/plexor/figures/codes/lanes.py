# SPDX-License-Identifier: Apache-2.0
"""Codes as lanes: the state of each task, interrupt and user state over time. Pure.

One core runs at most one task. A task runs from its RUN code until its own next state, or until the
RUN of another task, which leaves it READY. An interrupt does not change the state of the task that
it interrupts. After a gap, a lane's state is not known until its next code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from plexor.figures.codes.stream import plain_codes
from plexor.model.code_array import CodeArray
from plexor.protocol.codes import CodeClass

Ticks = npt.NDArray[np.int64]


class LaneKind(StrEnum):
    """What a lane shows."""

    INTERRUPT = "interrupt"
    TASK = "task"
    STATE = "state"  # the user's own states


class LaneState(StrEnum):
    """The state of a lane."""

    UNKNOWN = "unknown"
    RUNNING = "running"
    READY = "ready"
    BLOCKED = "blocked"
    SLEEPING = "sleeping"
    ACTIVE = "active"  # the interrupt is being served, or the user's state holds
    IDLE = "idle"


STATES: tuple[LaneState, ...] = tuple(LaneState)
_OF_TASK = {
    CodeClass.RUN: LaneState.RUNNING,
    CodeClass.READY: LaneState.READY,
    CodeClass.BLOCKED: LaneState.BLOCKED,
    CodeClass.SLEEPING: LaneState.SLEEPING,
}


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """One task, interrupt or user state, from the start of the run to its end.

    Span n is in state STATES[states[n]] from starts[n] to starts[n + 1], and the last to the end.
    """

    kind: LaneKind
    number: int
    starts: Ticks
    states: npt.NDArray[np.uint8]
    end_ticks: int
    inherits: Ticks
    """Times at which the task inherited a priority."""

    def ends(self) -> Ticks:
        """Return the end of each span."""
        return np.append(self.starts[1:], self.end_ticks)

    def spans(self, state: LaneState) -> tuple[Ticks, Ticks]:
        """Return start and end of each span in a state."""
        chosen = self.states == STATES.index(state)
        return self.starts[chosen], self.ends()[chosen]

    def time_in(self, state: LaneState) -> int:
        """Return the time in a state, in ticks. Over all states it sums to the run's."""
        starts, ends = self.spans(state)
        return int((ends - starts).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """All lanes of a run: interrupts, then tasks, then user states, each by number."""

    lanes: tuple[Lane, ...]
    start_ticks: int
    end_ticks: int
    torn: int
    """Number of torn codes, which are left out."""
    gaps: int
    """Number of gaps, where codes may be missing."""

    def lane(self, kind: LaneKind, number: int) -> Lane | None:
        """Return a lane; None if the device never named it."""
        return next((e for e in self.lanes if (e.kind, e.number) == (kind, number)), None)


def lanes_of(codes: CodeArray, bits: int, start_ticks: int, end_ticks: int) -> Lanes:
    """Return the lanes of codes (CODE_DTYPE) of `bits` bits, in a run from start to end."""
    book = _Book(start_ticks)
    torn = gaps = 0
    before_ticks = start_ticks
    for code in plain_codes(codes, bits):
        gaps += code.gap
        torn += code.torn
        if code.gap:
            book.forget(before_ticks)
        if code.torn:
            # A torn code may have been any code.
            book.forget(code.time_ticks)
        else:
            book.take(code.time_ticks, code.code_class, code.number)
        before_ticks = code.time_ticks
    return Lanes(book.lanes(end_ticks), start_ticks, end_ticks, torn, gaps)


@dataclass(slots=True)
class _Open:
    """A lane under construction."""

    starts: list[int]
    states: list[LaneState]
    inherits: list[int] = field(default_factory=list[int])

    def enter(self, time_ticks: int, state: LaneState) -> None:
        if self.states[-1] == state:
            return
        if self.starts[-1] == time_ticks:
            self.starts.pop()
            self.states.pop()
            if self.states and self.states[-1] == state:
                return
        self.starts.append(time_ticks)
        self.states.append(state)


class _Book:
    def __init__(self, start_ticks: int) -> None:
        self._start_ticks = start_ticks
        self._open: dict[tuple[LaneKind, int], _Open] = {}
        self._runs: int | None = None
        self._holds: int | None = None

    def take(self, time_ticks: int, code_class: int, number: int) -> None:
        """Take one code."""
        if code_class in _OF_TASK:
            if code_class == CodeClass.RUN:
                if self._runs not in (None, number):
                    self._of(LaneKind.TASK, self._runs).enter(time_ticks, LaneState.READY)
                self._runs = number
            elif self._runs == number:
                self._runs = None
            self._of(LaneKind.TASK, number).enter(time_ticks, _OF_TASK[CodeClass(code_class)])
        elif code_class == CodeClass.INHERIT:
            self._of(LaneKind.TASK, number).inherits.append(time_ticks)
        elif code_class in (CodeClass.ISR_ENTER, CodeClass.ISR_EXIT):
            active = LaneState.ACTIVE if code_class == CodeClass.ISR_ENTER else LaneState.IDLE
            self._of(LaneKind.INTERRUPT, number).enter(time_ticks, active)
        elif code_class == CodeClass.SET:
            if self._holds not in (None, number):
                self._of(LaneKind.STATE, self._holds).enter(time_ticks, LaneState.IDLE)
            self._holds = number
            self._of(LaneKind.STATE, number).enter(time_ticks, LaneState.ACTIVE)

    def forget(self, time_ticks: int) -> None:
        """Handle a gap: codes may be missing after this time."""
        for lane in self._open.values():
            lane.enter(time_ticks, LaneState.UNKNOWN)
        self._runs = self._holds = None

    def lanes(self, end_ticks: int) -> tuple[Lane, ...]:
        """Return all lanes in order."""
        order = list(LaneKind)
        return tuple(
            Lane(
                kind,
                number,
                np.array(lane.starts, np.int64),
                np.array([STATES.index(state) for state in lane.states], np.uint8),
                end_ticks,
                np.array(lane.inherits, np.int64),
            )
            for (kind, number), lane in sorted(
                self._open.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
            )
        )

    def _of(self, kind: LaneKind, number: int | None) -> _Open:
        assert number is not None
        return self._open.setdefault(
            (kind, number), _Open([self._start_ticks], [LaneState.UNKNOWN])
        )


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch from one task to another."""

    time_ticks: int
    from_task: int
    to_task: int


def switches(lanes: Lanes) -> list[Switch]:
    """Return the switches between tasks, in order."""
    spans = sorted(
        (start, end, lane.number)
        for lane in lanes.lanes
        if lane.kind == LaneKind.TASK
        for start, end in zip(
            *(ticks.tolist() for ticks in lane.spans(LaneState.RUNNING)), strict=True
        )
    )
    return [
        Switch(following[0], previous[2], following[2])
        for previous, following in pairwise(spans)
        if previous[2] != following[2]
    ]
