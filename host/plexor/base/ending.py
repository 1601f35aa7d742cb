# SPDX-License-Identifier: Apache-2.0
"""The second interrupt ends the program within seconds, whatever it is doing.

The first one stops a run, and what it measured is kept. That takes time, if much was measured or if
an instrument does not obey. Who interrupts again wants the terminal back.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

from plexor.base.errors import ExitCode

END_S = 2.0
"""Wall time from the second interrupt to the end of the program, if it has not ended by itself."""
_SAID = b"plexor: interrupted twice; ended before what had come was made into a run\n"


class _Interrupts:
    """How often this program was interrupted, if it is one that may be ended."""

    def __init__(self) -> None:
        self.owned = False
        self.count = 0

    def count_one(self) -> None:
        """Count an interrupt. The second one begins the time that is left."""
        self.count += 1
        if self.owned and self.count == 2:
            timer = threading.Timer(END_S, _end)
            timer.daemon = True
            timer.start()


_interrupts = _Interrupts()
interrupted = _interrupts.count_one
"""Say that a signal was an interrupt."""


def own_signals() -> None:
    """Take SIGINT and SIGTERM for the whole program, which is then ended by the second one.

    SIGTERM keeps what was measured so far, as Ctrl-C does.
    """
    _interrupts.owned = True
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _handle)


def _handle(number: int, frame: FrameType | None) -> None:
    interrupted()
    signal.default_int_handler(number, frame)


def _end() -> None:
    try:
        os.write(2, _SAID)
    finally:
        os._exit(ExitCode.INTERRUPTED)
