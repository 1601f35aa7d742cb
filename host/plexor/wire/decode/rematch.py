# SPDX-License-Identifier: Apache-2.0
"""Matching on the host, from events: for what a chip leaves out, and for the order of samples.

Pure. `docs/instrument.md`, "Matching", has the rules. `step` goes from piece to piece, `rematch`
through a run that is there as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plexor.model.results import EventArray, Kind
from plexor.protocol.memory import ResponseClass
from plexor.wire.decode.at_once import ChannelEdges, at, kept, last_before, step_at_once
from plexor.wire.decode.in_turn import step_in_turn
from plexor.wire.decode.matched import (
    ChannelMatches,
    EventSamples,
    Positions,
    Rules,
    Samples,
    pieces,
    times_at,
)
from plexor.wire.decode.state import Answers, Early, Piece, State, ending, joined


def step(state: State, rules: Rules, piece: Piece) -> tuple[State, Answers]:
    """Match a piece of a run on one channel; the next piece follows without a gap.

    All are matched at once where that is exact, else one by one: behind a gap, where a strike finds
    the queue full, and where a response is held for a strike that may still come.
    """
    parts: list[Answers] = []
    while True:
        whole = step_at_once(state, rules, piece)
        if whole is not None:
            state, answers = whole
            parts.append(answers)
            break
        state, answers, piece = step_in_turn(state, rules, piece)
        parts.append(answers)
        if not len(piece.struck_ticks) and not len(piece.active_ticks):
            break
    return state, joined(parts)


def rematch(events: EventArray, rules: Rules, end_ticks: int) -> ChannelMatches:
    """Match complete, time-ordered events (EVENT_DTYPE) of a run on one channel.

    Times must be below consistent.MOST_TICKS, as those of a collector and of a stored run are.
    What lies on one side of `rules.gaps_ticks` is matched by itself: a strike that is open where a
    gap begins is pending.
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
    edges = ChannelEdges.of(events, rules)
    strikes, active = edges.strikes, edges.active
    strike_of = np.empty_like(active)
    classes = dict.fromkeys(ResponseClass, 0)
    early: list[Early] = []
    state, struck, responded = State(), 0, 0
    for own in pieces(len(events)):
        # Of the same type, or the whole array is converted first.
        stop = strikes.dtype.type(own.stop)
        to_strike = int(np.searchsorted(strikes, stop))
        to_response = int(np.searchsorted(active, stop))
        new, responses = strikes[struck:to_strike], active[responded:to_response]
        piece = Piece(
            times_at(events, new),
            times_at(events, responses),
            np.searchsorted(new, responses),
            int(events["time_ticks"][own.stop - 1]),
        )
        state, answers = step(state, rules, piece)
        strike_of[responded:to_response] = answers.strike_of
        if len(answers.early.strike_numbers):
            early.append(answers.early)
        _add(classes, answers.classes)
        struck, responded = to_strike, to_response
    end = ending(state, rules, end_ticks)
    _add(classes, end.classes)
    answered = strike_of >= 0
    samples = _samples(events, edges, strike_of, answered)
    if early:
        samples[Kind.RISE] = _with_early(events, strikes, samples[Kind.RISE], early)
    return ChannelMatches(samples, classes, end.outstanding_ticks, len(active))


def _add(classes: dict[ResponseClass, int], more: dict[ResponseClass, int]) -> None:
    for name, count in more.items():
        classes[name] += count


def _samples(
    events: EventArray, edges: ChannelEdges, strike_of: Positions, answered: np.ndarray
) -> dict[Kind, Samples]:
    """Return the samples of a run in which each response's strike is known."""
    strikes, active = edges.strikes, edges.active
    rise = EventSamples(events, at(strikes, kept(strike_of, answered)), kept(active, answered))
    # A trailing edge belongs to the active edge before it; one at the start belongs to none.
    owner = last_before(active, edges.back)
    first = int(np.searchsorted(owner, 0))
    owner, back = owner[first:], edges.back[first:]
    ends = answered[owner]
    ends[1:] &= owner[1:] > owner[:-1]
    struck = at(strikes, at(strike_of, kept(owner, ends)))
    if np.array_equal(struck, rise.start):
        struck = rise.start
    fall = EventSamples(events, struck, kept(back, ends))
    width = EventSamples(events, at(active, owner), back)
    period = EventSamples(events, active[:-1], active[1:])
    return dict(zip(Kind, (rise, fall, width, period), strict=True))


def _with_early(
    events: EventArray, strikes: Positions, rise: Samples, early: Sequence[Early]
) -> Samples:
    """Return rise latencies and those of early responses, which their strikes complete."""
    positions = strikes[np.concatenate([own.strike_numbers for own in early])]
    struck_ticks = np.concatenate([own.struck_ticks for own in early])
    response_ticks = np.concatenate([own.response_ticks for own in early])
    index = events["index"][positions].astype(np.int64)
    order = np.argsort(np.concatenate((rise.index, index)), kind="stable")
    columns = (
        (rise.value_ticks, response_ticks - struck_ticks),
        (rise.time_ticks, struck_ticks),
        (rise.index, index),
        (rise.start_ticks, struck_ticks),
    )
    return Samples(*(np.concatenate(parts)[order] for parts in columns))


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
