# SPDX-License-Identifier: Apache-2.0
"""Matching on the host, many events of a run at once: `docs/instrument.md`, "Matching".

A run is taken in pieces, and what the queue holds is carried from one to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.model.results import EventArray
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import Positions, Rules, Ticks, pieces
from plexor.wire.decode.state import NO_EARLY, NONE, Answers, Piece, State, matched_classes


@dataclass(frozen=True, slots=True, eq=False)
class ChannelEdges:
    """Positions of a channel's strikes and edges in the array of all events."""

    strikes: Positions
    active: Positions
    back: Positions
    """Trailing edges."""

    @classmethod
    def of(cls, events: EventArray, rules: Rules) -> ChannelEdges:
        """Return the edges of a channel."""
        dtype = np.int32 if len(events) <= np.iinfo(np.int32).max else np.int64
        counts = [0, 0, 0]
        for piece in pieces(len(events)):
            for number, chosen in enumerate(_chosen(events[piece], rules)):
                counts[number] += int(np.count_nonzero(chosen))
        columns: list[Positions] = [np.empty(count, dtype) for count in counts]
        ends = [0, 0, 0]
        for piece in pieces(len(events)):
            for number, chosen in enumerate(_chosen(events[piece], rules)):
                positions = np.flatnonzero(chosen) + piece.start
                columns[number][ends[number] : ends[number] + len(positions)] = positions
                ends[number] += len(positions)
        return cls(*columns)


def _chosen(events: EventArray, rules: Rules) -> tuple[npt.NDArray[np.bool_], ...]:
    source, polarity = events["source"], events["polarity"]
    own = source == rules.channel_source
    struck = (source == rules.reference_source) & ~own & (polarity == rules.reference_polarity)
    return struck, own & (polarity == 1), own & (polarity == 0)


def step_at_once(state: State, rules: Rules, piece: Piece) -> tuple[State, Answers] | None:
    """Match a piece of a run on one channel.

    Returns None where that is not exact: where a strike finds the queue full, where a response may
    be held for a strike that is yet to come, and behind a gap.
    """
    if state.doubt is not None or state.held_ticks is not None:
        return None
    queued = len(state.queue_ticks)
    struck = np.concatenate((state.queue_ticks, piece.struck_ticks))
    numbers = np.arange(state.strikes - queued, state.strikes + len(piece.struck_ticks))
    numbers[:queued] = state.queue_numbers
    match = _latest if rules.policy == Policy.LATEST else _in_order
    found = match(struck, queued, rules, piece)
    if found is None:
        return None
    place, gone = found
    answered = place >= 0
    if rules.early_ticks and not answered.all():
        return None
    struck_ticks = struck[place] if len(struck) else np.zeros(len(place), np.int64)
    latency_ticks = (piece.active_ticks - struck_ticks)[answered]
    classes = matched_classes(latency_ticks, NO_EARLY, rules.deadline_ticks)
    matches = len(latency_ticks)
    duplicates = 0
    if matches < len(place):
        last = np.maximum.accumulate(place)
        never = -rules.timeout_ticks - 1 if state.matched_ticks is None else state.matched_ticks
        last_ticks = np.where(last >= 0, struck[last] if len(struck) else 0, never)
        near = piece.active_ticks - last_ticks <= rules.timeout_ticks
        duplicates = int(np.count_nonzero(near & ~answered))
    classes |= {
        ResponseClass.STRIKES: len(piece.struck_ticks),
        ResponseClass.MISSED: gone - matches,
        ResponseClass.DUPLICATE: duplicates,
        ResponseClass.SPURIOUS: len(place) - matches - duplicates,
    }
    after = State(
        struck[gone:],
        numbers[gone:],
        matched_ticks=int(struck[place.max()]) if matches else state.matched_ticks,
        strikes=state.strikes + len(piece.struck_ticks),
    )
    strike_of = np.where(answered, numbers[place] if len(numbers) else NONE, NONE)
    return after, Answers(strike_of, struck_ticks, NO_EARLY, classes)


