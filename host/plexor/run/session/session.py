# SPDX-License-Identifier: Apache-2.0
"""Takes a run from its settings to its result.

An interrupted run is stopped and kept. A run whose link dies keeps what came before.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata

from plexor.base.errors import InstrumentError, LinkError, UsageError
from plexor.model.load import check_load
from plexor.model.on_host import COMPUTED
from plexor.model.results import RunResult
from plexor.model.settings import Settings
from plexor.protocol.memory import Space
from plexor.protocol.registers import Action
from plexor.run.plan.carried import check_carried
from plexor.run.plan.registers import computes_snapshots, plan_of, stream_of
from plexor.run.session.fetch import fetch
from plexor.run.session.follow import (
    Follower,
    Listeners,
    OnEvents,
    OnProgress,
    OnSnapshot,
    RunDriver,
)
from plexor.run.session.prepare import Begin, prepare, start
from plexor.run.session.run import LiveRun
from plexor.run.session.stop import Stop
from plexor.wire.decode.assemble import Circumstances, assemble
from plexor.wire.decode.channels import matching_of
from plexor.wire.decode.collect import Collector
from plexor.wire.device.device import Device


def measure(
    device: Device,
    settings: Settings,
    on_progress: OnProgress | None = None,
    description: Mapping[str, str] | None = None,
    on_snapshot: OnSnapshot | None = None,
    stop: Stop | None = None,
    on_events: OnEvents | None = None,
    driver: RunDriver | None = None,
) -> RunResult:
    """Run a measurement and return its result.

    Raises UsageError for settings that the instrument cannot take, and LinkError or InstrumentError
    if the run does not start. Once it has started, there is always a result. `stop` and the first
    KeyboardInterrupt stop the run and keep it. A second KeyboardInterrupt ends all waits. If the
    link dies, the result is invalid and says so. `on_snapshot` gets the results so far after each
    snapshot, `on_events` gets the events as they come. `driver` acts on the instrument meanwhile.

    Signal handlers are left to the caller. A KeyboardInterrupt may come anywhere in the work, and
    so lose a part of the data. A handler that calls `stop.ask` loses none.
    """
    run = _planned(device, settings)
    run.collector.on_events = on_events
    device.consumer = run.collector
    try:
        prepare(run)
        if driver is not None:
            driver.prepared(run)
        begin = start(run)
        listeners = Listeners(on_progress, on_snapshot, on_events)
        end = _end_of(run, begin, listeners, stop or Stop(), driver)
    except KeyboardInterrupt:
        run.stop_quietly()
        raise
    finally:
        device.consumer = None
    return _result(run, begin, end, description or {})


def measure_whole(
    device: Device,
    settings: Settings,
    stop: Stop | None = None,
    on_progress: OnProgress | None = None,
) -> RunResult:
    """Return a run of which a part is of no use: a look, a warm-up, a step, a test.

    Raises KeyboardInterrupt if it was interrupted or stopped, and what `measure` raises.
    """
    result = measure(device, settings, on_progress, stop=stop)
    if result.interrupted or (stop is not None and stop.asked):
        raise KeyboardInterrupt
    return result


def versions() -> dict[str, str]:
    """Return the versions of the software that takes a run."""
    return {
        "plexor": metadata.version("plexor"),
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
    }


@dataclass(frozen=True, slots=True)
class _End:
    """How a run ended."""

    interrupted: bool
    broken: str | None = None
    """Why the end was not seen; None if it was."""


def _planned(device: Device, settings: Settings) -> LiveRun:
    check_load(device.load, settings.load_name, settings.load)
    try:
        plan = plan_of(settings, device.identity)
    except ValueError as error:
        raise UsageError(str(error)) from error
    geometry = device.identity.geometry
    settings = replace(settings, stream=stream_of(settings, device.identity))
    try:
        check_carried(settings, device.identity, device.carried_bytes_s)
    except ValueError as error:
        raise UsageError(str(error)) from error
    collector = Collector(geometry, settings.keep_events)
    counted = plan.value("control", "final_spaces") >> Space.CLASSES & 1
    if COMPUTED & ~geometry.features or not counted or computes_snapshots(settings, geometry):
        # What the chip leaves out, the host computes as the events come.
        collector.matches = partial(matching_of, geometry, device.image)
    return LiveRun(device, settings, plan, collector)


def _end_of(
    run: LiveRun, begin: Begin, listeners: Listeners, stop: Stop, driver: RunDriver | None
) -> _End:
    """Follow a run to its end and fetch its results. The first interrupt stops the run."""
    interrupted = False
    try:
        follower = Follower(run, begin, listeners, driver)
        try:
            interrupted = not follower.until_end(stop)
        except KeyboardInterrupt:
            interrupted = True
        if interrupted:
            run.device.write("control", "action", Action.STOP)
            follower.until_stopped()
        fetch(run.device, run.plan, run.collector)
    except (LinkError, InstrumentError) as error:
        return _End(interrupted, str(error))
    except KeyboardInterrupt:
        # After a second interrupt, the result is made from what has come.
        run.stop_quietly()
        return _End(True, "interrupted before the results came")
    return _End(interrupted)


def _result(run: LiveRun, begin: Begin, end: _End, description: Mapping[str, str]) -> RunResult:
    device, decoder = run.device, run.device.decoder
    faults = decoder.fault_counts - begin.faults
    handed_over = {"handed_over": device.handed_over} if device.handed_over else {}
    return assemble(
        device.identity,
        device.image,
        run.collector,
        (
            decoder.frames_received - begin.frames_received,
            decoder.frames_lost - begin.frames_lost,
        ),
        {str(kind): count for kind, count in faults.items()},
        Circumstances(
            settings=run.settings,
            registers=run.plan.registers,
            echo=run.plan.echo,
            interrupted=end.interrupted,
            wall_seconds=round(time.monotonic() - begin.began, 3),
            started=begin.started,
            versions=versions(),
            device={**description, **handed_over},
            device_load=None if device.load is None else device.load.during(run.settings.load),
            device_said=device.take_said(),
            disorder=device.disorder - begin.disorder,
        ),
        end.broken,
    )
