# SPDX-License-Identifier: Apache-2.0
"""Burst scans: how many strikes in a row a device answers, at each spacing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from plexor.burst.model import BurstResult, SpacingLimit
from plexor.burst.scan import BurstGoal, burst_scan
from plexor.burst.store import BURST, FILE
from plexor.errors import StoreError
from plexor.library.files import write_text
from plexor.library.pins import described
from plexor.library.scans.burst_spec import BurstSpec, wanted_of
from plexor.library.scans.scan import Scan
from plexor.library.scans.watched import watched
from plexor.library.scans.workers import workers_of
from plexor.library.specs.options import Target
from plexor.session.prepare import now
from plexor.session.session import versions
from plexor.sweep.executor import Workers
from plexor.sweep.model import RateStep
from plexor.sweep.store import StepStore, question_of

PAGE_FILE = "burst.html"


class BurstScan(Scan[BurstResult]):
    """A burst scan that has ended, from `Instrument.burst` or `plexor.load`."""

    what = "burst scan"

    def __repr__(self) -> str:
        kind = "simulated" if self.simulated else "measured"
        return f"<plexor.BurstScan {kind}: {len(self.limits)} limits>"

    @property
    def limits(self) -> tuple[SpacingLimit, ...]:
        """The longest burst for each spacing and channel: `limit.lengths.passing`."""
        return self.result.limits

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return the figures as text for a terminal of `width` columns."""
        from plexor.render.terminal.burst import burst_text  # noqa: PLC0415

        return burst_text(self.result, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return the figures as the document that `plexor burst --json` prints."""
        return BURST.of(self.result)

    def page(self) -> str:
        """Return the figures as an HTML page."""
        from plexor.render.pictures.burst import burst_page  # noqa: PLC0415

        return burst_page(self.result)

    def picture(self) -> str:
        """Return the figures as an SVG picture."""
        from plexor.render.pictures.burst import burst_picture  # noqa: PLC0415

        return burst_picture(self.result)


def scanned(asked: BurstSpec, target: Target) -> BurstScan:
    """Find the longest burst that a device answers completely, for each spacing of its strikes.

    Its stop, KeyboardInterrupt or an exception of its `on_step` ends a scan after the steps that
    are under way. What was found by then is kept. An exception of `on_step` is then raised;
    otherwise it is returned, also if a step failed: then its `error` says why.

    Raises UsageError for options that cannot be combined, and what made the first step fail. Steps
    are taken by other processes: in a script, call it below `if __name__ == "__main__":`.
    """
    started, name = now(), asked.naming
    wanted = wanted_of(asked, target)
    workers = workers_of(target.link, asked.executor, name)
    description = described(target.link, target.dut, asked.device or {})
    question = question_of("burst", wanted, [wanted.dut])
    store = StepStore(asked.out, question, force=asked.force, names=(name("out"), name("force")))
    with store, watched(asked.on_step, asked.stop) as tell, Workers(workers) as opened:
        limits, steps, end = burst_scan(wanted, opened, store, tell)
        if not steps:
            # Nothing is known of a device then, not even whether it is simulated.
            raise end.error or KeyboardInterrupt
        made = BurstScan(
            replace(
                _result(wanted, limits, steps, end.interrupted, description),
                started=started,
                command=shlex.join(asked.command),
            ),
            end.error,
        )
        if asked.out is not None and asked.out.exists():
            made.unsaved = _kept(made, asked.out, store)
    return made


def _kept(scan: BurstScan, out: Path, store: StepStore) -> StoreError | None:
    """Keep a scan and its page; return why it could not be."""
    try:
        store.finish()
        BURST.write(scan.result, out / FILE)
        write_text(out / PAGE_FILE, scan.page())
    except StoreError as error:
        return error
    return None


def _result(
    wanted: BurstGoal,
    limits: Sequence[SpacingLimit],
    steps: Sequence[RateStep],
    interrupted: bool,
    description: Mapping[str, str],
) -> BurstResult:
    return BurstResult(
        steps[0].tick_fs,
        any(step.simulated for step in steps),
        wanted.criterion.text,
        wanted.period_s,
        wanted.timeout_s,
        tuple(limits),
        interrupted,
        wanted.settings.load,
        description,
        versions(),
        steps[0].drawn,
        wanted.settings.load_name,
        steps[0].device_load,
    )
