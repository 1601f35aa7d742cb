# SPDX-License-Identifier: Apache-2.0
"""How a channel is matched, and what its events come to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.model.results import EventArray, Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy

Ticks = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int32 | np.int64]
"""Positions of events in the array of all events."""

PIECE = 1 << 18
"""Number of values processed at a time, so that no copy is as long as a run."""


def pieces(count: int) -> Iterator[slice]:
    """Yield slices that are at most PIECE long, of `count` values together."""
    return (slice(start, min(start + PIECE, count)) for start in range(0, count, PIECE))


def times_at(events: EventArray, positions: Positions) -> Ticks:
    """Return the times of some events."""
    return events["time_ticks"][positions].view(np.int64)


class Times:
    """The times of some events, read from the event array on access."""

    def __init__(self, events: EventArray, positions: Positions) -> None:
        self._events, self._places = events, positions

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, chosen: slice | npt.NDArray[np.integer | np.bool_]) -> Ticks:
        return times_at(self._events, self._places[chosen])


@dataclass(frozen=True, slots=True)
class Rules:
    """The matching rules of one channel, as its registers hold them."""

    channel_source: int
    reference_source: int
    reference_polarity: int
    policy: Policy
    timeout_ticks: int
    window_min_ticks: int
    early_ticks: int
    deadline_ticks: int
    queue_depth: int
    gaps_ticks: tuple[tuple[int, int], ...] = ()
    """From and to where nothing is known, in order: each side of a gap is matched by itself."""


class Samples:
    """Values in the order in which they were completed."""

    def __init__(self, value_ticks: Ticks, time_ticks: Ticks, index: Ticks, start_ticks: Ticks):
        self._columns = (value_ticks, time_ticks, index, start_ticks)

    def __len__(self) -> int:
        return len(self._columns[0])

    @property
    def value_ticks(self) -> Ticks:
        """The values."""
        return self._columns[0]

    @property
    def time_ticks(self) -> Ticks:
        """Times of the events that completed each.

        That is the response, the trailing edge, or for an early response the strike.
        """
        return self._columns[1]

    @property
    def index(self) -> Ticks:
        """Indices of the events that completed each."""
        return self._columns[2]

    @property
    def start_ticks(self) -> Ticks:
        """Times of the edges that each was measured from.

        That is the strike, by which channels that share it are joined, or the active edge.
        """
        return self._columns[3]

    def cut(self, piece: slice) -> Samples:
        """Return some of them."""
        return Samples(*(column[piece] for column in self._columns))

    def less(self, base_ticks: int) -> Samples:
        """Return them less a base; values below it are 0."""
        values = np.maximum(self.value_ticks - base_ticks, 0)
        return Samples(values, *self._columns[1:])


class EventSamples(Samples):
    """Samples kept as the positions of their start and end events."""

    def __init__(
        self, events: EventArray, start: Positions, end: Positions, base_ticks: int = 0
    ) -> None:
        self.start, self.end = start, end
        self._events, self._base_ticks = events, base_ticks

    def __len__(self) -> int:
        return len(self.end)

    @property
    def value_ticks(self) -> Ticks:
        """The values."""
        return self._filled("value_ticks")

    @property
    def time_ticks(self) -> Ticks:
        """Times of the events that completed each."""
        return self._filled("time_ticks")

    @property
    def index(self) -> Ticks:
        """Indices of the events that completed each."""
        return self._filled("index")

    @property
    def start_ticks(self) -> Ticks:
        """Times of the edges that each was measured from."""
        return self._filled("start_ticks")

    def cut(self, piece: slice) -> Samples:
        """Return some of them."""
        start, end = (times_at(self._events, own[piece]) for own in (self.start, self.end))
        values = end - start
        if self._base_ticks:
            values = np.maximum(values - self._base_ticks, 0)
        index = self._events["index"][self.end[piece]].astype(np.int64)
        return Samples(values, end, index, start)

    def less(self, base_ticks: int) -> Samples:
        """Return them less a base; values below it are 0."""
        return EventSamples(self._events, self.start, self.end, base_ticks + self._base_ticks)

    def _filled(self, name: str) -> Ticks:
        values = np.empty(len(self), np.int64)
        for piece in pieces(len(self)):
            values[piece] = getattr(self.cut(piece), name)
        return values


@dataclass(frozen=True, slots=True, eq=False)
class ChannelMatches:
    """A channel's samples and classes, computed from a run's events."""

    samples: dict[Kind, Samples]
    classes: dict[ResponseClass, int]
    outstanding_ticks: Ticks
    """Times of the strikes that are outstanding at the end."""
    active_edges: int

    @property
    def pending(self) -> int:
        """Number of strikes that are outstanding at the end."""
        return len(self.outstanding_ticks)
