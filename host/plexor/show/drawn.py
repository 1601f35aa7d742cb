# SPDX-License-Identifier: Apache-2.0
"""What the drawing code of a page gets of a finished run: the data of its stack of pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report
from plexor.figures.analyse.from_bins import of_bins
from plexor.figures.analyse.percentiles import Distribution
from plexor.protocol.memory import VALUE_MOST, bin_count
from plexor.show.pictures.scope import strike_width_ticks, trace_of, worst_position
from plexor.wire.decode.bins import bin_numbers

MOST_CELLS = 3000
"""Cells of a histogram in a page. One with more values is shown by the chip's bins."""
MOST_ROWS, MOST_COUNTS = 128, 20_000
"""Slices of time of the waterfall, and counts in all of them."""
MANTISSA_BITS = 5
"""Of the waterfall's bins: 3 % wide."""


def run_data(report: Report) -> dict[str, Any]:
    """Return the run as JSON, times in ticks. Without a response there are no channels."""
    shown = [channel for channel in report.channels if channel.rise is not None]
    references = {channel.result.reference for channel in shown}
    return {
        "tick_fs": report.result.tick_fs,
        "strike_ticks": strike_width_ticks(report.result.registers, references),
        "channels": [_channel(channel) for channel in shown],
        "edges": _edges() if shown else [],
        "rows": _rows(report, shown),
    }


def curves_of(report: Report) -> dict[str, Any]:
    """Return what is drawn of a run over another one: its channels, without its course."""
    data = run_data(report)
    return {"tick_fs": data["tick_fs"], "channels": data["channels"]}


def _channel(channel: ChannelFigures) -> dict[str, Any]:
    rise, fall = channel.rise, channel.fall
    assert rise is not None
    fall = fall if fall is not None and fall.count else None
    result = channel.result
    known = rise.samples is not None
    return {
        "number": result.number,
        "name": channel.name,
        "reference": result.reference,
        "deadline": result.deadline_ticks,
        "traces": max(result.strikes, rise.count),
        "min": rise.min_ticks,
        "max": rise.max_ticks,
        "rise": _cells(rise, channel),
        "fall": None if fall is None else _cells(fall, channel),
        "last": trace_of(rise, fall, -1) if known else None,
        "worst": trace_of(rise, fall, worst_position(rise)),
    }


def _cells(figures: Figures, channel: ChannelFigures) -> list[list[int]]:
    """Return where cells begin, their widths if any is not one tick, and their counts."""
    found: Distribution = figures.distribution
    measurement = channel.result.measurement(figures.kind)
    if len(found.counts) > MOST_CELLS and measurement is not None and not figures.clamped:
        found = of_bins(measurement, figures.max_ticks)
    found = found.closed
    widths = found.high_ticks - found.low_ticks
    return [
        found.low_ticks.tolist(),
        [] if found.exact else widths.tolist(),
        found.counts.tolist(),
    ]


def _edges() -> list[int]:
    """Return the bounds of the waterfall's cells: negative values, each bin, and all above."""
    numbers = np.arange(bin_count(MANTISSA_BITS), dtype=np.int64)
    shift = np.maximum((numbers >> MANTISSA_BITS) - 1, 0)
    low = (numbers - (shift << MANTISSA_BITS)) << shift
    return [-1, *low.tolist(), VALUE_MOST, VALUE_MOST + 1]


def _rows(report: Report, shown: list[ChannelFigures]) -> list[dict[str, Any]]:
    """Return slices of the run's time, with the counts of each channel; none without samples."""
    samples = [
        (channel.result.number, channel.rise.samples)
        for channel in shown
        if channel.rise is not None and channel.rise.samples is not None
    ]
    if not samples:
        return []
    last = bin_count(MANTISSA_BITS) + 1
    cells = {number: np.clip(_numbers(own.value_ticks, last), 0, last) for number, own in samples}
    span = sum(int(found.max() - found.min()) + 1 for found in cells.values())
    most = max(len(own.value_ticks) for _, own in samples)
    count = max(min(MOST_ROWS, MOST_COUNTS // span, most), 1)
    start, duration = report.result.start_ticks, max(report.duration_ticks, 1)
    rows: list[dict[str, Any]] = [
        {"start": _seconds(report, n, count), "end": _seconds(report, n + 1, count), "parts": []}
        for n in range(count)
    ]
    for number, own in samples:
        place = np.clip((own.time_ticks - start) * count // duration, 0, count - 1)
        for n in range(count):
            inside = cells[number][place == n]
            if len(inside):
                first = int(inside.min())
                rows[n]["parts"].append([number, first, np.bincount(inside - first).tolist()])
    return rows


def _numbers(values: np.ndarray, last: int) -> np.ndarray:
    """Return the waterfall's cell of each value."""
    numbers = bin_numbers(values, MANTISSA_BITS) + 1
    numbers[values < 0] = 0
    numbers[values >= VALUE_MOST] = last
    return numbers


def _seconds(report: Report, part: int, count: int) -> float:
    return report.duration_ticks * part / count * report.result.tick_fs / 1e15
