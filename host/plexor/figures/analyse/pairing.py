# SPDX-License-Identifier: Apache-2.0
"""Whether latencies are those of their own strikes: proven, supported or ambiguous. Pure.

It rests on two assumptions: an edge never comes before the strike that caused it, and a device
answers each strike with the same number of edges at most, in the strikes' order. Then

- if each time from a strike to the next one holds that number of edges, each answer is that of its
  own strike, from the first strike on: by then all older ones have had theirs;
- if no strike was missed, none is pending and no edge is left over, strikes and answers match one
  to one, whatever the time-out.

After the first strike without an answer, or the first surplus edge, an answer may belong to an
older strike. There the pairing is supported if a test says so: answers vary with their own strike
(`plexor.figures.analyse.lags`), or they are distributed as the proven answers, or an answer to an
older strike could hardly have come while a strike waited. docs/understand/statistics.md has the
error rates. A pairing that no test supports is ambiguous: its latencies are neither shown nor
judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.figures.analyse.lags import LAGS, fitting_lag, thinned
from plexor.wire.decode.matched import Positions, Ticks, Times, pieces

_TOLERANCE = 0.1
"""Share of the answers by which two distributions may differ."""
_KOLMOGOROV = 1.63
"""Quantile of the distance of two samples, at 99 %."""
_LEAST_PROVEN = 30
"""Least number of proven answers whose extremes bound the others."""
_NARROW = Fraction(1, 20)
"""Share of the time, or of the spacing, small enough that a foreign answer rarely falls into it."""
_MOST_LATER = 1 << 16
_LEAST_TOGGLES = 8


AMBIGUOUS = "its answers may be those of other strikes"
"""Why an ambiguous channel's latencies are not judged."""


class Standing(StrEnum):
    """How certain it is that each answer is that of its own strike."""

    PROVEN = "proven"
    SUPPORTED = "supported"
    AMBIGUOUS = "ambiguous"


class PairedBy(StrEnum):
    """What a pairing is proven or supported by."""

    INTERVALS = "each strike was answered before the next one"
    COUNTS = "as many answers as strikes"
    LAGS = "answers vary with their own strike"
    SHAPE = "answers are distributed as those that are proven"
    SILENCE = "no answer came while no strike waited"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Whether answers are those of the strikes that they were matched with."""

    standing: Standing
    by: PairedBy
    proven: int = 0
    """Answers that are proven, from the first strike on."""
    lag: int | None = None
    """The strike that answers vary with, counted back from their own (0); None: not known."""
    latency_ticks: int | None = None
    """Median latency from that strike, if it is not their own."""
    toggles: bool = False
    """Whether the pin changes once per strike, so that every second strike has no active edge."""

    @property
    def known(self) -> bool:
        """Whether latencies may be shown and judged."""
        return self.standing != Standing.AMBIGUOUS


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts and times of a channel that are known without its events."""

    strikes: int
    answers: int
    missed: int
    surplus: int
    """Edges that no strike waited for: duplicate and spurious."""
    pending: int
    timeout_ticks: int
    early_ticks: int = 0
    least_ticks: int = 0
    """Least time between two strikes; 0: not known."""
    longest_ticks: int | None = None
    """The greatest latency."""
    duration_ticks: int = 0
    """0: not known."""
    complete: bool = True
    """Whether no edge was dropped before it could be matched."""
    toggles: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """A channel's edges, all of them and in order."""

    strike_ticks: Ticks | Times
    edge_ticks: Ticks | Times
    """Of each active edge."""
    owner: Positions
    """Of each active edge, the number of the last strike before it; -1: there is none."""
    struck: Positions
    """Of each active edge, the number of the strike that it was matched with; -1: there is none."""
    changes: Positions
    """As `owner`, of all edges, trailing ones too."""
    random: bool
    """Whether the instrument strikes at random times."""


def pairing_by_counts(counted: Counted) -> Pairing | None:
    """Return a pairing's standing by counts alone; None without an answer."""
    if not counted.answers:
        return None
    if _one_to_one(counted):
        return Pairing(Standing.PROVEN, PairedBy.COUNTS, counted.answers)
    paired_by = PairedBy.SILENCE if _silent(counted) else PairedBy.NOTHING
    standing = Standing.AMBIGUOUS if paired_by == PairedBy.NOTHING else Standing.SUPPORTED
    return Pairing(standing, paired_by, toggles=counted.toggles)


