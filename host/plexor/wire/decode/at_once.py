# SPDX-License-Identifier: Apache-2.0
"""Matching on the host, many events of a run at once: `docs/instrument.md`, "Matching".

Events are taken in pieces, and what the queue holds is carried from one to the next. Only places of
events are kept, so that a run of any length takes little more memory than its events do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.model.results import EventArray, Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import (
    ChannelMatches,
    EventSamples,
    Positions,
    Rules,
    Samples,
    Ticks,
    pieces,
    times_at,
)


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


def match_at_once(events: EventArray, rules: Rules, end_ticks: int) -> ChannelMatches | None:
    """Match complete, time-ordered events (EVENT_DTYPE) of a run as arrays.

    Returns None where that is not exact: a strike found the queue full, or, with `early_ticks`, a
    response found no strike.
    """
    edges = ChannelEdges.of(events, rules)
    strikes, active = edges.strikes, edges.active
    match = _latest if rules.policy == Policy.LATEST else _in_order
    matched = match(events, edges, rules, end_ticks)
    if matched is None:
        return None
    strike_of, gone = matched
    answered = strike_of >= 0
    if rules.early_ticks and not answered.all():
        return None
    duplicates = _duplicates(events, edges, strike_of, rules)
    rise = EventSamples(events, _at(strikes, _kept(strike_of, answered)), _kept(active, answered))
    # A trailing edge belongs to the active edge before it; one at the start belongs to none.
    owner = last_before(active, edges.back)
    first = int(np.searchsorted(owner, 0))
    owner, back = owner[first:], edges.back[first:]
    ends = answered[owner]
    ends[1:] &= owner[1:] > owner[:-1]
    struck = _at(strikes, _at(strike_of, _kept(owner, ends)))
    if np.array_equal(struck, rise.start):
        struck = rise.start
    fall = EventSamples(events, struck, _kept(back, ends))
    width = EventSamples(events, _at(active, owner), back)
    period = EventSamples(events, active[:-1], active[1:])
    late = sum(
        int(np.count_nonzero(rise.cut(piece).value_ticks > rules.deadline_ticks))
        for piece in pieces(len(rise))
    )
    matches, unmatched = len(rise), len(answered) - len(rise)
    classes = dict.fromkeys(ResponseClass, 0) | {
        ResponseClass.STRIKES: len(strikes),
        ResponseClass.ANSWERED: matches - late,
        ResponseClass.LATE: late,
        ResponseClass.MISSED: gone - matches,
        ResponseClass.DUPLICATE: duplicates,
        ResponseClass.SPURIOUS: unmatched - duplicates,
    }
    samples: dict[Kind, Samples] = dict(zip(Kind, (rise, fall, width, period), strict=True))
    return ChannelMatches(samples, classes, times_at(events, strikes[gone:]), len(active))


def last_before(positions: Positions, events: Positions) -> Positions:
    """Return, for each event, the number of the last of `positions` before it, or -1."""
    numbers = np.empty_like(events)
    for piece in pieces(len(events)):
        numbers[piece] = np.searchsorted(positions, events[piece]) - 1
    return numbers


def _kept(positions: Positions, chosen: npt.NDArray[np.bool_]) -> Positions:
    return positions if chosen.all() else positions[chosen]


def _at(positions: Positions, numbers: Positions) -> Positions:
    """Return `positions[numbers]`, without a copy if the numbers are consecutive."""
    if len(numbers) and bool((numbers[1:] - numbers[:-1] == 1).all()):
        return positions[int(numbers[0]) : int(numbers[-1]) + 1]
    chosen = np.empty(len(numbers), positions.dtype)
    for piece in pieces(len(numbers)):
        chosen[piece] = positions[numbers[piece]]
    return chosen


def _latest(
    events: EventArray, edges: ChannelEdges, rules: Rules, end_ticks: int
) -> tuple[Positions, int] | None:
    """Return each response's strike, or -1, and the number of strikes no longer outstanding."""
    strikes = edges.strikes
    strike_of = last_before(strikes, edges.active)
    newest, previous = len(strikes) - 1, -1
    waits = bool(len(strikes))
    for piece in pieces(len(strike_of)):
        last = strike_of[piece].astype(np.int64)
        first_after_it = np.diff(last, prepend=previous) > 0
        previous = int(last[-1])
        age_ticks = times_at(events, edges.active[piece])
        if len(strikes):
            age_ticks -= times_at(events, strikes[last])
        own = np.where(first_after_it & (age_ticks <= rules.timeout_ticks), last, -1)
        waits = waits and not bool((own == newest).any())
        strike_of[piece] = own
    if not len(strikes):
        return strike_of, 0
    newest_ticks = int(events["time_ticks"][strikes[newest]])
    waits = waits and end_ticks - newest_ticks <= rules.timeout_ticks
    return strike_of, newest if waits else newest + 1


