# SPDX-License-Identifier: Apache-2.0
"""Codes that a device sends on two ordinary channels: a clock and data, as an SPI does. Pure.

The device puts a bit on the data wire and raises the clock; the highest bit comes first. A code's
time is that of its first clock edge. A pause ends a code, so that a lost edge spoils no later one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plexor.model.code_array import CODE_DTYPE, CodeArray
from plexor.model.results import EventArray

Ticks = npt.NDArray[np.int64]

PAUSE = 3
"""A pause is longer than so many times the usual time from clock edge to clock edge."""


def two_wire(events: EventArray, clock: int, data: int, bits: int) -> CodeArray:
    """Return the codes on two channels, from time-ordered events (EVENT_DTYPE).

    A code is torn if edges are missing in it, or if it has not `bits` clock edges.
    """
    times = events["time_ticks"].astype(np.int64)
    rises = np.flatnonzero((events["source"] == clock) & (events["polarity"] == 1))
    if not len(rises):
        return np.empty(0, CODE_DTYPE)
    stretch = np.cumsum(np.diff(events["index"].astype(np.int64), prepend=-1) != 1)
    levels, known = _levels(events, stretch, rises, data)
    pauses = _pauses(times[rises])
    edge = np.arange(len(rises))
    since = edge - pauses[np.searchsorted(pauses, edge, "right") - 1]
    starts = np.flatnonzero(since % bits == 0)
    ends = np.append(starts[1:], len(rises))
    number = np.repeat(np.arange(len(starts)), ends - starts)
    bit = edge - starts[number]
    shift = np.maximum(bits - 1 - bit, 0)
    codes = np.zeros(len(starts), CODE_DTYPE)
    codes["code"] = np.bincount(number, weights=levels << shift).astype(np.uint16)
    codes["time_ticks"] = times[rises[starts]]
    codes["index"] = events["index"][rises[starts]]
    # What is missing behind the last clock edge before a pause may have been a part of a code.
    anchors = stretch[rises[np.maximum(pauses - 1, 0)]]
    anchors[0] = 0
    anchor = anchors[np.searchsorted(pauses, starts, "right") - 1]
    complete = np.bincount(number, weights=known) == ends - starts
    complete &= stretch[rises[ends - 1]] == anchor
    codes["torn"] = ~complete | (ends - starts != bits)
    codes["gap"] = np.diff(stretch[rises[starts]], prepend=0) != 0
    return codes


def _levels(
    events: EventArray, stretch: Ticks, rises: Ticks, data: int
) -> tuple[Ticks, npt.NDArray[np.bool_]]:
    """Return the data's level at each clock edge, and whether no edge before it can be missing."""
    changes = np.flatnonzero(events["source"] == data)
    if not len(changes):
        return np.zeros(len(rises), np.int64), stretch[rises] == 0
    last = np.searchsorted(events["time_ticks"][changes], events["time_ticks"][rises], "left") - 1
    change = changes[np.maximum(last, 0)]
    polarity = events["polarity"][change].astype(np.int64)
    # Before its first edge the data had the other level.
    levels = np.where(last < 0, 1 - polarity, polarity)
    return levels, stretch[rises] == np.where(last < 0, 0, stretch[change])


def _pauses(rises: Ticks) -> Ticks:
    """Return which clock edges come first in the run, or behind a pause."""
    gaps = np.diff(rises)
    usual = int(np.sort(gaps)[len(gaps) // 3]) if len(gaps) else 0
    return np.concatenate([[0], np.flatnonzero(gaps > PAUSE * usual) + 1])
