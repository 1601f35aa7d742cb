# SPDX-License-Identifier: Apache-2.0
"""What the chip counted of codes: how long each lasted, and how late answers to strikes were."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeFigures:
    """Figures of one code, in ticks. Minimum and maximum stop at 2**31 - 1."""

    code: int
    """The code. Of one with more than 8 bits the lower ones are 0: it stands for all of them."""
    count: int
    sum_ticks: int
    min_ticks: int
    max_ticks: int


@dataclass(frozen=True, slots=True)
class CodeTables:
    """The chip's tables of codes, by code. Codes without a sample are left out."""

    channel: int
    """Number of the channel whose rise latencies are counted."""
    times: tuple[CodeFigures, ...]
    """Times from each code to the next one."""
    latencies: tuple[CodeFigures, ...]
    """Latencies by the code in force at the strike. Before the first code it is 0."""
