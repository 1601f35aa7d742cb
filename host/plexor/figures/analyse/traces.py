# SPDX-License-Identifier: Apache-2.0
"""Traces aligned to the strike: persistence image, average trace, single traces.

Rise and fall latencies alone determine a digital channel's persistence image. At time t after the
strike the pin is active with probability (rises up to t - falls up to t) / strikes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.figures.analyse.percentiles import Distribution

Ticks = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Staircase:
    """A trace from level 0 (idle) to 1 (active). It has `level[i]` from `time_ticks[i]` on.

    The level is 0 before the first time. A trace with k distinct edge times has k - 1 intermediate
    levels.
    """

    time_ticks: Ticks
    level: Reals


@dataclass(frozen=True, slots=True, eq=False)
class Persistence:
    """Share of active traces and number of edges, in columns of equal time after the strike.

    Column i is [start + i width, start + (i + 1) width), in ticks. `high` is the mean share of
    active traces in the column. `rises` and `falls` are its edges; they are fractions if a cell
    spans columns.
    """

    start_ticks: float
    width_ticks: float
    high: Reals
    rises: Reals
    falls: Reals
    traces: int


def average_trace(
    rise: Distribution, fall: Distribution | None = None, traces: int | None = None
) -> Staircase:
    """Return the average of all traces. Each rise lifts it by 1 / traces, each fall lowers it.

    `traces` is the number of traces, including those without a response. By default it is the
    number of rises.
    """
    count = traces or rise.total
    times = [rise.high_ticks - 1]
    steps = [rise.counts]
    if fall is not None:
        times.append(fall.high_ticks - 1)
        steps.append(-fall.counts)
    if not count:
        return Staircase(np.empty(0, np.int64), np.empty(0))
    edge_ticks, inverse = np.unique(np.concatenate(times), return_inverse=True)
    change = np.zeros(len(edge_ticks), np.int64)
    np.add.at(change, inverse, np.concatenate(steps))
    return Staircase(edge_ticks, np.cumsum(change) / count)


def intermediate_levels(trace: Staircase) -> int:
    """Return how many distinct levels between idle and active an average trace has."""
    return len(np.unique(trace.level[(trace.level > 0) & (trace.level < 1)]))


def persistence(
    rise: Distribution,
    fall: Distribution | None,
    span_ticks: tuple[int, int],
    columns: int,
    traces: int | None = None,
) -> Persistence:
    """Return the persistence image of [start, end) in `columns` columns. Edges before it count.

    Samples are spread evenly over their cell. Without falls, a trace stays active.
    """
    start_ticks, end_ticks = span_ticks
    edges = np.linspace(start_ticks, end_ticks, columns + 1)
    up, up_area = _cumulative(rise, edges)
    down, down_area = np.zeros(columns + 1), np.zeros(columns + 1)
    if fall is not None:
        down, down_area = _cumulative(fall, edges)
    count = traces or rise.total
    width = (end_ticks - start_ticks) / columns
    high = (np.diff(up_area) - np.diff(down_area)) / (max(count, 1) * width)
    return Persistence(
        start_ticks=float(start_ticks),
        width_ticks=width,
        high=np.clip(high, 0.0, 1.0),
        rises=np.diff(up),
        falls=np.diff(down),
        traces=count,
    )


def _cumulative(distribution: Distribution, points: Reals) -> tuple[Reals, Reals]:
    """Return the number of samples below each time, and the integral of it up to each time."""
    low = distribution.low_ticks.astype(np.float64)
    high = distribution.high_ticks.astype(np.float64)
    counts = distribution.counts.astype(np.float64)
    if not len(low):
        return np.zeros(len(points)), np.zeros(len(points))
    # The cumulative count bends at the cells' bounds. Where cells touch, the same bound comes
    # twice, which is harmless.
    knots = np.stack([low, high], axis=1).ravel()
    total = np.cumsum(counts)
    values = np.stack([total - counts, total], axis=1).ravel()
    areas = np.concatenate([[0.0], np.cumsum(np.diff(knots) * (values[1:] + values[:-1]) / 2)])
    below = np.interp(points, knots, values, left=0.0, right=float(total[-1]))
    cell = np.clip(np.searchsorted(knots, points, side="right") - 1, 0, len(knots) - 1)
    beyond = np.where(points >= knots[0], points - knots[cell], 0.0)
    area = areas[cell] + beyond * (values[cell] + below) / 2
    return below, np.where(points >= knots[0], area, 0.0)
