# SPDX-License-Identifier: Apache-2.0
"""Reads the chip's tables of codes, and finds contradictions in them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from plexor.base.counts import counted
from plexor.model.code_tables import CodeFigures, CodeTables
from plexor.model.results import ChannelResult, Kind
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_MOST, ByCode, Space, table_bits
from plexor.wire.decode.memories import Memories
from plexor.wire.decode.register_image import RegisterImage


def code_tables_of(image: RegisterImage, memories: Memories) -> CodeTables | None:
    """Return the tables of a run that has ended; None if they are not known."""
    has_codes = image.has("code", "latency_channel")
    if not has_codes or not memories.known(Space.CODES):
        return None
    return CodeTables(
        image.value("code", "latency_channel"),
        *(_figures(memories, table) for table in ByCode),
    )


def _figures(memories: Memories, table: ByCode) -> tuple[CodeFigures, ...]:
    """Return the figures of each code with samples."""
    geometry = memories.geometry
    lower_bits = geometry.code_bits - table_bits(geometry)
    (words,) = memories.complete_dumps(Space.CODES)
    records = words.view("<i8").reshape(len(ByCode), -1, 4)[table]
    return tuple(
        CodeFigures(row << lower_bits, *records[row].tolist())
        for row in np.flatnonzero(records[:, 0]).tolist()
    )


def wrong_tables(
    tables: CodeTables, channels: Sequence[ChannelResult], geometry: Geometry, ticks: int
) -> Iterator[str]:
    """Yield why tables are impossible for a run of so many ticks, with such channels."""
    for name, table in (("times", tables.times), ("latencies", tables.latencies)):
        codes = [figures.code for figures in table]
        if sorted(set(codes)) != codes or not all(0 <= c < 1 << geometry.code_bits for c in codes):
            yield f"{name} by code: codes {codes[:4]}; must be different, rise, and have their bits"
        wrong = next((figures for figures in table if not _possible(figures, ticks)), None)
        if wrong is not None:
            yield (
                f"{name} by code: {counted(wrong.count, 'sample')} from {wrong.min_ticks} to "
                f"{wrong.max_ticks} ticks with sum {wrong.sum_ticks}"
            )
            return
    if sum(figures.sum_ticks for figures in tables.times) > ticks:
        yield f"times by code: longer than the run of {ticks} ticks"
    channel = next(
        (candidate for candidate in channels if candidate.number == tables.channel), None
    )
    rise = None if channel is None else channel.measurement(Kind.RISE)
    if rise is None:
        return
    count = sum(figures.count for figures in tables.latencies)
    total = sum(figures.sum_ticks for figures in tables.latencies)
    known = rise.statistics
    if (count, total) != (known.count, known.sum_ticks):
        yield (
            f"latencies by code: {count} with sum {total} ticks; "
            f"ch{tables.channel} has {known.count} with sum {known.sum_ticks} ticks"
        )


def _possible(figures: CodeFigures, ticks: int) -> bool:
    """Return whether samples can have such figures. Above VALUE_MOST only the sum is exact."""
    most = ticks if figures.max_ticks == VALUE_MOST else figures.max_ticks
    return (
        0 < figures.count <= ticks
        and -VALUE_MOST - 1 <= figures.min_ticks <= figures.max_ticks <= VALUE_MOST
        and figures.min_ticks * figures.count <= figures.sum_ticks <= most * figures.count
    )
