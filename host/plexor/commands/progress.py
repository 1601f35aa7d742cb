"""The progress of a run on standard error: one line that changes; in a file, lines at intervals."""

from __future__ import annotations

import shutil
import sys
import time

from plexor.library.snapshot import Progress
from plexor.units import format_rate, format_seconds

LINE_EVERY_S = 10.0
REDRAW_EVERY_S = 0.1


class ProgressLine:
    """Shows progress until `close`; prints nothing for 10 s if standard error is not a terminal."""

    def __init__(self) -> None:
        self._tty = sys.stderr.isatty()
        self._last = time.monotonic() - (REDRAW_EVERY_S if self._tty else 0)
        self._drawn = False

    def __call__(self, progress: Progress) -> None:
        """Show the progress of the run."""
        now = time.monotonic()
        if now - self._last < (REDRAW_EVERY_S if self._tty else LINE_EVERY_S):
            return
        self._last = now
        if self._tty:
            width = shutil.get_terminal_size((80, 24)).columns
            sys.stderr.write(f"\r\x1b[K{progress_text(progress)[: width - 1]}")
            self._drawn = True
        else:
            sys.stderr.write(f"plexor: {progress_text(progress)}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Leave the line clean for what follows."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False


def progress_text(progress: Progress) -> str:
    """Return `42 %  4,200 strikes  20 kHz  210 ms  3 s left`."""
    part = progress.fraction
    pieces = [f"{progress.strikes:,} strikes"]
    if progress.expected_strikes:
        pieces[0] = f"{progress.strikes:,} of {progress.expected_strikes:,} strikes"
    if part is not None:
        pieces.insert(0, f"{part:4.0%}")
    if progress.rate_hz:
        pieces.append(format_rate(progress.rate_hz))
    pieces.append(f"{format_seconds(progress.elapsed_s, 3)} of the device's time")
    if progress.remaining_wall_s is not None:
        pieces.append(f"{progress.remaining_wall_s:.0f} s left")
    lost = progress.dropped + progress.frames_lost
    if lost:
        pieces.append(f"{progress.dropped:,} events dropped, {progress.frames_lost:,} frames lost")
    return "  ".join(pieces)
