# SPDX-License-Identifier: Apache-2.0
"""Figures of the lateness of a run: counts, mean, variance, part within the limit, spikes. Pure.

All of them are exact: whole ticks, and fractions of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plexor.library.parts.results import variance_ticks2
from plexor_lab.mixed.model import ModeRun, Row, Status

SCHEDULED = (Status.DONE, Status.LATE, Status.EARLY, Status.MISSED)
"""The statuses of entries. Each entry has exactly one of them."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and population variance of whole ticks. Raises ValueError for no values."""

    count: int
    mean_ticks: Fraction
    variance_ticks2: Fraction
    min_ticks: int
    max_ticks: int

    @property
    def sd_ticks(self) -> float:
        """Standard deviation, for prints."""
        return float(self.variance_ticks2) ** 0.5


@dataclass(frozen=True, slots=True)
class Spike:
    """A response that came far later than most: its entry, its due time and its lateness."""

    number: int
    due_ticks: int
    lateness_ticks: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run."""

    counts: Mapping[Status, int]
    moments: Moments | None
    """Of the lateness of all responses that belong to an entry; None if there are none."""
    within: Fraction | None
    """The part of those responses that is done: neither early nor after the limit."""
    spikes: tuple[Spike, ...]

    @property
    def scheduled(self) -> int:
        """The number of entries."""
        return sum(self.counts[status] for status in SCHEDULED)

    @property
    def safe(self) -> bool:
        """Whether every entry is done, and nothing else came. A run without entries is not."""
        return 0 < self.scheduled == self.counts[Status.DONE] and not self.counts[Status.EXTRA]


def moments_of(values_ticks: Sequence[int]) -> Moments:
    """Return mean and variance of at least one value."""
    count = len(values_ticks)
    if not count:
        raise ValueError("no values; must be one or more")
    total, squares = sum(values_ticks), sum(value**2 for value in values_ticks)
    variance = variance_ticks2(count, total, squares)
    return Moments(count, Fraction(total, count), variance, min(values_ticks), max(values_ticks))


def summary_of(run: ModeRun, spike_sds: Fraction) -> Summary:
    """Return the figures of a run; `spike_sds` is a number of standard deviations, 0 or more."""
    counts = Counter(row.status for row in run.rows)
    counts[Status.EXTRA] = len(run.extras)
    values = [late for row in run.rows if (late := row.lateness_ticks) is not None]
    moments = moments_of(values) if values else None
    return Summary(
        {status: counts[status] for status in Status},
        moments,
        Fraction(counts[Status.DONE], len(values)) if values else None,
        () if moments is None else spikes(run.rows, moments, spike_sds),
    )


def spikes(rows: Sequence[Row], moments: Moments, sds: Fraction) -> tuple[Spike, ...]:
    """Return the rows whose lateness exceeds the mean by more than `sds` standard deviations."""
    most_ticks2 = sds**2 * moments.variance_ticks2
    found: list[Spike] = []
    for row in rows:
        late = row.lateness_ticks
        if late is None or late <= moments.mean_ticks:
            continue
        if (late - moments.mean_ticks) ** 2 > most_ticks2:
            found.append(Spike(row.number, row.due_ticks, late))
    return tuple(found)
