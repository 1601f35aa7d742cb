# SPDX-License-Identifier: Apache-2.0
"""The tables of codes: how long each code lasted, and latencies by the code at the strike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CODE_FIGURES, VALUE_MOST, code_place, table_bits
from plexor_sim.golden.edges import Times
from plexor_sim.golden.matcher import Samples


@dataclass(slots=True)
class Figures:
    """Figures of one code; all 0 without a sample."""

    count: int = 0
    sum_ticks: int = 0
    min_ticks: int = 0
    max_ticks: int = 0

    def add(self, value_ticks: int) -> None:
        """Add a sample. Minimum and maximum stop at VALUE_MOST."""
        shown = min(value_ticks, VALUE_MOST)
        self.min_ticks = min(self.min_ticks, shown) if self.count else shown
        self.max_ticks = max(self.max_ticks, shown) if self.count else shown
        self.count += 1
        self.sum_ticks += value_ticks


def _empty(geometry: Geometry) -> list[Figures]:
    return [Figures() for _ in range(1 << table_bits(geometry))]


def times_by_code(geometry: Geometry, times: Sequence[int], codes: Sequence[int]) -> list[Figures]:
    """Return figures of the time from each code to the next one, in ticks, by entry."""
    table = _empty(geometry)
    for place, code in enumerate(codes[:-1]):
        table[code_place(geometry, code)].add(times[place + 1] - times[place])
    return table


def latencies_by_code(
    geometry: Geometry, times: Sequence[int], codes: Sequence[int], rise: Samples
) -> list[Figures]:
    """Return figures of a channel's rise latencies by the code in force at the strike, by entry.

    A strike in the tick of a code comes before it. Before the first code, 0 is in force.
    """
    table = _empty(geometry)
    # An early response is completed by its strike.
    struck: Times = rise.time_ticks - np.maximum(rise.value_ticks, 0)
    passed: list[int] = np.searchsorted(np.array(times, np.int64), struck, side="left").tolist()
    for value_ticks, count in zip(rise.value_ticks.tolist(), passed, strict=True):
        code = codes[count - 1] if count else 0
        table[code_place(geometry, code)].add(value_ticks)
    return table


def words(table: Sequence[Figures]) -> bytes:
    """Return a table as its space holds it."""
    return b"".join(
        CODE_FIGURES.pack(
            {
                "count": each.count,
                "sum_ticks": each.sum_ticks,
                "min_ticks": each.min_ticks,
                "max_ticks": each.max_ticks,
            }
        )
        for each in table
    )
