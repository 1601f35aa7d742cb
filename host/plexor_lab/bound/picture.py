# SPDX-License-Identifier: Apache-2.0
"""What a service took, under what it takes at most."""

from __future__ import annotations

from fractions import Fraction

from plexor.base.units import format_seconds
from plexor.library.parts.picture import (
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    Canvas,
    Label,
    Stroke,
    count_axis,
    draw_columns,
    framed,
    legend,
    panel,
    samples_in_columns,
    spread,
    time_unit,
    x_axis,
)
from plexor.library.parts.results import Distribution
from plexor.library.parts.show import MAX_SEEN

HEIGHT = 360.0
_SUBTITLE = "Samples in each column, on a logarithmic scale; the dashed line is the bound."
_NS = 10**9


def under_bound(
    title: str,
    source: str,
    distribution: Distribution,
    tick_fs: int,
    bound_ns: Fraction,
    width: float = WIDTH,
) -> Canvas:
    """Return the distribution of what was measured, with the bound as a line."""
    canvas = framed(title, _SUBTITLE, HEIGHT, source, width)
    top, bottom = TOP + 22, HEIGHT - 46.0
    panel(canvas, top, bottom)
    bound_s = float(bound_ns / _NS)
    over = "" if distribution.limit_ticks is None else "over "
    limit, distribution = distribution.limit_ticks, distribution.closed
    most_ticks = int(distribution.high_ticks.max(initial=0)) if limit is None else limit
    most_s = float(most_ticks) * tick_fs / 1e15
    least_s = float(distribution.low_ticks.min(initial=0)) * tick_fs / 1e15
    axis = Axis(min(0.0, least_s), 1.06 * max(bound_s, most_s), LEFT, width - RIGHT)
    samples = samples_in_columns(distribution, axis, tick_fs)
    x_axis(canvas, axis, top, bottom, time_unit(axis.high))
    counts = count_axis(canvas, float(samples.max()), bottom, top)
    draw_columns(canvas, axis, counts, samples, "f0")
    labels = [
        Label(axis.at(most_s), f"{MAX_SEEN} {over}{format_seconds(most_s)}", "f0"),
        Label(axis.at(bound_s), f"bound {format_seconds(bound_s)}", "alarm"),
    ]
    positions = spread(labels, LEFT, width - RIGHT, bold=True)
    for label, x, line in zip(labels, positions, ("s0", "worst"), strict=True):
        stroke = Stroke(1.6, dash=(5, 3))
        canvas.line(label.x, top, label.x, bottom, line, stroke)
        canvas.text(x, top - 7, label.content, style=label.style, anchor="middle", bold=True)
    legend_entries = [("samples", "s0", Stroke(8, opacity=0.75))]
    legend_entries.append(("bound", "worst", Stroke(1.6, dash=(5, 3))))
    legend(canvas, legend_entries, bottom + 36, "time")
    return canvas
