# SPDX-License-Identifier: Apache-2.0
"""Matching on the host, many events of a run at once: `docs/instrument.md`, "Matching".

Events are taken in pieces, and what the queue holds is carried from one to the next. Only places of
events are kept, so that a run of any length takes little more memory than its events do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.decode.matched import (
    ChannelMatches,
    EventSamples,
    Places,
    Rules,
    Samples,
    Ticks,
    pieces,
    times_at,
)
from plexor.model.results import EventArray, Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy


@dataclass(frozen=True, slots=True, eq=False)
class ChannelEdges:
    """A channel's edges, and its strikes, by their places among all events."""

    strikes: Places
    active: Places
    back: Places
    """Trailing edges."""

    @classmethod
    def of(cls, events: EventArray, rules: Rules) -> ChannelEdges:
        """Return the edges of a channel."""
        whole = np.int32 if len(events) <= np.iinfo(np.int32).max else np.int64
        counts = [0, 0, 0]
        for part in pieces(len(events)):
            for number, chosen in enumerate(_chosen(events[part], rules)):
                counts[number] += int(np.count_nonzero(chosen))
        found: list[Places] = [np.empty(count, whole) for count in counts]
        ends = [0, 0, 0]
        for part in pieces(len(events)):
            for number, chosen in enumerate(_chosen(events[part], rules)):
                places = np.flatnonzero(chosen) + part.start
                found[number][ends[number] : ends[number] + len(places)] = places
                ends[number] += len(places)
        return cls(*found)


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
    found = match(events, edges, rules, end_ticks)
    if found is None:
        return None
    strike_of, gone = found
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
        int(np.count_nonzero(rise.part(part).value_ticks > rules.deadline_ticks))
        for part in pieces(len(rise))
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


def last_before(places: Places, of: Places) -> Places:
    """Return for each of some events the number of the last one of `places` before it, or -1."""
    found = np.empty_like(of)
    for part in pieces(len(of)):
        found[part] = np.searchsorted(places, of[part]) - 1
    return found


def _kept(places: Places, chosen: npt.NDArray[np.bool_]) -> Places:
    return places if chosen.all() else places[chosen]


def _at(places: Places, numbers: Places) -> Places:
    """Return `places[numbers]`, which is no copy if the numbers have no gap."""
    if len(numbers) and bool((numbers[1:] - numbers[:-1] == 1).all()):
        return places[int(numbers[0]) : int(numbers[-1]) + 1]
    found = np.empty(len(numbers), places.dtype)
    for part in pieces(len(numbers)):
        found[part] = places[numbers[part]]
    return found


def _latest(
    events: EventArray, edges: ChannelEdges, rules: Rules, end_ticks: int
) -> tuple[Places, int] | None:
    """Return each response's strike, -1 for none, and how many strikes are outstanding no more."""
    strikes = edges.strikes
    strike_of = last_before(strikes, edges.active)
    newest, before = len(strikes) - 1, -1
    waits = bool(len(strikes))
    for part in pieces(len(strike_of)):
        last = strike_of[part].astype(np.int64)
        first_after_it = np.diff(last, prepend=before) > 0
        before = int(last[-1])
        age_ticks = times_at(events, edges.active[part])
        if len(strikes):
            age_ticks -= times_at(events, strikes[last])
        own = np.where(first_after_it & (age_ticks <= rules.timeout_ticks), last, -1)
        waits = waits and not bool((own == newest).any())
        strike_of[part] = own
    if not len(strikes):
        return strike_of, 0
    newest_ticks = int(events["time_ticks"][strikes[newest]])
    waits = waits and end_ticks - newest_ticks <= rules.timeout_ticks
    return strike_of, newest if waits else newest + 1


