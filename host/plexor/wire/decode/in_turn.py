# SPDX-License-Identifier: Apache-2.0
"""Matching on the host, one event after the other: `docs/instrument.md`, "Matching"."""

from __future__ import annotations

from collections import deque

import numpy as np

from plexor.model.results import EventArray, Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import ChannelMatches, Rules, Samples


def match_in_turn(events: EventArray, rules: Rules, end_ticks: int) -> ChannelMatches:
    """Match complete, time-ordered events (EVENT_DTYPE) of a run on one channel."""
    return _Matcher(rules).run(events, end_ticks)


class _List:
    """Samples under construction: value, time, index and start of each."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int, int]] = []

    def add(self, start: int, time: int, index: int) -> None:
        """Add the time from `start` to the event that completes it."""
        self.rows.append((time - start, time, index, start))

    def array(self) -> Samples:
        """Return the samples as arrays."""
        return Samples(*np.array(self.rows, np.int64).reshape(-1, 4).T)


class _Matcher:
    """One channel's matcher."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.classes = dict.fromkeys(ResponseClass, 0)
        self.active_edges = 0
        self.samples = {kind: _List() for kind in Kind}
        self._queue: deque[int] = deque()
        self._held: int | None = None
        self._matched: int | None = None
        self._response_strike: int | None = None
        self._active: int | None = None

    def run(self, events: EventArray, end_ticks: int) -> ChannelMatches:
        """Match the events of a run up to its end."""
        rules = self.rules
        source, polarity = events["source"], events["polarity"]
        strike = (source == rules.reference_source) & (polarity == rules.reference_polarity)
        own = source == rules.channel_source
        chosen = np.flatnonzero(strike | own)
        for time, index, is_own, active in zip(
            events["time_ticks"][chosen].tolist(),
            events["index"][chosen].tolist(),
            own[chosen].tolist(),
            polarity[chosen].tolist(),
            strict=True,
        ):
            self._look(time)
            if not is_own:
                self._strike(time, index)
            elif active:
                self._response(time, index)
            else:
                self._back(time, index)
        self._look(end_ticks)
        self._settle_held()
        samples = {kind: listed.array() for kind, listed in self.samples.items()}
        outstanding = np.array(self._queue, np.int64)
        return ChannelMatches(samples, self.classes, outstanding, self.active_edges)

    def _look(self, time: int) -> None:
        while self._queue and time - self._queue[0] > self.rules.timeout_ticks:
            self._queue.popleft()
            self.classes[ResponseClass.MISSED] += 1
        if self._held is not None and time - self._held > self.rules.early_ticks:
            self._settle_held()

    def _settle_held(self) -> None:
        if self._held is not None:
            self._settle(self._held)
            self._held = None

    def _settle(self, response: int) -> None:
        near = self._matched is not None and response - self._matched <= self.rules.timeout_ticks
        self.classes[ResponseClass.DUPLICATE if near else ResponseClass.SPURIOUS] += 1

    def _match(self, strike: int, latency: int) -> None:
        late = latency > self.rules.deadline_ticks
        self.classes[ResponseClass.LATE if late else ResponseClass.ANSWERED] += 1
        self._matched = strike

    def _strike(self, time: int, index: int) -> None:
        self.classes[ResponseClass.STRIKES] += 1
        if self._held is not None and self.rules.early_ticks:
            self.classes[ResponseClass.EARLY] += 1
            self._match(time, self._held - time)
            # The strike completes it, and it is measured from the strike.
            self.samples[Kind.RISE].rows.append((self._held - time, time, index, time))
            self._held = None
            return
        if self.rules.policy == Policy.LATEST and self._queue:
            self._queue.popleft()
            self.classes[ResponseClass.MISSED] += 1
        if len(self._queue) >= self.rules.queue_depth:
            self.classes[ResponseClass.MISSED] += 1
            self.classes[ResponseClass.QUEUE_FULL] += 1
            return
        self._queue.append(time)

    def _response(self, time: int, index: int) -> None:
        self.active_edges += 1
        if self._active is not None:
            self.samples[Kind.PERIOD].add(self._active, time, index)
        self._active = time
        self._response_strike = None
        rules = self.rules
        if self._queue and not (
            rules.policy == Policy.WINDOW and time - self._queue[0] < rules.window_min_ticks
        ):
            strike = self._queue.popleft()
            self._response_strike = strike
            self._match(strike, time - strike)
            self.samples[Kind.RISE].add(strike, time, index)
        elif rules.early_ticks:
            self._settle_held()
            self._held = time
        else:
            self._settle(time)

    def _back(self, time: int, index: int) -> None:
        if self._response_strike is not None:
            self.samples[Kind.FALL].add(self._response_strike, time, index)
            self._response_strike = None
        if self._active is not None:
            self.samples[Kind.WIDTH].add(self._active, time, index)
