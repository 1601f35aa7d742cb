"""Follows a running measurement: consumes its frames and reports its progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from plexor.decode.assemble import live_channels
from plexor.errors import InstrumentError
from plexor.model.results import ChannelResult
from plexor.plan.expected import expected_strikes, followed
from plexor.plan.registers import REPORT_SPACES
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.registers import RunState
from plexor.session.prepare import Begin
from plexor.session.progress import Progress
from plexor.session.run import POLL_S, Run
from plexor.session.stop import Stop
from plexor.units import seconds_of

OnProgress = Callable[[Progress], None]
OnSnapshot = Callable[[tuple[ChannelResult, ...]], None]


@dataclass(frozen=True, slots=True)
class Listeners:
    """The callbacks that a run reports to."""

    on_progress: OnProgress | None = None
    on_snapshot: OnSnapshot | None = None
    """Called with the results so far after each snapshot."""


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

    def __init__(self, run: Run, begin: Begin, listeners: Listeners) -> None:
        self._run = run
        self._begin = begin
        self._listeners = listeners
        self._snapshot_shown: int | None = None
        self._last_ticks = -1
        self._moved = self._next_look = time.monotonic()

    def until_end(self, stop: Stop) -> bool:
        """Return True when the run has ended, or False when its stop is requested."""
        while self._run.collector.stopped is None:
            if stop.asked:
                return False
            if self._ended():
                break
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
        if time.monotonic() < self._next_look:
            return False
        look = _look(self._run)
        self._tell(look)
        self._next_look = time.monotonic() + POLL_S
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
            number = self._run.collector.memories.coherent(REPORT_SPACES)
            if number is not None and number != self._snapshot_shown:
                self._snapshot_shown = number
                tell.on_snapshot(_so_far(self._run))


def _look(run: Run) -> _Look:
    outputs = followed(run.settings)
    state, ticks, start_ticks, dropped, *edges = run.device.read_all(
        [
            ("status", 0, "state"),
            ("status", 0, "time_ticks"),
            ("status", 0, "start_ticks"),
            ("status", 0, "upload_dropped"),
            *(("source", SOURCE_STRIKE + output, "generated") for output in outputs),
        ]
    )
    return _Look(state, ticks, start_ticks, dropped, sum((n + 1) // 2 for n in edges))


def _so_far(run: Run) -> tuple[ChannelResult, ...]:
    return live_channels(run.device.identity, run.device.image, run.collector, run.settings)


def _progress(run: Run, begin: Begin, look: _Look) -> Progress:
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
    )
    part = progress.fraction
    return replace(progress, remaining_wall_s=wall_s * (1 - part) / part) if part else progress
