"""Samples of one channel, in order, computed from its events.

The instrument matches on the chip and keeps distributions only. Figures that need the order of
samples (sliding jitter, latency over time, the first response) use these samples instead. Where
response n answers strike n throughout, all are matched at once, else one by one with
`decode.rematch`. Events must be complete.
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
    """Values in the order of their completion.

    `time_ticks` and `index` belong to the event that completed each value: the response, the
    trailing edge, or the strike of an early response. `start_ticks` is the time of the edge that
    each value is measured from: the strike, or the active edge. Channels with the same reference
    are joined by it.
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
    # A trailing edge belongs to the active edge just before it. The first may have none.
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
    # Each strike must come before its response and must not have timed out. The queue must never
    # have been full, and must hold the strikes that wait after the last response.
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
    # The strike completes an early response, so the sample is measured from the strike.
    return Samples(values, times, np.array(listed.indices, np.int64), times - np.maximum(values, 0))
