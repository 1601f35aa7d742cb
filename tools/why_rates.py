# SPDX-License-Identifier: Apache-2.0
"""Computes how often `plexor explain` names the law by which planted answers are late.

    .venv/bin/python -m tools.why_rates [--seeds N]

Devices put answers off by a count, by a timer, or at random. They are struck at each of seven
periods, with and without dither, and at random. All of it is computed, without simulation.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.figures.explain.clusters import tail_of
from plexor.figures.explain.recurrence import Recurrence, recurrence

Ticks = npt.NDArray[np.int64]
TICKS_PER_US = 2000
PERIODS_US = (20.0, 37.1, 50.0, 100.0, 200.0, 250.0, 333.3)
DITHERS = ("none", "1.024 µs", "4.096 µs", "poisson")
USUAL_US = 2.0
BUSY_US = 30.0
SIZES = (400, 1000, 3000)


@dataclass(frozen=True)
class Planted:
    """Strikes, their latencies, and the truth."""

    time_ticks: Ticks
    value_ticks: Ticks
    every: int | None = None
    period_us: float | None = None

    def found(self) -> Recurrence | None:
        """Return how the largest cluster recurs; None: no answer stands apart."""
        clusters = tail_of(self.value_ticks).clusters
        if not clusters:
            return None
        places = max(clusters, key=lambda each: each.count).positions
        return recurrence(places, self.time_ticks, self.value_ticks)


def strikes(random: np.random.Generator, period_us: float, count: int, dither: str) -> Ticks:
    """Return times of strikes, each a random time behind the one before it, as the chip's."""
    period = period_us * TICKS_PER_US
    if dither == "none":
        intervals = np.full(count, period)
    elif dither == "poisson":
        intervals = np.maximum(random.exponential(period, count), TICKS_PER_US)
    else:
        range_ticks = round(float(dither.partition(" ")[0]) * TICKS_PER_US)
        intervals = period - range_ticks / 2 + random.integers(0, range_ticks, count)
    return np.rint(np.cumsum(intervals)).astype(np.int64)


def _values(random: np.random.Generator, late_us: npt.NDArray[np.float64]) -> Ticks:
    """Return latencies in ticks, which round by chance."""
    exact = (USUAL_US + late_us) * TICKS_PER_US
    return np.floor(exact + random.uniform(0, 1, len(late_us))).astype(np.int64)


def busy(
    random: np.random.Generator, times: Ticks, period_us: float, busy_us: float = BUSY_US
) -> Planted:
    """Plant answers that wait while a device is busy, once in each period."""
    phase = random.uniform(0, period_us)
    into = (times / TICKS_PER_US + USUAL_US + phase) % period_us
    late = np.where(into < busy_us, busy_us - into, 0.0)
    return Planted(times, _values(random, late), period_us=period_us)


def delayed(random: np.random.Generator, times: Ticks, period_us: float, part_us: float) -> Planted:
    """Plant answers that are late by 60 µs if they are struck in a part of a timer's period."""
    into = (times / TICKS_PER_US + random.uniform(0, period_us)) % period_us
    return Planted(times, _values(random, np.where(into < part_us, 60.0, 0.0)), None, period_us)


def counted(random: np.random.Generator, times: Ticks, every: int, gaps: float = 0.0) -> Planted:
    """Plant each n-th answer late by 60 µs, and where there are gaps, some by up to 5 µs more."""
    number = np.arange(len(times))
    late = (number % every == random.integers(every)) & (random.random(len(times)) >= gaps)
    more = random.uniform(0, 5, len(times)) if gaps else 0.0
    return Planted(times, _values(random, np.where(late, 60.0 + more, 0.0)), every)


def irregular(random: np.random.Generator, times: Ticks) -> Planted:
    """Plant answers that are late by chance, each for itself."""
    late = random.random(len(times)) < 0.03
    return Planted(times, _values(random, np.where(late, random.uniform(60, 90, len(times)), 0.0)))


def busy_at_times(random: np.random.Generator, times: Ticks) -> Planted:
    """Plant answers that wait while a device is busy, at random times."""
    answers = times / TICKS_PER_US + USUAL_US
    begun = np.cumsum(random.exponential(1000, int(answers[-1] / 500) + 10))
    into = answers - begun[np.maximum(np.searchsorted(begun, answers) - 1, 0)]
    late = np.where((into >= 0) & (into < BUSY_US), BUSY_US - into, 0.0)
    return Planted(times, _values(random, late))


def _any(random: np.random.Generator, times: Ticks) -> float:
    """Return a period in µs of 3.3 to 40 strikes."""
    return float(np.diff(times).mean()) / TICKS_PER_US * random.uniform(3.3, 40)


def _times_20(times: Ticks) -> float:
    return round(float(np.diff(times).mean()) / TICKS_PER_US, 1) * 20


DEVICES: dict[str, Callable[[np.random.Generator, Ticks], Planted]] = {
    "a count": lambda r, t: counted(r, t, int(r.integers(3, 50))),
    "a count with gaps": lambda r, t: counted(r, t, int(r.integers(3, 50)), 0.1),
    "busy for 30 µs each 1000.3 µs": lambda r, t: busy(r, t, 1000.3),
    "busy at any period": lambda r, t: busy(r, t, p := _any(r, t), p / 20),
    "busy each 20 strike periods": lambda r, t: busy(r, t, p := _times_20(t), p / 25),
    "a timer that delays": lambda r, t: delayed(r, t, p := _any(r, t), p / 20),
    "irregular": irregular,
    "busy at random times": busy_at_times,
}


def planted(name: str, period_us: float, dither: str, seed: int) -> Planted:
    """Return one device of DEVICES, struck at a period."""
    place = (PERIODS_US.index(period_us), DITHERS.index(dither), list(DEVICES).index(name))
    random = np.random.default_rng((seed, *place))
    count = int(random.choice(SIZES))
    return DEVICES[name](random, strikes(random, period_us, count, dither))


def verdicts(name: str, dither: str, seeds: int) -> Iterator[str]:
    """Yield what is said of one device at each strike period, or `none`."""
    for seed in range(seeds):
        for period_us in PERIODS_US:
            found = planted(name, period_us, dither, seed).found()
            yield "none" if found is None else found.law.value


def main(arguments: list[str] | None = None) -> None:
    """Print a table of what is said."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args(arguments).seeds
    heads = ("count", "period", "either", "irregular", "unknown", "none")
    print("| device | dither | " + " | ".join(heads) + " |")
    print("|---" * (2 + len(heads)) + "|")
    for name in DEVICES:
        for dither in DITHERS:
            said = Counter(verdicts(name, dither, seeds))
            print(f"| {name} | {dither} | " + " | ".join(f"{said[h]:,}" for h in heads) + " |")


if __name__ == "__main__":
    main()