def _latest(struck: Ticks, queued: int, rules: Rules, piece: Piece) -> tuple[Ticks, int]:
    """Return each response's strike, or -1, and the number of strikes no longer outstanding."""
    last = piece.come + (queued - 1)
    newest = len(struck) - 1
    if newest < 0:
        return last, 0
    first_after_it = np.diff(last, prepend=-1) > 0
    in_time = piece.active_ticks - struck[last] <= rules.timeout_ticks
    place = np.where(first_after_it & in_time, last, NONE)
    waits = piece.last_ticks - int(struck[newest]) <= rules.timeout_ticks
    waits = waits and not (len(place) and int(place.max()) == newest)
    return place, newest if waits else newest + 1


def _in_order(struck: Ticks, queued: int, rules: Rules, piece: Piece) -> tuple[Ticks, int] | None:
    """Do as `_latest` for the policies that match the oldest strike first.

    Strikes leave the queue in their order, so its state is the number of strikes that have left it.
    Before a response that number is at least `expired`, the number of strikes older than the
    time-out. A match makes it one more, if it is below `come`, the number of strikes that the
    response may answer. So a response turns x into min(max(x, expired) + 1, come), or leaves
    max(x, expired). Functions of that kind are closed under composition: `_left` composes them.
    Returns None if a strike found the queue full.
    """
    time_ticks = piece.active_ticks
    before = piece.come + queued
    expired = np.searchsorted(struck, time_ticks - rules.timeout_ticks)
    come = before
    if rules.policy == Policy.WINDOW:
        old = np.searchsorted(struck, time_ticks - rules.window_min_ticks, "right")
        come = np.minimum(before, old)
    gone_after = _left(expired, come)
    gone_before = np.concatenate((np.zeros(1, np.int64), gone_after))
    if _was_full(struck, queued, rules, before, gone_before):
        return None
    place = np.where(gone_after > np.maximum(gone_before[:-1], expired), gone_after - 1, NONE)
    over = int(np.searchsorted(struck, piece.last_ticks - rules.timeout_ticks))
    return place, max(over, int(gone_before[-1]))


def _was_full(struck: Ticks, queued: int, rules: Rules, before: Ticks, gone_before: Ticks) -> bool:
    """Return whether a strike found the queue full.

    `before` says how many strikes came before each response, `gone_before` how many had left the
    queue before it.
    """
    # Where the strikes of the last queue's length are over, nothing can be full.
    new = np.arange(queued, len(struck))
    depth = rules.queue_depth
    crowded = new[new >= depth]
    crowded = crowded[struck[crowded] - struck[crowded - depth] <= rules.timeout_ticks]
    if not len(crowded):
        return False
    answered = gone_before[np.searchsorted(before, crowded, "right")]
    return bool((crowded - answered >= depth).any())


def _left(expired: Ticks, most: Ticks) -> Ticks:
    """Return x after each response, from 0, each making it min(max(x, expired) + 1, most).

    A prefix scan in log2(n) steps (Hillis and Steele, Data Parallel Algorithms, 1986) over
    functions min(max(x + more, low), high).
    """
    count = len(expired)
    in_step = np.arange(1, count + 1)
    if np.all(expired < in_step) and np.all(in_step <= most):
        return in_step
    shift, low, high = np.ones(count, np.int64), expired + 1, most.copy()
    reach = 1
    while reach < count:
        first = slice(None, count - reach)
        second = slice(reach, None)
        after_low = np.clip(low[first] + shift[second], low[second], high[second])
        after_high = np.clip(high[first] + shift[second], low[second], high[second])
        shift[second] = shift[first] + shift[second]
        low[second], high[second] = after_low, after_high
        reach *= 2
    return np.clip(shift, low, high)


def last_before(positions: Positions, events: Positions) -> Positions:
    """Return, for each event, the number of the last of `positions` before it, or -1."""
    numbers = np.empty_like(events)
    for piece in pieces(len(events)):
        numbers[piece] = np.searchsorted(positions, events[piece]) - 1
    return numbers


def kept(positions: Positions, chosen: npt.NDArray[np.bool_]) -> Positions:
    return positions if chosen.all() else positions[chosen]


def at(positions: Positions, numbers: Positions) -> Positions:
    """Return `positions[numbers]`, without a copy if the numbers are consecutive."""
    if len(numbers) and bool((numbers[1:] - numbers[:-1] == 1).all()):
        return positions[int(numbers[0]) : int(numbers[-1]) + 1]
    chosen = np.empty(len(numbers), positions.dtype)
    for piece in pieces(len(numbers)):
        chosen[piece] = positions[numbers[piece]]
    return chosen
