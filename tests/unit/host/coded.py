# SPDX-License-Identifier: Apache-2.0
"""Codes as a device sends them, planted by tests, and runs that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from plexor.model.code_array import CODE_DTYPE, CodeArray
from plexor.model.codes import CodeName, Codes, Wires
from plexor.model.results import EVENT_DTYPE, EventArray, RunResult

from .runs import run

BITS = 16
CLOCK, DATA = 2, 3
BIT_TICKS = 40
"""Time of a bit: its data, half of it later its clock edge."""

Planted = Sequence[tuple[int, int, int]]
"""(time in ticks, class, id) of each code."""


def value(code_class: int, code_id: int, bits: int = BITS) -> int:
    """A code's value."""
    return code_class * 2 ** (bits - 4) + code_id


def array(planted: Planted) -> CodeArray:
    """Codes as they are read."""
    found = np.zeros(len(planted), CODE_DTYPE)
    for place, (time, code_class, code_id) in enumerate(planted):
        found[place]["time_ticks"] = time
        found[place]["code"] = value(code_class, code_id)
    return found


def edges(planted: Iterable[tuple[int, int]], bits: int = BITS) -> EventArray:
    """Edges of both wires for (time of the first clock edge, value) of each code."""
    rows: list[tuple[int, int, int]] = []
    level = 0
    for time, number in planted:
        for place in range(bits):
            at = time + place * BIT_TICKS
            bit = number >> (bits - 1 - place) & 1
            if bit != level:
                rows.append((at - BIT_TICKS // 2, DATA, bit))
                level = bit
            rows += [(at, CLOCK, 1), (at + BIT_TICKS // 4, CLOCK, 0)]
    rows.sort()
    found = np.zeros(len(rows), EVENT_DTYPE)
    for place, (time, source, polarity) in enumerate(rows):
        found[place] = (time, place, source, polarity)
    return found


def coded_run(planted: Planted, end_ticks: int, names: tuple[CodeName, ...] = ()) -> RunResult:
    """A run of `end_ticks` from tick 0 in which a device sent codes. They must be a code apart."""
    result, _ = run()
    events = edges([(time, value(*what)) for time, *what in planted])
    settings = replace(
        result.settings, codes=Codes(wires=Wires(CLOCK, DATA), bits=BITS, names=names)
    )
    whole = replace(
        result.accounting,
        received=len(events),
        generated=len(events) + result.accounting.generated - result.accounting.received,
    )
    return replace(
        result,
        accounting=whole,
        events=events,
        settings=settings,
        start_ticks=0,
        end_ticks=end_ticks,
    )
