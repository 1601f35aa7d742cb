# SPDX-License-Identifier: Apache-2.0
"""The run of `plexor measure`, on the instrument at the link that it names."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing

from plexor.base.errors import UsageError
from plexor.base.units import format_rate
from plexor.cli.interrupts import stop_on_signals
from plexor.cli.measure.live import LiveView
from plexor.cli.progress import ProgressLine
from plexor.library.instrument import Instrument, Listeners
from plexor.library.keep import Tap
from plexor.library.run import Budget, Run
from plexor.library.run_spec import RunSpec, Settings
from plexor.library.specs.options import Source
from plexor.library.specs.texts import Reaction
from plexor.library.watch import Actions, SnapshotResult


def take(
    source: Source,
    asked: RunSpec,
    settings: Settings,
    tap: Tap | None,
    budget: Budget | None,
    device: Mapping[str, str],
    actions: Sequence[Reaction] = (),
    *,
    live: bool,
    endless: bool = False,
) -> Run:
    """Take the run. The first SIGINT or SIGTERM stops it; what was taken is kept.

    `device` describes what is measured; `live` shows its figures meanwhile. `actions` are started
    by what comes. The user is told of an `endless` run before its first strike. Raises UsageError
    before it if something does not fit the link or the budget.
    """
    with Instrument(
        source.link,
        dut=source.dut,
        fallback=source.fallback,
        calibration=source.calibration,
        tap=tap,
        load=asked.load,
    ) as instrument:
        for note in instrument.notes:
            print(f"plexor: {note}", file=sys.stderr)
        settings = instrument.checked(settings, asked)
        if budget is not None:
            _check_budget(budget, settings)
        settings = instrument.watched(settings, live=live)
        if endless:
            print(f"plexor: {format_rate(asked.rate or 0)} until Ctrl-C", file=sys.stderr)
        tick_fs = instrument.identity.tick_fs
        view = LiveView(tick_fs, instrument.simulated) if live else ProgressLine(tick_fs)
        with closing(view), stop_on_signals() as stop:
            settings = instrument.zoomed(settings, asked, stop)
            if not actions:
                listeners = Listeners(view, view.snapshot)
                return instrument.run(
                    settings=settings, listeners=listeners, stop=stop, device=device
                )
            with Actions(actions, tick_fs) as acting:

                def snapped(result: SnapshotResult) -> None:
                    view.snapshot(result)
                    acting.look(result.channels)

                listeners = Listeners(view, snapped)
                run = instrument.run(
                    settings=settings, listeners=listeners, stop=stop, device=device
                )
                acting.look(run.result.channels)
            for line in acting.failures:
                print(f"plexor: {line}", file=sys.stderr)
            return run


def _check_budget(budget: Budget, settings: Settings) -> None:
    """Reject a budget for a channel that is not measured before the run, not after it."""
    try:
        budget.check([channel.label for channel in settings.channels])
    except ValueError as error:
        raise UsageError(str(error)) from error
