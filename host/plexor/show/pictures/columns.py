# SPDX-License-Identifier: Apache-2.0
"""Columns of a histogram: samples in each, over a logarithmic axis of counts."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from plexor.base.units import FEMTOSECONDS
from plexor.figures.analyse.percentiles import Distribution
from plexor.show.pictures.canvas import Canvas
from plexor.show.pictures.frame import y_line, y_name
from plexor.show.pictures.scale import Axis, power_of_ten

Reals = npt.NDArray[np.float64]
_WIDTH = 5.0
"""Of a column."""
_LEAST, _SEEN = 0.6, 0.75
"""Count at the foot of the axis, and that at which a part of a sample is drawn."""


def samples_below(distribution: Distribution, at_seconds: Reals, tick_fs: int) -> Reals:
    """Return how many samples lie below each time; those of a wide cell are spread over it."""
    at_ticks = at_seconds * (FEMTOSECONDS / tick_fs)
    total = np.cumsum(distribution.counts).astype(np.float64)
    wide = distribution.high_ticks - distribution.low_ticks > 1
    # A cell one tick wide is a single value: it counts whole, in the column that holds it.
    low = distribution.low_ticks - np.where(wide, 0.0, 1e-3)
    high = np.where(wide, distribution.high_ticks, distribution.low_ticks)
    knots = np.stack([low, high], axis=1).ravel()
    values = np.stack([total - distribution.counts, total], axis=1).ravel()
    return np.interp(at_ticks, knots, values, left=0.0, right=float(total[-1]))


def samples_in_columns(distribution: Distribution, axis: Axis, tick_fs: int) -> Reals:
    """Return samples in each column of an axis in seconds, those of a wide cell spread over it."""
    columns = round((axis.end - axis.start) / _WIDTH)
    step = (axis.end - axis.start) / columns
    edges = np.array([axis.value(axis.start + i * step) for i in range(columns + 1)])
    return np.diff(samples_below(distribution, edges, tick_fs))


def count_axis(canvas: Canvas, most: float, bottom: float, top: float) -> Axis:
    """Draw the lines of an axis that holds counts up to `most`, and return it."""
    y_name(canvas, "responses in a column", log=True)
    axis = Axis(_LEAST, max(most * 1.6, 10), bottom, top, True)
    for exponent in range(math.floor(math.log10(axis.high)) + 1):
        y_line(canvas, axis.at(10.0**exponent), power_of_ten(10.0**exponent))
    return axis


def draw_columns(canvas: Canvas, axis: Axis, counts: Axis, samples: Reals, style: str) -> None:
    """Draw a column for each number of samples along `axis`, as high as `counts` says."""
    step, bottom = (axis.end - axis.start) / len(samples), counts.start
    # Both edges absolute: a column ends where the next begins, whatever is rounded.
    bars = "".join(
        f"M{axis.start + i * step:.1f} {bottom:.1f}V{counts.at(max(count, _SEEN)):.1f}"
        f"H{axis.start + (i + 1) * step:.1f}V{bottom:.1f}z"
        for i, count in enumerate(samples.tolist())
        if count > 0
    )
    canvas.area(bars, style, 0.62)
