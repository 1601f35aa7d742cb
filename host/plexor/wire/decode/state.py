# SPDX-License-Identifier: Apache-2.0
"""What a channel's matching carries from one piece of a run to the next, and what a piece comes to.

Strikes and responses have numbers: how many of their kind came before in the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import Rules, Ticks

Classes = dict[ResponseClass, int]
"""Number of strikes or responses in each class."""

NONE = -1
"""In place of a strike's number: the response answers none, or is held for one."""
UNKNOWN = -2
"""In place of a strike's number: whether the response answers one is not known."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is not known of a queue behind a gap in the events.

    Every queue that fits the events lies between two. The longest begins with strikes that nobody
    saw, and holds `State.queue_ticks` behind them. The shortest lacks both the unseen strikes and
    the first `passed` of the queue.
    """

    unseen: int
    """Number of strikes, at most, that came in the gap and wait before those of the queue."""
    unseen_ticks: int
    """The latest time at which an unseen strike came."""
    passed: int = 0
    held_ticks: int | None = None
    """The latest time of a response that may be held. None: `State.held_ticks` is all."""
    matched_ticks: int | None = None
    """The latest time of the last matched strike. None: it is known."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A channel's matcher between two events."""

    queue_ticks: Ticks = field(default_factory=lambda: np.zeros(0, np.int64))
    """Times of the outstanding strikes."""
    queue_numbers: Ticks = field(default_factory=lambda: np.zeros(0, np.int64))
    held_ticks: int | None = None
    matched_ticks: int | None = None
    """Time of the last matched strike."""
    strikes: int = 0
    """Number of strikes so far."""
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Strikes and responses of consecutive events, complete and in time order."""

    struck_ticks: Ticks
    active_ticks: Ticks
    """Times of the responses."""
    come: Ticks
    """For each response, the number of the piece's strikes that came before it."""
    last_ticks: int
    """Time of the last event of any source: what has timed out by then is over."""

    def behind(self, strikes: int, responses: int) -> Piece:
        """Return the piece without its first strikes and responses."""
        come = self.come[responses:] - strikes
        return Piece(
            self.struck_ticks[strikes:], self.active_ticks[responses:], come, self.last_ticks
        )


@dataclass(frozen=True, slots=True, eq=False)
class Early:
    """Strikes that a held response answered."""

    strike_numbers: Ticks
    struck_ticks: Ticks
    response_ticks: Ticks


NO_EARLY = Early(*(np.zeros(0, np.int64) for _ in range(3)))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a piece of a run comes to on one channel."""

    strike_of: Ticks
    """Each response's strike, by number; NONE or UNKNOWN."""
    struck_ticks: Ticks
    """Time of that strike. Of other responses it means nothing."""
    early: Early
    classes: Classes
    unknown_strikes: int = 0
    """Number of strikes whose class cannot be known any more."""
    unknown_responses: int = 0


def joined(parts: Sequence[Answers]) -> Answers:
    """Return what consecutive pieces come to."""
    if len(parts) == 1:
        return parts[0]
    early = [part.early for part in parts]
    return Answers(
        np.concatenate([part.strike_of for part in parts]),
        np.concatenate([part.struck_ticks for part in parts]),
        Early(
            np.concatenate([own.strike_numbers for own in early]),
            np.concatenate([own.struck_ticks for own in early]),
            np.concatenate([own.response_ticks for own in early]),
        ),
        {name: sum(part.classes[name] for part in parts) for name in ResponseClass},
        sum(part.unknown_strikes for part in parts),
        sum(part.unknown_responses for part in parts),
    )


def behind_gap(state: State, rules: Rules, lost: int, until_ticks: int) -> tuple[State, int, int]:
    """Return the state behind a gap, and how many strikes and responses it makes unknown.

    Up to `lost` strikes came in the gap, none of them after `until_ticks`.
    """
    doubt = state.doubt
    open_before = len(state.queue_ticks) + (0 if doubt is None else doubt.unseen)
    most = 1 if rules.policy == Policy.LATEST else rules.queue_depth
    behind = Doubt(
        min(open_before + lost, most),
        until_ticks,
        held_ticks=until_ticks if rules.early_ticks else None,
        matched_ticks=until_ticks,
    )
    made = State(strikes=state.strikes, doubt=behind)
    return made, len(state.queue_ticks), int(state.held_ticks is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """What becomes of all that is open at one time."""

    classes: Classes
    outstanding_ticks: Ticks
    outstanding_numbers: Ticks
    unknown_strikes: int
    unknown_responses: int


def ending(state: State, rules: Rules, end_ticks: int, *, final: bool = True) -> Ending:
    """Return what a run that stops at `end_ticks` makes of its last state.

    A run that goes on is not `final`: a response may stay held, and is in no class.
    """
    classes = dict.fromkeys(ResponseClass, 0)
    over = int(np.searchsorted(state.queue_ticks, end_ticks - rules.timeout_ticks))
    passed = 0 if state.doubt is None else state.doubt.passed
    classes[ResponseClass.MISSED] = max(over - passed, 0)
    first = max(over, passed)
    unknown_responses = 0
    held = state.held_ticks
    if held is not None and (final or end_ticks - held > rules.early_ticks):
        outcome = settled(state, rules, held)
        if outcome is None:
            unknown_responses = 1
        else:
            classes[outcome] = 1
    return Ending(
        classes, state.queue_ticks[first:], state.queue_numbers[first:], passed, unknown_responses
    )


def settled(state: State, rules: Rules, response_ticks: int) -> ResponseClass | None:
    """Return the class of a response that answers no strike; None if that is not known."""
    unsure_ticks = None if state.doubt is None else state.doubt.matched_ticks
    if unsure_ticks is not None:
        far = response_ticks - unsure_ticks > rules.timeout_ticks
        return ResponseClass.SPURIOUS if far else None
    last = state.matched_ticks
    near = last is not None and response_ticks - last <= rules.timeout_ticks
    return ResponseClass.DUPLICATE if near else ResponseClass.SPURIOUS


def without_doubt(state: State) -> State:
    """Return the state, without its doubt if nothing of that is left."""
    doubt = state.doubt
    if doubt is None or doubt.unseen or doubt.passed:
        return state
    known = doubt.held_ticks is None and doubt.matched_ticks is None
    return replace(state, doubt=None) if known else state


def matched_classes(latency_ticks: Ticks, early: Early, deadline_ticks: int) -> Classes:
    """Return the classes of matched strikes: the latencies of responses that came after them."""
    early_ticks = early.response_ticks - early.struck_ticks
    matched = len(latency_ticks) + len(early_ticks)
    late = sum(int(np.count_nonzero(own > deadline_ticks)) for own in (latency_ticks, early_ticks))
    return dict.fromkeys(ResponseClass, 0) | {
        ResponseClass.ANSWERED: matched - late,
        ResponseClass.LATE: late,
        ResponseClass.EARLY: len(early_ticks),
    }
