# SPDX-License-Identifier: Apache-2.0
"""Finds how late answers recur: at every n-th answer, at a period of time, or irregularly. Pure.

Two laws compete. A count delays every n-th answer. A timer delays the answers whose strikes fall
into a part of its period. Each law says which strikes are late, and by how much: under a count the
latency depends on the number of answers alone; answers that wait for a timed action come at its
period. The laws are compared by the logarithms of their likelihoods. If neither leads by LEAD, the
strikes cannot tell: without dither, every n-th answer and a period of time are the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from plexor.figures.explain.timer import Marks, Reals, Timer, likelihood, slope_of, timer_of

Ticks = npt.NDArray[np.int64]

LEAST = 4
"""Least number of late answers that can show a recurrence."""
CHANCE = 1e-6
"""Maximum probability that irregular answers are called regular."""
MOST_STRAY = 10
"""At most one interval in this many may not be a multiple of the recurrence."""
LEAD = math.log(1e4)
"""Least difference of the logarithms of the laws' likelihoods that decides."""
_INDIFFERENT = 2 * LEAD + 1
"""Penalty for a timer whose delay does not depend on when in its period a strike came. Which
strikes are late may still favour it; how late they are does not."""
_ROUNDING_TICKS2 = 1 / 12


class Law(StrEnum):
    """How answers recur."""

    COUNT = "count"  # at every n-th answer
    PERIOD = "period"  # at a period of time, apart from each latency
    EITHER = "either"  # every n-th answer or a period: these strikes cannot tell
    IRREGULAR = "irregular"
    UNKNOWN = "unknown"  # too few to tell


