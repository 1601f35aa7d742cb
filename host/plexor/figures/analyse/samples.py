# SPDX-License-Identifier: Apache-2.0
"""Samples of one channel in their order, from its events.

The instrument matches on the chip and keeps distributions. What needs the order of samples (sliding
jitter, latency over time, the first response) comes from here. Events must be complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plexor.model.results import EventArray, Kind
from plexor.protocol.memory import ResponseClass
from plexor.wire.decode.matched import ChannelMatches, Rules, Samples
from plexor.wire.decode.rematch import rematch


@dataclass(frozen=True, slots=True, eq=False)
class ChannelSamples:
    """All samples of a channel."""

    rise: Samples
    fall: Samples
    width: Samples
    period: Samples
    counts: Mapping[ResponseClass, int] | None = None
    """How many strikes and responses are in each class; None if that is not known."""

    @classmethod
    def of(cls, matched: ChannelMatches) -> ChannelSamples:
        """Return the samples of a channel that was matched."""
        return cls(*(matched.samples[kind] for kind in Kind), counts=matched.classes)


def channel_samples(events: EventArray, rules: Rules, end_ticks: int) -> ChannelSamples:
    """Return the samples of a channel from complete, time-ordered events (EVENT_DTYPE)."""
    return ChannelSamples.of(rematch(events, rules, end_ticks))