def pairing_by_times(counted: Counted, timed: Timed) -> Pairing | None:
    """Return a pairing's standing by the channel's edges; None without an answer."""
    answers = timed.struck >= 0
    count = int(np.count_nonzero(answers))
    if not count:
        return None
    toggles = _toggles(timed)
    first = _first_irregular(timed, toggles)
    sure = answers & (timed.struck < first) & (timed.owner == timed.struck)
    proven = int(np.count_nonzero(sure))
    if proven == count:
        return Pairing(Standing.PROVEN, PairedBy.INTERVALS, proven, 0, toggles=toggles)
    if _one_to_one(counted):
        return Pairing(Standing.PROVEN, PairedBy.COUNTS, count, 0)
    if timed.random:
        lag = fitting_lag(timed.strike_ticks, *thinned(lambda: _open(timed, first)))
        if lag == 0:
            return Pairing(Standing.SUPPORTED, PairedBy.LAGS, proven, 0, toggles=toggles)
        if lag is not None:
            latency = [
                edge_ticks - timed.strike_ticks[number - lag]
                for number, edge_ticks in _open(timed, first)
            ]
            median = round(float(np.median(np.concatenate(latency), overwrite_input=True)))
            return Pairing(Standing.AMBIGUOUS, PairedBy.NOTHING, proven, lag, median, toggles)
    paired_by = PairedBy.NOTHING
    later = answers & ~sure
    if _alike(timed, sure, later):
        paired_by = PairedBy.SHAPE
    elif _silent(counted):
        paired_by = PairedBy.SILENCE
    if paired_by == PairedBy.NOTHING:
        return Pairing(Standing.AMBIGUOUS, paired_by, proven, toggles=toggles)
    return Pairing(Standing.SUPPORTED, paired_by, proven, 0, toggles=toggles)


def _open(timed: Timed, first: int) -> Iterator[tuple[Positions, Ticks]]:
    """Yield strikes and times of unproven edges, piece by piece, of strikes from `first` on.

    A surplus edge counts too, from the strike before it: without such edges, a time-out would leave
    only short latencies, whatever the edges answer. Each strike has all LAGS.
    """
    first = max(first, LAGS[-1])
    end = len(timed.strike_ticks) + LAGS[0]
    for piece in pieces(len(timed.struck)):
        struck = timed.struck[piece]
        number = np.where(struck >= 0, struck, timed.owner[piece])
        inside = (number >= first) & (number < end)
        yield number[inside], timed.edge_ticks[piece][inside]


def _latencies(timed: Timed, chosen: npt.NDArray[np.bool_]) -> Iterator[Ticks]:
    """Yield the latencies of the chosen active edges, piece by piece."""
    for piece in pieces(len(chosen)):
        own = chosen[piece]
        yield timed.edge_ticks[piece][own] - timed.strike_ticks[timed.struck[piece][own]]


def least_between(times_ticks: Ticks | Times) -> int:
    """Return the least interval of ascending times; the greatest int64 for a single time."""
    return min(
        (
            int(np.diff(times_ticks[piece.start : piece.stop + 1]).min())
            for piece in pieces(len(times_ticks) - 1)
        ),
        default=np.iinfo(np.int64).max,
    )


