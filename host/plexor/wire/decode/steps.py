# SPDX-License-Identifier: Apache-2.0
"""Computes what each step of a sweep table counted, from the chip's records. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plexor.model.results import Statistics, StepChannel, StepResult
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import ResponseClass

Record = Mapping[str, int]
"""Field values of one `plexor.protocol.memory.STEP` record, by field name."""


def steps_of(
    geometry: Geometry,
    records: Sequence[Sequence[Record]],
    names: Mapping[int, str],
    start_ticks: int,
) -> tuple[StepResult, ...]:
    """Return the steps of a run that began at `start_ticks`.

    `records` holds one row for each step, and in it one record for each channel. Counts in records
    are totals since the run's start. `names` are those of the enabled channels, by number.
    """
    squares = Feature.SUM_SQUARES in geometry.features
    steps: list[StepResult] = []
    previous: Sequence[Record] | None = None
    for number, row in enumerate(records):
        channels = tuple(
            _channel(channel, name, row[channel], previous[channel] if previous else {}, squares)
            for channel, name in names.items()
        )
        end_ticks = row[0]["end_ticks"]
        steps.append(StepResult(number, start_ticks, end_ticks, channels))
        previous, start_ticks = row, end_ticks
    return tuple(steps)


def _channel(
    number: int, name: str, record: Record, previous: Record, squares: bool
) -> StepChannel:
    def grown(field: str) -> int:
        return record[field] - previous.get(field, 0)

    count = grown("count")
    squared = grown("sum_sq_low_ticks2") + (grown("sum_sq_high_ticks2") << 64)
    return StepChannel(
        number,
        name,
        {kind: grown(kind.name.lower()) for kind in ResponseClass},
        previous.get("pending", 0),
        record["pending"],
        Statistics(
            count,
            grown("sum_ticks"),
            squared if squares else None,
            record["min_ticks"] if count else None,
            record["max_ticks"] if count else None,
        ),
    )
