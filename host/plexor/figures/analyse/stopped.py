# SPDX-License-Identifier: Apache-2.0
"""Explains why a threshold ended a run: which channel, how late it was, and which strike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.figures.analyse.analyse import ChannelFigures, Report
from plexor.model.results import RunResult
from plexor.model.settings import parse_reference
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import StopReason


@dataclass(frozen=True, slots=True)
class Stopped:
    """The threshold that ended a run. A value is None if the events that would tell are missing.

    A stall or a code has no channel.
    """

    by: StopReason
    channel: str | None = None
    latency_ticks: int | None = None
    """Latency of the response; None for a missed strike."""
    at_ticks: int | None = None
    """Time from the start of the run."""
    strike: int | None = None
    """Number of the strike among those of its output, from 1."""


def stopped(report: Report) -> Stopped | None:
    """Return the threshold that ended a run; None if none did."""
    result = report.result
    at_ticks = None if result.trigger_ticks is None else result.trigger_ticks - result.start_ticks
    if result.stop_reason in (StopReason.STALL, StopReason.CODE):
        return Stopped(result.stop_reason, at_ticks=at_ticks)
    if result.stop_reason not in (StopReason.LATENCY, StopReason.MISSED):
        return None
    cause_of = _missed if result.stop_reason == StopReason.MISSED else _late
    return cause_of(report, at_ticks)


def _late(report: Report, at_ticks: int | None) -> Stopped:
    result = report.result
    source = _source(result)
    channel = next((c for c in report.channels if c.result.number == source), None)
    if channel is None or channel.rise is None:
        return Stopped(StopReason.LATENCY, at_ticks=at_ticks)
    rise, trigger = channel.rise, result.trigger_index
    latency = strike = None
    if rise.samples is None:
        if rise.max_index == trigger and rise.max_ticks is not None:
            latency = rise.max_ticks + report.base_ticks
        return Stopped(StopReason.LATENCY, channel.name, latency, at_ticks)
    for position in np.flatnonzero(rise.samples.index == trigger)[:1].tolist():
        start = int(rise.samples.start_ticks[position])
        latency = int(rise.samples.time_ticks[position]) - start
        strike = _number(result, channel, start)
    return Stopped(StopReason.LATENCY, channel.name, latency, at_ticks, strike)


def _missed(report: Report, at_ticks: int | None) -> Stopped:
    """Return the earliest strike that a channel missed."""
    misses: list[tuple[int, ChannelFigures]] = []
    watched = report.result.settings.trigger_channels
    for channel in report.channels:
        if watched is not None and channel.result.number not in watched:
            continue
        strikes = _strikes(report.result, channel)
        rise = channel.rise
        answered = None if rise is None else rise.samples
        if strikes is None or (rise is not None and answered is None):
            continue
        starts = np.zeros(0, np.int64) if answered is None else answered.start_ticks
        unanswered = strikes[~np.isin(strikes, starts)]
        if len(unanswered):
            misses.append((int(unanswered[0]), channel))
    if not misses:
        names = [
            channel.name
            for channel in report.channels
            if channel.result.classes[ResponseClass.MISSED]
        ]
        return Stopped(StopReason.MISSED, names[0] if len(names) == 1 else None, None, at_ticks)
    start, channel = min(misses, key=lambda miss: miss[0])
    number = _number(report.result, channel, start)
    at_ticks = start - report.result.start_ticks
    return Stopped(StopReason.MISSED, channel.name, None, at_ticks, number)


def _source(result: RunResult) -> int | None:
    """Return the source of the trigger event; None if that event is missing."""
    for events in (result.trace, result.events):
        if events is not None and result.trigger_index is not None:
            own = events["source"][events["index"] == result.trigger_index]
            if len(own):
                return int(own[0])
    return None


def _strikes(result: RunResult, channel: ChannelFigures) -> npt.NDArray[np.int64] | None:
    """Return the times of a channel's strikes; None if any event is missing."""
    source, polarity = parse_reference(channel.result.reference)
    accounting = {entry.source: entry for entry in result.accounting.sources}
    if result.events is None or source not in accounting:
        return None
    events = result.events
    if int(np.count_nonzero(events["source"] == source)) != accounting[source].generated:
        return None
    own = (events["source"] == source) & (events["polarity"] == polarity)
    return events["time_ticks"][own].astype(np.int64)


def _number(result: RunResult, channel: ChannelFigures, start_ticks: int) -> int | None:
    strikes = _strikes(result, channel)
    return None if strikes is None else int(np.searchsorted(strikes, start_ticks, side="right"))
