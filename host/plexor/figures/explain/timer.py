# SPDX-License-Identifier: Apache-2.0
"""Finds the timer behind late answers: a period, and the part of it in which strikes are late.

First guesses are the peaks of a periodogram of the late strikes' times. Each is refined over a few
periods, then over twice as many, and so on. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]

MOST_PART = 0.5
"""Maximum part of a period in which strikes are late."""
_EVENTS = 4096
"""Number of late answers for the first guesses."""
_BINS = 1 << 19
_GUESSES = 16
_REFINED = 4
"""Number of best-fitting periods whose drift over the run is tried."""
_COVERED = (1.0, 0.99, 0.95, 0.9)
"""Shares of the late answers in the late part of a period; the others have another cause."""
_STEPS = sorted((step / 24 for step in range(-12, 13)), key=abs)
"""Corrections tried for a period's drift over the run, in lengths of its late part."""


@dataclass(frozen=True, slots=True, eq=False)
class Timer:
    """A period, and the strikes in the part of it in which answers are late."""

    period_ticks: float
    number: npt.NDArray[np.int64]
    """The period in which each strike came."""
    inside: Marks
    """Whether each strike lies in the late part."""
    fit: float
    """Logarithm of the likelihood of the late strikes under this timer."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The late part of a period: its start and length, as shares of the period."""

    period: float
    first: float
    width: float
    fit: float


def likelihood(inside: int, strikes_inside: int, late: int, strikes: int) -> float:
    """Return the greatest log-likelihood, with one share of late strikes inside and one outside.

    `inside` of the `strikes_inside` that a law delays are late; `late` of all `strikes` are.
    """

    def of_side(count: int, of_all: int) -> float:
        if count in (0, of_all):
            return 0.0
        share = count / of_all
        return count * math.log(share) + (of_all - count) * math.log1p(-share)

    return of_side(inside, strikes_inside) + of_side(late - inside, strikes - strikes_inside)


def slope_of(number: Reals, values: Reals) -> float:
    """Return the least-squares slope of a line through values; 0 for a single number."""
    deviation = number - float(number.mean())
    squares = float((deviation**2).sum())
    return float((deviation * (values - values[0])).sum()) / squares if squares else 0.0


def timer_of(
    late: Marks, since: Reals, answered: Reals, guesses: tuple[float, ...] = ()
) -> Timer | None:
    """Return the timer that fits late strikes best; None: no period can be tried.

    `since` are the times of all strikes, `answered` those of their answers. Answers that wait for a
    timed action come at its period, whenever their strikes came. `guesses` are further periods to
    try.
    """
    own = since[late]
    first = np.diff(np.flatnonzero(late), prepend=-2) > 1
    best: Timer | None = None
    for events in (answered[late][first], own[first]):
        tried = {_refined(events, guess) for guess in (*guesses, *_guesses(events, len(since)))}
        fits = {period: _inside(late, since, own, period, _COVERED[-1]).fit for period in tried}
        for period in sorted(tried, key=lambda period: (-fits[period], -period))[:_REFINED]:
            timer = _fitted(late, since, own, period)
            if timer is not None and (best is None or timer.fit > best.fit):
                best = timer
            if best is not None and best.fit == 0.0:
                return best
    return best


def _guesses(events: Reals, strikes: int) -> Iterator[float]:
    """Yield periods by the peaks of the late answers' periodogram."""
    events = events[:_EVENTS]
    span = float(events[-1] - events[0]) if len(events) else 0.0
    if not span:
        return
    bins = min(_BINS, max(8 * strikes, 64))
    bin_of = ((events - events[0]) * ((bins - 1) / span)).astype(np.int64)
    power = np.abs(np.fft.rfft(np.bincount(bin_of, minlength=bins), 2 * bins)) ** 2
    power = power[: bins // 2]
    power[:3] = 0.0
    peaks = np.flatnonzero((power[1:-1] >= power[:-2]) & (power[1:-1] >= power[2:])) + 1
    high = peaks[power[peaks] > len(events) ** 2 / 4]
    strongest = peaks[np.argsort(-power[peaks], kind="stable")[: _GUESSES // 2]]
    # A narrow part has equally strong harmonics; its own frequency is the lowest.
    for peak in dict.fromkeys([*high[: _GUESSES // 2].tolist(), *strongest.tolist()]):
        yield span * 2 * bins / (bins - 1) / int(peak)


def _refined(events: Reals, period: float) -> float:
    """Return the period near a first guess, refined over more and more events."""
    reach = 4
    while True:
        near = events[:reach] - events[0]
        number = np.rint(near / period)
        if number[-1] > number[0]:
            slope = slope_of(number, near)
            if slope > 0:
                period = slope
        if reach >= len(events):
            return period
        reach *= 2


def _fitted(late: Marks, since: Reals, own: Reals, period: float) -> Timer | None:
    best: Timer | None = None
    spans = max(float(own[-1] - own[0]) / period, 1.0)
    for share in _COVERED:
        part = _inside(late, since, own, period, share)
        for _ in range(2):
            reach = max(part.width, 1e-6) / spans
            tried = [part.period * (1 + reach * step) for step in _STEPS]
            part = max((_inside(late, since, own, guess, share) for guess in tried), key=_fit)
        if part.width <= MOST_PART and (best is None or part.fit > best.fit):
            turns = since / part.period - part.first
            number = np.floor(turns + 1e-9).astype(np.int64)
            inside = turns - number <= part.width + 1e-9
            best = Timer(part.period, number, inside, part.fit)
    return best


def _fit(part: _Part) -> float:
    return part.fit


def _inside(late: Marks, since: Reals, own: Reals, period: float, share: float) -> _Part:
    """Return the shortest part of a period with a share of the late strikes."""
    first, width = _arc(own, period, share)
    turns = since / period - first + 1e-9
    inside = turns - np.floor(turns) <= width + 2e-9
    fit = likelihood(
        int(np.count_nonzero(inside & late)),
        int(np.count_nonzero(inside)),
        len(own),
        len(since),
    )
    return _Part(period, first, width, fit)


def _arc(own: Reals, period: float, share: float) -> tuple[float, float]:
    """Return the start and the length of the shortest part of a period with a share of times."""
    phases = np.sort(own / period % 1.0)
    held = max(math.ceil(share * len(phases)), 1)
    ends = np.concatenate([phases, phases + 1.0])
    lengths = ends[held - 1 : held - 1 + len(phases)] - phases
    shortest = int(np.argmin(lengths))
    return float(phases[shortest]), float(lengths[shortest])
