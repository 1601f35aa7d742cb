# SPDX-License-Identifier: Apache-2.0
"""Which strike a channel's answers vary with: their own, or one before or behind it. Pure.

The instrument moves each strike at random. An answer to the strike k before the one that it was
matched with moves with that strike: from there its latency spreads least, and from any other strike
it spreads by the random part of the time between the two as well.

For two strikes b and k let x_b and x_k be the latencies from them, without their medians, and D the
random part of x_k - x_b. Answers to b have E[D sign(x_b)] = 0 and E[D sign(x_k)] > 0, answers to k
have E[D sign(x_b)] < 0 and E[D sign(x_k)] = 0. So

    (1 - SHARE) D sign(x_b) + SHARE D sign(x_k)

has a mean above 0 where fewer than a SHARE of the answers are those of k. Signs bound what a single
late answer can do. Medians are those of BLOCK answers in a row, so that a slow drift does no harm,
and the mean's error is that of the means of blocks, so that answers need not be independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.wire.decode.matched import Positions, Ticks, Times

LAGS = range(-4, 9)
"""Lags tried: how many strikes before the matched strike an answer's own strike may lie."""
SHARE = Fraction(1, 5)
"""Share of the answers that may be those of any one other strike."""
BLOCK = 64
LEAST_BLOCKS = 6
_MOST_BLOCKS = 256
_LEAST_DEVIATION_TICKS = 4.0
"""Least standard deviation of strike intervals. Below it, rounding is as large as the dither."""
_SURE = 3.0
"""Standard errors by which a mean must exceed 0."""


def thinned(pieces: Callable[[], Iterator[tuple[Positions, Ticks]]]) -> tuple[Positions, Ticks]:
    """Return the strikes and times of the answers that `fitting_lag` uses: a sample.

    Each call of `pieces` iterates over all strikes and times anew, piece by piece.
    """
    blocks = sum(len(number) for number, _ in pieces()) // BLOCK
    looked = np.zeros(blocks + 1, np.bool_)
    looked[_chosen(blocks)] = True
    seen = 0
    numbers: list[Positions] = [np.zeros(0, np.int64)]
    times_ticks: list[Ticks] = [np.zeros(0, np.int64)]
    for number, answer_ticks in pieces():
        own = looked[np.arange(seen, seen + len(number)) // BLOCK]
        numbers.append(number[own])
        times_ticks.append(answer_ticks[own])
        seen += len(number)
    return np.concatenate(numbers), np.concatenate(times_ticks)


def _chosen(blocks: int) -> npt.NDArray[np.int64]:
    return np.linspace(0, blocks - 1, min(blocks, _MOST_BLOCKS)).astype(np.int64)


def fitting_lag(strike_ticks: Ticks | Times, number: Positions, answer_ticks: Ticks) -> int | None:
    """Return the lag from which latencies spread least, if all others are rejected; else None.

    `number` gives the strike that each answer was matched with; both rise. A lag of 1 is the strike
    before that one.
    """
    inside = (number >= LAGS[-1]) & (number < len(strike_ticks) + LAGS[0])
    number, answer_ticks = number[inside], answer_ticks[inside]
    blocks = len(number) // BLOCK
    if blocks < LEAST_BLOCKS:
        return None
    chosen = _chosen(blocks)
    number = number[: blocks * BLOCK].reshape(blocks, BLOCK)[chosen]
    answer_ticks = answer_ticks[: blocks * BLOCK].reshape(blocks, BLOCK)[chosen]
    struck = {lag: strike_ticks[number - lag] for lag in LAGS}
    signs = {lag: _signs(answer_ticks - struck[lag]) for lag in LAGS}
    if float(np.std(_random(struck[0] - struck[1]))) < _LEAST_DEVIATION_TICKS:
        return None
    own_first = sorted(LAGS, key=abs)
    return next((lag for lag in own_first if _fits(lag, struck, signs)), None)


def _fits(base: int, struck: dict[int, Ticks], signs: dict[int, npt.NDArray[np.float64]]) -> bool:
    """Return whether fewer than a SHARE of the answers are those of any other lag."""
    share = float(SHARE)
    for lag in LAGS:
        if lag == base:
            continue
        moved = _random(struck[base] - struck[lag])
        means = (moved * (share * signs[lag] + (1 - share) * signs[base])).mean(axis=1)
        error = float(means.std(ddof=1)) / len(means) ** 0.5
        if not float(means.mean()) > _SURE * error:
            return False
    return True


def _signs(latency_ticks: Ticks) -> npt.NDArray[np.float64]:
    """Return on which side of the median of its block each latency lies."""
    return np.sign(latency_ticks - np.median(latency_ticks, axis=1, keepdims=True))


def _random(ticks: Ticks) -> npt.NDArray[np.float64]:
    """Return times less the mean of their block."""
    return ticks - ticks.mean(axis=1, keepdims=True)