def toggles_by_counts(
    counted: Counted, mean_spacing_ticks: float, width_ticks: float | None
) -> bool:
    """Return whether a pin changes once per strike, by the mean of its on-widths."""
    return (
        counted.strikes >= _LEAST_TOGGLES
        and abs(2 * counted.missed - counted.strikes) <= max(2, counted.strikes // 20)
        and counted.surplus <= counted.strikes // 20
        and width_ticks is not None
        and abs(width_ticks - mean_spacing_ticks) <= mean_spacing_ticks / 10
    )


def may_toggle(strikes: int, edges: int) -> bool:
    """Return whether there are so few active edges that the pin may change once per strike."""
    return strikes >= _LEAST_TOGGLES and 2 * edges <= strikes + strikes // 10


def _one_to_one(counted: Counted) -> bool:
    """Return whether strikes and answers match one to one.

    A strike that is pending at the end may be an older one's answer missing, unless each answer
    came before the next strike.
    """
    if counted.missed or counted.surplus or not counted.complete:
        return False
    if not counted.pending:
        return True
    return (
        not counted.early_ticks
        and counted.longest_ticks is not None
        and counted.longest_ticks < counted.least_ticks
    )


def _silent(counted: Counted) -> bool:
    """Return whether no edge came while no strike waited, for nearly all of the time."""
    waited_ticks = counted.strikes * (counted.timeout_ticks + counted.early_ticks)
    return (
        counted.complete
        and not counted.surplus
        and counted.timeout_ticks <= counted.least_ticks
        and waited_ticks <= counted.duration_ticks * _NARROW
    )


def _per_strike(owner: Positions, strikes: int) -> Iterator[Ticks]:
    """Yield the number of edges from each strike to the next, piece by piece.

    `owner` is ascending.
    """
    for piece in pieces(strikes):
        strike = np.arange(piece.start, piece.stop + 1, dtype=owner.dtype)
        yield np.diff(np.searchsorted(owner, strike))


def _toggles(timed: Timed) -> bool:
    """Return whether the pin changes once per strike."""
    strikes = len(timed.strike_ticks)
    if not may_toggle(strikes, len(timed.owner)):
        return False
    counts = _per_strike(timed.changes, strikes)
    once = sum(int(np.count_nonzero(edges == 1)) for edges in counts)
    return once >= strikes - max(2, strikes // 20)


def _first_irregular(timed: Timed, toggles: bool) -> int:
    """Return the first strike whose answer may belong to an older strike.

    It follows the first strike that has not as many edges before the next strike as strike 0 has.
    Until then every strike has had its answers.
    """
    strikes, per_strike = 0, None
    for edges in _per_strike(timed.changes if toggles else timed.owner, len(timed.strike_ticks)):
        per_strike = max(int(edges[0]), 1) if per_strike is None else per_strike
        irregular = np.flatnonzero(edges != per_strike)
        if len(irregular):
            return strikes + int(irregular[0]) + 1
        strikes += len(edges)
    return strikes


def _alike(timed: Timed, proven: npt.NDArray[np.bool_], later: npt.NDArray[np.bool_]) -> bool:
    """Return whether latencies of later edges lie in the range of the proven ones.

    A latency to another strike lies there by chance only. That is rare if the range is a small
    part of the spacing, or if both samples have the same distribution.
    """
    count = int(np.count_nonzero(proven))
    if not count:
        return False
    low = min(int(ticks.min()) for ticks in _latencies(timed, proven) if len(ticks))
    high = max(int(ticks.max()) for ticks in _latencies(timed, proven) if len(ticks))
    spread = high - low + 2
    spacing = least_between(timed.strike_ticks)
    count_later = int(np.count_nonzero(later))
    step = max(count_later // _MOST_LATER, 1)
    within = seen = 0
    thinned_ticks: list[Ticks] = []
    for ticks in _latencies(timed, later):
        inside = (ticks >= low - spread) & (ticks <= high + spread)
        within += int(np.count_nonzero(inside))
        thinned_ticks.append(ticks[-seen % step :: step].copy())
        seen += len(ticks)
    if 3 * spread <= spacing * _NARROW and within / count_later >= 1 - _TOLERANCE:
        return True
    if count < _LEAST_PROVEN:
        return False
    sample = np.concatenate(thinned_ticks)
    if len(sample) < _LEAST_PROVEN:
        return bool(((sample >= low) & (sample <= high)).all())
    error = _KOLMOGOROV * (1 / count + 1 / len(sample)) ** 0.5
    return _distance(_latencies(timed, proven), sample) <= max(error, _TOLERANCE) <= 0.35


def _distance(pieces: Iterable[Ticks], sample: Ticks) -> float:
    """Return the greatest distance between the distributions of `pieces` together and of `sample`.

    It lies at a value of `sample` or just below one: between two such values, the distribution of
    `sample` is constant and the other one rises.
    """
    values = np.sort(sample)
    count, below, up_to = 0, np.zeros(len(values)), np.zeros(len(values))
    for ticks in pieces:
        ordered = np.sort(ticks)
        below += np.searchsorted(ordered, values, "left")
        up_to += np.searchsorted(ordered, values, "right")
        count += len(ordered)
    expected_below = np.searchsorted(values, values, "left") / len(values)
    expected_up_to = np.searchsorted(values, values, "right") / len(values)
    return max(
        float(np.abs(below / count - expected_below).max()),
        float(np.abs(up_to / count - expected_up_to).max()),
    )
