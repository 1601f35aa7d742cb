"""Finds how rare answers recur: at each n-th one, at a period of time, or irregularly. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Ticks = npt.NDArray[np.int64]
_Reals = npt.NDArray[np.float64]

LEAST = 4
"""Answers from which a recurrence can be told."""
CHANCE = 1e-6
"""Maximum probability that irregular answers are called regular."""
MOST_STRAY = 10
"""At most one interval in so many is no multiple of the recurrence."""
LEAST_TOGETHER = 0.9
"""Minimum mean resultant length of phases: 1 is the same phase always, 0 any phase."""
MOST_ALIKE = 0.5
"""That of all answers at most: at the strikes' own period every answer lies together."""
CANDIDATES = 32
"""Number of first guesses of a period."""


class Law(StrEnum):
    """How answers recur."""

    COUNT = "count"  # at each n-th answer
    PERIOD = "period"  # at a period of time, give or take how late each was
    IRREGULAR = "irregular"
    UNKNOWN = "unknown"  # too few to tell


@dataclass(frozen=True, slots=True)
class Recurrence:
    """How answers recur."""

    law: Law
    every: int | None = None
    """n of Law.COUNT."""
    exact: bool = False
    """Whether all intervals are n, none a multiple of it or anything else."""
    period_ticks: float | None = None
    """Of Law.COUNT the mean time from one to the next n-th; of Law.PERIOD the period."""


def recurrence(places: Ticks, time_ticks: Ticks) -> Recurrence:
    """Return how some answers recur, by their positions among all, whose times are `time_ticks`.

    Both are in order. Irregular answers are called regular in at most one of 1 / CHANCE cases.
    """
    if len(places) < LEAST:
        return Recurrence(Law.UNKNOWN)
    own = time_ticks[places]
    if len(places) == len(time_ticks):
        return Recurrence(Law.COUNT, 1, True, float(own[-1] - own[0]) / (len(own) - 1))
    by_count = _by_count(np.diff(places), own)
    return by_count or _by_time(own, time_ticks) or Recurrence(Law.IRREGULAR)


def _by_count(intervals: Ticks, time_ticks: Ticks) -> Recurrence | None:
    """Return the recurrence at each n-th answer: n is the interval that occurs most often."""
    values, counts = np.unique(intervals, return_counts=True)
    every = int(values[np.argmax(counts)])
    multiples = int(np.count_nonzero(intervals % every == 0))
    if every < 2 or (len(intervals) - multiples) * MOST_STRAY > len(intervals):
        return None
    # The most frequent interval is one of as many as there are, and fits itself.
    if _binomial_tail(multiples - 1, len(intervals) - 1, 1 / every) * len(values) > CHANCE:
        return None
    steps = int(intervals.sum()) / every
    return Recurrence(
        Law.COUNT,
        every,
        bool((intervals == every).all()),
        float(time_ticks[-1] - time_ticks[0]) / steps,
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


def _by_time(time_ticks: Ticks, all_ticks: Ticks) -> Recurrence | None:
    """Return the period at which answers lie together, unless all answers, or chance, do so.

    Candidates are times between one answer and one of the next two. At a period that is none,
    chance makes R of n phases at least r with a probability of about exp(-n r**2) (Lord Rayleigh,
    "On the resultant of a large number of vibrations", 1880).
    """
    since = (time_ticks - time_ticks[0]).astype(np.float64)
    every = (all_ticks - time_ticks[0]).astype(np.float64)
    between = np.sort(np.concatenate([since[1:] - since[:-1], since[2:] - since[:-2]]))
    tried = np.unique(between[np.linspace(0, len(between) - 1, CANDIDATES).astype(np.intp)])
    best = Recurrence(Law.IRREGULAR)
    most = LEAST_TOGETHER
    for start in tried[tried > 0]:
        period = _refined(since, float(start))
        together = _together(since, period)
        # A refined period has fitted two values: its own, and the first phase.
        chance = math.exp(-(len(since) - 2) * together**2) * len(tried) * len(since)
        alike = _together(every, period) > MOST_ALIKE
        if together > most and chance < CHANCE and not alike:
            best, most = Recurrence(Law.PERIOD, period_ticks=period), together
    return best if best.law == Law.PERIOD else None


def _together(since: _Reals, period: float) -> float:
    """Return the mean resultant length of the phases of times in a period."""
    return float(abs(np.exp(2j * np.pi * since / period).mean()))


def _refined(since: _Reals, period: float) -> float:
    """Return the period near a first guess that fits most of all times, step by step.

    The guess is good for a few periods. A fit over those makes it good for twice as many.
    """
    reach = 4
    while True:
        near = since[:reach]
        number = np.rint(near / period)
        if number[-1] > number[0]:
            slope = np.polyfit(number, near, 1)[0]
            if slope > 0:
                period = float(slope)
        if reach >= len(since):
            return period
        reach *= 2
