# SPDX-License-Identifier: Apache-2.0
"""A model of a device under a phase scan: what it answers is drawn, its windows are planted.

It shares nothing with the simulated device but the idea: a tick, a clock that the tick may be made
of, a latency, and windows in which strikes wait or are lost. Times are in ps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from plexor.experiments.phase.against import edges_of
from plexor.experiments.phase.fold import FoldedSources, fold
from plexor.experiments.phase.model import ChannelPhases
from plexor.experiments.phase.run import PhaseGoal, settings_of
from plexor.experiments.phase.windows import scan
from plexor.model.results import EVENT_DTYPE
from plexor.model.settings import Channel

TICK_FS = 10**6
TICK_PS = 1000
RESPONSE, REFERENCE, STRIKE = 0, 1, 8
PULSE_PS = 100_000
BASE_PS = 1_300_000

Draw = Callable[[np.random.Generator, int], np.ndarray]
"""Random generator and count to jitter in ps."""


@dataclass(frozen=True)
class Model:
    """One device. Windows are (phase of the tick at which it begins, width)."""

    jitter: Draw
    clock_ps: int = 0
    period_ps: int = 5_000_000
    lost: float = 0.0
    waits: tuple[tuple[int, int], ...] = ()
    deaf: tuple[tuple[int, int], ...] = ()

    def at_clock(self, times: np.ndarray) -> np.ndarray:
        """Return the first rising edge of the device's clock at or after each time."""
        clock = self.clock_ps
        return -(-times // clock) * clock if clock else times

    def responses(self, strikes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return when each strike is answered; -1: never."""
        phases = strikes % self.period_ps
        wait = np.zeros(len(strikes), np.int64)
        lost = rng.random(len(strikes)) < self.lost
        for start, width in self.waits:
            into = (phases - start) % self.period_ps
            wait = np.maximum(wait, np.where(into < width, width - into, 0))
        for start, width in self.deaf:
            lost |= (phases - start) % self.period_ps < width
        latency = BASE_PS + self.jitter(rng, len(strikes)).astype(np.int64)
        answered = self.at_clock(self.at_clock(strikes) + wait + latency)
        return np.where(lost, -1, answered)


def settings(points: int = 100, repeats: int = 8, **other) -> PhaseGoal:
    """Return what is wanted of a scan against the model's tick, strikes 10 µs or more apart."""
    wanted = PhaseGoal((Channel(0, "A"),), "ch1", Fraction(100_000), repeats, points=points)
    return replace(wanted, **other)


def scanned(model: Model, wanted: PhaseGoal, seed: int) -> ChannelPhases:
    """Return the scan of a model by strikes as `plexor phase` sends them."""
    rng = np.random.default_rng(seed)
    run = settings_of(wanted, Fraction(model.period_ps, 10**12), TICK_FS)
    (swept,) = run.strikes
    period_ps = swept.period_s * 10**12
    first_ps = int(rng.integers(2 * model.period_ps, 3 * model.period_ps))
    strikes = np.array(
        [int(first_ps + n * period_ps) // TICK_PS * TICK_PS for n in range(swept.count)], np.int64
    )
    end_ps = int(strikes[-1] + run.settle_s * 10**12 + 2 * model.period_ps)
    responses = model.responses(strikes, rng)
    timeout = int(run.timeout_s * 10**12) // TICK_PS
    edges = np.arange(0, end_ps, model.period_ps, dtype=np.int64)
    events = events_of(strikes, responses[responses >= 0], edges)
    folded = fold(
        events,
        edges_of(events, REFERENCE, 1),
        FoldedSources(STRIKE, RESPONSE),
        timeout,
        end_ps,
        len(events),
    )
    points = wanted.points
    if points is None:
        points = round(Fraction(model.period_ps, 10**12) / wanted.step_s)
    return scan("A", folded, Fraction(folded.span_ticks, points))


def events_of(strikes: np.ndarray, responses: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the events of pulses that rise then, in an instrument's order; an edge has a tick."""
    rows = [
        (-(-(times + after) // TICK_PS), source, level)
        for source, times in ((STRIKE, strikes), (RESPONSE, responses), (REFERENCE, edges))
        for after, level in ((0, 1), (PULSE_PS, 0))
    ]
    count = sum(len(times) for times, _, _ in rows)
    events = np.zeros(count, EVENT_DTYPE)
    events["time_ticks"] = np.concatenate([times for times, _, _ in rows])
    events["source"] = np.concatenate([np.full(len(t), source) for t, source, _ in rows])
    events["polarity"] = np.concatenate([np.full(len(t), level) for t, _, level in rows])
    events = events[np.lexsort((events["source"], events["source"] < STRIKE, events["time_ticks"]))]
    events["index"] = np.arange(count)
    return events


def constant(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return no jitter."""
    return np.zeros(count)


def uniform(width_ps: int) -> Draw:
    """Return jitter that spreads evenly."""
    return lambda rng, count: rng.uniform(0, width_ps, count)


def normal(sigma_ps: int) -> Draw:
    """Return jitter of a normal distribution."""
    return lambda rng, count: rng.normal(0, sigma_ps, count)


def exponential(mean_ps: int) -> Draw:
    """Return skewed jitter."""
    return lambda rng, count: rng.exponential(mean_ps, count)


def lognormal(scale_ps: int, sigma: float) -> Draw:
    """Return jitter with a long tail."""
    return lambda rng, count: np.minimum(scale_ps * rng.lognormal(0, sigma, count), 10**7)


def pareto(scale_ps: int, exponent: float) -> Draw:
    """Return jitter with a heavy tail, cut so that the time-out sometimes is passed."""
    return lambda rng, count: np.minimum(scale_ps * rng.pareto(exponent, count), 10**7)


def modes(*entries: tuple[float, int, int]) -> Draw:
    """Return jitter of several modes, each (share, from, width)."""

    def draw(rng: np.random.Generator, count: int) -> np.ndarray:
        chosen = rng.choice(len(entries), count, p=[share for share, _, _ in entries])
        low = np.array([start for _, start, _ in entries])[chosen]
        width = np.array([width for _, _, width in entries])[chosen]
        return low + rng.uniform(0, 1, count) * width

    return draw
