# SPDX-License-Identifier: Apache-2.0
"""Devices as strikes and edges alone, with the strikes that each edge answers: planted truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from plexor.figures.analyse.pairing import Counted, Pairing, Timed, pairing_by_times
from plexor.model.results import EVENT_DTYPE, Kind
from plexor.model.settings import NO_DEADLINE_TICKS
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.rematch import rematch

Strikes = Literal["periodic", "dithered", "poisson"]
NOBODY = -1


@dataclass(frozen=True)
class Trial:
    """A run of a device: when it was struck, its edges, and the strikes that each edge answers."""

    strikes: np.ndarray
    edges: np.ndarray
    first: np.ndarray
    """Number of the first strike that the edge answers, or NOBODY; `last` is that of the last."""
    last: np.ndarray
    timeout: int
    random: bool


def struck(random, how: Strikes, period: int, count: int, part: float) -> np.ndarray:
    """Times of strikes, in ticks; `part` is the range of dither as a part of the period."""
    if how == "poisson":
        gaps = 8 + random.exponential(period - 8, count)
    elif how == "dithered":
        width = 1 << max(int(period * part).bit_length() - 1, 1)
        gaps = period - width / 2 + random.integers(0, width, count)
    else:
        gaps = np.full(count, period)
    return 1000 + np.cumsum(gaps).astype(np.int64)


def answered(random, kind: str, strikes: np.ndarray, period: int, ratio: float):
    """Edges of a device with a latency of `ratio` periods, and the strikes that each answers."""
    count = len(strikes)
    number = np.arange(count)
    spread = period * ratio * 10 ** random.uniform(-4, -0.5)
    latency = period * ratio + random.gamma(2.0, spread / 2, count)
    if kind == "tailed":
        latency += np.where(random.random(count) < 0.05, random.exponential(period, count), 0)
    if kind == "polled":
        tick = period * 10 ** random.uniform(-1.5, 1)
        phase = random.uniform(0, tick)
        seen = np.ceil((strikes + phase) / tick)
        first = np.flatnonzero(np.diff(seen, prepend=-1))
        last = np.append(first[1:], count) - 1
        edges = seen[first] * tick - phase + period * ratio
        return np.ceil(edges).astype(np.int64), first, last
    if kind == "queue":
        service = period * 10 ** random.uniform(-0.3, 0.1)
        room = int(random.integers(1, 6))
        shape = 10 ** random.uniform(0, 2)
        takes = random.gamma(shape, service / shape, count)
        ends: list[float] = []
        kept: list[int] = []
        for strike, time in enumerate(strikes.tolist()):
            if len(ends) >= room and ends[-room] > time:
                continue
            ends.append(max(time, ends[-1] if ends else 0) + takes[strike])
            kept.append(strike)
        return np.ceil(ends).astype(np.int64), np.array(kept), np.array(kept)
    edges = np.maximum.accumulate(np.ceil(strikes + latency).astype(np.int64) + 3 * number)
    edges -= 3 * number
    if kind == "dropping":
        keep = random.random(count) >= 10 ** random.uniform(-3, -0.7)
        return edges[keep], number[keep], number[keep]
    if kind in ("bouncing", "noisy"):
        share = 10 ** random.uniform(-3, -0.7)
        chosen = np.flatnonzero(random.random(count) < share)
        after = edges[chosen] if kind == "bouncing" else strikes[chosen]
        extra = after + 2 + random.uniform(0, 1.5 * period, len(chosen)).astype(np.int64)
        edges = np.concatenate([edges, extra])
        owner = np.concatenate([number, np.full(len(chosen), NOBODY)])
        order = np.argsort(edges, kind="stable")
        return edges[order], owner[order], owner[order]
    return edges, number, number


KINDS = ("steady", "tailed", "dropping", "bouncing", "noisy", "queue", "polled")


def trial(seed: int, kind: str, how: Strikes, count: int) -> Trial:
    """Draw a device, its strikes and its time-out."""
    random = np.random.default_rng(seed)
    period = int(10 ** random.uniform(3, 5))
    ratio = 10 ** random.uniform(-1, np.log10(7))
    strikes = struck(random, how, period, count, 2.0 ** -random.integers(1, 7))
    edges, first, last = answered(random, kind, strikes, period, ratio)
    # Each source has at most one edge in a tick.
    edges, kept = np.unique(edges, return_index=True)
    timeout = period * (1, 1, 4, int(ratio) + 2)[random.integers(0, 4)]
    end = strikes[-1] + 2 * timeout
    inside = edges <= end
    return Trial(
        strikes, edges[inside], first[kept][inside], last[kept][inside], timeout, how != "periodic"
    )


def paired(one: Trial, changes: np.ndarray | None = None) -> tuple[Pairing | None, float]:
    """The pairing of a trial, and the share of answers that were matched with other strikes.

    `changes` gives the strike before each change of the pin, if that is not a pulse for each edge.
    """
    events = np.zeros(len(one.strikes) + len(one.edges), EVENT_DTYPE)
    time = np.concatenate([one.strikes, one.edges])
    source = np.repeat([SOURCE_STRIKE, 0], [len(one.strikes), len(one.edges)])
    order = np.lexsort((-source, time))
    events["time_ticks"], events["source"], events["polarity"] = time[order], source[order], 1
    events["index"] = np.arange(len(events))
    rules = Rules(0, SOURCE_STRIKE, 1, Policy.OLDEST, one.timeout, 0, 0, NO_DEADLINE_TICKS, 64)
    end = int(one.strikes[-1]) + 2 * one.timeout
    matched = rematch(events, rules, end)
    rise, classes = matched.samples[Kind.RISE], matched.classes
    number = np.searchsorted(one.strikes, rise.start_ticks)
    edge = np.searchsorted(one.edges, rise.start_ticks + rise.value_ticks)
    right = (one.first[edge] <= number) & (number <= one.last[edge])
    owner = np.searchsorted(one.strikes, one.edges, "right") - 1
    counted = Counted(
        strikes=len(one.strikes),
        answers=len(number),
        missed=classes[ResponseClass.MISSED],
        surplus=classes[ResponseClass.DUPLICATE] + classes[ResponseClass.SPURIOUS],
        pending=matched.pending,
        timeout_ticks=one.timeout,
        least_ticks=int(np.diff(one.strikes).min()),
        longest_ticks=int(rise.value_ticks.max(initial=0)),
        duration_ticks=end,
    )
    of_edge = np.full(len(one.edges), -1)
    of_edge[edge] = number
    timed = Timed(
        one.strikes,
        one.edges,
        owner,
        of_edge,
        np.repeat(owner, 2) if changes is None else changes,
        one.random,
    )
    return pairing_by_times(counted, timed), float(1 - right.mean()) if len(number) else 0.0
