"""Samples of one channel in their order, from its events.

The instrument matches on the chip and keeps distributions; what needs the order of samples (sliding
jitter, latency over time, the first response) comes from here. Where responses and strikes run in
step all are matched at once, else one by one as `decode.rematch` does. Events must be complete.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.decode.rematch import Lane, Rules
from plexor.decode.rematch import Samples as Listed
from plexor.model.results import EventArray, Kind
from plexor.protocol.registers import Policy

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Values in the order in which they were completed.

    `time_ticks` and `index` are those of the event that completed each: the response, the edge
    back, or for an early response the strike. `start_ticks` is the time of the edge each was
    measured from: the strike, by which channels that share it are joined, or the active edge.
    """

    value_ticks: Ticks
    time_ticks: Ticks
    index: Ticks
    start_ticks: Ticks


@dataclass(frozen=True, slots=True, eq=False)
class ChannelSamples:
    """All samples of a channel."""

    rise: Samples
    fall: Samples
    width: Samples
    period: Samples


def channel_samples(events: EventArray, rules: Rules, end_ticks: int) -> ChannelSamples:
    """Return the samples of a channel from complete, time-ordered events (EVENT_DTYPE)."""
    sources, polarities = events["source"], events["polarity"]
    strikes = np.flatnonzero(
        (sources == rules.reference_source) & (polarities == rules.reference_polarity)
    )
    edges = np.flatnonzero(sources == rules.channel_source)
    active = edges[polarities[edges] == 1]
    times = events["time_ticks"].astype(np.int64)
    if not _in_step(times, strikes, active, rules):
        return _in_turn(events, rules, end_ticks)
    # An edge back belongs to the active edge just before it; one at the start belongs to none.
    back = edges[polarities[edges] == 0]
    owner = np.searchsorted(active, back) - 1
    back, owner = back[owner >= 0], owner[owner >= 0]
    indices = events["index"].astype(np.int64)

    def between(start: Ticks, end: Ticks) -> Samples:
        return Samples(times[end] - times[start], times[end], indices[end], times[start])

    answered = strikes[: len(active)]
    return ChannelSamples(
        rise=between(answered, active),
        fall=between(answered[owner], back),
        width=between(active[owner], back),
        period=between(active[:-1], active[1:]),
    )


def _in_step(times: Ticks, strikes: Ticks, active: Ticks, rules: Rules) -> bool:
    """Return whether response n surely answers strike n."""
    count = len(active)
    if rules.policy != Policy.OLDEST or count > len(strikes):
        return False
    # Before each response its strike must have come and not have timed out, and the queue must
    # never have been full; what waits after the last must fit the queue too.
    waiting = np.searchsorted(strikes, active) - np.arange(count)
    return bool(
        np.all(waiting >= 1)
        and np.all(waiting <= rules.queue_depth)
        and len(strikes) - count <= rules.queue_depth
        and np.all(times[active] - times[strikes[:count]] <= rules.timeout_ticks)
    )


def _in_turn(events: EventArray, rules: Rules, end_ticks: int) -> ChannelSamples:
    lane = Lane(rules)
    lane.run(events, end_ticks)
    return ChannelSamples(*(_array(lane.samples[kind]) for kind in Kind))


def _array(listed: Listed) -> Samples:
    values, times = np.array(listed.values, np.int64), np.array(listed.times, np.int64)
    # An early response is completed by its strike, so that is where it is measured from.
    return Samples(values, times, np.array(listed.indices, np.int64), times - np.maximum(values, 0))