def _in_order(
    events: EventArray, edges: ChannelEdges, rules: Rules, end_ticks: int
) -> tuple[Places, int] | None:
    """Return what `_latest` does, for the policies that match the oldest strike first.

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
    for part in pieces(len(active)):
        place = active[part]
        time_ticks = times_at(events, place)
        come = np.searchsorted(strikes, place)
        stop = int(come[-1])
        queue.hold(stop)
        expired = queue.older(time_ticks - rules.timeout_ticks)
        if rules.policy == Policy.WINDOW:
            latest_ticks = time_ticks - rules.window_min_ticks
            come = np.minimum(come, queue.older(latest_ticks, or_equal=True))
        left = _left(gone, expired, come)
        before = np.concatenate((np.full(1, gone), left))
        strike_of[part] = np.where(left > np.maximum(before[:-1], expired), left - 1, -1)
        responses = np.searchsorted(place, strikes[queue.seen : stop])
        if queue.was_full(stop, before[responses]):
            return None
        queue.forget(int(expired[-1]))
        gone = int(left[-1])
    for part in pieces(len(strikes) - queue.seen):
        stop = queue.seen + part.stop - part.start
        queue.hold(stop)
        if queue.was_full(stop, np.zeros(part.stop - part.start, np.int64) + gone):
            return None
        queue.forget(int(queue.older(queue.struck_ticks[-1:] - rules.timeout_ticks)[0]))
    queue.hold(len(strikes))
    over = int(queue.older(np.array([end_ticks - rules.timeout_ticks]))[0])
    return strike_of, max(over, gone)


class _Queue:
    """The strikes that a part of a run's responses may answer."""

    def __init__(self, events: EventArray, strikes: Places, rules: Rules) -> None:
        self.seen = 0
        """Strikes that have come before that part."""
        self.struck_ticks = np.zeros(0, np.int64)
        self._events, self._strikes, self._rules = events, strikes, rules
        self._over = 0
        """Strikes that are over before that part."""

    def hold(self, stop: int) -> None:
        """Take all strikes before number `stop` that are not over."""
        self.struck_ticks = times_at(self._events, self._strikes[self._over : stop])

    def older(self, time_ticks: Ticks, *, or_equal: bool = False) -> Ticks:
        """Return how many strikes came before each time."""
        side = "right" if or_equal else "left"
        return self._over + np.searchsorted(self.struck_ticks, time_ticks, side)

    def was_full(self, stop: int, left: Ticks) -> bool:
        """Return whether a new strike before number `stop` found the queue full.

        `left` says how many strikes had left it by answers when each came.
        """
        new_ticks = self.struck_ticks[self.seen - self._over :]
        gone = np.maximum(left, self.older(new_ticks - self._rules.timeout_ticks))
        waiting = np.arange(self.seen, stop) - gone
        self.seen = stop
        return bool((waiting >= self._rules.queue_depth).any())

    def forget(self, over: int) -> None:
        """Leave out the strikes that are over."""
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
    more, low, high = np.ones(count, np.int64), expired + 1, most.copy()
    reach = 1
    while reach < count:
        first = slice(None, count - reach)
        second = slice(reach, None)
        after_low = np.clip(low[first] + more[second], low[second], high[second])
        after_high = np.clip(high[first] + more[second], low[second], high[second])
        more[second] = more[first] + more[second]
        low[second], high[second] = after_low, after_high
        reach *= 2
    return np.clip(gone + more, low, high)


def _duplicates(events: EventArray, edges: ChannelEdges, strike_of: Places, rules: Rules) -> int:
    """Return how many unmatched responses come within the time-out of the last matched strike."""
    count, matched = 0, -1
    for part in pieces(len(strike_of)):
        own = strike_of[part]
        last = np.maximum(np.maximum.accumulate(own), matched)
        near = (own < 0) & (last >= 0)
        age_ticks = times_at(events, edges.active[part][near])
        age_ticks -= times_at(events, edges.strikes[last[near]])
        count += int(np.count_nonzero(age_ticks <= rules.timeout_ticks))
        matched = int(last[-1])
    return count
