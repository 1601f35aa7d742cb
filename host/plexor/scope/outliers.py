# SPDX-License-Identifier: Apache-2.0
"""Outliers of a run under way: each time that a channel's latest response moved out, and why.

The instrument keeps the index and the time of a channel's greatest latency, exactly, whatever the
link does. The events around it come from the stream, if it has them.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from plexor.base.units import format_ticks
from plexor.model.results import ChannelResult, EventArray, Kind
from plexor.model.settings import parse_reference
from plexor.model.sources import source_name
from plexor.protocol.frames import SOURCE_CODE, SOURCE_CODE_VALUE
from plexor.scope.interface import Shot

BEFORE, AFTER = 16, 12
"""Events kept on each side of an outlier."""
KEPT_EVENTS = 1 << 16
"""Newest events held back for outliers that snapshots tell of later."""
LAST_EVENTS = 1 << 10
"""Newest events in which the last trace of each channel is looked for."""
MOST = 24
"""Outliers listed: the newest of them."""


CODES = (SOURCE_CODE, SOURCE_CODE_VALUE)


@dataclass(slots=True)
class Outlier:
    """One response that was later than all before it."""

    channel: int
    name: str
    latency_ticks: int
    time_ticks: int
    index: int
    start_ticks: int
    tick_fs: int
    around: EventArray | None = None

    @property
    def complete(self) -> bool:
        """Whether the events behind it have come too."""
        return self.around is not None and bool(self.around["index"][-1] >= self.index + AFTER)

    def document(self) -> dict[str, Any]:
        """Return it as JSON, times in ticks from its strike."""
        strike = self.time_ticks - self.latency_ticks
        events: list[list[Any]] = []
        if self.around is not None:
            times = self.around["time_ticks"].astype(np.int64) - strike
            events = [
                [source_name(int(source)), int(polarity), int(time)]
                for source, polarity, time in zip(
                    self.around["source"], self.around["polarity"], times, strict=True
                )
                if source not in CODES  # their values are not among the events
            ]
        return {
            "channel": self.channel,
            "name": self.name,
            "ticks": self.latency_ticks,
            "index": self.index,
            "latency": format_ticks(self.latency_ticks, self.tick_fs, 5),
            "at": format_ticks(self.time_ticks - self.start_ticks, self.tick_fs, 7),
            "events": events,
        }


class Outliers:
    """Collects outliers from snapshots, and events from the stream, in any threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._found: deque[Outlier] = deque(maxlen=MOST)
            self._most: dict[int, int] = {}
            self._held: deque[EventArray] = deque()
            self._count = 0
            self._references: dict[int, tuple[int, int]] = {}
            self._names: dict[str, str] = {}
            self._changed = False

    def events(self, batch: EventArray) -> None:
        """Take the next events. It only keeps them, for the link waits meanwhile."""
        with self._lock:
            self._held.append(batch)
            self._count += len(batch)
            while len(self._held) > 1 and self._count - len(self._held[0]) >= KEPT_EVENTS:
                self._count -= len(self._held.popleft())

    def shot(self, shot: Shot) -> bool:
        """Take a snapshot; return whether there is news."""
        with self._lock:
            for channel in shot.channels:
                self._references[channel.number] = parse_reference(channel.reference)
                self._names[source_name(channel.number)] = channel.name
                self._look(shot, channel)
            for outlier in self._found:
                if not outlier.complete:
                    self._surround(outlier)
            changed, self._changed = self._changed, False
            return changed

    def document(self) -> dict[str, Any]:
        """Return the outliers as JSON, the newest first, and the names of sources."""
        with self._lock:
            documents = [outlier.document() for outlier in reversed(self._found)]
            return {"outliers": documents, "names": dict(self._names)}

    def traces(self) -> dict[str, Any]:
        """Return [rise, fall] of each channel's last response, in ticks after its strike."""
        with self._lock:
            newest: list[EventArray] = []
            while len(newest) < len(self._held) and sum(map(len, newest)) < LAST_EVENTS:
                newest.insert(0, self._held[-1 - len(newest)])
            references, most = dict(self._references), dict(self._most)
        if not newest:
            return {}
        events = np.concatenate(newest)[-LAST_EVENTS:]
        traces = {
            str(channel): _last_trace(events, channel, reference, most.get(channel, 0))
            for channel, reference in references.items()
        }
        return {name: trace for name, trace in traces.items() if trace is not None}

    def _look(self, shot: Shot, channel: ChannelResult) -> None:
        rise = channel.measurement(Kind.RISE)
        known = None if rise is None else rise.statistics
        if (
            known is None
            or known.max_ticks is None
            or known.max_ticks <= self._most.get(channel.number, -1 << 62)
        ):
            return
        self._most[channel.number] = known.max_ticks
        if known.max_index is None or known.max_time_ticks is None:
            return
        self._found.append(
            Outlier(
                channel.number,
                channel.name,
                known.max_ticks,
                known.max_time_ticks,
                known.max_index,
                shot.start_ticks,
                shot.tick_fs,
            )
        )
        self._changed = True

    def _surround(self, outlier: Outlier) -> None:
        low, high = outlier.index - BEFORE, outlier.index + AFTER
        arrays = [
            batch[(batch["index"] >= max(low, 0)) & (batch["index"] <= high)]
            for batch in self._held
            if len(batch) and int(batch["index"][0]) <= high and int(batch["index"][-1]) >= low
        ]
        events = np.concatenate(arrays) if arrays else None
        if events is None or not len(events) or not np.any(events["index"] == outlier.index):
            return
        if outlier.around is None or len(events) > len(outlier.around):
            outlier.around = events
            self._changed = True


def _last_trace(
    events: EventArray, channel: int, reference: tuple[int, int], most_ticks: int
) -> tuple[int, int] | None:
    """Return (rise, fall) after its strike of the last whole response in events.

    None where a latency may be longer than the time between strikes: the strike that a response
    answers is then not the one before it.
    """
    source, polarity = reference
    times = events["time_ticks"].astype(np.int64)
    strikes = times[(events["source"] == source) & (events["polarity"] == polarity)]
    own = events["source"] == channel
    rises, falls = times[own & (events["polarity"] == 1)], times[own & (events["polarity"] == 0)]
    if len(strikes) < 2 or not len(falls) or int(np.diff(strikes).min()) <= most_ticks:
        return None
    rises = rises[(rises < falls[-1]) & (rises >= strikes[0])]
    if not len(rises):
        return None
    rise = int(rises[-1])
    strike = int(strikes[strikes <= rise][-1])
    return rise - strike, int(falls[falls > rise][0]) - strike
