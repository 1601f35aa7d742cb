# SPDX-License-Identifier: Apache-2.0
"""A thread that works on the newest of what it is given, and leaves out what it has no time for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class NewestOnly(Generic[T]):
    """Calls `work` with the newest item, at most once each `each_s` seconds, until closed."""

    def __init__(self, work: Callable[[T], None], each_s: float, name: str) -> None:
        self._work = work
        self._each_s = each_s
        self._items: list[T] = []
        self._changed = threading.Condition()
        self._closed = False
        self._busy = self._hurry = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def put(self, item: T) -> None:
        """Take an item in the place of one that is still waiting."""
        with self._changed:
            self._items[:] = [item]
            self._changed.notify_all()

    def flush(self) -> None:
        """Work on what waits at once; return when nothing waits and nothing is worked on."""
        with self._changed:
            self._hurry = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or not (self._items or self._busy))
            self._hurry = False

    def close(self) -> None:
        """End the thread. What still waits is left out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        due = 0.0
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or self._items)
                self._changed.wait_for(
                    lambda: self._closed or self._hurry, max(due - time.monotonic(), 0)
                )
                if self._closed:
                    return
                item = self._items.pop()
                self._busy = True
            due = time.monotonic() + self._each_s
            self._work(item)
