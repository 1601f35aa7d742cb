# SPDX-License-Identifier: Apache-2.0
"""The record of a run in an archive: its configuration, counts, exact statistics and histograms.

It has no events. Comparisons, trends and complementary distributions are computed from records
alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report
from plexor.figures.analyse.from_bins import of_bins
from plexor.figures.judge.configuration import configuration
from plexor.files.archive.origin import Origin
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass

STORED = {
    "p50": Fraction(50, 100),
    "p90": Fraction(90, 100),
    "p99": Fraction(99, 100),
    "p99.9": Fraction(999, 1000),
    "p99.99": Fraction(9999, 10_000),
}
"""Percentiles that have a column of their own, by its name."""
MOST_CELLS = 2048
"""Maximum number of cells; an exact histogram with more values is stored as the chip's bins."""
_DIGITS = 20
LATER = ("unknown_strikes", "unknown_edges")
"""Columns that older records lack."""


@dataclass(frozen=True, slots=True)
class ArchiveRow:
    """One kind of sample of one channel, in ticks. None: there is no sample, or it is not known.

    Latencies that may be those of other strikes are left out. A channel without any kind of sample
    has one row, whose `kind` is None.
    """

    number: int
    channel: str
    reference: str
    pending: int
    classes: Mapping[ResponseClass, int]
    kind: Kind | None = None
    count: int = 0
    sum_ticks: int | None = None
    sum_sq_ticks2: int | None = None
    min_ticks: int | None = None
    max_ticks: int | None = None
    percentiles: Mapping[str, int | None] = field(default_factory=dict[str, int | None])
    """The percentiles of STORED; None with too few samples for an upper bound, or at the limit of
    the instrument's registers."""
    low_ticks: tuple[int, ...] = ()
    """The first tick of each cell of the histogram, without empty cells. An open cell ends at
    OPEN_TICKS: its samples are at the limit of the instrument's registers. Then sums and maximum
    are not known, and neither is the minimum if all samples are in it."""
    width_ticks: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    unknown_strikes: int = 0
    """Strikes whose class is not known, because events did not come."""
    unknown_edges: int = 0
    """The same of edges."""


@dataclass(frozen=True, slots=True)
class ArchiveRecord:
    """The record of one run."""

    run: str
    """The run's identity: its start, and a digest of all but `origin`."""
    started: datetime | None
    simulated: bool
    valid: bool
    invalid_reasons: tuple[str, ...]
    interrupted: bool
    tick_fs: int
    duration_ticks: int
    wall_seconds: float
    strikes: int
    build: str
    """The placement of the gateware, as hexadecimal digits."""
    versions: Mapping[str, str]
    configuration: Mapping[str, str]
    rows: tuple[ArchiveRow, ...]
    origin: Origin = field(default_factory=Origin)


def record(report: Report, origin: Origin) -> ArchiveRecord:
    """Return the record of a run."""
    result = report.result
    started = started_of(result.started)
    values: dict[str, Any] = {
        "started": started,
        "simulated": result.simulated,
        "valid": report.valid,
        "invalid_reasons": report.invalid_reasons,
        "interrupted": result.interrupted,
        "tick_fs": result.tick_fs,
        "duration_ticks": report.duration_ticks,
        "wall_seconds": result.wall_seconds,
        "strikes": result.strikes,
        "build": f"{result.identity.build_id:016x}",
        "versions": dict(result.versions),
        "configuration": configuration(result),
        "rows": tuple(row for channel in report.channels for row in _rows(channel)),
    }
    return ArchiveRecord(run=_identity(values), origin=origin, **values)


def started_of(text: str) -> datetime | None:
    """Return when a run began, in UTC; None for a text that is no time."""
    try:
        started = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return (started if started.tzinfo else started.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        return None


def _identity(values: Mapping[str, Any]) -> str:
    """Return a name that sorts by start and is unique to the content."""
    plain = {name: value for name, value in values.items() if name != "rows"}
    rows = [_content(row) for row in values["rows"]]
    text = json.dumps([plain, rows], sort_keys=True, default=str, ensure_ascii=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    started: datetime | None = values["started"]
    return f"{time_part(started)}-{digest}"


def _content(row: ArchiveRow) -> list[Any]:
    """Return a row's content. What is 0 in each run of before has no part in its identity."""
    cells = {column.name: getattr(row, column.name) for column in fields(row)}
    return [value for name, value in cells.items() if value or name not in LATER]


def time_part(started: datetime | None) -> str:
    """Return the first part of a run's identity: 15 characters that sort by time."""
    return (
        "00000000T000000" if started is None else started.strftime("%Y%m%dT%H%M%S").rjust(15, "0")
    )


def _rows(channel: ChannelFigures) -> Iterator[ArchiveRow]:
    result = channel.result
    common: dict[str, Any] = {
        "number": result.number,
        "channel": result.name,
        "reference": result.reference,
        "pending": result.pending,
        "classes": dict(result.classes),
        "unknown_strikes": result.unknown_strikes,
        "unknown_edges": result.unknown_edges,
    }
    known = [
        measurement
        for measurement in result.measurements
        if channel.latency(measurement.kind) is not None
    ]
    if not known:
        yield ArchiveRow(**common)
    for measurement in known:
        figures = channel.kinds[measurement.kind]
        cells = figures.distribution
        if len(cells.counts) > MOST_CELLS:
            cells = of_bins(measurement, figures.max_ticks)
        quantiles = {q.q: q.value_ticks for q in figures.quantiles if q.enough}
        yield ArchiveRow(
            **common,
            kind=measurement.kind,
            count=figures.count,
            sum_ticks=_whole(figures.mean_ticks, figures.count),
            sum_sq_ticks2=_squares(figures),
            min_ticks=figures.min_ticks,
            max_ticks=figures.max_ticks,
            percentiles={name: quantiles.get(q) for name, q in STORED.items()},
            low_ticks=tuple(cells.low_ticks.tolist()),
            width_ticks=tuple((cells.high_ticks - cells.low_ticks).tolist()),
            counts=tuple(cells.counts.tolist()),
        )


def _squares(figures: Figures) -> int | None:
    """Return the exact sum of squares."""
    mean, variance = figures.mean_ticks, figures.variance_ticks2
    return None if mean is None or variance is None else _whole(variance + mean**2, figures.count)


def _whole(mean: Fraction | None, count: int) -> int | None:
    """Return the exact sum of `count` samples with this mean."""
    return None if mean is None else int(mean * count)
