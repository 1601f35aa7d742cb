# SPDX-License-Identifier: Apache-2.0
"""Finds how late answers recur: at each n-th one, at a period of time, or irregularly. Pure.

Two laws compete: a count puts off each n-th answer, a timer those whose strikes meet a part of its
period. Both say which strikes are late, and how late they are given when they were struck: behind a
count the latency depends on the number of answers alone, while answers that wait for the end of
something come at its period. What each law leaves unexplained is compared as logarithms of
likelihoods. If neither is ahead by LEAD, the strikes cannot tell: strikes without dither make an
n-th answer and a time the same thing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from plexor.explain.timer import Marks, Reals, Timer, likelihood, slope_of, timer_of

Ticks = npt.NDArray[np.int64]

LEAST = 4
"""Answers from which a recurrence can be told."""
CHANCE = 1e-6
"""Maximum probability that irregular answers are called regular."""
MOST_STRAY = 10
"""At most one interval in so many is no multiple of the recurrence."""
LEAD = math.log(1e4)
"""By how much one law must be likelier than the other."""
_INDIFFERENT = 2 * LEAD + 1
"""How much less likely a timer is that puts answers off by a time of its own, whenever they are
struck: such a one is believed for the strikes that it puts off, not for how late they are."""
_ROUNDING_TICKS2 = 1 / 12


class Law(StrEnum):
    """How answers recur."""

    COUNT = "count"  # at each n-th answer
    PERIOD = "period"  # at a period of time, give or take how late each was
    EITHER = "either"  # at each n-th answer or at a period: these strikes cannot tell
    IRREGULAR = "irregular"
    UNKNOWN = "unknown"  # too few to tell


@dataclass(frozen=True, slots=True)
class Recurrence:
    """How answers recur."""

    law: Law
    every: int | None = None
    """n of Law.COUNT and Law.EITHER."""
    exact: bool = False
    """Whether all intervals are n, none a multiple of it or anything else."""
    period_ticks: float | None = None
    """Of Law.COUNT the mean time from one to the next n-th; else the period."""
    error_ticks: float | None = None
    """How far the period may be off."""
    evenly_struck: bool = False
    """Whether strikes came at the same interval always, to a tick or two."""


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Answers put off at each n-th one."""

    every: int
    exact: bool
    regular: bool
    """Whether chance rarely leaves as many intervals that are multiples of n."""
    inside: Marks
    """Answers that come a multiple of n after the latest one that was late."""
    fit: float


def recurrence(places: Ticks, time_ticks: Ticks, value_ticks: Ticks) -> Recurrence:
    """Return how some answers recur, by their positions among all.

    `time_ticks` are the times of all answers' strikes, `value_ticks` their latencies. All are in
    the order of the strikes. Irregular answers are called regular in at most one of 1 / CHANCE
    cases.
    """
    if len(places) < LEAST:
        return Recurrence(Law.UNKNOWN)
    own = time_ticks[places]
    steps = np.diff(time_ticks)
    even = int(steps.max() - steps.min()) <= 2
    if len(places) == len(time_ticks):
        mean = float(own[-1] - own[0]) / (len(own) - 1)
        return Recurrence(Law.COUNT, 1, True, mean, evenly_struck=even)
    late = np.zeros(len(time_ticks), np.bool_)
    late[places] = True
    since = (time_ticks - time_ticks[0]).astype(np.float64)
    values = value_ticks.astype(np.float64)
    count = _counted(places, late)
    guesses = () if count is None else (_mean_period(count.every, own, np.diff(places)),)
    timer = timer_of(late, since, since + values, guesses)
    timed = timer is not None and _is_regular(late, timer)
    if not timed and (count is None or not count.regular):
        return Recurrence(Law.IRREGULAR)
    lead = math.inf
    if count is not None:
        mean = _mean_period(count.every, own, np.diff(places))
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


def _counted(places: Ticks, late: Marks) -> _Counted | None:
    """Return the recurrence at each n-th answer: n is the interval that occurs most often."""
    intervals = np.diff(places)
    values, counts = np.unique(intervals, return_counts=True)
    every = int(values[np.argmax(counts)])
    multiples = int(np.count_nonzero(intervals % every == 0))
    if every < 2 or (len(intervals) - multiples) * MOST_STRAY > len(intervals):
        return None
    # The most frequent interval is one of as many as there are, and fits itself.
    chance = _binomial_tail(multiples - 1, len(intervals) - 1, 1 / every) * len(values)
    answers = np.arange(len(late))
    before = np.searchsorted(places, answers) - 1
    anchor = np.where(before < 0, places[0], places[np.maximum(before, 0)])
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


def _binomial_tail(least: int, of: int, share: float) -> float:
    """Return the probability of at least `least` successes of `of`, each with probability share."""
    logs = [
        math.lgamma(of + 1)
        - math.lgamma(n + 1)
        - math.lgamma(of - n + 1)
        + n * math.log(share)
        + (of - n) * math.log1p(-share)
        for n in range(max(least, 0), of + 1)
    ]
    return min(math.fsum(map(math.exp, logs)), 1.0) if logs else 0.0


def _is_regular(late: Marks, timer: Timer) -> bool:
    """Return whether chance rarely leaves late strikes that any timer fits as well.

    Of neighbours that are late together the first one counts: one cause may put off many. Timers
    tell strikes apart in so many ways at most: three planes, of the period and of both ends of its
    late part, pass a strike in each period (V. N. Vapnik and A. Y. Chervonenkis, "On the uniform
    convergence of relative frequencies of events to their probabilities", 1971).
    """
    first = late.copy()
    first[1:] &= ~late[:-1]
    kept = first | ~late
    own, inside = first[kept], timer.inside[kept]
    strikes, events = len(own), int(np.count_nonzero(own))
    periods = int(timer.number[-1] - timer.number[0]) + 1
    gain = _fit(own, inside) - likelihood(events, strikes, events, strikes)
    if events < LEAST or len(np.unique(timer.number[late & timer.inside])) < LEAST:
        return False
    return gain - 3 * math.log(2 * strikes * max(periods, 1)) > -math.log(CHANCE)


def _lead(count: _Counted, timer: Timer, late: Marks, since: Reals, values: Reals) -> float:
    """Return by how much a timer is likelier than a count; below 0 the count is.

    A timer has one number more to fit.
    """
    lead = timer.fit - count.fit - math.log(len(late)) / 2
    both = late & count.inside & timer.inside
    if int(np.count_nonzero(both)) < LEAST:
        return lead - _INDIFFERENT
    number, own = timer.number[both].astype(np.float64), values[both]
    waits = _spread(number, since[both] + own)
    delays = _spread(number, own)
    degrees = len(own) - 2
    return lead + max(degrees / 2 * math.log(delays / waits), -_INDIFFERENT)


def _spread(number: Reals, values: Reals) -> float:
    """Return the mean square by which values miss a line, a tick's rounding included."""
    rest = values - values[0] - slope_of(number, values) * (number - number[0])
    return float(((rest - float(rest.mean())) ** 2).mean()) + _ROUNDING_TICKS2


def _period(timer: Timer, late: Marks, since: Reals, values: Reals) -> tuple[float, float]:
    """Return a timer's period, and how far it may be off.

    It is the slope of the answers' times, unless the strikes' lie closer to a line.
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
