"""Samples of one channel in their order, from its events.

The instrument matches on the chip and keeps distributions. What needs the order of samples (sliding
jitter, latency over time, the first response) comes from here. Events must be complete.
"""

from __future__ import annotations

from dataclasses import dataclass

from plexor.decode.matched import Rules, Samples
from plexor.decode.rematch import rematch
from plexor.model.results import EventArray, Kind


@dataclass(frozen=True, slots=True, eq=False)
class ChannelSamples:
    """All samples of a channel."""

    rise: Samples
    fall: Samples
    width: Samples
    period: Samples


def channel_samples(events: EventArray, rules: Rules, end_ticks: int) -> ChannelSamples:
    """Return the samples of a channel from complete, time-ordered events (EVENT_DTYPE)."""
    samples = rematch(events, rules, end_ticks).samples
    return ChannelSamples(*(samples[kind] for kind in Kind))
