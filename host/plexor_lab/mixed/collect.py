# SPDX-License-Identifier: Apache-2.0
"""From a run's events to the rows of its schedule. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from plexor.base.counts import agreed, counted
from plexor.library.parts.results import CodeArray, EventArray, RunResult
from plexor.library.parts.run import SOURCE_LOAD, SOURCE_STRIKE, Geometry
from plexor_lab.mixed.join import Joined, in_order, join
from plexor_lab.mixed.model import Entry, Limits, Mode, Response, Served, Status
from plexor_lab.mixed.timecode import StepClock

TIMECODE_OUTPUT = 0
"""Strike output that strikes at each step of the timecode."""
FIRST_CODE = 0x10
"""Code of id 0 on the device's code port. The others follow."""
TOGGLE = 0x80
"""Bit of a code that changes with each one, so that two equal ids in a row are seen."""
_IDS = 16


def id_of(code: int) -> int | None:
    """Return the id of a code of 8 bits; None for a code that is no id's."""
    event_id = (code & ~TOGGLE) - FIRST_CODE
    return event_id if 0 <= event_id < _IDS else None


def due_output(geometry: Geometry) -> int:
    """Return the strike output that strikes at each due time: the last one."""
    return geometry.strikes - 1


def fired(codes: CodeArray, start_ticks: int) -> list[Response]:
    """Return the responses of a device from its codes; one that is torn has no id."""
    return [
        Response(int(code["time_ticks"]) - start_ticks, _id(code))
        for code in codes
        if int(code["time_ticks"]) >= start_ticks
    ]


def _id(code: np.void) -> int | None:
    return None if code["torn"] else id_of(int(code["code"]))


def times_of(events: EventArray, source: int, start_ticks: int, *, rises: bool) -> list[int]:
    """Return the times of a source's edges from the run's start; `rises`: only the active ones."""
    wanted = events["source"] == source
    if rises:
        wanted &= events["polarity"] == 1
    times = events["time_ticks"][wanted].astype(np.int64) - start_ticks
    return times.tolist()


def joined(
    result: RunResult,
    mode: Mode,
    entries: Sequence[Entry],
    due_ticks: Sequence[int],
    limits: Limits,
    count: int | None = None,
) -> Joined:
    """Return the rows of a run. Of one that was stopped only entries whose time-out had passed.

    `count`: only so many entries are of the run; a device goes on with those behind them until the
    run ends. Raises ValueError for a run without events.
    """
    if result.events is None or result.whole_events is None:
        raise ValueError("the run kept no events; a schedule is measured by its events")
    start = result.start_ticks
    if mode is Mode.NORMAL:
        times = times_of(result.events, SOURCE_LOAD, start, rises=False)
        responses = in_order(entries, times)
    else:
        responses = fired(result.codes, start)
    found = join(entries, due_ticks, responses, limits)
    found = replace(found, rows=found.rows[:count])
    if not result.interrupted:
        return found
    lasted = result.end_ticks - start
    return replace(
        found,
        rows=tuple(
            row
            for row in found.rows
            if row.status is not Status.MISSED or row.due_ticks + limits.timeout_ticks <= lasted
        ),
    )


def contradictions(
    result: RunResult, clock: StepClock, due_ticks: Sequence[int], served: Served
) -> Iterator[str]:
    """Yield why the figures of a run cannot be trusted, beyond what the run says itself."""
    books = result.accounting
    if books.generated != books.received:
        yield "events were dropped or lost, so entries may count as missed that are not"
        return
    assert result.events is not None
    start = result.start_ticks
    steps = times_of(result.events, SOURCE_STRIKE + TIMECODE_OUTPUT, start, rises=True)
    for number, time in enumerate(steps, 1):
        if time != clock.at(number):
            yield f"step {number} came at {time} ticks; the divider has {clock.at(number)}"
            break
    if not result.interrupted and not served.holds:
        yield (
            f"{counted(served.written, 'entry')} {agreed(served.written, 'was', 'were')} written "
            f"to the schedule; {served.struck} "
            "struck, "
            f"{served.past} past, {served.refused} refused and {served.waiting} waiting"
        )
    left = iter(due_ticks)
    for time in _struck(result):
        if time not in left:
            yield f"an entry struck at {time} ticks, when none was due"
            break


def struck_in(result: RunResult) -> int:
    """Return how many entries struck, by the events of a run."""
    return len(_struck(result))


def _struck(result: RunResult) -> list[int]:
    if result.events is None:
        return []
    source = SOURCE_STRIKE + due_output(result.identity.geometry)
    return times_of(result.events, source, result.start_ticks, rises=True)
