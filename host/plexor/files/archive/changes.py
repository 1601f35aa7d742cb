# SPDX-License-Identifier: Apache-2.0
"""Finds changes of a history's level, with a bounded rate of false changes. Pure.

The statistic at a position compares the ranks before it with the ranks after it, as Wilcoxon's
does, divided by its deviation; the greatest over all positions counts. So an outlier weighs no more
than any other value, and ties do no harm. A change needs BEHIND values on each side: fewer values
may be extreme by chance, however far they lie from the others. Of steps of 5 % after 40 values that
spread by 1 %, 15 % are found with three values after them, 83 % with four and all with five. A. N.
Pettitt, "A non-parametric approach to the change-point problem", 1979, has the same sums without
the division.

Without a change, all orders of the values are equally likely. The share of random orders with as
great a statistic is the error, whatever the law (B. Phipson and G. K. Smyth, "Permutation p-values
should never be zero", 2010). A history is divided where the error is at most ERROR, then each of
its parts (A. J. Scott and M. Knott, "A cluster analysis method for grouping means", 1974). So a
history, or a part of one, without a change is divided with a probability of at most ERROR. Values
must be independent: a slow drift is reported as changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

ERROR = 0.01
"""Maximum probability that a history without a change is divided."""
BEHIND = 5
"""Values on each side of a clear step that is found; a few short histories need one or two more."""
ORDERS = 999
"""Number of random orders that each division is compared with."""
LEAST = 10
"""Least number of values that can be divided; of fewer, no order is rare enough."""
_AT_ONCE = 111
_SAME = 1 - 1e-12
"""Two statistics that differ by less are equal: they are computed in floats."""

Values = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A change: the position of the new level's first value, and the error of the division."""

    position: int
    error: float


def changes(
    values: Sequence[float] | NDArray[np.float64], positions: Sequence[int] | None = None
) -> tuple[ChangePoint, ...]:
    """Return the changes of a history in order.

    `positions` are the indices of values at which the level may change; None: all but the first.
    The same history always gives the same result.
    """
    known = np.asarray(values, dtype=np.float64)
    allowed = np.zeros(len(known), dtype=np.bool_)
    allowed[list(range(1, len(known)) if positions is None else positions)] = True
    allowed[:1] = False
    divisions = list(_divided(known, allowed, 0, len(known)))
    # A division was found in a part that held others. Find it again between its neighbours.
    ends = [0, *(division_found.position for division_found in divisions), len(known)]
    for n, division_found in enumerate(divisions, 1):
        start, end = ends[n - 1], ends[n + 1]
        candidates = np.flatnonzero(allowed[start:end])
        sums, weights = _sums(centred_ranks(known[start:end]), candidates[candidates > 0])
        ends[n] = start + int(candidates[candidates > 0][(np.abs(sums) * weights).argmax()])
        divisions[n - 1] = ChangePoint(ends[n], division_found.error)
    return tuple(divisions)


def lacking(values: Sequence[float] | NDArray[np.float64], positions: Sequence[int]) -> int:
    """Return how many more values are needed to tell whether a history has a change.

    0: a clear step at one of `positions` would have been found. There are too few values if no
    position has BEHIND values on each side, or if the first or last values, at least two, all lie
    beyond all others: they may be a change.
    """
    known = np.asarray(values, dtype=np.float64)
    sides = [
        min(position, len(known) - position) for position in positions if 0 < position < len(known)
    ]
    if max(sides, default=0) < BEHIND:
        return max(LEAST - len(known), BEHIND - max(sides, default=0))
    separated = [
        side
        for position, side in zip(positions, sides, strict=False)
        if side >= 2 and _is_apart(known[:position], known[position:])
    ]
    return max(BEHIND - max(separated), 1) if separated else 0


def _is_apart(first: Values, second: Values) -> bool:
    """Return whether all of `first` lie on one side of all of `second`."""
    return bool(first.max() < second.min() or first.min() > second.max())


def _divided(
    values: Values, allowed: NDArray[np.bool_], start: int, end: int
) -> Iterator[ChangePoint]:
    positions = np.flatnonzero(allowed[start:end])
    change = division(values[start:end], positions[positions > 0])
    if change is not None:
        position = start + change.position
        yield from _divided(values, allowed, start, position)
        yield ChangePoint(position, change.error)
        yield from _divided(values, allowed, position, end)


def division(values: Values, positions: Places) -> ChangePoint | None:
    """Return the position that divides values best, if random orders rarely divide as well."""
    if len(values) < LEAST or not len(positions):
        return None
    ranks = centred_ranks(values)
    sums, weights = _sums(ranks, positions)
    own = np.abs(sums) * weights
    least = own.max() * _SAME
    random = np.random.default_rng(crc32(ranks.tobytes()))
    most = int(ERROR * (ORDERS + 1)) - 1
    """Random orders that may reach the statistic."""
    reached = 0
    for begun in range(0, ORDERS, _AT_ONCE):
        orders = np.tile(ranks, (min(_AT_ONCE, ORDERS - begun), 1))
        drawn, _ = _sums(random.permuted(orders, axis=1, out=orders), positions)
        reached += int(((np.abs(drawn) * weights).max(axis=1) >= least).sum())
        if reached > most:
            return None
    return ChangePoint(int(positions[own.argmax()]), (reached + 1) / (ORDERS + 1))


def _sums(ranks: Values, positions: Places) -> tuple[Values, Values]:
    """Return the sums of ranks before each position, and the inverse of their deviations."""
    count = ranks.shape[-1]
    return np.cumsum(ranks, axis=-1)[..., positions - 1], 1 / np.sqrt(
        positions * (count - positions)
    )


def centred_ranks(values: Values) -> Values:
    """Return twice the rank of each value less twice their mean; equal values share their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (2 * last - counts + 1 - (len(values) + 1))[inverse].astype(np.float64)
