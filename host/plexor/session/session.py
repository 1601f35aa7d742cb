"""A run, from settings to a result, whatever happens on the way.

A run that is interrupted is stopped and kept; one whose link dies keeps what came before.
"""

from __future__ import annotations

import platform
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from types import FrameType

from plexor.decode.assemble import Circumstances, assemble, live_channels
from plexor.decode.collect import Collector
from plexor.decode.decoder import FaultKind
from plexor.device.device import Device, SilenceError
from plexor.device.features import COMPUTED
from plexor.errors import InstrumentError, LinkError, UsageError
from plexor.model.calibration import Calibration
from plexor.model.results import ChannelResult, RunResult
from plexor.model.settings import Settings
from plexor.plan.expected import expected_strikes, followed
from plexor.plan.registers import REPORT_SPACES, Plan, plan_of, stream_of
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.registers import Action, RunState
from plexor.session.fetch import fetch
from plexor.session.progress import Progress
from plexor.units import seconds_of

POLL_S = 0.2
"""Wall time between two looks at a run."""
STILL_S = 60.0
"""An instrument whose time stands still for so long is taken for dead, one that does not stop too.
A simulated board has patience."""
STOP_WAIT_S = 1.0
"""Whoever interrupts twice does not wait for an answer."""
START_TRIES = 3
"""Of those that are not answered."""
_START_TICKS = ("status", 0, "start_ticks")


OnProgress = Callable[[Progress], None]
OnSnapshot = Callable[[tuple[ChannelResult, ...]], None]


def measure(
    device: Device,
    settings: Settings,
    on_progress: OnProgress | None = None,
    description: Mapping[str, str] | None = None,
    on_snapshot: OnSnapshot | None = None,
    calibration: Calibration | None = None,
) -> RunResult:
    """Run a measurement and return its result.

    Raises UsageError for settings that the instrument cannot take, and LinkError or InstrumentError
    where the run does not start. From then on there is always a result: an interrupt stops the run
    and keeps it, a link that dies leaves a result that is invalid and says so. `on_snapshot` gets
    the results so far whenever a snapshot has come. `calibration` is kept with the result.
    """
    found = _Run(device, settings, on_progress, description or {}, on_snapshot)
    found.calibration = calibration
    return found.run()


def versions() -> dict[str, str]:
    """Return the versions of what takes a run."""
    return {
        "plexor": metadata.version("plexor"),
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
    }


