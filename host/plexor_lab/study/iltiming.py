# SPDX-License-Identifier: Apache-2.0
"""Interrupt latencies that a published article gives for three configurations of one board.

M. Hall, S. Maillet, "Testing Real-Time Systems in Microsoft Windows CE .NET", 2002, Tables 2 to 4.
The article prints tenths of microseconds, and no counts of samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import count as numbers

SOURCE = 'M. Hall, S. Maillet, "Testing Real-Time Systems in Microsoft Windows CE .NET", 2002'
PRINTED_PS = 100_000
"""The last digit that the article prints."""


class Latency(StrEnum):
    """The two latencies of a table."""

    ISR = "ISR"
    """From the interrupt to the first instruction of its service routine."""
    IST = "IST"
    """From the end of that routine to the start of the service thread."""


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One latency of a table, in picoseconds. Raises ValueError for a mean beyond the extremes."""

    table: int
    latency: Latency
    min_ps: int
    mean_ps: int
    max_ps: int

    def __post_init__(self) -> None:
        if not self.min_ps <= self.mean_ps <= self.max_ps:
            raise ValueError(f"mean_ps: {self.mean_ps}; must be {self.min_ps} to {self.max_ps}")

    @property
    def spread_ps(self) -> int:
        """Maximum minus minimum, computed."""
        return self.max_ps - self.min_ps


CONFIGURATIONS: Mapping[int, Mapping[str, str]] = {
    # The article names the pool's size in Tables 3 and 4 alone, and calls 16 the default.
    2: {"rtc": "hardware", "debug link": "on", "TLB pool": "16"},
    3: {"rtc": "virtual", "debug link": "off", "TLB pool": "16"},
    4: {"rtc": "virtual", "debug link": "off", "TLB pool": "512"},
}
"""What differs between the tables, by their numbers. The size of the pool is in pages."""
DEVICE: Mapping[str, str] = {"os": "Windows CE .NET", "board": "CEPC, AMD K6, 500 MHz"}
"""What is the same in all of them."""

ROWS: tuple[LatencyRow, ...] = (
    LatencyRow(2, Latency.ISR, 1_600_000, 3_100_000, 10_600_000),
    LatencyRow(2, Latency.IST, 23_500_000, 32_200_000, 122_600_000),
    LatencyRow(3, Latency.ISR, 1_600_000, 1_600_000, 2_500_000),
    LatencyRow(3, Latency.IST, 7_500_000, 8_400_000, 36_000_000),
    LatencyRow(4, Latency.ISR, 1_600_000, 1_600_000, 1_600_000),
    LatencyRow(4, Latency.IST, 21_700_000, 22_700_000, 26_800_000),
)


def replay_ps(row: LatencyRow, count: int) -> tuple[int, ...]:
    """Return `count` latencies with a row's minimum, mean and maximum, in whole picoseconds.

    Their sum is `count` times the mean. If the mean equals one of two different extremes, it can
    only be rounded: then the sum is the nearest one that has both, and its mean rounds to it.
    One number to a line, they are a file for `synthetic:ch0.latency=list:FILE`.

    Raises ValueError if `count` is too small for such a sum.
    """
    total = _total_ps(row, count)
    if total is None:
        least = next(n for n in numbers(1) if _total_ps(row, n) is not None)
        raise ValueError(
            f"count: {count}; must be {least} or more for {row.latency} of table {row.table}"
        )
    if count == 1:
        return (total,)
    # What the two extremes leave is spread evenly over the others, to a picosecond.
    middle, over = divmod(total - row.min_ps - row.max_ps, max(count - 2, 1))
    middle_values = [middle + (n < over) for n in range(count - 2)]
    return (row.min_ps, *middle_values, row.max_ps)


def _total_ps(row: LatencyRow, count: int) -> int | None:
    """Return the sum of `count` latencies of a row; None if there are no such latencies."""
    if count < 1 or (count == 1 and row.spread_ps):
        return None
    exact = count * row.mean_ps
    least, most = (
        (count - 1) * first_ps + second_ps
        for first_ps, second_ps in ((row.min_ps, row.max_ps), (row.max_ps, row.min_ps))
    )
    total = min(max(exact, least), most)
    rounds = row.mean_ps in (row.min_ps, row.max_ps) and 2 * abs(total - exact) < count * PRINTED_PS
    return total if total == exact or rounds else None
