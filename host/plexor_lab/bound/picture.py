# SPDX-License-Identifier: Apache-2.0
"""What a service took, under what it takes at most."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plexor.library.parts.picture import (
    BIN,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    Canvas,
    Label,
    Stroke,
    framed,
    legend,
    panel,
    power_of_ten,
    samples_below,
    spread,
    time_unit,
    x_axis,
    y_line,
)
from plexor.library.parts.results import Distribution
from plexor.units import format_seconds

HEIGHT = 360.0
_SUBTITLE = "Samples in each column, on a logarithmic scale; the dashed line is the bound."
_NS = 10**9


def under_bound(
    what: str,
    source: str,
    found: Distribution,
    tick_fs: int,
    bound_ns: Fraction,
    width: float = WIDTH,
) -> Canvas:
    """Return the distribution of what was measured, with the bound as a line."""
    canvas = framed(what, _SUBTITLE, HEIGHT, source, width)
    top, bottom = TOP + 22, HEIGHT - 46.0
    panel(canvas, top, bottom)
    bound_s = float(bound_ns / _NS)
    over = "" if found.limit_ticks is None else "over "
    limit, found = found.limit_ticks, found.closed
    most_ticks = int(found.high_ticks.max(initial=0)) if limit is None else limit
    most_s = float(most_ticks) * tick_fs / 1e15
    least_s = float(found.low_ticks.min(initial=0)) * tick_fs / 1e15
    axis = Axis(min(0.0, least_s), 1.06 * max(bound_s, most_s), LEFT, width - RIGHT)
    bins = round((axis.end - axis.start) / BIN)
    step = (axis.end - axis.start) / bins
    edges = np.array([axis.value(axis.start + place * step) for place in range(bins + 1)])
    columns = np.diff(samples_below(found, edges, tick_fs))
    y = Axis(0.6, max(float(columns.max()) * 1.6, 10), bottom, top, True)
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    for exponent in range(math.floor(math.log10(y.high)) + 1):
        y_line(canvas, y.at(10.0**exponent), power_of_ten(10.0**exponent))
    bars = "".join(
        f"M{LEFT + place * step:.1f} {bottom:.1f}V{y.at(max(count, 0.75)):.1f}"
        f"H{LEFT + (place + 1) * step:.1f}V{bottom:.1f}z"
        for place, count in enumerate(columns.tolist())
        if count > 0
    )
    canvas.area(bars, "f0", 0.62)
    labels = [
        Label(axis.at(most_s), f"maximum {over}{format_seconds(most_s)}", "f0"),
        Label(axis.at(bound_s), f"bound {format_seconds(bound_s)}", "alarm"),
    ]
    places = spread(labels, LEFT, width - RIGHT, bold=True)
    for label, x, line in zip(labels, places, ("s0", "worst"), strict=True):
        stroke = Stroke(1.6, dash=(5, 3))
        canvas.line(label.x, top, label.x, bottom, line, stroke)
        canvas.text(x, top - 7, label.content, style=label.style, anchor="middle", bold=True)
    entries = [("samples", "s0", Stroke(8, opacity=0.75))]
    entries.append(("bound", "worst", Stroke(1.6, dash=(5, 3))))
    legend(canvas, entries, bottom + 36)
    return canvas
