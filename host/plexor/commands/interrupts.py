"""Signals during a run: the first one asks for its stop, the second one interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from plexor.session.stop import Stop

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals() -> Generator[Stop]:
    """Yield a Stop that the first SIGINT or SIGTERM asks for; the second raises KeyboardInterrupt.

    Raised anywhere, the first one could lose data. Afterwards the handlers are those from before.
    Python handles signals in the main thread only: in another one nothing asks for the stop.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            signal.default_int_handler(number, frame)
        stop.ask()

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
