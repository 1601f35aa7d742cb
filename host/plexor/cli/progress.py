# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: a line for each step, and for a run one line that changes.

In a file, the line of a run comes at intervals.
"""

from __future__ import annotations

import os
import sys
import time

from plexor.base.streams import printable_line, screen
from plexor.library.watch import Progress, SnapshotResult, progress_text, worst_text

LINE_EVERY_S = 10.0
REDRAW_EVERY_S = 0.1


class StepLines:
    """Prints each step of many, with the time that the rest may take by those before."""

    def __init__(self, what: str, about: str = "") -> None:
        self._what = what
        self._about = about
        """`about `, where the number of steps is not known."""
        self._began = time.monotonic()
        self._known = 0

    def skip(self) -> None:
        """Count a step that was known before, and say nothing of it."""
        self._known += 1

    def say(self, words: str, done: int, expected: int) -> None:
        """Print a step, how many are done with it, and how many there are."""
        step_s = (time.monotonic() - self._began) / (done - self._known)
        left = f", {step_s * max(expected - done, 0):.0f} s left"
        if done == expected and not self._about:
            left = ""
        print(
            f"plexor: {self._what} {done} of {self._about}{max(expected, done)}{left}: {words}",
            file=sys.stderr,
            flush=True,
        )


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
