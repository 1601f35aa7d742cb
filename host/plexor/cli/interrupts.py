# SPDX-License-Identifier: Apache-2.0
"""Signals during a run: the first one requests a stop, the second one interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from plexor.base.ending import interrupted
from plexor.library.instrument import Stop

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals() -> Generator[Stop]:
    """Yield a Stop that the first SIGINT or SIGTERM requests; the second raises KeyboardInterrupt.

    An exception on the first signal could lose data. The previous handlers are restored at the end.
    Python handles signals only in the main thread, so in another thread no signal requests a stop.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, frame: FrameType | None) -> None:
        interrupted()
        if stop.asked:
            signal.default_int_handler(number, frame)
        stop.ask()

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
