# SPDX-License-Identifier: Apache-2.0
"""`plexor measure --live`: the run under way on standard error, redrawn in place."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from plexor.base.streams import screen
from plexor.cli.progress import LINE_EVERY_S, error_width
from plexor.library.watch import Progress, SnapshotResult, live_text, progress_text

if TYPE_CHECKING:
    from rich.live import Live

FRAMES_S = 10


class Screen:
    """Standard error as a terminal on which one text is drawn over the one before.

    At most ten texts a second are due. If standard error is not a terminal, one is printed every
    10 s instead.
    """

    def __init__(self) -> None:
        self._tty = sys.stderr.isatty()
        self.colour = self._tty and not os.environ.get("NO_COLOR")
        self._next = 0.0 if self._tty else time.monotonic() + LINE_EVERY_S
        self._live: Live | None = None

    def due(self) -> bool:
        """Return whether it is time for a text; the next one is due later then."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + (1 / FRAMES_S if self._tty else LINE_EVERY_S)
        return True

    def show(self, text: str) -> None:
        """Draw a text."""
        if not self._tty:
            sys.stderr.write(text)
            sys.stderr.flush()
            return
        from rich.text import Text  # noqa: PLC0415

        self._open().update(Text.from_ansi(text, no_wrap=True, overflow="crop"), refresh=True)

    def close(self) -> None:
        """Remove the text, so that the run's figures take its place."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _open(self) -> Live:
        if self._live is None:
            from rich.console import Console  # noqa: PLC0415
            from rich.live import Live  # noqa: PLC0415

            console = Console(file=screen(sys.stderr), highlight=False, width=error_width())
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        return self._live


class LiveView:
    """Draws each snapshot over the one before."""

    def __init__(self, tick_fs: int, simulated: bool) -> None:
        self._tick_fs = tick_fs
        self._simulated = simulated
        self._progress: Progress | None = None
        self._snapshot: SnapshotResult | None = None
        self._screen = Screen()

    def __call__(self, progress: Progress) -> None:
        """Take how far the run is."""
        self._progress = progress
        self._draw()

    def snapshot(self, snapshot: SnapshotResult) -> None:
        """Take the results so far."""
        self._snapshot = snapshot
        self._draw()

    def close(self) -> None:
        """Remove the view, so that the run's figures take its place."""
        self._screen.close()

    def _draw(self) -> None:
        if self._screen.due():
            self._screen.show(self._text(error_width()))

    def _text(self, width: int) -> str:
        heading = "starting" if self._progress is None else progress_text(self._progress).strip()
        if self._simulated:
            heading += "  simulated"
        if self._snapshot is None:
            return f"{heading}\n"
        start_ticks = None if self._progress is None else self._progress.start_ticks
        return live_text(
            self._snapshot,
            heading,
            self._tick_fs,
            start_ticks,
            width=width,
            colour=bool(self._screen.colour),
        )
