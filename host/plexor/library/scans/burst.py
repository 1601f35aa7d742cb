# SPDX-License-Identifier: Apache-2.0
"""Burst scans: how many strikes in a row a device answers, at each spacing."""

from __future__ import annotations

from pathlib import Path

from plexor.base.counts import counted
from plexor.base.figure_words import source_word
from plexor.experiments.burst.model import BurstResult, SpacingLimit
from plexor.experiments.burst.scan import BurstSteps
from plexor.experiments.burst.store import BURST
from plexor.library.files import write_text
from plexor.library.scans.burst_spec import BurstSpec, wanted_of
from plexor.library.scans.scan import Scan
from plexor.library.scans.steps import step_scan
from plexor.library.specs.options import Target
from plexor.show.pictures.burst import burst_page, burst_picture
from plexor.show.terminal.burst import burst_text

PAGE_FILE = "burst.html"


class BurstScan(Scan[BurstResult]):
    """A burst scan that has ended, from `Instrument.burst` or `plexor.load`."""

    what = "burst scan"
    kept = BURST

    def __repr__(self) -> str:
        kind = source_word(self.simulated)
        return f"<plexor.BurstScan {kind}: {counted(len(self.limits), 'limit')}>"

    @property
    def limits(self) -> tuple[SpacingLimit, ...]:
        """The longest burst for each spacing and channel: `limit.lengths.passing`."""
        return self.result.limits

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return the figures as text for a terminal of `width` columns."""
        return burst_text(self.result, width=width, colour=colour)

    def write(self, folder: Path) -> None:
        """Write it, and its page, into a folder. Raises StoreError."""
        super().write(folder)
        write_text(folder / PAGE_FILE, self.page())

    def page(self) -> str:
        """Return the figures as an HTML page."""
        return burst_page(self.result, self.document())

    def picture(self) -> str:
        """Return the figures as an SVG picture."""
        return burst_picture(self.result)


def scanned(asked: BurstSpec, target: Target) -> BurstScan:
    """Find the longest burst that a device answers completely, for each spacing of its strikes.

    Raises UsageError for options that cannot be combined. Steps are taken as `step_scan` does, by
    other processes: in a script, call it below `if __name__ == "__main__":`.
    """
    return step_scan(asked, target, BurstSteps(wanted_of(asked, target)), BurstScan, asked.on_step)
