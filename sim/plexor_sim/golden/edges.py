# SPDX-License-Identifier: Apache-2.0
"""Turns pins in picoseconds into one time-ordered stream of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.protocol.frames import (
    MAX_CHANNELS,
    MAX_STRIKES,
    SOURCE_LOAD,
    SOURCE_STRIKE,
    SOURCES,
)

Times = npt.NDArray[np.int64]
Levels = npt.NDArray[np.bool_]

FS_PER_PS = 1000
MAX_TIME_PS = ((1 << 63) - 1) // FS_PER_PS
"""Maximum real time of the model, about 2.5 hours."""
RANK_BITS = 5
MAX_TIME_TICKS = (1 << (63 - RANK_BITS)) - 1
"""Maximum tick of the model."""


@dataclass(frozen=True, slots=True)
class PinEdges:
    """Level changes of a pin in real time: `level` from `time_ps` on, `initial` before the first.

    Times do not decrease. Of several changes at the same time, the last one counts. A change to the
    present level has no effect. Raises ValueError for decreasing or negative times, and for unequal
    lengths.
    """

    time_ps: Times
    level: Levels
    initial: bool = False

    @classmethod
    def of(cls, *changes: tuple[int, int], initial: int = 0) -> PinEdges:
        """Return the pin with the changes (time_ps, level)."""
        times = np.array([time for time, _ in changes], np.int64)
        return cls(times, np.array([level for _, level in changes], np.bool_), bool(initial))

    def __post_init__(self) -> None:
        _check("time_ps", self.time_ps, self.level, MAX_TIME_PS)


def pins_of(
    time_ps: Times, channel: npt.NDArray[np.uint8], level: Levels, initial_levels: int = 0
) -> dict[int, PinEdges]:
    """Return all channels' pins from a device's log of edges in time order.

    Bit n of `initial_levels` is channel n's level before its first edge.
    """
    return {
        number: PinEdges(
            time_ps[channel == number], level[channel == number], bool(initial_levels >> number & 1)
        )
        for number in range(MAX_CHANNELS)
    }


@dataclass(frozen=True, slots=True)
class TickEdges:
    """Level changes between samples: sample `time_ticks` is the first with `level`.

    Times increase and levels alternate. `collapsed` makes sure of that.
    """

    time_ticks: Times
    level: Levels
    initial: bool = False


@dataclass(frozen=True, slots=True)
class Events:
    """Edges of all sources in the order of the merged stream; arrays have an entry for each."""

    time_ticks: Times
    source: npt.NDArray[np.uint8]
    polarity: Levels
    index: Times
    """Number of events before each one, dropped events included."""

    def __len__(self) -> int:
        return len(self.time_ticks)

    def chosen(self, mask: Levels) -> Events:
        """Return the events under the mask. They keep their indices."""
        return Events(
            self.time_ticks[mask], self.source[mask], self.polarity[mask], self.index[mask]
        )


def _check(name: str, times: Times, levels: Levels, most: int) -> None:
    if len(times) != len(levels):
        raise ValueError(f"{name}: {len(times)} times for {len(levels)} levels; must be as many")
    if len(times) and (times[0] < 0 or times[-1] > most or bool(np.any(times[1:] < times[:-1]))):
        raise ValueError(f"{name}: must not fall and must lie in 0 to {most}")


def collapsed(time_ticks: Times, level: Levels, initial: bool) -> TickEdges:
    """Return the changes that samples show: the last level in each tick, if it is a new one.

    Raises ValueError for decreasing times.
    """
    _check("time_ticks", time_ticks, level, MAX_TIME_TICKS)
    if not len(time_ticks):
        return TickEdges(time_ticks, level, initial)
    last = np.append(time_ticks[1:] != time_ticks[:-1], True)
    time_ticks, level = time_ticks[last], level[last]
    new = np.concatenate(([level[0] != initial], level[1:] != level[:-1]))
    return TickEdges(time_ticks[new], level[new], initial)


def sampled(pin: PinEdges, tick_fs: int) -> TickEdges:
    """Return a pin's edges at ceil(time / tick). A pulse between two samples vanishes."""
    return collapsed(-(-(pin.time_ps * FS_PER_PS) // tick_fs), pin.level, pin.initial)


def mended(edges: TickEdges) -> TickEdges:
    """Return the edges with exchanged samples in order, as with Feature.MEND.

    Of three edges in a row, a tick apart, with none in the tick before and none in the tick behind,
    the middle one stays.
    """
    times = edges.time_ticks
    if len(times) < 3:
        return edges
    near = np.diff(times) == 1
    three = near[:-1] & near[1:]
    three[1:] &= ~near[:-2]
    three[:-1] &= ~near[2:]
    stays = np.ones(len(times), np.bool_)
    stays[:-2] &= ~three
    stays[2:] &= ~three
    # What stays has the level of the first of the three, as the sample that came too early.
    level = edges.level.copy()
    level[1:-1][three] = edges.level[:-2][three]
    return TickEdges(times[stays], level[stays], edges.initial)


def inverted(edges: TickEdges) -> TickEdges:
    """Return the edges of the opposite level."""
    return TickEdges(edges.time_ticks, ~edges.level, not edges.initial)


def leading(edges: TickEdges) -> TickEdges:
    """Return the edges as those of a channel whose every edge is an active one."""
    return TickEdges(edges.time_ticks, np.ones_like(edges.level), False)


def without_trailing(edges: TickEdges) -> TickEdges:
    """Return the active edges alone."""
    return TickEdges(edges.time_ticks[edges.level], edges.level[edges.level], False)


def filtered(edges: TickEdges, filter_ticks: int, samples: int) -> TickEdges:
    """Return the edges after the glitch filter: those to levels of at least `filter_ticks` samples.

    0 and 1 filter nothing. More than `samples` acts as `samples`. Edges keep their times. The
    levels before the first edge and after the last one are never filtered.
    """
    return lasting(edges, min(filter_ticks, samples))


def lasting(edges: TickEdges, least: int) -> TickEdges:
    """Return the edges to levels of at least `least` samples, and of these each to a new level."""
    if least < 2 or not len(edges.time_ticks):
        return edges
    stays = np.append(np.diff(edges.time_ticks) >= least, True)
    return collapsed(edges.time_ticks[stays], edges.level[stays], edges.initial)


def windowed(edges: TickEdges, start_ticks: int, end_ticks: int) -> TickEdges:
    """Return the edges in a run's samples, `start_ticks` to `end_ticks` - 1.

    The level at the first sample is an edge only if it changed there.
    """
    first, last = np.searchsorted(edges.time_ticks, [start_ticks, end_ticks])
    last = max(int(first), int(last))
    return TickEdges(
        edges.time_ticks[first:last],
        edges.level[first:last],
        bool(edges.level[first - 1]) if first else edges.initial,
    )


def source_rank(source: int) -> int:
    """Return a source's rank among events of the same tick: strikes, channels, load, step."""
    if not 0 <= source < SOURCES:
        raise ValueError(f"source: {source}; must be 0 to {SOURCES - 1}")
    if source >= SOURCE_LOAD:
        return source
    return source - SOURCE_STRIKE if source >= SOURCE_STRIKE else source + MAX_STRIKES


_SOURCE_OF_RANK = np.array(sorted(range(SOURCES), key=source_rank), dtype=np.uint8)


def merged(sources: Mapping[int, TickEdges]) -> Events:
    """Return the edges of all sources in order, with their indices as if none was dropped."""
    if not sources:
        sources = {0: TickEdges(np.zeros(0, np.int64), np.zeros(0, np.bool_))}
    keys = np.concatenate(
        [edges.time_ticks << RANK_BITS | source_rank(source) for source, edges in sources.items()]
    )
    # Each source is sorted already. A stable sort finds and merges sorted runs.
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    level = np.concatenate([edges.level for edges in sources.values()])[order]
    return Events(
        keys >> RANK_BITS,
        _SOURCE_OF_RANK[keys & (1 << RANK_BITS) - 1],
        level,
        np.arange(len(keys), dtype=np.int64),
    )
