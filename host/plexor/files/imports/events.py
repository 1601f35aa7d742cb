# SPDX-License-Identifier: Apache-2.0
"""Edges of a capture as events, in the order in which an instrument sends them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from plexor.base.units import format_ticks
from plexor.files.imports.capture import Capture
from plexor.files.imports.signals import ChannelSignal, ImportRules
from plexor.files.imports.timing import CaptureTiming
from plexor.model.results import EVENT_DTYPE, EventArray
from plexor.model.settings import parse_reference
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_STRIKE


def events_of(
    capture: Capture, timing: CaptureTiming, rules: ImportRules, names: Mapping[str, str]
) -> tuple[EventArray, tuple[str, ...]]:
    """Return the events of all rules signals, and what of them is left out.

    `names` are the whole names of the signals. Nothing in a gap of one of them is an event.
    """
    signals = [(SOURCE_STRIKE + n, strike) for n, strike in enumerate(rules.strikes)]
    signals += [(SOURCE_CHANNEL + n, channel) for n, channel in enumerate(rules.channels)]
    arrays: list[EventArray] = []
    left_out: list[str] = []
    for source, signal in signals:
        edges = capture.edges[names[signal.signal]]
        array = np.empty(len(edges.times), EVENT_DTYPE)
        array["time_ticks"] = timing.ticks(edges.times)
        array["source"] = source
        either = isinstance(signal, ChannelSignal) and signal.either
        array["polarity"] = 1 if either else edges.levels ^ np.uint8(signal.invert)
        first = edges.first_value
        unknown = first is not None and (either or first[1] != signal.invert)
        if unknown and edges.first_value is not None:
            first_ticks = timing.ticks(np.array(edges.first_value[:1]))[0]
            left_out.append(
                f"{signal.signal}: its level before "
                f"{format_ticks(int(first_ticks), timing.tick_fs)} is not known; left out an edge "
                "there"
            )
        if source >= SOURCE_STRIKE and len(array) and not array["polarity"][0]:
            array = array[1:]
            if not unknown:
                left_out.append(
                    f"{signal.signal}: left out the end of a strike from before the start"
                )
        if edges.brief:
            changes = "a change" if edges.brief == 1 else f"{edges.brief} changes"
            left_out.append(f"{signal.signal}: left out {changes} that lasted no time")
        arrays.append(array)
    events = np.concatenate(arrays)
    # Stable: of one time, strikes come first, then channels by number.
    events = events[np.argsort(events["time_ticks"], kind="stable")]
    known = np.ones(len(events), bool)
    for first, last in gaps_of(capture, timing):
        known &= (events["time_ticks"] < first) | (events["time_ticks"] >= last)
    events = events[known]
    events["index"] = np.arange(len(events))
    return events, tuple(left_out)


def gaps_of(capture: Capture, timing: CaptureTiming) -> tuple[tuple[int, int], ...]:
    """Return from and to where a signal or the capture is not known, in ticks, in order and apart.

    One to the end of the capture ends with its last tick.
    """
    times = [
        (first, capture.end if last is None else last)
        for edges in capture.edges.values()
        for first, last in edges.gaps
    ] + list(capture.gaps)
    gaps: list[tuple[int, int]] = []
    for first, last in sorted(times):
        begin, end = (
            int(tick) for tick in timing.ticks(np.array([max(first, capture.start), last]))
        )
        if last == capture.end:
            end += timing.factor
        if gaps and begin <= gaps[-1][1]:
            gaps[-1] = (gaps[-1][0], max(end, gaps[-1][1]))
        elif begin < end:
            gaps.append((begin, end))
    return tuple(gaps)


def edges_to(events: EventArray, reference: str) -> npt.NDArray[np.uint64]:
    """Return the times of a reference's edges, in ticks."""
    source, polarity = parse_reference(reference)
    return events["time_ticks"][(events["source"] == source) & (events["polarity"] == polarity)]


def unordered(events: EventArray, reference: str, number: int) -> int:
    """Return how many responses of a channel come at the time of an edge of its reference."""
    struck = edges_to(events, reference)
    if not len(struck):
        return 0
    answered = edges_to(events, f"ch{number}")
    positions = np.minimum(np.searchsorted(struck, answered), len(struck) - 1)
    return int(np.count_nonzero(struck[positions] == answered))
