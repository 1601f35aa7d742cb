# SPDX-License-Identifier: Apache-2.0
"""Figures of archived runs: the columns that each needs, and its computation from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plexor.base.figure_words import figure_key, figure_word
from plexor.base.units import plot_seconds
from plexor.figures.analyse.percentiles import (
    OPEN_TICKS,
    least_count,
    parse_quantile,
    quantile_name,
)
from plexor.figures.judge.compare import SHARES, TIMES, is_quantile
from plexor.files.archive.record import STORED
from plexor.files.archive.schema import column_of

DEFAULT = ("p99", "max")
"""Figures of a trend if none is named."""


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A figure of one kind of sample, or a share of strikes."""

    name: str
    columns: tuple[str, ...]
    unit: str
    """`s` or `share`."""
    work_out: Callable[..., float | Fraction | None]
    """Gets the columns, none of which is None; returns ticks or a share."""

    @property
    def word(self) -> str:
        """What people read for it, such as `max seen` for `max`."""
        return figure_word(self.name)

    def value(self, cells: Sequence[Any], tick_fs: int) -> float | None:
        """Return the figure in seconds, or as a share, of its columns; None if it is not known."""
        if any(cell is None for cell in cells):
            return None
        value = self.work_out(*cells)
        if value is None or self.unit == "share":
            return None if value is None else float(value)
        return plot_seconds(float(value), tick_fs)


def parse_figure(name: str) -> FigureColumn:
    """Return the figure of `max`, `p99.9` or `missed`; raise ValueError for any other name."""
    name = figure_key(name)
    if name in SHARES:
        return FigureColumn(name, (name, "strikes"), "share", _part)
    if name in TIMES:
        columns, work_out = _TIMES[name]
        return FigureColumn(name, columns, "s", work_out)
    if not is_quantile(name):
        known = ", ".join((*TIMES, *SHARES, "p50 to p99.99"))
        raise ValueError(f"figure: {name!r}; must be one of {known}")
    q = parse_quantile(name)
    name = quantile_name(q)
    if name in STORED:
        return FigureColumn(name, (column_of(name),), "s", _itself)
    return FigureColumn(name, ("low_ticks", "width_ticks", "counts"), "s", _quantile(q))


def _difference(most: int, least: int) -> int:
    return most - least


def _itself(value: float) -> float:
    return value


def _part(count: int, total: int) -> Fraction | None:
    return Fraction(count, total) if total else None


def _quantile(q: Fraction) -> Callable[..., float | None]:
    """Return a function from cells to a percentile; it returns None for too few samples."""
    least = least_count(q)

    def percentile(low: list[int], width: list[int], counts: list[int]) -> float | None:
        below = np.cumsum(counts)
        total = int(below[-1]) if len(below) else 0
        if total < least:
            return None
        rank = max(-(-total * q.numerator // q.denominator), 1)
        cell = int(np.searchsorted(below, rank))
        end = low[cell] + width[cell]
        return None if end == OPEN_TICKS else end - 1

    return percentile


_TIMES: Mapping[str, tuple[tuple[str, ...], Callable[..., float | Fraction | None]]] = {
    "min": (("min_ticks",), _itself),
    "max": (("max_ticks",), _itself),
    "mean": (("sum_ticks", "count"), _part),
    "peak_to_peak": (("max_ticks", "min_ticks"), _difference),
}
"""The columns of each of TIMES."""
