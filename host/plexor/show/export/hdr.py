# SPDX-License-Identifier: Apache-2.0
"""Histograms as an HdrHistogram log: format 1.3 of HdrHistogram's HistogramLogWriter, with tags."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from plexor.base.counts import counted
from plexor.base.units import plot_seconds
from plexor.figures.analyse.percentiles import Distribution
from plexor.show.export.about import about, line_of, started_s
from plexor.show.export.source import ExportSource
from plexor.show.export.target import needed

_LEAST_FIGURES, _MOST_FIGURES = 3, 5
"""Significant decimal figures: values up to 2 * 10**figures have a count each."""

_NO_TAG = re.compile(r"[^!-+\--~]")
"""Characters that a tag cannot have: comma, space, and all but ASCII, which readers need."""


def write_hlog(source: ExportSource, path: Path, name: Path) -> None:
    """Write a line for each channel and kind to `path`, such as `Tag=ISR.rise`.

    Values are whole ticks. Raises UsageError, with `name`, without the library.
    """
    histogram = needed("hdrh.histogram", "hdrhistogram", name)
    log = needed("hdrh.log", "hdrhistogram", name)
    tick_fs = source.result.tick_fs
    seconds = plot_seconds(source.duration_ticks, tick_fs)
    with path.open("w", encoding="utf-8") as file:
        writer = log.HistogramLogWriter(file)
        writer.output_comment("[Histogram log format version 1.3]")
        for key, text in about(source).items():
            writer.output_comment(f"[{line_of(f'{key}: {text}')}]")
        writer.output_comment(f"[unit: ticks of {tick_fs} femtoseconds]")
        epoch_s = started_s(source)
        if epoch_s is not None:
            writer.output_comment(
                f"[StartTime: {epoch_s:.3f} (seconds since epoch), {source.result.started}]"
            )
        lines: list[tuple[str, Any]] = []
        for channel in source.result.channels:
            for measurement in source.measurements(channel):
                cells = source.distribution(channel, measurement)
                tag = f"{_NO_TAG.sub('_', channel.name)}.{measurement.kind}"
                for text in _said(cells):
                    writer.output_comment(f"[{tag}: {text}]")
                lines.append((tag, _histogram(histogram, cells)))
        writer.output_legend()
        for tag, counted in lines:
            file.write(f"Tag={tag},")
            writer.output_interval_histogram(counted, 0, seconds, 1)


def _histogram(library: Any, cells: Distribution) -> Any:
    """Return the counts of cells, each at its cell's greatest value, without the open cell."""
    cells = cells.closed
    values = cells.high_ticks - 1
    most = int(values.max(initial=2))
    figures = _LEAST_FIGURES
    while figures < _MOST_FIGURES and 2 * 10**figures < most:
        figures += 1
    histogram = library.HdrHistogram(1, most, figures)
    for value, count in zip(values.tolist(), cells.counts.tolist(), strict=True):
        if value >= 0:
            histogram.record_value(value, count)
    return histogram


def _said(cells: Distribution) -> list[str]:
    """Return notes on samples that the histogram does not show exactly."""
    limit, over = cells.limit_ticks, cells.total - cells.closed.total
    cells = cells.closed
    below = int(cells.counts[cells.high_ticks <= 0].sum())
    widest = int((cells.high_ticks - cells.low_ticks)[cells.high_ticks > 0].max(initial=1))
    notes: list[str] = []
    if below:
        notes.append(f"{counted(below, 'value')} below 0 are left out, because the format has none")
    if limit is not None:
        notes.append(
            f"{counted(over, 'value')} over {limit} ticks are left out: no more is known of them"
        )
    if widest > 1:
        notes.append(f"counted in bins of up to {widest} ticks, each at its greatest value")
    return notes
