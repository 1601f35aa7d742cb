# SPDX-License-Identifier: Apache-2.0
"""A run's events as rows of a table: pin, edge, class and latency."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from plexor.model.results import EventArray
from plexor.model.sources import source_name
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_CODE, SOURCE_CODE_VALUE, SOURCES
from plexor.protocol.memory import ResponseClass
from plexor.show.export.source import ExportSource, Pin
from plexor.wire.decode.outcomes import NONE, Outcomes

ROWS = 1 << 17
"""Number of rows in a piece of the table."""
EDGES = ("idle", "active")
"""Names of polarity 0 and 1."""
CLASSES = ("answered", "late", "missed", "duplicate", "spurious")
COLUMNS: Mapping[str, str] = {
    "time_ticks": "time from the start of the run, in ticks of tick_fs femtoseconds",
    "index": "number of the event, with every event before it counted, dropped ones included",
    "pin": "the source of the event: a strike output, a channel, or a code",
    "edge": "to the active or to the idle level",
    "class": "of a response, an active edge of a channel: answered, late, duplicate or spurious",
    "latency_ticks": "from the strike to this response, in ticks",
    "strike_index": "index of the strike that this response answers",
    "missed_by": "of a strike, the channels that did not answer it, separated by ;",
    "code": "of a code, its value",
}
"""Columns with their meanings."""

Mask = npt.NDArray[np.bool_]


def rows(
    source: ExportSource,
    events: EventArray,
    pa: Any,
    names_in_file: Callable[[list[str]], list[str]] = list,
) -> Iterator[Mapping[str, Any]]:
    """Yield the columns of COLUMNS, as arrays of `pa` (pyarrow), piece by piece, in order of time.

    `names_in_file` maps names of pins to names in the file. If a channel's events are incomplete,
    its classes and latencies are null.
    """
    number_of = np.zeros(SOURCES, np.int8)
    codes = (SOURCE_CODE, SOURCE_CODE_VALUE)
    sources = [*source.pins, *(Pin(number, source_name(number)) for number in codes)]
    for number, pin in enumerate(sources):
        number_of[pin.source] = number
    labels = names_in_file([pin.name for pin in sources])
    pins = pa.array(labels, pa.string())
    edges, classes = pa.array(EDGES, pa.string()), pa.array(CLASSES, pa.string())
    outcomes = source.checked.outcomes
    names = [labels[int(number_of[SOURCE_CHANNEL + number])] for number in outcomes]
    missed_by = pa.array(_subsets(names), pa.string())

    def named(codes: npt.NDArray[Any], mask: Mask | None, texts: Any) -> Any:
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=mask), texts)

    for first in range(0, max(len(events), 1), ROWS):
        piece = events[first : first + ROWS]
        response, latency_ticks, strike, missed = _matched(
            list(outcomes.values()), events, first, len(piece)
        )
        unmatched = strike == NONE
        columns = (
            pa.array(source.times(piece)),
            pa.array(piece["index"].astype(np.int64)),
            named(number_of[piece["source"]], None, pins),
            named(piece["polarity"].astype(np.int8), None, edges),
            named(response, response == NONE, classes),
            pa.array(latency_ticks, mask=unmatched),
            pa.array(strike, mask=unmatched),
            named(missed, missed == 0, missed_by),
            _codes(source, piece, pa),
        )
        yield dict(zip(COLUMNS, columns, strict=True))


def _codes(source: ExportSource, piece: EventArray, pa: Any) -> Any:
    """Return the value of each code among the events."""
    codes = source.result.codes
    positions = np.flatnonzero(piece["source"] == SOURCE_CODE)
    own = np.searchsorted(codes["index"], piece["index"][positions])
    values, none = np.zeros(len(piece), np.uint16), np.ones(len(piece), np.bool_)
    complete = own < len(codes)
    values[positions[complete]], none[positions[complete]] = codes["code"][own[complete]], False
    return pa.array(values, mask=none)


def _matched(
    channels: list[Outcomes], events: EventArray, first: int, count: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64], npt.NDArray[np.int64], Any]:
    """Return each event's class, latency, strike index, and the channels that missed it.

    Channels are bits, the first one in bit 0.
    """
    response = np.full(count, NONE, np.int8)
    latency_ticks = np.zeros(count, np.int64)
    strike = np.full(count, NONE, np.int64)
    missed = np.zeros(count, np.int16)
    for number, channel in enumerate(channels):
        low, high = np.searchsorted(channel.responses, (first, first + count))
        rows_of = channel.responses[low:high] - first
        response[rows_of] = channel.response_class[low:high]
        answered = channel.strike_of[low:high]
        own = answered != NONE
        latency_ticks[rows_of] = channel.latency_ticks[low:high]
        strike[rows_of[own]] = events["index"][channel.strikes[answered[own]]]
        low, high = np.searchsorted(channel.strikes, (first, first + count))
        lost = channel.strike_class[low:high] == ResponseClass.MISSED
        missed[channel.strikes[low:high][lost] - first] |= 1 << number
    return response, latency_ticks, strike, missed


def _subsets(names: list[str]) -> list[str]:
    """Return the joined names of each set of them, by its bits."""
    choices = product((False, True), repeat=len(names))
    return [
        ";".join(name for name, chosen in zip(names, reversed(bits), strict=True) if chosen)
        for bits in choices
    ]
