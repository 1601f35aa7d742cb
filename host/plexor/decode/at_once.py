"""Matching on the host, all events of a run at once: `docs/instrument.md`, "Matching"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.decode.matched import Matched, Rules, Samples, Ticks
from plexor.model.results import EventArray, Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """Events of one kind: their places among all events, and their times."""

    place: Ticks
    time_ticks: Ticks

    @classmethod
    def of(cls, chosen: npt.NDArray[np.bool_], events: EventArray) -> _Edges:
        place = np.flatnonzero(chosen)
        return cls(place, events["time_ticks"][place].astype(np.int64))


def match_at_once(events: EventArray, rules: Rules, end_ticks: int) -> Matched | None:
    """Match complete, time-ordered events (EVENT_DTYPE) of a run as arrays.

    Returns None where that is not exact: a strike found the queue full, or, with `early_ticks`, a
    response found no strike.
    """
    own = events["source"] == rules.channel_source
    struck = (events["source"] == rules.reference_source) & ~own
    strikes = _Edges.of(struck & (events["polarity"] == rules.reference_polarity), events)
    active = _Edges.of(own & (events["polarity"] == 1), events)
    back = _Edges.of(own & (events["polarity"] == 0), events)
    if rules.policy == Policy.LATEST:
        strike_of, gone = _latest(strikes, active, rules, end_ticks)
    else:
        found = _in_order(strikes, active, rules, end_ticks)
        if found is None:
            return None
        strike_of, gone = found
    answered = strike_of >= 0
    if rules.early_ticks and not answered.all():
        return None

    def between(start_ticks: Ticks, end: _Edges) -> Samples:
        indices = events["index"][end.place].astype(np.int64)
        return Samples(end.time_ticks - start_ticks, end.time_ticks, indices, start_ticks)

    struck_ticks = strikes.time_ticks[strike_of[answered]]
    rise = between(struck_ticks, _Edges(active.place[answered], active.time_ticks[answered]))
    # A trailing edge belongs to the active edge before it; one at the start belongs to none.
    owner = np.searchsorted(active.place, back.place) - 1
    back = _Edges(back.place[owner >= 0], back.time_ticks[owner >= 0])
    owner = owner[owner >= 0]
    ends = answered[owner] & (np.diff(owner, prepend=-1) > 0)
    fall = between(
        strikes.time_ticks[strike_of[owner[ends]]],
        _Edges(back.place[ends], back.time_ticks[ends]),
    )
    width = between(active.time_ticks[owner], back)
    period = between(active.time_ticks[:-1], _Edges(active.place[1:], active.time_ticks[1:]))
    late = int(np.count_nonzero(rise.value_ticks > rules.deadline_ticks))
    matches, unmatched = len(rise.value_ticks), len(answered) - len(rise.value_ticks)
    duplicates = _duplicates(active, answered, struck_ticks, rules)
    classes = dict.fromkeys(ResponseClass, 0) | {
        ResponseClass.STRIKES: len(strikes.place),
        ResponseClass.ANSWERED: matches - late,
        ResponseClass.LATE: late,
        ResponseClass.MISSED: gone - matches,
        ResponseClass.DUPLICATE: duplicates,
        ResponseClass.SPURIOUS: unmatched - duplicates,
    }
    samples = dict(zip(Kind, (rise, fall, width, period), strict=True))
    return Matched(samples, classes, strikes.time_ticks[gone:], len(active.place))


def _latest(strikes: _Edges, active: _Edges, rules: Rules, end_ticks: int) -> tuple[Ticks, int]:
    """Return each response's strike, -1 for none, and how many strikes are outstanding no more."""
    last = np.searchsorted(strikes.place, active.place) - 1
    first_after_it = np.diff(last, prepend=-1) > 0
    in_time = _age(strikes, last, active.time_ticks) <= rules.timeout_ticks
    strike_of = np.where(first_after_it & in_time, last, -1)
    if not len(strikes.place):
        return strike_of, 0
    newest = len(strikes.place) - 1
    waits = newest not in strike_of and end_ticks - strikes.time_ticks[-1] <= rules.timeout_ticks
    return strike_of, newest if waits else newest + 1


def _age(strikes: _Edges, number: Ticks, time_ticks: Ticks) -> Ticks:
    """Return the time since the strikes of these numbers; any time where a number is -1."""
    return time_ticks - strikes.time_ticks[number] if len(strikes.time_ticks) else time_ticks


def _in_order(
    strikes: _Edges, active: _Edges, rules: Rules, end_ticks: int
) -> tuple[Ticks, int] | None:
    """Return what `_latest` does, for the policies that match the oldest strike first.

    Strikes leave the queue in their order, so its state is the number of strikes that have left it.
    Before a response that number is at least `expired`, the number of strikes older than the
    time-out. A match makes it one more, if it is below `come`, the number of strikes that the
    response may answer. So a response turns x into min(max(x, expired) + 1, come), or leaves
    max(x, expired). Functions of that kind are closed under composition: `_left` composes them.
    Returns None if a strike found the queue full.
    """
    expired = _expired(strikes, active.time_ticks, rules)
    come = np.searchsorted(strikes.place, active.place)
    if rules.policy == Policy.WINDOW:
        latest_ticks = active.time_ticks - rules.window_min_ticks
        come = np.minimum(come, np.searchsorted(strikes.time_ticks, latest_ticks, "right"))
    left = _left(expired, come)
    before = np.maximum(np.concatenate(([0], left))[: len(left)], expired)
    strike_of = np.where(left > before, left - 1, -1)

    responses = np.searchsorted(active.place, strikes.place)
    gone = np.maximum(
        np.concatenate(([0], left))[responses], _expired(strikes, strikes.time_ticks, rules)
    )
    if np.any(np.arange(len(gone)) - gone >= rules.queue_depth):
        return None
    over = int(_expired(strikes, np.array([end_ticks]), rules)[0])
    return strike_of, max(over, int(left[-1]) if len(left) else 0)


def _expired(strikes: _Edges, time_ticks: Ticks, rules: Rules) -> Ticks:
    """Return how many strikes are older than the time-out at each time."""
    return np.searchsorted(strikes.time_ticks, time_ticks - rules.timeout_ticks)


def _left(expired: Ticks, most: Ticks) -> Ticks:
    """Return x after each response, from 0, each making it min(max(x, expired) + 1, most).

    A prefix scan in log2(n) steps (Hillis and Steele, Data Parallel Algorithms, 1986) over
    functions min(max(x + more, low), high).
    """
    count = len(expired)
    in_step = np.arange(1, count + 1)
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
    return np.clip(more, low, high)


def _duplicates(
    active: _Edges, answered: npt.NDArray[np.bool_], struck_ticks: Ticks, rules: Rules
) -> int:
    """Return how many unmatched responses come within the time-out of the last matched strike."""
    number = np.cumsum(answered) - 1
    near = ~answered & (number >= 0)
    age_ticks = active.time_ticks[near] - struck_ticks[number[near]]
    return int(np.count_nonzero(age_ticks <= rules.timeout_ticks))
