# SPDX-License-Identifier: Apache-2.0
"""A schedule of ids and due times, carried out by a device, by the host, or by both."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from plexor.base.errors import ExitCode, StoreError
from plexor.library.files import unsaved, write_text, writing
from plexor.library.instrument import Instrument
from plexor.library.keep import check_new
from plexor.library.parts.extensions import Kept
from plexor.library.parts.files import FolderKind, FolderPlace, put, write
from plexor.library.parts.results import Figured, RunResult
from plexor.library.parts.run import Device
from plexor.library.scans.scan import Ended
from plexor.library.specs.spec import takes
from plexor_lab.mixed.compare import least_safe
from plexor_lab.mixed.device_line import open_line
from plexor_lab.mixed.figured import figured_of
from plexor_lab.mixed.figures import by_distance, figures, summaries
from plexor_lab.mixed.goal import wanted_of
from plexor_lab.mixed.model import MixedResult, Mode, ModeRun
from plexor_lab.mixed.rows import write_rows
from plexor_lab.mixed.run import run
from plexor_lab.mixed.spec import MixedSpec
from plexor_lab.mixed.store import FILE, MIXED
from plexor_lab.mixed.summary import Summary
from plexor_lab.mixed.text import mixed_text

ROWS_FILE = "rows.csv"
KIND = FolderKind(FILE, frozenset({ROWS_FILE}))


class Mixed(Ended[MixedResult]):
    """The runs of a schedule that have ended, from `Instrument.mixed` or `plexor.load`."""

    what = "schedule"
    kept = MIXED

    def __repr__(self) -> str:
        kind = "simulated" if self.simulated else "measured"
        return f"<plexor.Mixed {kind}: {', '.join(run.name for run in self.runs)}>"

    @property
    def runs(self) -> tuple[ModeRun, ...]:
        """The runs: `run.rows` are the entries, `run.extras` the responses that belong to none."""
        return self.result.runs

    @property
    def summaries(self) -> Mapping[str, Summary]:
        """The figures of each run, by its name: `verify`, `normal`, `mixed-2`."""
        return summaries(self.result)

    @property
    def least_safe(self) -> int | None:
        """The least distance in steps from which on all are safe; None if there is none."""
        return least_safe(by_distance(self.result, self.summaries))

    @property
    def invalid_reasons(self) -> tuple[str, ...]:
        """Why the figures cannot be trusted; empty for a valid result."""
        return self.result.invalid_reasons

    def exit_code(self) -> ExitCode:
        """Return INVALID for an invalid result, BUDGET if the device fails, or else PASS.

        A device fails if not all entries of mode verify are done, or if no distance is safe.
        """
        if self.invalid_reasons:
            return ExitCode.INVALID
        found, modes = self.summaries, {run.mode for run in self.runs}
        fails = Mode.VERIFY in modes and not found[str(Mode.VERIFY)].safe
        fails |= Mode.MIXED in modes and self.least_safe is None
        return ExitCode.BUDGET if fails else ExitCode.PASS

    def figured(self) -> Figured:
        """Return what became of the entries of each run, and their lateness."""
        return figured_of(self.result, self.what)

    def text(self, *, rows: bool = False, width: int = 100, colour: bool = False) -> str:
        """Return the figures as text for a terminal; `rows` adds the list of every run."""
        return mixed_text(self.result, rows=rows, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return everything, and the figures, as the document of `plexor lab mixed --json`."""
        return {**super().document(), "figures": figures(self.result)}

    def csv(self) -> str:
        """Return the rows of all runs as CSV."""
        return write_rows(self.runs, self.result.tick_fs)


def mixed(
    instrument: Device,
    asked: MixedSpec,
    line: str | None,
) -> Mixed:
    """Run a schedule in one or more modes, and return what came of each entry.

    `line` is the link to the device's own serial line; without it, only mode `normal` runs. Its
    stop and the first KeyboardInterrupt end the run; what was measured is kept.

    Raises UsageError for options that the instrument cannot take, and LinkError or InstrumentError
    if a run does not start.
    """
    target = None if asked.out is None else check_new(asked.out, kind=KIND)
    wanted = wanted_of(asked)
    with ExitStack() as stack:
        executor = None
        if line is not None and any(mode is not Mode.NORMAL for mode, _ in wanted.runs):
            executor = stack.enter_context(open_line(line))
        found = run(
            instrument, wanted, executor, asked.told, stop=asked.stop, description=asked.device
        )
    made = Mixed(replace(found.result, command=shlex.join(asked.command)))
    if target is not None:
        made.unsaved = _kept(made, found.runs, target)
    return made


def _kept(made: Mixed, runs: Sequence[RunResult], place: FolderPlace) -> StoreError | None:
    """Keep a result, its rows and its runs; return why they could not be."""

    def fill(folder: Path) -> None:
        for entry, result in zip(made.runs, runs, strict=True):
            (folder / entry.name).mkdir()
            write(result, folder / entry.name)
        write_text(folder / ROWS_FILE, made.csv())
        made.write(folder)

    def keep() -> None:
        with writing(place.path):
            put(place, KIND, fill)

    return unsaved(keep)


@takes(MixedSpec)
def measured(instrument: Instrument, asked: MixedSpec) -> Mixed:
    """Run a schedule in modes verify, normal and mixed, on one time base with the device.

    `instrument.mixed(...)` is the same. The options are those of MixedSpec: `mode="mixed"`,
    `distance="0,1,2"`, `out="m1"`. Raises as `mixed` does.
    """
    device = instrument.taken_up()
    asked = replace(asked, device=instrument.described(asked.device))
    return mixed(device, asked, asked.device_serial or instrument.device_line)


KEPT = Kept(Mixed.load, MIXED)
