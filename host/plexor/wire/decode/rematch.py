# SPDX-License-Identifier: Apache-2.0
"""Matching on the host, from events: for what a chip leaves out, and for the order of samples.

Pure, and exact if no event is missing. `docs/instrument.md`, "Matching", has the rules.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plexor.model.results import EventArray, Kind
from plexor.wire.decode.at_once import match_at_once
from plexor.wire.decode.in_turn import match_in_turn
from plexor.wire.decode.matched import ChannelMatches, Rules, Samples


def rematch(events: EventArray, rules: Rules, end_ticks: int) -> ChannelMatches:
    """Match complete, time-ordered events (EVENT_DTYPE) of a run on one channel.

    Times must be below consistent.MOST_TICKS, as those of a collector and of a stored run are.

    All are matched at once where that is exact: where no strike finds the queue full, and no
    response is held for a strike that may still come. Else they are matched one by one. What lies
    on one side of a gap is matched by itself: a strike that is open where a gap begins is pending.
    """
    if not rules.gaps_ticks:
        return _stretch(events, rules, end_ticks)
    ends = [first for first, _ in rules.gaps_ticks] + [end_ticks]
    limits = np.searchsorted(events["time_ticks"], ends)
    parts: list[ChannelMatches] = []
    start = 0
    for end, stop in zip(ends, limits, strict=True):
        parts.append(_stretch(events[start:stop], rules, end))
        start = int(stop)
    # What is at the end of a capture, or behind it.
    return _joined(parts)


def _stretch(events: EventArray, rules: Rules, end_ticks: int) -> ChannelMatches:
    matches = match_at_once(events, rules, end_ticks)
    return match_in_turn(events, rules, end_ticks) if matches is None else matches


def _joined(parts: Sequence[ChannelMatches]) -> ChannelMatches:
    """Return what several stretches of a run come to."""

    def samples(kind: Kind) -> Samples:
        columns = zip(
            *(
                (own.value_ticks, own.time_ticks, own.index, own.start_ticks)
                for own in (part.samples[kind] for part in parts)
            ),
            strict=True,
        )
        return Samples(*(np.concatenate(column) for column in columns))

    return ChannelMatches(
        {kind: samples(kind) for kind in parts[0].samples},
        {name: sum(part.classes[name] for part in parts) for name in parts[0].classes},
        np.concatenate([part.outstanding_ticks for part in parts]),
        sum(part.active_edges for part in parts),
    )
