# SPDX-License-Identifier: Apache-2.0
"""What became of each strike and of each response, from a run's events and their matching. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.model.results import EventArray, Kind
from plexor.protocol.memory import ResponseClass
from plexor.wire.decode.matched import ChannelMatches, Rules, Ticks

PENDING = len(ResponseClass)
"""In place of a class: a strike that is outstanding at the end."""
NONE = -1

Classes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int32]
"""Positions or numbers: a run keeps at most 2**26 events."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Strikes and responses of one channel, each with its class.

    `strikes` and `responses` are positions of reference edges and of active edges in the run's
    events, ascending. `answer_of` gives each strike's response, and `strike_of` each response's
    strike, by number in the other array; NONE if there is none.
    """

    strikes: Numbers
    strike_class: Classes
    """ANSWERED, LATE, MISSED or PENDING."""
    answer_of: Numbers
    responses: Numbers
    response_class: Classes
    """ANSWERED, LATE, DUPLICATE or SPURIOUS."""
    strike_of: Numbers
    latency_ticks: Ticks
    """Of each response; 0 where it answers no strike."""


def outcomes(events: EventArray, rules: Rules, matched: ChannelMatches) -> Outcomes:
    """Return the outcomes of complete, time-ordered events (EVENT_DTYPE), matched by `rules`."""
    own = events["source"] == rules.channel_source
    struck = (events["source"] == rules.reference_source) & ~own
    strikes = _places(struck & (events["polarity"] == rules.reference_polarity))
    responses = _places(own & (events["polarity"] == 1))
    struck_ticks, answered_ticks = _times(events, strikes), _times(events, responses)

    rise = matched.samples[Kind.RISE]
    # A source has at most one edge in a tick, so its time tells which edge it is.
    strike = np.searchsorted(struck_ticks, rise.start_ticks)
    response = np.searchsorted(answered_ticks, rise.start_ticks + rise.value_ticks)
    late = rise.value_ticks > rules.deadline_ticks
    taken = np.where(late, ResponseClass.LATE, ResponseClass.ANSWERED)

    strike_class = np.full(len(strikes), ResponseClass.MISSED, np.uint8)
    strike_class[np.searchsorted(struck_ticks, matched.outstanding_ticks)] = PENDING
    strike_class[strike] = taken
    answer_of = np.full(len(strikes), NONE, np.int32)
    answer_of[strike] = response
    response_class = np.full(len(responses), ResponseClass.SPURIOUS, np.uint8)
    early = responses[response] < strikes[strike]
    duplicates = _duplicates(events, rules, matched, responses, response[~early])
    response_class[duplicates] = ResponseClass.DUPLICATE
    response_class[response] = taken
    strike_of = np.full(len(responses), NONE, np.int32)
    strike_of[response] = strike
    latency_ticks = np.zeros(len(responses), np.int64)
    latency_ticks[response] = rise.value_ticks
    return Outcomes(
        strikes, strike_class, answer_of, responses, response_class, strike_of, latency_ticks
    )


def _places(chosen: npt.NDArray[np.bool_]) -> Numbers:
    return np.flatnonzero(chosen).astype(np.int32)


def _times(events: EventArray, positions: Numbers | Ticks) -> Ticks:
    return events["time_ticks"][positions].astype(np.int64)


def _duplicates(
    events: EventArray, rules: Rules, matched: ChannelMatches, responses: Numbers, at_once: Ticks
) -> Ticks:
    """Return the numbers of the responses that are duplicates: near the last matched strike.

    `at_once` are the numbers of responses that answer an earlier strike. Any other response is
    classified at once. With `early_ticks` it waits for a strike, and is classified when the next
    response waits, or at the channel's first event after `early_ticks`.
    """
    waiting = np.setdiff1d(np.arange(len(responses)), at_once, assume_unique=True)
    positions = responses[waiting]
    times = _times(events, positions)
    settled = positions
    if rules.early_ticks:
        own = events["source"] == rules.channel_source
        struck = (events["source"] == rules.reference_source) & ~own
        seen = np.flatnonzero(own | (struck & (events["polarity"] == rules.reference_polarity)))
        following = np.searchsorted(_times(events, seen), times + rules.early_ticks, "right")
        settled = np.append(seen, len(events))[following]
        settled = np.minimum(settled, np.append(positions[1:], len(events)))
    rise = matched.samples[Kind.RISE]
    ended = np.searchsorted(events["index"], rise.index.astype(np.uint64))
    last = np.searchsorted(ended, settled) - 1
    near = last >= 0
    near[near] = times[near] - rise.start_ticks[last[near]] <= rules.timeout_ticks
    return waiting[near]
