# SPDX-License-Identifier: Apache-2.0
"""Levels of a signal as edges. What is not known is a gap, or a level that the reader names. Pure.

Levels are those of IEEE Std 1164: `0` and `L` are low, `1` and `H` high, all others not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.files.imports.signals import Unknown

Times = npt.NDArray[np.int64]
Levels = npt.NDArray[np.uint8]

UNKNOWN = 2
"""The level of what is neither low nor high."""
LEVELS = {
    character: level
    for characters, level in (("0lL", 0), ("1hH", 1), ("xXzZuUwW-", UNKNOWN))
    for character in characters
}
"""The level of each character of IEEE Std 1164."""


@dataclass(frozen=True, slots=True, eq=False)
class SignalEdges:
    """The edges of one signal: their times in units, and the level behind each."""

    times: Times
    levels: Levels
    brief: int = 0
    """Number of changes that were taken back at the same time, which are left out."""
    first_value: tuple[int, int] | None = None
    """Time and level of the first value, if the level before it is not known."""
    gaps: tuple[tuple[int, int | None], ...] = ()
    """From and to where the level is not known; None: to the end."""


def edges_of(
    times: Times, levels: Levels, unknown: Unknown = Unknown.CUT, initial: int | None = None
) -> SignalEdges:
    """Return the edges of a signal from its values, in order of time.

    The first value is no edge. Of several values at one time the last one counts. The first
    `initial` values were there before the start (default: the first); without any, the level before
    the first value is not known.
    """
    if not len(times):
        return SignalEdges(times, levels)
    first_value = None if initial is None or initial else (int(times[0]), int(levels[0]))
    # A value that is told again is no change.
    is_change = np.append(True, levels[1:] != levels[:-1])
    times, levels = times[is_change], levels[is_change]
    last = np.append(times[1:] != times[:-1], True)
    brief = int(np.count_nonzero(~last & (times != times[0])))
    times, levels = times[last], _resolved(levels[last], unknown)
    changed = np.append(True, levels[1:] != levels[:-1])
    times, levels = times[changed], levels[changed]
    dark = levels == UNKNOWN
    gaps = tuple(
        (int(times[position]), int(times[position + 1]) if position + 1 < len(times) else None)
        for position in np.flatnonzero(dark)
    )
    if first_value is not None and first_value[1] == UNKNOWN:
        first_value = None
    # Behind a gap the level is known, and how it came to be is not.
    edge = ~dark & np.append(False, ~dark[:-1])
    return SignalEdges(times[edge], levels[edge], brief, first_value, gaps)


def _resolved(levels: Levels, unknown: Unknown) -> Levels:
    """Return levels with those that are not known as the reader wants them."""
    dark = levels == UNKNOWN
    if unknown is Unknown.CUT or not dark.any():
        return levels
    if unknown is not Unknown.HOLD:
        return np.where(dark, np.uint8(int(unknown)), levels)
    # The number of the last value that is known; before the first one, that one.
    known = np.maximum.accumulate(np.where(dark, -1, np.arange(len(levels))))
    first = int((~dark).argmax())
    held = levels[np.where(known < 0, first, known)]
    return np.where(held == UNKNOWN, np.uint8(0), held)
