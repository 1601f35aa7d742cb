# SPDX-License-Identifier: Apache-2.0
"""Follows a running measurement: consumes its frames and reports its progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from plexor.base.errors import InstrumentError
from plexor.base.units import seconds_of
from plexor.model.results import EventArray, SnapshotResult
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Action, RunState
from plexor.run.plan.expected import expected_strikes, followed
from plexor.run.session.prepare import Begin
from plexor.run.session.progress import Progress
from plexor.run.session.run import POLL_S, LiveRun
from plexor.run.session.snapshots import Snapshots, SnapshotSource
from plexor.run.session.stop import Stop

OnProgress = Callable[[Progress], None]
OnSnapshot = Callable[[SnapshotResult], None]
OnEvents = Callable[[EventArray], None]


@dataclass(frozen=True, slots=True)
class Listeners:
    """The callbacks that a run reports to."""

    on_progress: OnProgress | None = None
    on_snapshot: OnSnapshot | None = None
    """Called with the results so far after each snapshot."""
    on_events: OnEvents | None = None
    """Called with events as they come (EVENT_DTYPE). The link waits while it runs."""


class RunDriver(Protocol):
    """Acts on an instrument while its run is under way. Its status is then read without a pause."""

    def prepared(self, run: LiveRun) -> None:
        """Act before the run, when its registers are written."""
        ...

    def looked(self, run: LiveRun, elapsed_ticks: int) -> None:
        """Act on the time since the run's start, after each reading of the status."""
        ...


@dataclass(frozen=True, slots=True)
class _Look:
    """An instrument's status during its run."""

    state: int
    ticks: int
    start_ticks: int
    dropped: int
    strikes: int


class Follower:
    """Consumes the frames of a run and reads its status every POLL_S.

    Raises InstrumentError if the instrument's time stands still.
    """

    def __init__(
        self, run: LiveRun, begin: Begin, listeners: Listeners, driver: RunDriver | None = None
    ) -> None:
        device = run.device
        self._run = run
        self._driver = driver
        self._begin = begin
        self._listeners = listeners
        self._snapshots = Snapshots(
            SnapshotSource(device.identity, device.image, run.collector, run.settings)
        )
        self._last_ticks = -1
        self._moved = self._next_look = time.monotonic()

    def until_end(self, stop: Stop) -> bool:
        """Return True when the run has ended, or False when its stop is requested."""
        while self._run.collector.stopped is None:
            if stop.asked:
                return False
            if self._ended():
                break
            if self._run.collector.must_end:
                self._run.device.write("control", "action", Action.STOP)
                self.until_stopped()
        return True

    def until_stopped(self) -> None:
        """Wait until a run has obeyed its stop. Raises InstrumentError if it does not."""
        told = time.monotonic()
        while self._run.collector.stopped is None and not self._ended():
            if time.monotonic() - told > self._run.still_s:
                raise InstrumentError(f"{self._run.device.name}: the instrument does not stop")

    def _ended(self) -> bool:
        """Handle received frames; return whether the instrument reports the end of the run."""
        self._run.device.pump(max(self._next_look - time.monotonic(), 0.0))
        if self._listeners.on_snapshot is not None:
            dumped = self._snapshots.dumped()
            if dumped is not None:
                self._listeners.on_snapshot(dumped)
                self._next_look = time.monotonic()  # a twin's time waits for that
        if time.monotonic() < self._next_look:
            return False
        look = _look(self._run)
        self._tell(look)
        if self._driver is not None and look.state == RunState.RUNNING:
            self._driver.looked(self._run, max(look.ticks - look.start_ticks, 0))
        self._next_look = time.monotonic() + (POLL_S if self._driver is None else 0.0)
        self._check_moves(look.ticks)
        return look.state == RunState.DONE

    def _check_moves(self, ticks: int) -> None:
        if ticks != self._last_ticks:
            self._moved, self._last_ticks = time.monotonic(), ticks
        elif time.monotonic() - self._moved > self._run.still_s:
            raise InstrumentError(
                f"{self._run.device.name}: the instrument's time has stopped at {ticks} ticks"
            )

    def _tell(self, look: _Look) -> None:
        tell = self._listeners
        if tell.on_progress is not None and look.state in set(RunState):
            tell.on_progress(_progress(self._run, self._begin, look))
        if tell.on_snapshot is not None:
            computed = self._snapshots.computed(look.ticks)
            if computed is not None:
                tell.on_snapshot(computed)


def _look(run: LiveRun) -> _Look:
    outputs = followed(run.settings)
    counted = Feature.MATCH in run.device.identity.geometry.features
    state, ticks, start_ticks, dropped, *edges = run.device.read_all(
        [
            ("status", 0, "state"),
            ("status", 0, "time_ticks"),
            ("status", 0, "start_ticks"),
            ("status", 0, "upload_dropped"),
            *(("source", SOURCE_STRIKE + output, "generated") for output in outputs if counted),
        ]
    )
    if not counted:
        edges = [run.collector.received_of(SOURCE_STRIKE + output) for output in outputs]
        alone = run.plan.value("control", "active_only")
        edges = [
            2 * count if alone >> SOURCE_STRIKE + output & 1 else count
            for output, count in zip(outputs, edges, strict=True)
        ]
    return _Look(state, ticks, start_ticks, dropped, sum((n + 1) // 2 for n in edges))


def _progress(run: LiveRun, begin: Begin, look: _Look) -> Progress:
    decoder = run.device.decoder
    # Until the state is RUNNING, the start time is still that of the previous run.
    running = look.state >= RunState.RUNNING
    elapsed_ticks = max(look.ticks - look.start_ticks, 0) if running else 0
    time_s = run.settings.time_s
    wall_s = time.monotonic() - begin.began
    progress = Progress(
        strikes=look.strikes,
        expected_strikes=expected_strikes(run.plan, run.settings),
        elapsed_s=float(seconds_of(elapsed_ticks, run.device.identity.tick_fs)),
        expected_s=None if time_s is None else float(time_s),
        wall_s=wall_s,
        remaining_wall_s=None,
        events_received=run.collector.received_total,
        dropped=look.dropped,
        frames_lost=decoder.frames_lost - begin.frames_lost,
        decode_faults=decoder.fault_counts.total() - begin.faults.total(),
        state=RunState(look.state),
        start_ticks=look.start_ticks if running else None,
    )
    part = progress.fraction
    return replace(progress, remaining_wall_s=wall_s * (1 - part) / part) if part else progress
