# SPDX-License-Identifier: Apache-2.0
"""Matching on the host while events come, in place of a chip that does not match.

The work for a frame does not depend on what came before it, and nothing is kept but what is open
and the figures so far. Behind a gap in the events, what may have been decided by the lost ones is
unknown, and is counted as that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.model.results import Kind, SampleResult, Statistics
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import StopReason
from plexor.wire.decode.batch import EventBatch
from plexor.wire.decode.bins import Tally
from plexor.wire.decode.matched import Rules, Samples, Ticks, pieces
from plexor.wire.decode.rematch import step
from plexor.wire.decode.state import NONE, Answers, Piece, State, behind_gap, ending

WAITING_EVENTS = 1 << 14
"""Number of events that are matched together at least, unless a gap or a reader comes first."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How a channel is matched, and how its samples are counted."""

    rules: Rules
    mantissa_bits: Mapping[Kind, int]
    zooms: Mapping[Kind, tuple[int, int]]
    """First value in ticks and number of bins of the windows of one-tick bins."""


@dataclass(frozen=True, slots=True)
class HostStop:
    """What ends a run on a chip that does not match: the host looks for it."""

    channels: frozenset[int]
    over_ticks: int | None
    """A latency above this; None: no latency."""
    missed: bool
    """A missed strike."""

    def reason(self, answers: Answers, rise: Samples) -> StopReason | None:
        """Return what of it some events bring; None if nothing."""
        if self.over_ticks is not None and (rise.value_ticks > self.over_ticks).any():
            return StopReason.LATENCY
        if self.missed and answers.classes[ResponseClass.MISSED]:
            return StopReason.MISSED
        return None


@dataclass(frozen=True, slots=True)
class Found:
    """The event that decided what was watched for."""

    reason: StopReason
    index: int
    time_ticks: int


@dataclass(frozen=True, slots=True, eq=False)
class LiveFigures:
    """What a channel's events come to at one time."""

    classes: dict[ResponseClass, int]
    pending: int
    active_edges: int
    """Number of responses that came."""
    unknown_strikes: int
    """Number of strikes that came whose class is not known, because events are missing."""
    unknown_edges: int
    """The same of responses."""
    samples: Mapping[Kind, SampleResult]
    """Figures of the known samples."""
    clamped: Mapping[Kind, Statistics]
    """The same with VALUE_MOST for every greater value, as a chip records them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Events:
    """Consecutive events as columns."""

    time_ticks: Ticks
    index: Ticks
    source: npt.NDArray[np.uint8]
    polarity: npt.NDArray[np.uint8]

    def cut(self, piece: slice) -> _Events:
        return _Events(
            self.time_ticks[piece], self.index[piece], self.source[piece], self.polarity[piece]
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Own:
    """Places of a channel's strikes and edges among events, and the piece that they are."""

    strikes: Ticks
    active: Ticks
    back: Ticks
    piece: Piece

    @classmethod
    def of(cls, events: _Events, rules: Rules) -> _Own:
        own = events.source == rules.channel_source
        strikes = np.flatnonzero(
            (events.source == rules.reference_source)
            & (events.polarity == rules.reference_polarity)
            & ~own
        )
        active = np.flatnonzero(own & (events.polarity == 1))
        piece = Piece(
            events.time_ticks[strikes],
            events.time_ticks[active],
            np.searchsorted(strikes, active),
            int(events.time_ticks[-1]),
        )
        return cls(strikes, active, np.flatnonzero(own & (events.polarity == 0)), piece)


