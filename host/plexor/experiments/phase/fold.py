# SPDX-License-Identifier: Apache-2.0
"""Finds phase and latency of each strike in the events of one run. Pure.

The strikes of a scan are further apart than its time-out. So the first response after a strike
answers it, and a missing event affects one strike only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.base.counts import counted
from plexor.experiments.phase.against import Marks
from plexor.experiments.phase.model import (
    BEYOND,
    IRREGULAR,
    LOST,
    OVERTAKEN,
    UNBOUNDED,
    UNSETTLED,
    PhaseReference,
)
from plexor.model.results import EventArray

Ticks = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MISSED = -1
"""Marks a strike without a response, in place of its latency."""
MOST_INTERVAL_TICKS = 1 << 31
REGULAR = 4
"""An interval is irregular if it differs from the median by more than 1/REGULAR of it."""
MOST_IRREGULAR = 10
"""The reference is no tick if more than 1/MOST_IRREGULAR of its intervals are irregular."""


@dataclass(frozen=True, slots=True)
class FoldedSources:
    """The events' sources: which are strikes and responses."""

    strike: int
    response: int
    span_ticks: int | None = None
    """Upper bound of phases. None: the reference has a period, and phases lie between two of its
    edges. Otherwise a phase is the time since the reference's last edge."""

    @property
    def periodic(self) -> bool:
        """Whether the reference has a period."""
        return self.span_ticks is None


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """The strikes of a run, in order."""

    phase_ticks: Ticks
    latency_ticks: Ticks
    """Latency of each strike, or MISSED."""
    span_ticks: int
    """Upper bound of all phases: the period, if there is one."""
    reference: PhaseReference
    left_out: Mapping[str, int]
    answered: int
    """Number of answered strikes among those with complete events, with or without a phase."""
    missed: int
    timeout_ticks: int
    """Upper bound of latencies."""


def fold(
    events: EventArray,
    marks: Marks,
    pins: FoldedSources,
    timeout_ticks: int,
    end_ticks: int,
    generated: int,
) -> Folded:
    """Return the strikes of a run, from time-ordered events (EVENT_DTYPE).

    `marks` are those of the reference. The run generated `generated` events; fewer may have come.
    Strikes must be more than the time-out apart. Raises ValueError if the reference has too few
    edges, or must be a tick and is none.
    """
    times, sources = events["time_ticks"].astype(np.int64), events["source"]
    rising = events["polarity"] == 1
    strikes = np.flatnonzero((sources == pins.strike) & rising)
    segment = _segments(events["index"].astype(np.int64), generated)
    edges = times[marks.places]
    reference, regular = _reference(
        marks.name, edges, np.diff(segment[marks.places]) == 0, pins.periodic
    )
    at = times[strikes]
    latency = _latency(times, np.flatnonzero((sources == pins.response) & rising), strikes)
    latency[latency > timeout_ticks] = MISSED
    before = np.searchsorted(edges, at, side="right") - 1
    bounded = before >= 0
    if pins.periodic:
        bounded &= before < len(edges) - 1
    first = edges[np.maximum(before, 0)]
    following = edges[np.minimum(before + 1, len(edges) - 1)]
    answer_known = _whole(times, segment, at, at + timeout_ticks)
    until = np.maximum(following, at + timeout_ticks) if pins.periodic else at + timeout_ticks
    known = _whole(times, segment, np.minimum(first, at), until)
    settled = at + timeout_ticks <= end_ticks
    steady = np.ones(len(at), np.bool_)
    if pins.periodic:
        steady = regular[np.clip(before, 0, len(regular) - 1)]
    kept = np.ones(len(at), np.bool_)
    left_out: dict[str, int] = {}
    near, own = np.ones(len(at), np.bool_), np.ones(len(at), np.bool_)
    if pins.span_ticks is not None:
        near = at - first < pins.span_ticks
        # A window may begin just before its marker: the strike then waits for the next edge's.
        own = (following <= at) | (at + latency < following)
    for reason, good in (
        (UNSETTLED, settled),
        (UNBOUNDED, bounded),
        (LOST, known),
        (IRREGULAR, steady),
        (BEYOND, near),
        (OVERTAKEN, own),
    ):
        if count := int(np.count_nonzero(kept & ~good)):
            left_out[reason] = count
        kept &= good
    phase = (at - first)[kept]
    span = pins.span_ticks
    if span is None:
        assert reference.period_ticks is not None
        span = round(reference.period_ticks)
        phase = phase * span // (following - first)[kept]
    sure = latency[answer_known & settled]
    return Folded(
        phase,
        latency[kept],
        span,
        reference,
        left_out,
        int(np.count_nonzero(sure != MISSED)),
        int(np.count_nonzero(sure == MISSED)),
        timeout_ticks,
    )


def _reference(
    name: str, edges: Ticks, known: Flags, periodic: bool
) -> tuple[PhaseReference, Flags]:
    """Return the reference, and which of its intervals are a period.

    Intervals that are not `known` may lack an edge.
    """
    intervals = np.diff(edges)[known]
    if not len(intervals):
        raise ValueError(
            f"{name}: {counted(len(edges), 'edge')} in the run; a reference needs at least 2"
        )
    least, most = int(intervals.min()), int(intervals.max())
    if not periodic:
        return PhaseReference(name, len(edges), None, least, most), known
    if most >= MOST_INTERVAL_TICKS:
        raise ValueError(f"{name}: {most} ticks between two edges; must be under 2**31")
    middle = int(np.sort(intervals)[len(intervals) // 2])
    near = np.abs(intervals - middle) <= middle // REGULAR
    if np.count_nonzero(~near) * MOST_IRREGULAR > len(intervals):
        raise ValueError(
            f"{name}: its edges are {least} to {most} ticks apart, so it has no period; --span "
            "measures from its last edge instead"
        )
    period = Fraction(int(intervals[near].sum()), int(np.count_nonzero(near)))
    regular = known.copy()
    regular[known] = near
    return PhaseReference(name, len(edges), period, least, most), regular


def _latency(times: Ticks, responses: Ticks, strikes: Ticks) -> Ticks:
    """Return the time from each strike to the first response after it; MISSED without one."""
    after = np.searchsorted(responses, strikes)
    found = np.full(len(strikes), MISSED, np.int64)
    has = after < len(responses)
    found[has] = times[responses[after[has]]] - times[strikes[has]]
    return found


def _segments(index: Ticks, generated: int) -> Ticks:
    """Return the number of each event's gap-free stretch, and that of the run's end."""
    borders = np.diff(np.concatenate([[-1], index, [generated]])) != 1
    return np.cumsum(borders)


def _whole(times: Ticks, segment: Ticks, start: Ticks, end: Ticks) -> Flags:
    """Return whether no event from `start` to `end` is missing."""
    first = np.searchsorted(times, start, side="left")
    # A gap just before the first event may hide events at `start` or later.
    before = np.where(first > 0, segment[np.maximum(first - 1, 0)], 0)
    return before == segment[np.searchsorted(times, end, side="right")]
