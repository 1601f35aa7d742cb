# SPDX-License-Identifier: Apache-2.0
"""Matching on the host, one event after the other: `docs/instrument.md`, "Matching".

Behind a gap in the events, two queues are followed: the longest and the shortest that may be there
(`plexor.wire.decode.state.Doubt`). What both say is known. What they differ in is not.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np

from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.state import (
    NONE,
    UNKNOWN,
    Answers,
    Doubt,
    Early,
    Piece,
    State,
    matched_classes,
    without_doubt,
)


def step_in_turn(state: State, rules: Rules, piece: Piece) -> tuple[State, Answers, Piece]:
    """Match a piece of a run on one channel, and return what is left of it.

    Where a doubt ends, something may be left.
    """
    walk = _Walk(state, rules, piece)
    if state.doubt is None:
        walk.sure()
    else:
        walk.doubtful(state.doubt)
    return walk.state(), walk.answers(), piece.behind(walk.struck, len(walk.strike_of))


class _Walk:
    """A matcher on its way through a piece."""

    def __init__(self, state: State, rules: Rules, piece: Piece) -> None:
        self.rules, self.before, self.piece = rules, state, piece
        strikes = len(piece.struck_ticks)
        responses = np.arange(len(piece.active_ticks)) + piece.come
        is_strike = np.ones(strikes + len(responses), np.bool_)
        is_strike[responses] = False
        times = np.empty(len(is_strike), np.int64)
        times[is_strike], times[responses] = piece.struck_ticks, piece.active_ticks
        self.edges = zip(times.tolist(), is_strike.tolist(), strict=True)
        self.queue: deque[tuple[int, int]] = deque(
            zip(state.queue_ticks.tolist(), state.queue_numbers.tolist(), strict=True)
        )
        self.held, self.matched, self.doubt = state.held_ticks, state.matched_ticks, state.doubt
        self.struck = 0
        """Number of strikes so far."""
        self.strike_of: list[int] = []
        self.strike_ticks: list[int] = []
        self.early: list[tuple[int, int, int]] = []
        self.missed = self.full = self.duplicate = self.spurious = 0
        self.unknown_strikes = self.unknown_responses = 0

    def sure(self) -> None:
        """Match all events. Nothing is in doubt."""
        rules, queue, early_ticks = self.rules, self.queue, self.rules.early_ticks
        timeout_ticks, depth = rules.timeout_ticks, rules.queue_depth
        latest = rules.policy == Policy.LATEST
        least_ticks = rules.window_min_ticks if rules.policy == Policy.WINDOW else 0
        number, held, matched = self.before.strikes, self.held, self.matched
        missed = full = duplicate = spurious = 0
        strike_of, strike_ticks = self.strike_of, self.strike_ticks
        for time, is_strike in self.edges:
            while queue and time - queue[0][0] > timeout_ticks:
                queue.popleft()
                missed += 1
            unmatched = None
            if held is not None and time - held > early_ticks:
                unmatched, held = held, None
                if matched is not None and unmatched - matched <= timeout_ticks:
                    duplicate += 1
                else:
                    spurious += 1
            if is_strike:
                if held is not None:
                    self.early.append((number, time, held))
                    matched, held = time, None
                else:
                    if latest and queue:
                        queue.popleft()
                        missed += 1
                    if len(queue) < depth:
                        queue.append((time, number))
                    else:
                        missed += 1
                        full += 1
                number += 1
            elif queue and time - queue[0][0] >= least_ticks:
                matched, strike = queue.popleft()
                strike_of.append(strike)
                strike_ticks.append(matched)
            else:
                strike_of.append(NONE)
                strike_ticks.append(0)
                unmatched = time
                if early_ticks:
                    unmatched, held = held, time
                if unmatched is not None:
                    if matched is not None and unmatched - matched <= timeout_ticks:
                        duplicate += 1
                    else:
                        spurious += 1
        while queue and self.piece.last_ticks - queue[0][0] > timeout_ticks:
            queue.popleft()
            missed += 1
        self.struck = number - self.before.strikes
        self.held, self.matched = held, matched
        self.missed, self.full = missed, full
        self.duplicate, self.spurious = duplicate, spurious

    def doubtful(self, doubt: Doubt) -> None:
        """Match events until nothing is in doubt."""
        rules, queue, early_ticks = self.rules, self.queue, self.rules.early_ticks
        least_ticks = rules.window_min_ticks if rules.policy == Policy.WINDOW else 0
        unseen, unseen_ticks, passed = doubt.unseen, doubt.unseen_ticks, doubt.passed
        may_hold, may_match = doubt.held_ticks, doubt.matched_ticks
        for time, is_strike in self.edges:
            passed = self._expire(time, passed)
            if time - unseen_ticks > rules.timeout_ticks:
                unseen = 0
            if self.held is not None and time - self.held > early_ticks:
                self._settle(self.held, may_match)
                self.held = None
            if may_hold is not None and time - may_hold > early_ticks:
                may_hold = None
            # A response that is held since before is settled by what was matched before it.
            since = time if self.held is None else self.held
            if may_match is not None and since - may_match > rules.timeout_ticks:
                may_match, self.matched = None, None
            if not unseen and not passed and may_hold is None and may_match is None:
                self.doubt = None
                return
            if is_strike:
                number = self.before.strikes + self.struck
                self.struck += 1
                certain = not unseen and not passed and may_hold is None
                if certain and self.held is not None:
                    self.early.append((number, time, self.held))
                    self.matched, self.held, may_match = time, None, None
                    continue
                if certain and rules.policy != Policy.LATEST and len(queue) == rules.queue_depth:
                    self.missed += 1
                    self.full += 1
                    continue
                if rules.policy == Policy.LATEST and may_hold is None:
                    self.unknown_strikes += passed
                    self.missed += len(queue) - passed
                    queue.clear()
                    unseen = passed = 0
                may_be_full = unseen + len(queue) >= rules.queue_depth
                queue.append((time, number))
                if may_hold is not None or may_be_full:
                    passed, may_hold = len(queue), None
                if unseen or passed:
                    may_match = time
                if len(queue) > rules.queue_depth:
                    self.unknown_strikes += len(queue)
                    queue.clear()
                    unseen, unseen_ticks, passed = rules.queue_depth, time, 0
            elif not unseen and not passed:
                if queue and time - queue[0][0] >= least_ticks:
                    self.matched, strike = queue.popleft()
                    may_match = None
                    self.strike_of.append(strike)
                    self.strike_ticks.append(self.matched)
                    continue
                self.strike_of.append(NONE)
                self.strike_ticks.append(0)
                unmatched = time
                if early_ticks:
                    unmatched, self.held, may_hold = self.held, time, None
                if unmatched is not None:
                    self._settle(unmatched, may_match)
            else:
                self.unknown_responses += 1
                self.strike_of.append(UNKNOWN)
                self.strike_ticks.append(0)
                if passed < len(queue) and time - queue[passed][0] >= least_ticks:
                    passed += 1
                elif early_ticks:
                    may_hold = time
                if unseen:
                    unseen -= time - unseen_ticks >= least_ticks
                elif time - queue[0][0] >= least_ticks:
                    queue.popleft()
                    passed -= 1
                    self.unknown_strikes += 1
        passed = self._expire(self.piece.last_ticks, passed)
        self.doubt = replace(
            doubt,
            unseen=unseen,
            unseen_ticks=unseen_ticks,
            passed=passed,
            held_ticks=may_hold,
            matched_ticks=may_match,
        )

    def _expire(self, time: int, passed: int) -> int:
        """Let go of the strikes that have timed out; return how many were passed and are left."""
        queue = self.queue
        while queue and time - queue[0][0] > self.rules.timeout_ticks:
            queue.popleft()
            if passed:
                self.unknown_strikes += 1
                passed -= 1
            else:
                self.missed += 1
        return passed

    def _settle(self, response: int, may_match: int | None) -> None:
        timeout_ticks = self.rules.timeout_ticks
        if may_match is not None:
            if response - may_match > timeout_ticks:
                self.spurious += 1
            else:
                self.unknown_responses += 1
        elif self.matched is not None and response - self.matched <= timeout_ticks:
            self.duplicate += 1
        else:
            self.spurious += 1

    def state(self) -> State:
        """Return the state behind what was matched."""
        columns = np.array(self.queue, np.int64).reshape(-1, 2).T
        return without_doubt(
            State(
                columns[0],
                columns[1],
                self.held,
                self.matched,
                self.before.strikes + self.struck,
                self.doubt,
            )
        )

    def answers(self) -> Answers:
        """Return what was matched."""
        early = Early(*np.array(self.early, np.int64).reshape(-1, 3).T)
        strike_of = np.array(self.strike_of, np.int64)
        struck_ticks = np.array(self.strike_ticks, np.int64)
        latencies = (self.piece.active_ticks[: len(strike_of)] - struck_ticks)[strike_of >= 0]
        classes = matched_classes(latencies, early, self.rules.deadline_ticks) | {
            ResponseClass.STRIKES: self.struck,
            ResponseClass.MISSED: self.missed,
            ResponseClass.DUPLICATE: self.duplicate,
            ResponseClass.SPURIOUS: self.spurious,
            ResponseClass.QUEUE_FULL: self.full,
        }
        return Answers(
            strike_of, struck_ticks, early, classes, self.unknown_strikes, self.unknown_responses
        )
