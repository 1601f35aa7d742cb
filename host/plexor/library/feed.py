# SPDX-License-Identifier: Apache-2.0
"""Batches of events from a run's thread to one reader, with back-pressure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from threading import Condition

from plexor.model.results import EventArray

MOST_EVENTS = 1 << 20
"""Number of events that wait for a reader. Then the run's thread waits, the link behind it, and at
last the instrument, which counts what it must drop."""


class Feed:
    """An iterator of event arrays. `close` ends it; the run then waits for it no longer."""

    def __init__(self, condition: Condition) -> None:
        self._changed = condition
        self._batches: deque[EventArray] = deque()
        self._waiting = 0
        self._ended = False

    def put(self, events: EventArray) -> None:
        """Add a batch; wait while the reader has too many before it."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._waiting < MOST_EVENTS)
            if not self._ended and len(events):
                self._batches.append(events)
                self._waiting += len(events)
                self._changed.notify_all()

    def finish(self) -> None:
        """End the iteration after the batches that wait."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def close(self) -> None:
        """End the iteration now, and drop the batches that wait."""
        with self._changed:
            self._batches.clear()
            self._waiting = 0
            self._ended = True
            self._changed.notify_all()

    def __iter__(self) -> Iterator[EventArray]:
        return self

    def __next__(self) -> EventArray:
        with self._changed:
            self._changed.wait_for(lambda: bool(self._batches) or self._ended)
            if not self._batches:
                raise StopIteration
            batch = self._batches.popleft()
            self._waiting -= len(batch)
            self._changed.notify_all()
            return batch
