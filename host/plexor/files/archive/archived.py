# SPDX-License-Identifier: Apache-2.0
"""Archived runs for comparison, and the last good run of a configuration."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np

from plexor.base.counts import counted
from plexor.base.errors import StoreError, UsageError
from plexor.figures.analyse.analyse import PERCENTILES, ChannelFigures, Figures
from plexor.figures.analyse.jitter import variance_ticks2
from plexor.figures.analyse.percentiles import Distribution, quantiles
from plexor.figures.judge.compare import differing_keys
from plexor.files.archive.query import GOOD, ArchivedRun, Query, RunFilter, parsed
from plexor.files.archive.record import LATER
from plexor.model.results import ChannelResult, Kind
from plexor.protocol.memory import ResponseClass

_CHANNEL = ("number", "channel", "reference", "pending", *LATER)
_KIND = ("kind", "count", "sum_ticks", "sum_sq_ticks2", "min_ticks", "max_ticks")
_CELLS = ("low_ticks", "width_ticks", "counts")
_CLASSES = tuple(kind.name.lower() for kind in ResponseClass)


@dataclass(frozen=True, slots=True)
class Archived:
    """A run of an archive with its figures; it has no single samples or events."""

    run: ArchivedRun
    channels: tuple[ChannelFigures, ...]

    @property
    def tick_fs(self) -> int:
        """Length of a tick, in femtoseconds."""
        return self.run.tick_fs


def archived(query: Query, run: str) -> Archived:
    """Return a run by its identity. Raises StoreError if it is missing or cannot be read."""
    names = (*_CHANNEL, *_CLASSES, *_KIND, *_CELLS)
    runs = query.runs((RunFilter("run", run),), 1)
    rows = query.ask(
        lambda _: (
            f"SELECT DISTINCT ON (number, kind) {', '.join(names)} FROM files "
            "WHERE run = ? AND channel IS NOT NULL ORDER BY number, kind"
        ),
        bound_before=(run,),
    )
    if not runs:
        raise StoreError(f"{query.folder}: has no run {run}")
    channels: dict[int, ChannelFigures] = {}
    try:
        for row in rows:
            cells = dict(zip(names, row, strict=True))
            own = channels.setdefault(cells["number"], ChannelFigures(_channel(cells), {}))
            if cells["kind"] is not None:
                figures = _figures(cells)
                own.kinds[figures.kind] = figures
    except (TypeError, ValueError) as error:
        raise StoreError(f"{query.folder}: run {run}: cannot read: {error}") from error
    return Archived(runs[0], tuple(channels.values()))


def _channel(cells: Mapping[str, Any]) -> ChannelResult:
    classes = {kind: int(cells[kind.name.lower()]) for kind in ResponseClass}
    edges = ("ANSWERED", "LATE", "DUPLICATE", "SPURIOUS")
    return ChannelResult(
        number=cells["number"],
        name=cells["channel"],
        reference=cells["reference"],
        deadline_ticks=None,
        classes=classes,
        pending=cells["pending"],
        active_edges=sum(classes[ResponseClass[name]] for name in edges)
        + (cells["unknown_edges"] or 0),
        measurements=(),
        unknown_strikes=cells["unknown_strikes"] or 0,
        unknown_edges=cells["unknown_edges"] or 0,
    )


def _figures(cells: Mapping[str, Any]) -> Figures:
    count, total, squares = cells["count"], cells["sum_ticks"], cells["sum_sq_ticks2"]
    low, width, counts = (np.array(cells[name], dtype=np.int64) for name in _CELLS)
    distribution = Distribution(low, low + width, counts)
    if distribution.total != count:
        raise ValueError(
            f"a histogram of {counted(distribution.total, 'sample')}; must be of {count}"
        )
    variance = None
    if count and total is not None and squares is not None:
        variance = variance_ticks2(count, total, int(squares))
    return Figures(
        kind=Kind(cells["kind"]),
        count=count,
        min_ticks=cells["min_ticks"],
        max_ticks=cells["max_ticks"],
        mean_ticks=Fraction(total, count) if count and total is not None else None,
        variance_ticks2=variance,
        max_index=None,
        max_time_ticks=None,
        distribution=distribution,
        quantiles=quantiles(distribution, PERCENTILES),
    )


def last_good(
    query: Query,
    configuration: Mapping[str, str],
    *,
    run: str = "",
    before: datetime | None = None,
    where: Sequence[RunFilter] = (),
    across: Collection[str] = (),
) -> Archived:
    """Return the newest good run of a configuration, begun by `before`, other than `run`.

    A good run is valid and was not interrupted. `across` are keys of the configuration that may
    differ. Raises UsageError if there is none; it lists the differences to the nearest good run.
    """
    latest = "" if before is None else "AND (started IS NULL OR epoch(started) <= ?) "
    bound: list[Any] = [run] if before is None else [run, int(before.timestamp())]
    rows = query.ask(
        lambda chosen: (
            "SELECT DISTINCT ON (run) run, configuration FROM files WHERE first AND "
            f"{GOOD} AND run <> ? {latest}AND {chosen} ORDER BY run DESC"
        ),
        where,
        bound,
    )
    differing = {
        text: _apart(parsed(text), configuration, across) for text in {row[1] for row in rows}
    }
    found = next((run_name for run_name, text in rows if not differing[text]), None)
    if found is not None:
        return archived(query, found)
    if not rows:
        chosen = "".join(f" of {condition.text}" for condition in where)
        raise UsageError(f"{query.folder}: holds no earlier good run{chosen}")
    nearest = min(differing, key=lambda text: (len(differing[text]), text))
    nearest_configuration = parsed(nearest)
    keys = ", ".join(
        f"{key} {nearest_configuration.get(key, 'unknown')}, "
        f"not {configuration.get(key, 'unknown')}"
        for key in differing[nearest]
    )
    raise UsageError(
        f"{query.folder}: no earlier good run has the same configuration; the nearest has {keys}"
    )


def _apart(
    first: Mapping[str, str], second: Mapping[str, str], across: Collection[str]
) -> tuple[str, ...]:
    return tuple(key for key in differing_keys(first, second) if key not in across)
