# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a schedule that is under way: what comes next, and what came. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plexor.library.parts.run import SOURCE_LOAD, Collector
from plexor_lab.mixed.collect import fired, times_of
from plexor_lab.mixed.drive import Looked, Plan
from plexor_lab.mixed.join import in_order, join
from plexor_lab.mixed.model import Entry, Limits, Mode, Response, Row

SHOWN = 8
"""Entries and results that are shown."""
LAMPS = 8
"""Lamps at least: one for each id."""


@dataclass(frozen=True, slots=True)
class MixedView:
    """One picture of a run under way."""

    step: int
    lamps: tuple[bool, ...]
    """By id. The id that was fired last is lit."""
    next_entries: tuple[Entry, ...]
    """The entries that are not due yet, the next one first."""
    waiting: int
    """Number of entries that are not due yet, shown or not."""
    issued: int
    results: tuple[Row, ...]
    """The last entries that were answered, the newest last."""
    extras: int


def view_of(looked: Looked, limits: Limits) -> MixedView:
    """Return the picture of a run at this time."""
    plan = looked.plan
    responses = _responses(looked.run.collector, plan)
    found = join(plan.entries, plan.due_ticks, responses, limits)
    answered = [row for row in found.rows if row.measured_ticks is not None]
    answered.sort(key=lambda row: row.measured_ticks or 0)
    waiting = [entry for entry in plan.entries if entry.due_step > looked.step]
    return MixedView(
        looked.step,
        _lamps(responses, plan.ids),
        tuple(waiting[:SHOWN]),
        len(waiting),
        looked.issued,
        tuple(answered[-SHOWN:]),
        len(found.extras),
    )


def _responses(collector: Collector, plan: Plan) -> list[Response]:
    start = collector.started_ticks
    if start is None:
        return []
    if plan.mode is not Mode.NORMAL:
        return fired(collector.code_array(), start)
    events = collector.event_array()
    times = [] if events is None else times_of(events, SOURCE_LOAD, start, rises=False)
    return in_order(plan.entries, times)


def _lamps(responses: Sequence[Response], ids: int) -> tuple[bool, ...]:
    known = [entry.event_id for entry in responses if entry.event_id is not None]
    last = known[-1] if known else None
    return tuple(number == last for number in range(max(LAMPS, ids)))
