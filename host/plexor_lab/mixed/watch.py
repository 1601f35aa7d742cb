# SPDX-License-Identifier: Apache-2.0
"""A schedule that is under way, on standard error: a line of progress, or the live view."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from plexor.cli.measure.live import Screen
from plexor.cli.progress import ProgressLine, error_width
from plexor.library.watch import Progress, progress_text
from plexor_lab.mixed.watched import Callbacks, Looked, estimate_text, live_text

if TYPE_CHECKING:
    from plexor_lab.mixed.spec import MixedSpec


class Watch:
    """Shows how far the runs are. `live`: lamps, lists and parameters, drawn in place."""

    def __init__(self, asked: MixedSpec, *, live: bool) -> None:
        self.told = Callbacks(self._run, self._progressed, self._looked if live else None)
        self._asked = asked
        self._name = ""
        self._progress: Progress | None = None
        self._line = None if live else ProgressLine()
        self._screen = Screen()

    def close(self) -> None:
        """Remove the line or the view, so that the figures take its place."""
        if self._line is not None:
            self._line.close()
        self._screen.close()

    def _run(self, number: int, runs: int, name: str) -> None:
        self.close()
        if number == 1:
            print(f"plexor: {estimate_text(self._asked)}", file=sys.stderr, flush=True)
        self._name, self._progress = name, None
        print(f"plexor: run {number} of {runs}: {name}", file=sys.stderr, flush=True)

    def _progressed(self, progress: Progress) -> None:
        self._progress = progress
        if self._line is not None:
            self._line(progress)

    def _looked(self, looked: Looked) -> None:
        if not self._screen.due():
            return
        told = "" if self._progress is None else progress_text(self._progress).strip()
        heading, colour = f"{self._name}  {told}".strip(), bool(self._screen.colour)
        shown = live_text(
            looked, self._asked, self._name, heading, width=error_width(), colour=colour
        )
        self._screen.show(shown)
