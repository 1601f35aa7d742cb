# SPDX-License-Identifier: Apache-2.0
"""The schedule list: which id is due at which step, and when it is issued. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from plexor.base.counts import counted
from plexor_lab.mixed.model import Entry, Order, Schedule

MOST_IDS = 16
"""Ids of the code port's codes 0x10 to 0x1F."""
MOST_DISTANCE = 127
MOST_SPACING = 1 << 16
FIRST_STEP = 4
"""Least due step of the first entry: three steps to set out."""


def entries(schedule: Schedule, distance_steps: int | None = None) -> list[Entry]:
    """Return the entries of a schedule, in the order of their due steps.

    `distance_steps` is from issue to due, 0 to 127; None: they are not issued one by one. The same
    seed gives the same ids. Raises ValueError for what no schedule has.
    """
    _check(schedule)
    if distance_steps is not None and not 0 <= distance_steps <= MOST_DISTANCE:
        raise ValueError(
            f"distance: {counted(distance_steps, 'step')}; must be 0 to {MOST_DISTANCE}"
        )
    if distance_steps is not None and schedule.first_step <= distance_steps:
        raise ValueError(
            f"first_step: {schedule.first_step}; must be above the distance, {distance_steps}"
        )
    found: list[Entry] = []
    for number, event_id in zip(range(schedule.count), _ids(schedule), strict=False):
        due = schedule.first_step + number * schedule.spacing_steps
        issue = None if distance_steps is None else due - distance_steps
        found.append(Entry(number, event_id, due, issue))
    return found


def sequential(schedule: Schedule) -> Schedule:
    """Return a schedule with the same due steps, whose ids follow each other."""
    return replace(schedule, order=Order.SEQUENTIAL)


def _ids(schedule: Schedule) -> Iterator[int]:
    # Of Python's generators only random() promises the same numbers in each version.
    draw = random.Random(schedule.seed).random
    number = 0
    while True:
        drawn = schedule.order is Order.RANDOM
        yield int(draw() * schedule.ids) if drawn else number % schedule.ids
        number += 1


def _check(schedule: Schedule) -> None:
    if schedule.count < 1:
        raise ValueError(f"count: {counted(schedule.count, 'entry')}; must be 1 or more")
    if not 1 <= schedule.spacing_steps <= MOST_SPACING:
        raise ValueError(
            f"rate: {counted(schedule.spacing_steps, 'step')}; must be 1 to {MOST_SPACING}"
        )
    if not 1 <= schedule.ids <= MOST_IDS:
        raise ValueError(f"ids: {schedule.ids}; must be 1 to {MOST_IDS}")
    if schedule.first_step < 1:
        raise ValueError(f"first_step: {schedule.first_step}; must be 1 or more")
