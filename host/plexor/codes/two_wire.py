"""Codes that a device sends on two ordinary channels: a clock and data, as an SPI does. Pure.

The device puts a bit on the data wire and raises the clock; the highest bit comes first. A code's
time is that of its first clock edge. A pause ends a code, so that a lost edge spoils no later one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plexor.codes.stream import CODE_DTYPE, CodeArray
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
    changes = np.flatnonzero(events["source"] == data)
    if not len(rises):
        return np.empty(0, CODE_DTYPE)
    stretch = np.cumsum(np.diff(events["index"].astype(np.int64), prepend=-1) != 1)
    # The data's last edge before a clock edge; the level before the first one is its opposite.
    last = np.searchsorted(times[changes], times[rises], "left") - 1
    levels = np.ones(len(rises), np.int64)
    if len(changes):
        levels = events["polarity"][changes[np.maximum(last, 0)]].astype(np.int64)
        levels[last < 0] ^= 1
    else:
        levels[:] = 0
    starts = _starts(times[rises], bits)
    ends = np.append(starts[1:], len(rises))
    number = np.repeat(np.arange(len(starts)), ends - starts)
    place = np.arange(len(rises)) - starts[number]
    shift = np.maximum(bits - 1 - place, 0)
    found = np.zeros(len(starts), CODE_DTYPE)
    found["code"] = np.bincount(number, weights=levels << shift).astype(np.uint16)
    found["time_ticks"] = times[rises[starts]]
    found["index"] = events["index"][rises[starts]]
    known = np.ones(len(rises), np.bool_)
    if len(changes):
        known = stretch[changes[np.maximum(last, 0)]] == stretch[rises]
        known[last < 0] = stretch[rises[last < 0]] == stretch[0]
    whole = np.bincount(number, weights=known) == ends - starts
    whole &= stretch[rises[ends - 1]] == stretch[rises[starts]]
    found["torn"] = ~whole | (ends - starts != bits)
    found["gap"] = np.diff(stretch[rises[starts]], prepend=0) != 0
    return found


def _starts(rises: Ticks, bits: int) -> Ticks:
    """Return which clock edges begin a code: those behind a pause, and each `bits`-th after it."""
    gaps = np.diff(rises)
    usual = int(np.sort(gaps)[len(gaps) // 3]) if len(gaps) else 0
    pauses = np.concatenate([[0], np.flatnonzero(gaps > PAUSE * usual) + 1])
    places = np.arange(len(rises))
    since = places - pauses[np.searchsorted(pauses, places, "right") - 1]
    return np.flatnonzero(since % bits == 0)
