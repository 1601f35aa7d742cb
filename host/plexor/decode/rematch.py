# SPDX-License-Identifier: Apache-2.0
"""Matching on the host, from events: for what a chip leaves out, and for the order of samples.

Pure, and exact if no event is missing. `docs/instrument.md`, "Matching", has the rules.
"""

from __future__ import annotations

from plexor.decode.at_once import match_at_once
from plexor.decode.in_turn import match_in_turn
from plexor.decode.matched import ChannelMatches, Rules
from plexor.model.results import EventArray


def rematch(events: EventArray, rules: Rules, end_ticks: int) -> ChannelMatches:
    """Match complete, time-ordered events (EVENT_DTYPE) of a run on one channel.

    Times must be below MOST_TICKS, as a collector and a stored run guarantee.

    Events are matched as arrays where that is exact: no strike finds the queue full, and no
    response waits for a later strike. Otherwise they are matched one by one.
    """
    matched = match_at_once(events, rules, end_ticks)
    return match_in_turn(events, rules, end_ticks) if matched is None else matched