class _Run:
    def __init__(
        self,
        device: Device,
        settings: Settings,
        on_progress: OnProgress | None,
        description: Mapping[str, str],
        on_snapshot: OnSnapshot | None,
    ) -> None:
        try:
            self.plan: Plan = plan_of(settings, device.identity)
        except ValueError as error:
            raise UsageError(str(error)) from error
        self.device = device
        self.settings = replace(settings, stream=stream_of(settings, device.identity))
        self.on_progress = on_progress
        self.on_snapshot = on_snapshot
        self.description = description
        geometry = device.identity.geometry
        # What the chip leaves out is computed from events, so they are kept until then.
        keeps = settings.keep_events or bool(COMPUTED & ~geometry.features)
        self.collector = Collector(geometry, keeps)
        self.interrupted = False
        self.asked_to_stop = False
        self.started = ""
        self.began = 0.0
        self.frames_before = (0, 0)
        self.faults_before: Counter[FaultKind] = Counter()
        self.snapshot_shown: int | None = None
        self.calibration: Calibration | None = None

    def run(self) -> RunResult:
        self.device.consumer = self.collector
        try:
            with self._interrupts():
                broken = self._run()
        finally:
            self.device.consumer = None
        return self._result(broken)

    def _run(self) -> str | None:
        """Run; return why the end was not seen, None where it was."""
        try:
            self._prepare()
            self._start()
        except KeyboardInterrupt:
            self._stop_quietly()
            raise
        try:
            self._follow()
            fetch(self.device, self.plan, self.collector)
        except (LinkError, InstrumentError) as error:
            return str(error)
        except KeyboardInterrupt:
            # A second interrupt: whatever has come is what there is.
            self.interrupted = True
            self._stop_quietly()
            return "interrupted before the results came"
        return None

    @property
    def still_s(self) -> float:
        """How long nothing may change."""
        return STILL_S * self.device.patience

    @contextmanager
    def _interrupts(self) -> Generator[None]:
        """Let the first interrupt ask for the end of the run: raised anywhere, it could lose data.

        The second one is raised.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def handle(number: int, frame: FrameType | None) -> None:
            if self.asked_to_stop:
                signal.default_int_handler(number, frame)
            self.asked_to_stop = True

        before = signal.signal(signal.SIGINT, handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _prepare(self) -> None:
        device = self.device
        if device.read("status", "state") not in (RunState.IDLE, RunState.DONE):
            device.write("control", "action", Action.STOP)
            deadline = time.monotonic() + self.still_s
            while device.read("status", "state") not in (RunState.IDLE, RunState.DONE):
                if time.monotonic() > deadline:
                    raise InstrumentError(f"{device.name}: an earlier run does not end")
                device.pump(POLL_S)
            # Its last frames must not be taken for this run's.
            while device.pump(POLL_S):
                if time.monotonic() > deadline:
                    raise InstrumentError(f"{device.name}: an earlier run's frames do not end")
        device.write_all(self.plan.registers)

    def _start(self) -> None:
        """Send START until a run has begun: while an earlier one's dump goes out it is ignored."""
        device = self.device
        (before,) = device.read_all([_START_TICKS])
        self.collector.reset()
        self.frames_before = (device.decoder.frames_received, device.decoder.frames_lost)
        self.faults_before = device.decoder.fault_counts.copy()
        self.disorder_before = device.disorder
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.began = time.monotonic()
        unanswered = 0
        while unanswered < START_TRIES and time.monotonic() - self.began < self.still_s:
            unanswered += not device.write_once("control", "action", Action.START)
            try:
                state, start = device.read_all([("status", 0, "state"), _START_TICKS])
            except LinkError:
                if self.collector.started_ticks is None:
                    raise
                return
            if start != before or state not in (RunState.IDLE, RunState.DONE):
                return
            device.pump(0.05)
        raise SilenceError(f"{device.name}: the instrument does not start a run")

    def _follow(self) -> None:
        """Consume frames until the run has ended; the first interrupt stops it."""
        next_poll = time.monotonic()
        moved, last_ticks = time.monotonic(), -1
        stopping = moved
        while True:
            try:
                if self.collector.stopped is not None:
                    break
                if self.asked_to_stop and not self.interrupted:
                    raise KeyboardInterrupt
                self.device.pump(max(next_poll - time.monotonic(), 0.0))
                if time.monotonic() < next_poll:
                    continue
                state, ticks = self._poll()
                next_poll = time.monotonic() + POLL_S
                if ticks != last_ticks:
                    moved, last_ticks = time.monotonic(), ticks
                elif time.monotonic() - moved > self.still_s:
                    raise InstrumentError(
                        f"{self.device.name}: the instrument's time stands still at {ticks} ticks"
                    )
                if self.interrupted and time.monotonic() - stopping > self.still_s:
                    raise InstrumentError(f"{self.device.name}: the instrument does not stop")
                if state == RunState.DONE:
                    break
            except KeyboardInterrupt:
                if self.interrupted:
                    raise
                self.interrupted = True
                stopping = time.monotonic()
                self.device.write("control", "action", Action.STOP)

    def _poll(self) -> tuple[int, int]:
        """Look at the run's state and time, and tell the progress."""
        outputs = followed(self.settings)
        state, ticks, start, dropped, *edges = self.device.read_all(
            [
                ("status", 0, "state"),
                ("status", 0, "time_ticks"),
                ("status", 0, "start_ticks"),
                ("status", 0, "upload_dropped"),
                *(("source", SOURCE_STRIKE + output, "generated") for output in outputs),
            ]
        )
        if self.on_progress is not None and state in set(RunState):
            # Before RUNNING the start is that of the run before.
            elapsed = max(ticks - start, 0) if state >= RunState.RUNNING else 0
            self.on_progress(
                self._progress(RunState(state), elapsed, sum((n + 1) // 2 for n in edges), dropped)
            )
        if self.on_snapshot is not None:
            number = self.collector.memories.coherent(REPORT_SPACES)
            if number is not None and number != self.snapshot_shown:
                self.snapshot_shown = number
                self.on_snapshot(
                    live_channels(
                        self.device.identity, self.device.image, self.collector, self.settings
                    )
                )
        return state, ticks

    def _progress(self, state: RunState, ticks: int, strikes: int, dropped: int) -> Progress:
        decoder = self.device.decoder
        identity = self.device.identity
        wall_s = time.monotonic() - self.began
        elapsed_s = float(seconds_of(ticks, identity.tick_fs))
        expected = expected_strikes(self.plan, self.settings)
        expected_s = self.settings.time_s
        progress = Progress(
            strikes,
            expected,
            elapsed_s,
            None if expected_s is None else float(expected_s),
            wall_s,
            None,
            self.collector.received_total,
            dropped,
            decoder.frames_lost - self.frames_before[1],
            decoder.fault_counts.total() - self.faults_before.total(),
            state,
        )
        part = progress.fraction
        return replace(progress, remaining_wall_s=wall_s * (1 - part) / part) if part else progress

    def _stop_quietly(self) -> None:
        """Ask the instrument to stop, if it still listens."""
        try:
            self.device.write_once("control", "action", Action.STOP, STOP_WAIT_S)
        except (LinkError, InstrumentError):
            return

    def _result(self, broken: str | None) -> RunResult:
        decoder = self.device.decoder
        faults = decoder.fault_counts - self.faults_before
        return assemble(
            self.device.identity,
            self.device.image,
            self.collector,
            (
                decoder.frames_received - self.frames_before[0],
                decoder.frames_lost - self.frames_before[1],
            ),
            {str(kind): count for kind, count in faults.items()},
            Circumstances(
                self.settings,
                self.plan.registers,
                self.plan.echo,
                self.interrupted,
                round(time.monotonic() - self.began, 3),
                self.started,
                versions(),
                self.description,
                self.device.disorder - self.disorder_before,
                self.calibration,
            ),
            broken,
        )
