# SPDX-License-Identifier: Apache-2.0
"""The table of a run under way: the same figures, intervals and words as in a report."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN, PEAK_TO_PEAK
from plexor.base.units import format_rate, format_ticks
from plexor.figures.analyse.from_bins import of_bins
from plexor.figures.analyse.jitter import variance_ticks2
from plexor.figures.analyse.percentiles import Quantile, quantile, quantile_name
from plexor.model.results import ChannelResult, Kind, Statistics
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import RunState
from plexor.scope.interface import Shot
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, quantile_cell

PERCENTILES = (Fraction(50, 100), Fraction(99, 100), Fraction(999, 1000))
CLASSES = (
    ResponseClass.MISSED,
    ResponseClass.LATE,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)
HEADS = (
    ("channel", False),
    ("n", False),
    ("rate", False),
    *((kind.name.lower(), False) for kind in CLASSES),
    ("min", False),
    *((quantile_name(q), True) for q in PERCENTILES),
    (MAX_SEEN, True),
    (PEAK_TO_PEAK, False),
    ("RMS", False),
)
"""Each with whether its cells have notes."""
UNKNOWN = ("unknown", True)
"""The head of strikes whose class is not known, and of edges; where there are any."""
_BEHIND = 1 + HEADS.index(("spurious", False))


def figures(shot: Shot) -> dict[str, Any]:
    """Return the heads of the table and a row for each channel, as JSON.

    A cell is [text, note, whether it alarms]. `quantiles` has those that are known, in ticks.
    """
    rows = [_row(shot, channel) for channel in shot.channels]
    heads = list(HEADS)
    if any(channel.unknown_strikes or channel.unknown_edges for channel in shot.channels):
        heads.insert(_BEHIND, UNKNOWN)
        for row, channel in zip(rows, shot.channels, strict=True):
            row["cells"].insert(_BEHIND - 1, _unknown(channel))
    return {"heads": heads, "rows": rows}


def _unknown(channel: ChannelResult) -> tuple[str, str, bool]:
    """Return how many strikes and edges are in no class, because events did not come."""
    strikes, edges = channel.unknown_strikes, channel.unknown_edges
    return (
        grouped(strikes),
        f"and {counted(edges, 'edge')}" if edges else "",
        bool(strikes or edges),
    )


def _row(shot: Shot, channel: ChannelResult) -> dict[str, Any]:
    tick_fs = shot.tick_fs
    measured = channel.measurement(Kind.RISE)
    rise = None if channel.number in shot.unpaired else measured
    quantiles: Mapping[str, Quantile] = {}
    if rise is not None and rise.statistics.count:
        # During a run there are only the chip's bins.
        exact = shot.exact.get((channel.number, Kind.RISE))
        distribution = of_bins(rise) if exact is None else exact
        quantiles = {
            quantile_name(q): estimate
            for q in PERCENTILES
            if (estimate := quantile(distribution, q)) is not None
        }
    known = Statistics(0, 0, None, None, None) if rise is None else rise.statistics
    seconds = shot.progress.elapsed_s
    count = 0 if measured is None else measured.statistics.count
    cells: list[tuple[str, str, bool]] = [
        (grouped(count), "", False),
        (format_rate(count / seconds) if seconds > 0 else NOTHING, "", False),
    ]
    for kind in CLASSES:
        count = channel.classes.get(kind, 0)
        cells.append((grouped(count), "", count > 0))
    cells.append((_time(known.min_ticks, tick_fs), "", False))
    for q in PERCENTILES:
        estimate = quantiles.get(quantile_name(q))
        text, note = (NOTHING, "") if estimate is None else quantile_cell(estimate, tick_fs)
        # The sample is in this bin; where is not known yet. At the end it is said as in the report.
        open_bin = estimate is not None and estimate.enough and estimate.value_resolution_ticks > 1
        if open_bin and shot.progress.state != RunState.DONE:
            text = f"≤ {text}"
        cells.append((text, note, False))
    max_time_ticks = (
        None if known.max_time_ticks is None else known.max_time_ticks - shot.start_ticks
    )
    over = (
        channel.deadline_ticks is not None
        and known.max_ticks is not None
        and known.max_ticks > channel.deadline_ticks
    )
    note = "" if max_time_ticks is None else f"at {_time(max_time_ticks, tick_fs)}"
    cells.append((_time(known.max_ticks, tick_fs), note, over))
    span = None
    if known.max_ticks is not None and known.min_ticks is not None:
        span = known.max_ticks - known.min_ticks
    cells.append((_time(span, tick_fs), "", False))
    variance = _variance_ticks2(known)
    rms = None if variance is None else float(variance) ** 0.5
    cells.append((_time(rms, tick_fs), "", False))
    return {
        "number": channel.number,
        "name": channel.name,
        "reference": channel.reference,
        "deadline": channel.deadline_ticks,
        "cells": cells,
        "quantiles": {
            name: estimate.value_ticks for name, estimate in quantiles.items() if estimate.enough
        },
    }


def _variance_ticks2(known: Statistics) -> Fraction | None:
    """Return the variance about the mean, in square ticks; None if it is not known."""
    if not known.count or known.sum_ticks is None or known.sum_sq_ticks2 is None:
        return None
    return variance_ticks2(known.count, known.sum_ticks, known.sum_sq_ticks2)


def _time(ticks: float | None, tick_fs: int) -> str:
    return NOTHING if ticks is None else format_ticks(ticks, tick_fs)
