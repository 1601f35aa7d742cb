# SPDX-License-Identifier: Apache-2.0
"""The level behind each event, for pictures and waveforms. Pure."""

from __future__ import annotations

import numpy as np

from plexor.model.results import EventArray
from plexor.model.settings import Settings


def with_levels(events: EventArray, settings: Settings) -> EventArray:
    """Return events whose polarity is the level behind them.

    Each event of a channel with `either` has polarity 1. Its levels take turns; the first one,
    which nothing tells, is taken for low.
    """
    numbers = [channel.number for channel in settings.channels if channel.either]
    if not numbers:
        return events
    events = events.copy()
    for number in numbers:
        own = np.flatnonzero(events["source"] == number)
        events["polarity"][own] = 1 - np.arange(len(own)) % 2
    return events
