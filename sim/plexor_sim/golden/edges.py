"""Edges of every source: from pins in picoseconds to one time-ordered stream of events."""

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
"""The latest real time the model takes, about 2.5 hours."""
RANK_BITS = 5
MAX_TIME_TICKS = (1 << (63 - RANK_BITS)) - 1
"""The latest tick the model takes."""


@dataclass(frozen=True, slots=True)
class PinEdges:
    """Level changes of a pin in real time: `level` from `time_ps` on, `initial` before the first.

    Times do not fall; of several changes at one time the last holds. A change to the level that
    the pin has is none. Raises ValueError for falling, negative or unequally many times.
    """

    time_ps: Times
    level: Levels
    initial: bool = False

    @classmethod
    def of(cls, *changes: tuple[int, int], initial: int = 0) -> PinEdges:
        """Return the pin with changes (time_ps, level)."""
        times = np.array([time for time, _ in changes], np.int64)
        return cls(times, np.array([level for _, level in changes], np.bool_), bool(initial))

    def __post_init__(self) -> None:
        _check("time_ps", self.time_ps, self.level, MAX_TIME_PS)


def pins_of(
    time_ps: Times, channel: npt.NDArray[np.uint8], level: Levels, initial_levels: int = 0
) -> dict[int, PinEdges]:
    """Return all channels' pins from a device's log: edges in the order of their times.

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

    Times rise and levels alternate, which `collapsed` makes sure of.
    """

    time_ticks: Times
    level: Levels
    initial: bool = False


@dataclass(frozen=True, slots=True)
class Events:
    """Edges of all sources in the order of the merged stream, one entry each."""

    time_ticks: Times
    source: npt.NDArray[np.uint8]
    polarity: Levels
    index: Times
    """Events before it, dropped ones included."""

    def __len__(self) -> int:
        return len(self.time_ticks)

    def chosen(self, mask: Levels) -> Events:
        """Return the events under the mask; they keep their indices."""
        return Events(
            self.time_ticks[mask], self.source[mask], self.polarity[mask], self.index[mask]
        )


def _check(name: str, times: Times, levels: Levels, most: int) -> None:
    if len(times) != len(levels):
        raise ValueError(f"{name}: {len(times)} times for {len(levels)} levels; must be as many")
    if len(times) and (times[0] < 0 or times[-1] > most or bool(np.any(times[1:] < times[:-1]))):
        raise ValueError(f"{name}: must not fall and must lie in 0 to {most}")


def collapsed(time_ticks: Times, level: Levels, initial: bool) -> TickEdges:
    """Return the changes that samples show: the last level in a tick, where it is a new one.

    Raises ValueError for times that fall.
    """
    _check("time_ticks", time_ticks, level, MAX_TIME_TICKS)
    if not len(time_ticks):
        return TickEdges(time_ticks, level, initial)
    last = np.append(time_ticks[1:] != time_ticks[:-1], True)
    time_ticks, level = time_ticks[last], level[last]
    new = np.concatenate(([level[0] != initial], level[1:] != level[:-1]))
    return TickEdges(time_ticks[new], level[new], initial)


def sampled(pin: PinEdges, tick_fs: int) -> TickEdges:
    """Return a pin's edges at ceil(time / tick); a pulse between two samples vanishes."""
    return collapsed(-(-(pin.time_ps * FS_PER_PS) // tick_fs), pin.level, pin.initial)


def inverted(edges: TickEdges) -> TickEdges:
    """Return the edges of the opposite level."""
    return TickEdges(edges.time_ticks, ~edges.level, not edges.initial)


def filtered(edges: TickEdges, filter_ticks: int, samples: int) -> TickEdges:
    """Return the edges after the glitch filter: to levels that last `filter_ticks` samples.

    0 and 1 filter nothing, more than `samples` acts as `samples`. Each edge keeps its time. The
    level before the first edge and that after the last one count as lasting.
    """
    least = min(filter_ticks, samples)
    if least < 2 or not len(edges.time_ticks):
        return edges
    lasting = np.append(np.diff(edges.time_ticks) >= least, True)
    return collapsed(edges.time_ticks[lasting], edges.level[lasting], edges.initial)


def windowed(edges: TickEdges, start_ticks: int, end_ticks: int) -> TickEdges:
    """Return the edges of a run's samples, `start_ticks` to `end_ticks` - 1.

    A level that stood before the first sample is no edge, a change at it is one.
    """
    first, last = np.searchsorted(edges.time_ticks, [start_ticks, end_ticks])
    last = max(int(first), int(last))
    return TickEdges(
        edges.time_ticks[first:last],
        edges.level[first:last],
        bool(edges.level[first - 1]) if first else edges.initial,
    )


def source_rank(source: int) -> int:
    """Return a source's place among events of one tick: strikes, channels, load, step."""
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
    # Each source is sorted: a stable sort finds the runs and merges them.
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    level = np.concatenate([edges.level for edges in sources.values()])[order]
    return Events(
        keys >> RANK_BITS,
        _SOURCE_OF_RANK[keys & (1 << RANK_BITS) - 1],
        level,
        np.arange(len(keys), dtype=np.int64),
    )
