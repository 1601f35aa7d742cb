# SPDX-License-Identifier: Apache-2.0
"""The sweep table: the ends of its steps, and each channel's counts at these.

See docs/instrument.md, section Sweep table. A record is what the run would leave if it ended with
the step, except for held responses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from plexor.protocol.frames import SOURCE_STEP
from plexor.protocol.geometry import STEP_CLOCKS, Feature, Geometry
from plexor.protocol.memory import STEP, ResponseClass, Space, entries
from plexor_sim.golden.edges import Events, TickEdges, Times
from plexor_sim.golden.matcher import Rules, match
from plexor_sim.golden.memory import Statistics, statistics
from plexor_sim.golden.settings import Settings

SETTLE_CLOCKS = 2
"""Clocks that a step, like a run, lasts beyond the guard time after its last strike."""
REST_CLOCKS = 8
"""Minimum clocks from a strike's last clock to the end of its step or run."""


def step_count(geometry: Geometry, settings: Settings) -> int:
    """Return the number of steps in the table; 0 without a table."""
    if Feature.SWEEP not in geometry.features:
        return 0
    return min(settings.get("control", "step_count"), geometry.table_steps)


def end_of(samples: int, settle_ticks: int, last_rise: int, last_fall: int) -> int:
    """Return the tick after a run's or a step's last one, by its last strike's rise and fall."""
    struck, active = last_rise // samples, (last_fall - 1) // samples
    return max(struck + settle_ticks // samples + SETTLE_CLOCKS, active + REST_CLOCKS) * samples


def step_ends(
    geometry: Geometry, settings: Settings, strikes: Iterable[tuple[int, int]]
) -> Iterator[int]:
    """Yield the end of each step whose strikes (rise, fall) of stimulus 0 are given."""
    rest = iter(strikes)
    for step in range(step_count(geometry, settings)):
        count = settings.get("step", "strike_count", step)
        last = None
        for _ in range(count):
            last = next(rest, None)
            if last is None:
                return
        if last is None:
            return
        yield end_of(geometry.samples, settings.get("step", "guard_ticks", step), *last)


def edges(
    geometry: Geometry, settings: Settings, rise_ticks: Times, fall_ticks: Times
) -> TickEdges:
    """Return the edges of the step source: the ends of all steps but the table's last."""
    strikes = zip(rise_ticks.tolist(), fall_ticks.tolist(), strict=True)
    ends = list(step_ends(geometry, settings, strikes))
    ends = ends[: max(step_count(geometry, settings) - 1, 0)]
    return TickEdges(np.array(ends, np.int64), np.arange(len(ends)) % 2 == 0)


def first_of_next(geometry: Geometry, end_ticks: int) -> int:
    """Return the tick of phase 0 of the step after one that ends at `end_ticks`."""
    return end_ticks + STEP_CLOCKS * geometry.samples


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One channel at a step's end. Counts are from the run's start, extremes the step's own."""

    classes: tuple[int, ...]
    rise: Statistics
    """Statistics without index and time of the extremes."""
    min_ticks: int
    max_ticks: int
    pending: int
    end_ticks: int

    def pack(self) -> bytes:
        """Return an entry of Space.STEPS."""
        entry = {kind.name.lower(): self.classes[kind] for kind in ResponseClass}
        return STEP.pack(
            entry
            | {
                "count": self.rise.count,
                "sum_ticks": self.rise.sum_ticks,
                "sum_sq_low_ticks2": self.rise.sum_sq_ticks2 & (1 << 64) - 1,
                "sum_sq_high_ticks2": self.rise.sum_sq_ticks2 >> 64,
                "min_ticks": self.min_ticks,
                "max_ticks": self.max_ticks,
                "pending": self.pending,
                "end_ticks": self.end_ticks,
            }
        )


Step = dict[int, StepRecord]
"""Records of a step, by channel."""


def records(
    geometry: Geometry,
    settings: Settings,
    events: Events,
    rules: Sequence[Rules | None],
    end_ticks: int,
) -> tuple[Step, ...]:
    """Return the records of every step, by channel; `rules` by channel, None for disabled ones.

    `events` are the merged ones, without dropped ones.
    """
    if not step_count(geometry, settings):
        return ()
    # The event of a step's end belongs to that step.
    bounds = np.flatnonzero(events.source == SOURCE_STEP) + 1
    times = [*events.time_ticks[bounds - 1].tolist(), end_ticks]
    steps: list[Step] = [{} for _ in times]
    for channel, rule in enumerate(rules):
        before = 0
        for step, bound, time in zip(steps, [*bounds.tolist(), len(events)], times, strict=True):
            if rule is None:
                step[channel] = StepRecord((0,) * len(ResponseClass), Statistics(), 0, 0, 0, time)
                continue
            part = events.chosen(np.arange(len(events)) < bound)
            found = match(part, rule, time, final=step is steps[-1])
            values = found.rise.value_ticks[before:]
            before = len(found.rise)
            step[channel] = StepRecord(
                found.classes,
                statistics(found.rise, geometry.features),
                int(values.min()) if len(values) else 0,
                int(values.max()) if len(values) else 0,
                found.pending,
                time,
            )
    return tuple(steps)


def words(geometry: Geometry, steps: Sequence[Step]) -> bytes:
    """Return Space.STEPS as dumped."""
    image = bytearray(entries(geometry, Space.STEPS) * STEP.size_bytes)
    for number, step in enumerate(steps):
        for channel, record in step.items():
            place = (number << geometry.key_bits | channel) * STEP.size_bytes
            image[place : place + STEP.size_bytes] = record.pack()
    return bytes(image)