class _Channel:
    """One channel's matching."""

    def __init__(self, measured: Measured) -> None:
        self.rules = measured.rules
        self.state = State()
        self.classes = dict.fromkeys(ResponseClass, 0)
        self.active_edges = self.unknown_strikes = self.unknown_edges = 0
        self.tallies = {
            kind: Tally(kind, measured.mantissa_bits[kind], measured.zooms.get(kind))
            for kind in Kind
        }
        self._active_ticks: int | None = None
        """Time of the last response, if no event is missing since."""
        self._strike_ticks = NONE
        """Time of its strike, until its trailing edge comes."""

    def take(self, events: _Events, watch: HostStop | None) -> Found | None:
        """Match the events that come next; return the first by which `watch` is met, if one is."""
        before = self.state
        self.state, own, answers, rise = _matched(before, self.rules, events)
        for name, count in answers.classes.items():
            self.classes[name] += count
        self.unknown_strikes += answers.unknown_strikes
        self.unknown_edges += answers.unknown_responses
        self.active_edges += len(own.active)
        self.tallies[Kind.RISE].add(rise)
        self._edges(events, own.piece, answers, own.active, own.back)
        if watch is None or watch.reason(answers, rise) is None:
            return None
        return self._first(before, events, watch)

    def _first(self, before: State, events: _Events, watch: HostStop) -> Found:
        """Return the first of events by which `watch`, which all of them meet, is met."""
        known, unknown = len(events.time_ticks), 0
        while True:
            upto = events.cut(slice(known if known - unknown <= 1 else (known + unknown) // 2))
            _, _, answers, rise = _matched(before, self.rules, upto)
            reason, length = watch.reason(answers, rise), len(upto.time_ticks)
            if reason is None:
                unknown = length
            elif length == known:
                return Found(reason, int(upto.index[-1]), int(upto.time_ticks[-1]))
            else:
                known = length

    def _edges(
        self, events: _Events, piece: Piece, answers: Answers, active: Ticks, back: Ticks
    ) -> None:
        """Count what ends with a trailing edge, and periods."""
        times, struck = (
            piece.active_ticks,
            np.where(answers.strike_of >= 0, answers.struck_ticks, NONE),
        )
        owner = np.searchsorted(active, back) - 1
        if self._active_ticks is not None:
            times = np.concatenate((np.array([self._active_ticks]), times))
            struck = np.concatenate((np.array([self._strike_ticks]), struck))
            owner += 1
        if not len(times):
            return
        # A trailing edge without an active edge before it belongs to none.
        first = int(np.searchsorted(owner, 0))
        owner, back = owner[first:], back[first:]
        ends = struck[owner] >= 0
        ends[1:] &= owner[1:] > owner[:-1]
        back_ticks, back_index = events.time_ticks[back], events.index[back]
        started = struck[owner[ends]]
        fall = back_ticks[ends] - started
        self.tallies[Kind.FALL].add(Samples(fall, back_ticks[ends], back_index[ends], started))
        begun = times[owner]
        self.tallies[Kind.WIDTH].add(Samples(back_ticks - begun, back_ticks, back_index, begun))
        period, since = times[1:] - times[:-1], times[:-1]
        index = events.index[active[len(active) - len(period) :]]
        self.tallies[Kind.PERIOD].add(Samples(period, times[1:], index, since))
        self._active_ticks = int(times[-1])
        ended = len(owner) and int(owner[-1]) == len(times) - 1
        self._strike_ticks = NONE if ended else int(struck[-1])

    def lose(self, lost: int, until_ticks: int) -> None:
        """Go on behind a gap."""
        self.state, strikes, responses = behind_gap(self.state, self.rules, lost, until_ticks)
        self.unknown_strikes += strikes
        self.unknown_edges += responses
        self._active_ticks, self._strike_ticks = None, NONE

    def figures(self, end_ticks: int, lost: int, final: bool) -> LiveFigures:
        """Return the figures of a run that stops at `end_ticks`, `lost` events after the last."""
        state, unknown_strikes, unknown_edges = self.state, self.unknown_strikes, self.unknown_edges
        if lost:
            state, strikes, responses = behind_gap(state, self.rules, lost, end_ticks)
            unknown_strikes, unknown_edges = unknown_strikes + strikes, unknown_edges + responses
        end = ending(state, self.rules, end_ticks, final=final)
        return LiveFigures(
            {name: count + end.classes[name] for name, count in self.classes.items()},
            len(end.outstanding_ticks),
            self.active_edges,
            unknown_strikes + end.unknown_strikes,
            unknown_edges + end.unknown_responses,
            {kind: tally.result() for kind, tally in self.tallies.items()},
            {kind: tally.clamped for kind, tally in self.tallies.items()},
        )


def _matched(before: State, rules: Rules, events: _Events) -> tuple[State, _Own, Answers, Samples]:
    """Match events that come behind a state; return the next state and what they come to."""
    own = _Own.of(events, rules)
    state, answers = step(before, rules, own.piece)
    struck_index = events.index[own.strikes]
    rise = _rise(answers, own.piece, events.index[own.active], struck_index, before.strikes)
    return state, own, answers, rise


def _rise(
    answers: Answers, piece: Piece, index: Ticks, struck_index: Ticks, before: int
) -> Samples:
    """Return the rise latencies in the order in which they were completed."""
    answered = answers.strike_of >= 0
    times, started = piece.active_ticks[answered], answers.struck_ticks[answered]
    values, index = times - started, index[answered]
    early = answers.early
    if not len(early.strike_numbers):
        return Samples(values, times, index, started)
    early_index = struck_index[early.strike_numbers - before]
    order = np.argsort(np.concatenate((index, early_index)), kind="stable")
    columns = (
        (values, early.response_ticks - early.struck_ticks),
        (times, early.struck_ticks),
        (index, early_index),
        (started, early.struck_ticks),
    )
    return Samples(*(np.concatenate(parts)[order] for parts in columns))


class LiveMatching:
    """The matching of a run's channels, fed with its frames of events as they come.

    Frames must come in order, and events in time order.
    """

    def __init__(self, channels: Mapping[int, Measured], watch: HostStop | None = None) -> None:
        self._channels = {number: _Channel(own) for number, own in channels.items()}
        self._watch = watch
        self._found: Found | None = None
        self._waiting: list[EventBatch] = []
        self._waiting_events = 0
        self._missing = 0
        """Number of events that are missing before the next event."""
        self.lost = 0
        """Number of events that the frames so far skip."""

    def take(self, batch: EventBatch, missing: Ticks) -> None:
        """Take frames; `missing` says how many events are missing just before each."""
        filled = batch.counts > 0
        if not filled.all():
            # A gap before an empty frame ends with the next event.
            ahead = np.append(np.zeros(1, np.int64), np.cumsum(missing))
            frames = np.flatnonzero(filled)
            skipped = np.diff(ahead[frames + 1], prepend=0)
            rest = int(ahead[-1]) - int(skipped.sum())
            batch, missing = batch.only(filled), skipped
        else:
            rest = 0
        if len(missing) and self._missing:
            missing = missing.copy()
            missing[0] += self._missing
            self._missing = 0
        self._missing += rest
        start = 0
        for frame in np.flatnonzero(missing).tolist():
            self._wait(batch.frames(start, frame))
            self._work()
            until_ticks = int(batch.frames(frame, frame + 1).time_ticks()[0])
            self.lost += int(missing[frame])
            for channel in self._channels.values():
                channel.lose(int(missing[frame]), until_ticks)
            start = frame
        self._wait(batch.frames(start, len(batch.counts)) if start else batch)
        if self._waiting_events >= WAITING_EVENTS:
            self._work()

    def found(self) -> Found | None:
        """Return the first event so far by which what it watches for is known."""
        if self._watch is not None:
            self._work()
        return self._found

    def figures(
        self, end_ticks: int, lost_behind: int = 0, *, final: bool = True
    ) -> dict[int, LiveFigures]:
        """Return each channel's figures as if the run had stopped at `end_ticks`.

        `lost_behind` is the number of events that are missing after the last frame. A run that goes
        on is not `final`: a response may stay held, and is in no class.
        """
        self._work()
        return {
            number: channel.figures(end_ticks, lost_behind, final)
            for number, channel in self._channels.items()
        }

    def _wait(self, batch: EventBatch) -> None:
        if len(batch):
            self._waiting.append(batch)
            self._waiting_events += len(batch)

    def _work(self) -> None:
        """Match what waits."""
        if not self._waiting:
            return
        waiting, self._waiting, self._waiting_events = self._waiting, [], 0

        events = _Events(
            np.concatenate([batch.time_ticks() for batch in waiting]).astype(np.int64),
            np.concatenate([batch.indices() for batch in waiting]).astype(np.int64),
            np.concatenate([batch.sources() for batch in waiting]),
            np.concatenate([batch.polarities() for batch in waiting]),
        )
        for piece in pieces(len(events.time_ticks)):
            own = events.cut(piece)
            found = [
                channel.take(own, self._watch_of(number))
                for number, channel in self._channels.items()
            ]
            if self._found is None:
                self._found = min(filter(None, found), key=lambda one: one.index, default=None)

    def _watch_of(self, number: int) -> HostStop | None:
        """Return what a channel is watched for; once something was found, nothing."""
        watch = self._watch
        return watch if watch and self._found is None and number in watch.channels else None
