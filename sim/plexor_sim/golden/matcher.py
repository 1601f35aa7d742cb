# SPDX-License-Identifier: Apache-2.0
"""Matches responses to strikes: the Matching section of docs/instrument.md, channel by channel.

A channel's state changes only at events of its own pin and of its reference. Strikes that expire
between these events, and a held response, are settled at the next one. Nothing in between could
tell the difference.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.protocol.memory import CLASSES, VALUE_MOST, ResponseClass
from plexor.protocol.registers import Policy
from plexor_sim.golden.edges import Events, Levels, Times

NONE = -1
"""Stands for no strike and no response. Every time is 0 or more."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Matching rules of one channel, named as their registers. Times are in ticks."""

    source: int
    """The channel's own source."""
    reference_source: int
    reference_polarity: int
    policy: Policy = Policy.OLDEST
    timeout_ticks: int = 1 << 24
    window_min_ticks: int = 0
    early_ticks: int = 0
    deadline_ticks: int = (1 << 31) - 1
    queue_depth: int = 64


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of one kind and channel, in order: value, and index and time of the last event."""

    value_ticks: Times
    index: Times
    time_ticks: Times

    def __len__(self) -> int:
        return len(self.value_ticks)


NO_SAMPLES = Samples(*(np.zeros(0, np.int64) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class Matches:
    """The results of one channel's matcher for a run."""

    classes: tuple[int, ...]
    """Counts by ResponseClass."""
    pending: int
    """Number of outstanding strikes at the end."""
    rise: Samples
    fall: Samples
    width: Samples
    period: Samples


@dataclass(slots=True)
class _Outcome:
    """The state machine's results: a strike's time for each response, and the early matches."""

    matched: list[int]
    early_values: list[int]
    early_places: list[int]
    missed: int = 0
    duplicate: int = 0
    spurious: int = 0
    queue_full: int = 0
    pending: int = 0


def _run(
    rules: Rules, times: list[int], strikes: list[bool], end_ticks: int, final: bool
) -> _Outcome:
    """Run the state machine over strikes (True) and responses (False), in order."""
    outcome = _Outcome([], [], [])
    matched, timeout, early = outcome.matched, rules.timeout_ticks, rules.early_ticks
    latest = rules.policy == Policy.LATEST
    least = rules.window_min_ticks if rules.policy == Policy.WINDOW else 0
    depth = rules.queue_depth
    queue: deque[int] = deque()
    missed = duplicate = spurious = queue_full = 0
    held = last = NONE
    for place, (time, strike) in enumerate(zip(times, strikes, strict=True)):
        while queue and time - queue[0] > timeout:
            queue.popleft()
            missed += 1
        if held != NONE and time - held > early:
            if last != NONE and held - last <= timeout:
                duplicate += 1
            else:
                spurious += 1
            held = NONE
        if strike:
            if held != NONE:
                outcome.early_values.append(held - time)
                outcome.early_places.append(place)
                held = NONE
                last = time
            else:
                if latest and queue:
                    queue.popleft()
                    missed += 1
                if len(queue) == depth:
                    missed += 1
                    queue_full += 1
                else:
                    queue.append(time)
        elif queue and time - queue[0] >= least:
            last = queue.popleft()
            matched.append(last)
        else:
            matched.append(NONE)
            unmatched = time
            if early:
                unmatched, held = held, time
            if unmatched != NONE:
                if last != NONE and unmatched - last <= timeout:
                    duplicate += 1
                else:
                    spurious += 1
    if held != NONE and (final or end_ticks - held > early):
        if last != NONE and held - last <= timeout:
            duplicate += 1
        else:
            spurious += 1
    expired = sum(end_ticks - strike > timeout for strike in queue)
    outcome.missed, outcome.queue_full = missed + expired, queue_full
    outcome.duplicate, outcome.spurious = duplicate, spurious
    outcome.pending = len(queue) - expired
    return outcome


def _samples(values: Times, events: Events, places: npt.NDArray[np.intp] | Times) -> Samples:
    """Return samples that the events at `places` completed, in the order of events."""
    order = np.argsort(places, kind="stable")
    places = places[order]
    return Samples(
        np.minimum(values[order], VALUE_MOST), events.index[places], events.time_ticks[places]
    )


def match(events: Events, rules: Rules, end_ticks: int, *, final: bool = True) -> Matches:
    """Return one channel's classes and samples, settled at `end_ticks`.

    `events` are the merged ones, in order, without dropped ones. If `end_ticks` is not the `final`
    end, a response that may still be early stays held and is in no class.
    """
    own = np.flatnonzero(events.source == rules.source)
    rising: Levels = events.polarity[own]
    active = own[rising]
    strike = np.flatnonzero(
        (events.source == rules.reference_source)
        & (events.polarity == bool(rules.reference_polarity))
    )
    # An event that is both counts as a response first.
    keys = np.concatenate((active * 2, strike * 2 + 1))
    keys.sort()
    places = keys >> 1
    is_strike = (keys & 1).astype(np.bool_)
    times = events.time_ticks[places].tolist()
    outcome = _run(rules, times, is_strike.tolist(), end_ticks, final)

    matched = np.array(outcome.matched, np.int64)
    answered = matched != NONE
    early_places = places[np.array(outcome.early_places, np.int64)]
    rise_values = np.concatenate(
        (
            events.time_ticks[active[answered]] - matched[answered],
            np.array(outcome.early_values, np.int64),
        )
    )
    rise = _samples(rise_values, events, np.concatenate((active[answered], early_places)))

    # A trailing edge counts if the event before it on the same pin is its active edge.
    back = np.flatnonzero(~rising[1:] & rising[:-1]) + 1
    begin = np.searchsorted(active, own[back - 1])
    back = own[back]
    with_strike = answered[begin]
    back_times = events.time_ticks[back]
    fall_values = back_times[with_strike] - matched[begin[with_strike]]
    width_values = back_times - events.time_ticks[active[begin]]

    classes = [0] * CLASSES
    classes[ResponseClass.ANSWERED] = int(np.count_nonzero(rise_values <= rules.deadline_ticks))
    classes[ResponseClass.LATE] = len(rise_values) - classes[ResponseClass.ANSWERED]
    classes[ResponseClass.MISSED] = outcome.missed
    classes[ResponseClass.DUPLICATE] = outcome.duplicate
    classes[ResponseClass.SPURIOUS] = outcome.spurious
    classes[ResponseClass.EARLY] = len(outcome.early_values)
    classes[ResponseClass.QUEUE_FULL] = outcome.queue_full
    classes[ResponseClass.STRIKES] = len(strike)
    return Matches(
        tuple(classes),
        outcome.pending,
        rise,
        _samples(fall_values, events, back[with_strike]),
        _samples(width_values, events, back),
        _samples(np.diff(events.time_ticks[active]), events, active[1:]),
    )