@dataclass(frozen=True, slots=True)
class Recurrence:
    """How answers recur."""

    law: Law
    every: int | None = None
    """n of Law.COUNT and Law.EITHER."""
    exact: bool = False
    """Whether all intervals are exactly n."""
    period_ticks: float | None = None
    """With Law.COUNT the mean time of n answers; otherwise the period."""
    error_ticks: float | None = None
    """Maximum error of the period."""
    evenly_struck: bool = False
    """Whether all intervals between strikes were equal within two ticks."""


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The law that every n-th answer is late."""

    every: int
    exact: bool
    regular: bool
    """Whether so many multiples of n are unlikely by chance."""
    inside: Marks
    """Answers at a multiple of n after the last late answer."""
    fit: float


def recurrence(positions: Ticks, time_ticks: Ticks, value_ticks: Ticks) -> Recurrence:
    """Return how the late answers at `positions` among all recur.

    `time_ticks` are the times of all answers' strikes, `value_ticks` their latencies. All are in
    the order of the strikes. The probability that irregular answers are called regular is at most
    CHANCE.
    """
    if len(positions) < LEAST:
        return Recurrence(Law.UNKNOWN)
    own = time_ticks[positions]
    steps = np.diff(time_ticks)
    even = int(steps.max() - steps.min()) <= 2
    if len(positions) == len(time_ticks):
        mean = float(own[-1] - own[0]) / (len(own) - 1)
        return Recurrence(Law.COUNT, 1, True, mean, evenly_struck=even)
    late = np.zeros(len(time_ticks), np.bool_)
    late[positions] = True
    since = (time_ticks - time_ticks[0]).astype(np.float64)
    values = value_ticks.astype(np.float64)
    count = _counted(positions, late)
    guesses = () if count is None else (_mean_period(count.every, own, np.diff(positions)),)
    timer = timer_of(late, since, since + values, guesses)
    timed = timer is not None and _is_regular(late, timer)
    if not timed and (count is None or not count.regular):
        return Recurrence(Law.IRREGULAR)
    lead = math.inf
    if count is not None:
        mean = _mean_period(count.every, own, np.diff(positions))
        if timer is not None:
            lead = _lead(count, timer, late, since, values)
        if timer is None or lead < -LEAD:
            return Recurrence(Law.COUNT, count.every, count.exact, mean, None, even)
    assert timer is not None
    period, error = _period(timer, late, since, values)
    if count is None or lead > LEAD:
        return Recurrence(Law.PERIOD, None, False, period, error, even)
    return Recurrence(Law.EITHER, count.every, count.exact, period, error, even)


def _mean_period(every: int, own: Ticks, intervals: Ticks) -> float:
    """Return the mean time from one n-th answer to the next."""
    return float(own[-1] - own[0]) * every / int(intervals.sum())


def _counted(positions: Ticks, late: Marks) -> _Counted | None:
    """Return the count law; n is the interval that occurs most often."""
    intervals = np.diff(positions)
    values, counts = np.unique(intervals, return_counts=True)
    every = int(values[np.argmax(counts)])
    multiples = int(np.count_nonzero(intervals % every == 0))
    if every < 2 or (len(intervals) - multiples) * MOST_STRAY > len(intervals):
        return None
    # n was chosen among the intervals that occur, and its own interval always fits.
    chance = _binomial_tail(multiples - 1, len(intervals) - 1, 1 / every) * len(values)
    answers = np.arange(len(late))
    previous = np.searchsorted(positions, answers) - 1
    anchor = np.where(previous < 0, positions[0], positions[np.maximum(previous, 0)])
    inside = (answers - anchor) % every == 0
    return _Counted(
        every, bool((intervals == every).all()), chance <= CHANCE, inside, _fit(late, inside)
    )


def _fit(late: Marks, inside: Marks) -> float:
    return likelihood(
        int(np.count_nonzero(inside & late)),
        int(np.count_nonzero(inside)),
        int(np.count_nonzero(late)),
        len(late),
    )


def _binomial_tail(least: int, trials: int, share: float) -> float:
    """Return the probability of at least `least` successes in `trials`, each with `share`."""
    logs = [
        math.lgamma(trials + 1)
        - math.lgamma(n + 1)
        - math.lgamma(trials - n + 1)
        + n * math.log(share)
        + (trials - n) * math.log1p(-share)
        for n in range(max(least, 0), trials + 1)
    ]
    return min(math.fsum(map(math.exp, logs)), 1.0) if logs else 0.0


def _is_regular(late: Marks, timer: Timer) -> bool:
    """Return whether so good a fit of the best timer is unlikely by chance.

    Of adjacent late answers only the first counts: one cause may delay many. The number of ways in
    which timers can divide the strikes is bounded: three planes, of the period and of both ends of
    its late part, pass a strike in each period (V. N. Vapnik and A. Y. Chervonenkis, "On the
    uniform convergence of relative frequencies of events to their probabilities", 1971).
    """
    first = late.copy()
    first[1:] &= ~late[:-1]
    counted = first | ~late
    own, inside = first[counted], timer.inside[counted]
    strikes, events = len(own), int(np.count_nonzero(own))
    periods = int(timer.number[-1] - timer.number[0]) + 1
    gain = _fit(own, inside) - likelihood(events, strikes, events, strikes)
    if events < LEAST or len(np.unique(timer.number[late & timer.inside])) < LEAST:
        return False
    return gain - 3 * math.log(2 * strikes * periods) > -math.log(CHANCE)


def _lead(count: _Counted, timer: Timer, late: Marks, since: Reals, values: Reals) -> float:
    """Return the timer's log-likelihood minus the count's.

    The timer pays for one more fitted parameter.
    """
    lead = timer.fit - count.fit - math.log(len(late)) / 2
    late_in_both = late & count.inside & timer.inside
    if int(np.count_nonzero(late_in_both)) < LEAST:
        return lead - _INDIFFERENT
    number, own = timer.number[late_in_both].astype(np.float64), values[late_in_both]
    waits = _spread(number, since[late_in_both] + own)
    delays = _spread(number, own)
    degrees = len(own) - 2
    return lead + max(degrees / 2 * math.log(delays / waits), -_INDIFFERENT)


def _spread(number: Reals, values: Reals) -> float:
    """Return the mean square deviation from a line, a tick's rounding included."""
    residuals = values - values[0] - slope_of(number, values) * (number - number[0])
    return float(((residuals - float(residuals.mean())) ** 2).mean()) + _ROUNDING_TICKS2


def _period(timer: Timer, late: Marks, since: Reals, values: Reals) -> tuple[float, float]:
    """Return a timer's period and its maximum error.

    It is the slope of the answers' times, unless the strikes' times fit a line better.
    """
    own = late & timer.inside
    number = timer.number[own].astype(np.float64)
    spans = max(float(np.ptp(number)), 1.0)
    answered = since[own] + values[own]
    waits, struck = _spread(number, answered), _spread(number, since[own])
    if waits <= 2 * struck and len(number) > LEAST:
        return slope_of(number, answered), 2 * math.sqrt(
            waits / max(float(((number - number.mean()) ** 2).sum()), 1.0)
        )
    return timer.period_ticks, math.sqrt(12 * struck) / spans
