"""Samples of one channel from its events: the matcher's rules, on the host.

The instrument matches on the chip and keeps distributions; what needs the order of samples (sliding
jitter, latency over time, the first response) comes from here. The rules are those of
docs/instrument.md, "Matching"; events must be complete.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.protocol.registers import Policy

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rules:
    """How responses are matched to strikes; ticks as in the registers of those names."""

    reference_source: int
    reference_polarity: int = 1
    policy: Policy = Policy.OLDEST
    timeout_ticks: int = 1 << 24
    window_min_ticks: int = 0
    early_ticks: int = 0
    queue_depth: int = 64


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Values in the order in which they were completed.

    `time_ticks` and `index` are those of the event that completed each: the response, the edge
    back, or for an early response the strike. `start` is the row of the event each was measured
    from, for joining channels that share a strike.
    """

    value_ticks: Ticks
    time_ticks: Ticks
    index: Ticks
    start: Ticks


@dataclass(frozen=True, slots=True, eq=False)
class ChannelSamples:
    """All samples of a channel."""

    rise: Samples
    fall: Samples
    width: Samples
    period: Samples


def channel_samples(events: npt.NDArray[np.void], source: int, rules: Rules) -> ChannelSamples:
    """Return the samples of channel `source` from complete, time-ordered events (EVENT_DTYPE)."""
    sources, polarities = events["source"], events["polarity"].astype(bool)
    strikes = np.flatnonzero(
        (sources == rules.reference_source) & (polarities == bool(rules.reference_polarity))
    )
    edges = np.flatnonzero(sources == source)
    active = edges[polarities[edges]]
    # An edge back belongs to the active edge just before it; one at the start belongs to none.
    back = edges[~polarities[edges]]
    owner = np.searchsorted(active, back) - 1
    back, owner = back[owner >= 0], owner[owner >= 0]
    times = events["time_ticks"].astype(np.int64)
    pairs = _match_in_step(times, strikes, active, rules)
    if pairs is None:
        pairs = _match_in_turn(times, strikes, active, rules)
    strike, response = pairs
    on_time = response > strike  # an early response has its strike after it
    of_active = np.full(len(active), -1, np.int64)
    of_active[np.searchsorted(active, response[on_time])] = strike[on_time]
    fall_of = of_active[owner]

    def between(start: Ticks, end: Ticks) -> Samples:
        done = np.maximum(start, end)
        order = np.argsort(done, kind="stable")
        start, end, done = start[order], end[order], done[order]
        indices = events["index"].astype(np.int64)[done]
        return Samples(times[end] - times[start], times[done], indices, start)

    return ChannelSamples(
        rise=between(strike, response),
        fall=between(fall_of[fall_of >= 0], back[fall_of >= 0]),
        width=between(active[owner], back),
        period=between(active[:-1], active[1:]),
    )


def _match_in_step(
    times: Ticks, strikes: Ticks, active: Ticks, rules: Rules
) -> tuple[Ticks, Ticks] | None:
    """Match response n to strike n at once; None where the rules may say otherwise."""
    count = len(active)
    if rules.policy != Policy.OLDEST or count > len(strikes):
        return None
    answered = strikes[:count]
    struck = np.searchsorted(strikes, active)
    waiting = struck - np.arange(count)
    # Before each response its strike must have come, must not have timed out, and the queue
    # must never have been full; after the last, what waits must fit the queue too.
    if (
        np.any(waiting < 1)
        or np.any(waiting > rules.queue_depth)
        or len(strikes) - count > rules.queue_depth
        or np.any(times[active] - times[answered] > rules.timeout_ticks)
    ):
        return None
    return answered, active


def _match_in_turn(
    times: Ticks, strikes: Ticks, active: Ticks, rules: Rules
) -> tuple[Ticks, Ticks]:
    """Match event by event, as the instrument does; return rows of strikes and responses."""
    rows = np.concatenate([strikes, active])
    is_response = np.concatenate([np.zeros(len(strikes), bool), np.ones(len(active), bool)])
    order = np.argsort(rows, kind="stable")
    depth = 1 if rules.policy == Policy.LATEST else rules.queue_depth
    least = rules.window_min_ticks if rules.policy == Policy.WINDOW else None
    timeout, early = rules.timeout_ticks, rules.early_ticks
    queue: deque[tuple[int, int]] = deque()
    held: tuple[int, int] | None = None
    matched: list[tuple[int, int]] = []
    for row, response, time in zip(
        rows[order].tolist(),
        is_response[order].tolist(),
        times[rows[order]].tolist(),
        strict=True,
    ):
        while queue and time - queue[0][0] > timeout:
            queue.popleft()
        if held is not None and time - held[0] > early:
            held = None
        if response:
            if queue and (least is None or time - queue[0][0] >= least):
                matched.append((queue.popleft()[1], row))
            elif early:
                held = (time, row)
        elif held is not None:
            matched.append((row, held[1]))
            held = None
        else:
            if rules.policy == Policy.LATEST:
                queue.clear()
            if len(queue) < depth:
                queue.append((time, row))
    pairs = np.array(matched, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
