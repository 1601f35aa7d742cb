# SPDX-License-Identifier: Apache-2.0
"""Finds where the level of a history changes, and how often it finds what is not there. Pure.

The statistic at a place compares the ranks before it with those after it, as Wilcoxon's does,
divided by its deviation; the greatest of all places counts. So an outlier weighs no more than any
other value, and ties are no harm. A change is found from BEHIND values behind it on, and as many
before it: fewer may come last by chance too often, however far they lie from the others. Of steps
of 5 % after 40 values that spread by 1 %, 15 % are found by three values behind them, 83 % by four
and all by five. A. N. Pettitt, "A non-parametric approach to the change-point problem", 1979, has
the same sums without the division.

Values of one law may come in any order. How often a random order has a statistic as great is
counted: that is the error, whatever the law (B. Phipson and G. K. Smyth, "Permutation p-values
should never be zero", 2010). A history is divided where the error is at most ERROR, then each of
its parts (A. J. Scott and M. Knott, "A cluster analysis method for grouping means", 1974). So a
history without a change is divided with a probability of at most ERROR, and each part of another
one as well. Values must be independent: a slow drift is found as changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

ERROR = 0.01
"""How probably a history that has not changed is divided."""
BEHIND = 5
"""Values on either side of a clear step from which on it is found, but for a few short histories
that take one or two more."""
ORDERS = 999
"""Random orders that a division is tried against."""
LEAST = 10
"""Values of a history that can be divided; of fewer no order is rare enough."""
_AT_ONCE = 111
_SAME = 1 - 1e-12
"""Two statistics that differ by less are equal: they are computed in floats."""

Values = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Change:
    """A place in a history: the first value of the new level, and the error of the division."""

    place: int
    error: float


def changes(
    values: Sequence[float] | NDArray[np.float64], places: Sequence[int] | None = None
) -> tuple[Change, ...]:
    """Return the changes of a history in order.

    `places` are where it may change, each the index of a value; None: before any but the first.
    The same history always gets the same answer.
    """
    known = np.asarray(values, dtype=np.float64)
    allowed = np.zeros(len(known), dtype=np.bool_)
    allowed[list(range(1, len(known)) if places is None else places)] = True
    allowed[:1] = False
    found = list(_divided(known, allowed, 0, len(known)))
    # A division was found while there were others in what it divides: look again between those.
    ends = [0, *(each.place for each in found), len(known)]
    for n, each in enumerate(found, 1):
        start, end = ends[n - 1], ends[n + 1]
        here = np.flatnonzero(allowed[start:end])
        sums, weights = _sums(centred_ranks(known[start:end]), here[here > 0])
        ends[n] = start + int(here[here > 0][(np.abs(sums) * weights).argmax()])
        found[n - 1] = Change(ends[n], each.error)
    return tuple(found)


def lacking(values: Sequence[float] | NDArray[np.float64], places: Sequence[int]) -> int:
    """Return how many more values it takes to tell whether a history without a change has one.

    0: a clear step at one of `places` would have been found. There are too few values if none of
    these has BEHIND on each side, and if the first or the last ones, two at least, all lie beyond
    all others: one cannot say of those that nothing changed.
    """
    known = np.asarray(values, dtype=np.float64)
    sides = [min(place, len(known) - place) for place in places if 0 < place < len(known)]
    if max(sides, default=0) < BEHIND:
        return max(LEAST - len(known), BEHIND - max(sides, default=0))
    apart = [
        side
        for place, side in zip(places, sides, strict=False)
        if side >= 2 and _is_apart(known[:place], known[place:])
    ]
    return max(BEHIND - max(apart), 1) if apart else 0


def _is_apart(one: Values, other: Values) -> bool:
    """Return whether all of the one lie on the same side of all of the other."""
    return bool(one.max() < other.min() or one.min() > other.max())


def _divided(values: Values, allowed: NDArray[np.bool_], start: int, end: int) -> Iterator[Change]:
    places = np.flatnonzero(allowed[start:end])
    found = division(values[start:end], places[places > 0])
    if found is not None:
        at = start + found.place
        yield from _divided(values, allowed, start, at)
        yield Change(at, found.error)
        yield from _divided(values, allowed, at, end)


def division(values: Values, places: Places) -> Change | None:
    """Return the place that parts values best, if random orders are rarely parted as well."""
    if len(values) < LEAST or not len(places):
        return None
    ranks = centred_ranks(values)
    sums, weights = _sums(ranks, places)
    own = np.abs(sums) * weights
    least = own.max() * _SAME
    random = np.random.default_rng(crc32(ranks.tobytes()))
    most = int(ERROR * (ORDERS + 1)) - 1
    """As many random orders may reach it."""
    reached = 0
    for begun in range(0, ORDERS, _AT_ONCE):
        orders = np.tile(ranks, (min(_AT_ONCE, ORDERS - begun), 1))
        drawn, _ = _sums(random.permuted(orders, axis=1, out=orders), places)
        reached += int(((np.abs(drawn) * weights).max(axis=1) >= least).sum())
        if reached > most:
            return None
    return Change(int(places[own.argmax()]), (reached + 1) / (ORDERS + 1))


def _sums(ranks: Values, places: Places) -> tuple[Values, Values]:
    """Return the sums of ranks before each place, and what divides them by their deviation."""
    count = ranks.shape[-1]
    return np.cumsum(ranks, axis=-1)[..., places - 1], 1 / np.sqrt(places * (count - places))


def centred_ranks(values: Values) -> Values:
    """Return twice the rank of each value less twice their mean; equal values share their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (2 * last - counts + 1 - (len(values) + 1))[inverse].astype(np.float64)
