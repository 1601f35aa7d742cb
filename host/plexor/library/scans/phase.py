# SPDX-License-Identifier: Apache-2.0
"""Phase scans: latency over the phase of a device's tick, or of another output."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from plexor.base.disk.folder import FolderPlace
from plexor.base.errors import StoreError
from plexor.base.figure_words import source_word
from plexor.experiments.phase.model import ChannelPhases as ChannelScan
from plexor.experiments.phase.model import PhaseResult
from plexor.experiments.phase.run import run
from plexor.experiments.phase.store import PHASE
from plexor.files.store.run_folder import put_run
from plexor.library.files import unsaved, write_text
from plexor.library.keep import check_new
from plexor.library.run import Run
from plexor.library.run_spec import named_by
from plexor.library.scans.phase_spec import PhaseSpec, wanted_of
from plexor.library.scans.scan import Scan
from plexor.library.specs.options import Target
from plexor.model.results import RunResult
from plexor.show.pictures.phase import phase_page, phase_picture
from plexor.show.terminal.phase import phase_text
from plexor.wire.device.device import Device

PAGE_FILE = "phase.html"


class PhaseScan(Scan[PhaseResult]):
    """A phase scan that has ended, from `Instrument.phase` or `plexor.load`."""

    what = "phase scan"
    kept = PHASE

    def __init__(
        self, result: PhaseResult, run: Run | None = None, unsaved: StoreError | None = None
    ) -> None:
        super().__init__(result, unsaved=unsaved)
        self.run = run
        """The run that it was taken from; None if it was loaded."""

    def __repr__(self) -> str:
        kind = source_word(self.simulated)
        windows = sum(len(channel.windows) for channel in self.channels)
        return f"<plexor.PhaseScan {kind}: {windows} masked windows>"

    @property
    def channels(self) -> tuple[ChannelScan, ...]:
        """The phases of each channel: `channel.bins`, and `channel.windows` that are masked."""
        return self.result.scans

    @property
    def invalid_reasons(self) -> tuple[str, ...]:
        """Why the figures cannot be trusted; empty for a valid scan."""
        return self.result.invalid_reasons

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return the figures as text for a terminal of `width` columns."""
        return phase_text(self.result, width=width, colour=colour)

    def page(self) -> str:
        """Return the figures as an HTML page."""
        return phase_page(self.result, self.document())

    def picture(self) -> str:
        """Return the figures as an SVG picture."""
        return phase_picture(self.result)


def scanned(
    instrument: Device,
    asked: PhaseSpec,
    target: Target,
    *,
    firmware: Path | None = None,
) -> PhaseScan:
    """Find the phases of a tick, a code or another output in which a device is deaf.

    `firmware`, that of a simulated device, names its codes. Its stop and the first
    KeyboardInterrupt end the run; what was measured is kept.

    Raises UsageError for options that the instrument cannot take, and InvalidRunError if the
    reference has no edges. A stop before the run begins raises KeyboardInterrupt.
    """
    kept = None if asked.out is None else check_new(asked.out, asked.naming("out"))
    wanted = wanted_of(asked, target)
    wanted = replace(wanted, codes=named_by(wanted.codes, firmware))
    result, taken = run(instrument, wanted, asked.on_progress, asked.device, asked.stop)
    scan = PhaseScan(replace(result, command=shlex.join(asked.command)), Run(taken))
    if kept is not None:
        scan.unsaved = _kept(scan, taken, kept)
    return scan


def _kept(scan: PhaseScan, taken: RunResult, place: FolderPlace) -> StoreError | None:
    """Keep a scan, its run and its page; return why they could not be."""

    def more(folder: Path) -> None:
        write_text(folder / PAGE_FILE, scan.page())
        scan.write(folder)

    return unsaved(lambda: put_run(taken, place, more=more))