def _in_order(
    events: EventArray, edges: ChannelEdges, rules: Rules, end_ticks: int
) -> tuple[Positions, int] | None:
    """Do as `_latest` for the policies that match the oldest strike first.

    Strikes leave the queue in their order, so its state is the number of strikes that have left it.
    Before a response that number is at least `expired`, the number of strikes older than the
    time-out. A match makes it one more, if it is below `come`, the number of strikes that the
    response may answer. So a response turns x into min(max(x, expired) + 1, come), or leaves
    max(x, expired). Functions of that kind are closed under composition: `_left` composes them.
    Returns None if a strike found the queue full.
    """
    strikes, active = edges.strikes, edges.active
    strike_of = np.empty_like(active)
    queue = _Queue(events, strikes, rules)
    gone = 0
    for piece in pieces(len(active)):
        positions = active[piece]
        time_ticks = times_at(events, positions)
        come = np.searchsorted(strikes, positions)
        stop = int(come[-1])
        queue.hold(stop)
        expired = queue.older(time_ticks - rules.timeout_ticks)
        if rules.policy == Policy.WINDOW:
            latest_ticks = time_ticks - rules.window_min_ticks
            come = np.minimum(come, queue.older(latest_ticks, or_equal=True))
        gone_after = _left(gone, expired, come)
        gone_before = np.concatenate((np.full(1, gone), gone_after))
        strike_of[piece] = np.where(
            gone_after > np.maximum(gone_before[:-1], expired), gone_after - 1, -1
        )
        responses = np.searchsorted(positions, strikes[queue.seen : stop])
        if queue.was_full(stop, gone_before[responses]):
            return None
        queue.forget(int(expired[-1]))
        gone = int(gone_after[-1])
    for piece in pieces(len(strikes) - queue.seen):
        stop = queue.seen + piece.stop - piece.start
        queue.hold(stop)
        if queue.was_full(stop, np.zeros(piece.stop - piece.start, np.int64) + gone):
            return None
        queue.forget(int(queue.older(queue.struck_ticks[-1:] - rules.timeout_ticks)[0]))
    queue.hold(len(strikes))
    over = int(queue.older(np.array([end_ticks - rules.timeout_ticks]))[0])
    return strike_of, max(over, gone)


class _Queue:
    """The strikes that one piece of a run's responses may answer."""

    def __init__(self, events: EventArray, strikes: Positions, rules: Rules) -> None:
        self.seen = 0
        """Number of strikes before that piece."""
        self.struck_ticks = np.zeros(0, np.int64)
        self._events, self._strikes, self._rules = events, strikes, rules
        self._over = 0
        """Number of strikes that timed out before that piece."""

    def hold(self, stop: int) -> None:
        """Load the strikes before number `stop` that have not timed out."""
        self.struck_ticks = times_at(self._events, self._strikes[self._over : stop])

    def older(self, time_ticks: Ticks, *, or_equal: bool = False) -> Ticks:
        """Return how many strikes came before each time."""
        side = "right" if or_equal else "left"
        return self._over + np.searchsorted(self.struck_ticks, time_ticks, side)

    def was_full(self, stop: int, answered: Ticks) -> bool:
        """Return whether a new strike before number `stop` found the queue full.

        `answered` says how many strikes had left the queue by an answer when each strike came.
        """
        new_ticks = self.struck_ticks[self.seen - self._over :]
        gone = np.maximum(answered, self.older(new_ticks - self._rules.timeout_ticks))
        waiting = np.arange(self.seen, stop) - gone
        self.seen = stop
        return bool((waiting >= self._rules.queue_depth).any())

    def forget(self, over: int) -> None:
        """Drop the first `over` strikes: they have timed out."""
        self._over = over


def _left(gone: int, expired: Ticks, most: Ticks) -> Ticks:
    """Return x after each response, from `gone`, each making it min(max(x, expired) + 1, most).

    A prefix scan in log2(n) steps (Hillis and Steele, Data Parallel Algorithms, 1986) over
    functions min(max(x + more, low), high).
    """
    count = len(expired)
    in_step = np.arange(gone + 1, gone + count + 1)
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
    return np.clip(gone + shift, low, high)


def _duplicates(events: EventArray, edges: ChannelEdges, strike_of: Positions, rules: Rules) -> int:
    """Return how many unmatched responses come within the time-out of the last matched strike."""
    count, matched = 0, -1
    for piece in pieces(len(strike_of)):
        own = strike_of[piece]
        last = np.maximum(np.maximum.accumulate(own), matched)
        near = (own < 0) & (last >= 0)
        age_ticks = times_at(events, edges.active[piece][near])
        age_ticks -= times_at(events, edges.strikes[last[near]])
        count += int(np.count_nonzero(age_ticks <= rules.timeout_ticks))
        matched = int(last[-1])
    return count
