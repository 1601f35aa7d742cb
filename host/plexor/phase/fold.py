"""Strikes with their phases and latencies, from the events of one run. Pure.

The strikes of a scan are further apart than its time-out, so that the answer to a strike is the
first response after it: each strike stands for itself, whatever is missing elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.model.results import EventArray, source_name
from plexor.phase.model import (
    BEYOND,
    IRREGULAR,
    LOST,
    OVERTAKEN,
    UNBOUNDED,
    UNSETTLED,
    Reference,
)

Ticks = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MISSED = -1
"""As a latency."""
MOST_INTERVAL_TICKS = 1 << 31
REGULAR = 4
"""An interval that differs from the median by more than a 4th of it is none of a tick's."""
MOST_IRREGULAR = 10
"""More than a 10th of such intervals, and the reference is no tick."""


@dataclass(frozen=True, slots=True)
class Pins:
    """Which events are what."""

    strike: int
    response: int
    reference: tuple[int, int]
    """Source and polarity."""
    span_ticks: int | None = None
    """None: the reference has a period, and phases lie between two of its edges. Else phases are
    times since its last edge, below this."""

    @property
    def periodic(self) -> bool:
        """Whether the reference has a period."""
        return self.span_ticks is None


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """The strikes of a run in their order."""

    phase_ticks: Ticks
    latency_ticks: Ticks
    """Or MISSED."""
    span_ticks: int
    """All phases are below it; the period, where there is one."""
    reference: Reference
    left_out: Mapping[str, int]
    answered: int
    """Of all strikes whose events are complete, those without a phase included."""
    missed: int
    timeout_ticks: int
    """No latency is greater."""


def fold(
    events: EventArray, pins: Pins, timeout_ticks: int, end_ticks: int, generated: int
) -> Folded:
    """Return the strikes of time-ordered events (EVENT_DTYPE) of a run that generated so many.

    Strikes must be more than the time-out apart. Raises ValueError where a reference has too few
    edges, or is no tick though it must be one.
    """
    times, sources = events["time_ticks"].astype(np.int64), events["source"]
    rising = events["polarity"] == 1
    strikes = np.flatnonzero((sources == pins.strike) & rising)
    segment = _segments(events["index"].astype(np.int64), generated)
    source, polarity = pins.reference
    ticks = np.flatnonzero((sources == source) & (events["polarity"] == polarity))
    edges = times[ticks]
    reference, regular = _reference(
        source_name(source), edges, np.diff(segment[ticks]) == 0, pins.periodic
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
        # What it waited for may be of the next edge: a window can begin shortly before its marker.
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


def _reference(name: str, edges: Ticks, known: Flags, periodic: bool) -> tuple[Reference, Flags]:
    """Return the reference and which of its intervals are a period.

    In those that are not `known` an edge may be missing.
    """
    intervals = np.diff(edges)[known]
    if not len(intervals):
        raise ValueError(f"{name}: {len(edges)} edges in the run; a reference needs at least 2")
    least, most = int(intervals.min()), int(intervals.max())
    if not periodic:
        return Reference(name, len(edges), None, least, most), known
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
    return Reference(name, len(edges), period, least, most), regular


def _latency(times: Ticks, responses: Ticks, strikes: Ticks) -> Ticks:
    """Return the time to the first response after each strike; MISSED without any."""
    after = np.searchsorted(responses, strikes)
    found = np.full(len(strikes), MISSED, np.int64)
    has = after < len(responses)
    found[has] = times[responses[after[has]]] - times[strikes[has]]
    return found


def _segments(index: Ticks, generated: int) -> Ticks:
    """Return the stretch without a gap that each event is in, and behind them that of the end."""
    borders = np.diff(np.concatenate([[-1], index, [generated]])) != 1
    return np.cumsum(borders)


def _whole(times: Ticks, segment: Ticks, start: Ticks, end: Ticks) -> Flags:
    """Return whether no event from `start` to `end` is missing."""
    first = np.searchsorted(times, start, side="left")
    # The event before the first: a gap between the two may hide what came at `start` or after it.
    before = np.where(first > 0, segment[np.maximum(first - 1, 0)], 0)
    return before == segment[np.searchsorted(times, end, side="right")]
