# SPDX-License-Identifier: Apache-2.0
"""Reads the chip's tables of codes, and finds contradictions in them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from plexor.decode.memories import Memories
from plexor.decode.register_image import RegisterImage
from plexor.model.code_tables import CodeFigures, CodeTables
from plexor.model.results import ChannelResult, Kind
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_MOST, ByCode, Space, table_bits


def code_tables_of(image: RegisterImage, memories: Memories) -> CodeTables | None:
    """Return the tables of a run that has ended; None if they are not known."""
    told = image.has("code", "latency_channel")
    if not told or not memories.known(Space.CODES):
        return None
    return CodeTables(
        image.value("code", "latency_channel"),
        *(_figures(memories, table) for table in ByCode),
    )


def _figures(memories: Memories, table: ByCode) -> tuple[CodeFigures, ...]:
    """Return the figures of each code with samples."""
    geometry = memories.geometry
    lower_bits = geometry.code_bits - table_bits(geometry)
    (words,) = memories.wholes(Space.CODES)
    records = words.view("<i8").reshape(len(ByCode), -1, 4)[table]
    return tuple(
        CodeFigures(place << lower_bits, *records[place].tolist())
        for place in np.flatnonzero(records[:, 0]).tolist()
    )


def wrong_tables(
    tables: CodeTables, channels: Sequence[ChannelResult], geometry: Geometry, ticks: int
) -> Iterator[str]:
    """Yield why tables are impossible for a run of so many ticks, with such channels."""
    for name, table in (("times", tables.times), ("latencies", tables.latencies)):
        codes = [each.code for each in table]
        if sorted(set(codes)) != codes or not all(0 <= c < 1 << geometry.code_bits for c in codes):
            yield f"{name} by code: codes {codes[:4]}; must be different, rise, and have their bits"
        wrong = next((each for each in table if not _possible(each, ticks)), None)
        if wrong is not None:
            yield (
                f"{name} by code: {wrong.count} samples from {wrong.min_ticks} to "
                f"{wrong.max_ticks} ticks with sum {wrong.sum_ticks}"
            )
            return
    if sum(each.sum_ticks for each in tables.times) > ticks:
        yield f"times by code: longer than the run of {ticks} ticks"
    channel = next((each for each in channels if each.number == tables.channel), None)
    rise = None if channel is None else channel.measurement(Kind.RISE)
    if rise is None:
        return
    count = sum(each.count for each in tables.latencies)
    total = sum(each.sum_ticks for each in tables.latencies)
    known = rise.statistics
    if (count, total) != (known.count, known.sum_ticks):
        yield (
            f"latencies by code: {count} with sum {total} ticks; "
            f"ch{tables.channel} has {known.count} with sum {known.sum_ticks} ticks"
        )


def _possible(each: CodeFigures, ticks: int) -> bool:
    """Return whether samples can have such figures. Above VALUE_MOST only the sum is exact."""
    most = ticks if each.max_ticks == VALUE_MOST else each.max_ticks
    return (
        0 < each.count <= ticks
        and -VALUE_MOST - 1 <= each.min_ticks <= each.max_ticks <= VALUE_MOST
        and each.min_ticks * each.count <= each.sum_ticks <= most * each.count
    )
