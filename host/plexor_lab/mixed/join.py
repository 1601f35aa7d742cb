# SPDX-License-Identifier: Apache-2.0
"""Joins a schedule with the responses that came: each entry gets one status. Pure.

A response belongs to the oldest entry with its id that waits. An entry waits from `early_ticks`
before its due time to `timeout_ticks` after it, both included.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from plexor_lab.mixed.model import Entry, Limits, Response, Row, Status


@dataclass(frozen=True, slots=True)
class Joined:
    """The rows in the order of the entries, and the responses that belong to none of them."""

    rows: tuple[Row, ...]
    extras: tuple[Response, ...]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An entry that waits, by its place in the list."""

    place: int
    due_ticks: int


def join(
    entries: Sequence[Entry],
    due_ticks: Sequence[int],
    responses: Iterable[Response],
    limits: Limits,
) -> Joined:
    """Return what became of each entry; `due_ticks` has the due time of each.

    Entries and due times rise. Responses come in the order of their times. Raises ValueError if
    there are not as many due times as entries, or if they do not rise.
    """
    if len(entries) != len(due_ticks):
        raise ValueError(f"{len(due_ticks)} due times; must be {len(entries)}, one for each entry")
    if any(later < before for before, later in pairwise(due_ticks)):
        raise ValueError("due times fall; must rise with the entries")
    waiting: dict[int, deque[_Waiting]] = {}
    for place, (entry, due) in enumerate(zip(entries, due_ticks, strict=True)):
        waiting.setdefault(entry.event_id, deque()).append(_Waiting(place, due))
    measured: dict[int, int] = {}
    extras: list[Response] = []
    for response in responses:
        found = _taken(waiting, response, limits)
        if found is None:
            extras.append(response)
        else:
            measured[found] = response.time_ticks
    rows = tuple(
        _row(entry, due, measured.get(place), limits)
        for place, (entry, due) in enumerate(zip(entries, due_ticks, strict=True))
    )
    return Joined(rows, tuple(extras))


def in_order(entries: Sequence[Entry], times_ticks: Iterable[int]) -> list[Response]:
    """Return responses that have no id of their own: they answer the entries one after the other.

    More responses than entries have no id.
    """
    ids = [entry.event_id for entry in entries]
    return [
        Response(time, ids[place] if place < len(ids) else None)
        for place, time in enumerate(times_ticks)
    ]


def _taken(waiting: dict[int, deque[_Waiting]], response: Response, limits: Limits) -> int | None:
    """Return the place of the entry that a response belongs to, which then waits no more."""
    if response.event_id is None:
        return None
    queue = waiting.get(response.event_id)
    while queue and queue[0].due_ticks + limits.timeout_ticks < response.time_ticks:
        queue.popleft()
    if not queue or response.time_ticks < queue[0].due_ticks - limits.early_ticks:
        return None
    return queue.popleft().place


def _row(entry: Entry, due_ticks: int, measured_ticks: int | None, limits: Limits) -> Row:
    status = Status.MISSED
    if measured_ticks is not None:
        status = status_of(measured_ticks - due_ticks, limits)
    return Row(
        entry.number,
        entry.event_id,
        entry.due_step,
        entry.issue_step,
        due_ticks,
        measured_ticks,
        status,
    )


def status_of(lateness_ticks: int, limits: Limits) -> Status:
    """Return the status of a response by its lateness: at the limit itself it is done."""
    if lateness_ticks < 0:
        return Status.EARLY
    return Status.DONE if lateness_ticks <= limits.limit_ticks else Status.LATE
