# SPDX-License-Identifier: Apache-2.0
"""Processes that do jobs, and leave Ctrl-C to the one that asked for them."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import ClassVar


class Processes(ProcessPoolExecutor):
    """A number of processes, which end with their jobs when this one ends, however suddenly."""

    _abandoned: ClassVar[list[Processes]] = []

    def __init__(self, number: int) -> None:
        # A fork of a process with threads may hang; what is spawned knows nothing of them.
        context = get_context("spawn")
        self._end, held = context.Pipe()
        super().__init__(number, context, _begin, (held,))

    def abandon(self) -> None:
        """End all of them at once; their jobs are lost, and those not begun are dropped."""
        # Dropped jobs must leave the queue first. Python's own thread ends with an error if it
        # finds one there when the processes end. It asks its executor, which must be there to be
        # asked: a busy machine lets that thread come late.
        self._abandoned.append(self)
        self.shutdown(wait=False, cancel_futures=True)
        self._end.close()


def _begin(held: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end() -> None:
        # Nothing is sent: it is ready when its other end is closed.
        held.poll(None)
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()
