# SPDX-License-Identifier: Apache-2.0
"""The progress of a run on standard error: one line that changes; in a file, lines at intervals."""

from __future__ import annotations

import os
import sys
import time

from plexor.library.watch import Progress, SnapshotResult, progress_text, worst_text
from plexor.streams import printable_line, screen

LINE_EVERY_S = 10.0
REDRAW_EVERY_S = 0.1


class ProgressLine:
    """Shows progress until `close`; prints nothing for 10 s if standard error is not a terminal.

    `snapshot` adds the maximum latency and the missed strikes, in ticks of `tick_fs`.
    """

    def __init__(self, tick_fs: int = 0) -> None:
        self._tick_fs = tick_fs
        self._worst = ""
        self._tty = sys.stderr.isatty()
        self._last = time.monotonic() - (REDRAW_EVERY_S if self._tty else 0)
        self._drawn = False

    def __call__(self, progress: Progress) -> None:
        """Show the progress of the run."""
        now = time.monotonic()
        if now - self._last < (REDRAW_EVERY_S if self._tty else LINE_EVERY_S):
            return
        self._last = now
        line = "  ".join(filter(None, [progress_text(progress), self._worst]))
        if self._tty:
            _draw(printable_line(line)[: error_width() - 1])
            self._drawn = True
        else:
            print(f"plexor: {line}", file=sys.stderr, flush=True)

    def snapshot(self, snapshot: SnapshotResult) -> None:
        """Take the figures of a snapshot for the next line."""
        self._worst = worst_text(snapshot, self._tick_fs)

    def close(self) -> None:
        """Leave the line clean for what follows."""
        if self._drawn:
            _draw("")
            self._drawn = False


def _draw(line: str) -> None:
    """Draw a line over the one before."""
    print(f"\r\x1b[K{line}", end="", file=screen(sys.stderr), flush=True)


def error_width() -> int:
    """Return the columns of the terminal at standard error; COLUMNS overrides it; 80 without."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
