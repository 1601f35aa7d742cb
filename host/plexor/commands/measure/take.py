"""The run of `plexor measure`, on the instrument at the link that it names."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from plexor.calibration.store import find, of_other_builds
from plexor.commands.interrupts import stop_on_signals
from plexor.commands.measure.keep import Tap
from plexor.commands.measure.options import Options, named
from plexor.commands.pins import channels_of
from plexor.commands.progress import ProgressLine
from plexor.device.device import Device
from plexor.errors import UsageError
from plexor.judge.budget import Budget
from plexor.link.base import Link
from plexor.link.open import DEFAULT_DUT, open_link, sim_device
from plexor.link.sim import SimLink
from plexor.model.calibration import Calibration
from plexor.model.results import RunResult
from plexor.model.settings import Settings
from plexor.session.session import measure


def take(options: Options, settings: Settings, tap: Tap | None, budget: Budget | None) -> RunResult:
    """Take the run. The first SIGINT or SIGTERM stops it; what was taken is kept.

    Raises UsageError before the first strike if something does not fit the link or the budget.
    """
    link = _opened(options)
    with Device(link, tap) as device:
        calibration = _calibration(device, options.calibration)
        dut, description = _described(options, link)
        if not settings.channels:
            found = channels_of(dut, device.identity.geometry.channels)
            settings = replace(settings, channels=named(found, options.deadline))
        if budget is not None:
            _check_budget(budget, settings)
        with closing(ProgressLine()) as line, stop_on_signals() as stop:
            result = measure(device, settings, line, description, stop=stop)
        return replace(result, calibration=calibration)


def _opened(options: Options) -> Link:
    uri, dut = options.link, options.dut
    simulated = uri.startswith("sim:")
    if dut is not None and not simulated:
        raise click.UsageError(f"--dut {dut} is for --link sim:; {uri} has a device of its own")
    if options.fallback and not simulated:
        raise click.UsageError(f"--fallback is for --link sim:; {uri} has a device of its own")
    return open_link(uri, dut, ["--fallback"] if options.fallback else [])


def _described(options: Options, link: Link) -> tuple[str | None, dict[str, str]]:
    """Return the name and the description of a simulated device. Print a line about a fallback."""
    keys = dict(options.keys)
    if not options.link.startswith("sim:"):
        return None, keys
    asked = sim_device(options.link) or options.dut or DEFAULT_DUT
    if not isinstance(link, SimLink) or not link.fallback:
        return asked, {"dut": asked, **keys}
    print(f"plexor: {link.fallback}", file=sys.stderr)
    description = {"dut": link.device, **keys}
    if link.device != asked:
        description["asked_for"] = asked
    return link.device, description


def _check_budget(budget: Budget, settings: Settings) -> None:
    """Reject a budget for a channel that is not measured before the run, not after it."""
    try:
        budget.check([channel.label for channel in settings.channels])
    except ValueError as error:
        raise UsageError(str(error)) from error


def _calibration(device: Device, chosen: Path | None) -> Calibration | None:
    if chosen == Path("none"):
        return None
    found = find(device.serial, device.identity, chosen)
    if found is None:
        for line in of_other_builds(device.serial, device.identity):
            print(f"plexor: calibration not applied: {line}", file=sys.stderr)
    return found
