"""An instrument at the end of a link: opened by its URI, measured with, closed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from plexor.calibration.store import find, of_other_builds
from plexor.device.device import Device
from plexor.errors import UsageError
from plexor.library.asked import Asked, asked, named, settings_of
from plexor.library.keep import Tap, check_out, keep
from plexor.library.measurement import Labels, Measurement, busy
from plexor.library.pins import channels_of
from plexor.library.run import Run
from plexor.link.open import DEFAULT_DUT, open_link, sim_device
from plexor.link.sim import SimLink
from plexor.model.calibration import Calibration
from plexor.model.identity import Identity
from plexor.model.results import RunResult
from plexor.model.settings import Settings
from plexor.plan.registers import plan_of, stream_of
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Stream
from plexor.session.follow import Listeners
from plexor.session.session import measure
from plexor.session.stop import Stop


class Instrument:
    """An instrument, from `plexor.open`. Use it as a context manager, or close it.

    It is used by one run at a time. At the end of its block, a run that is under way is stopped and
    kept: `last.run` is what was measured, even if the block ended with an exception.
    """

    def __init__(
        self,
        uri: str,
        *,
        dut: str | None = None,
        fallback: bool = False,
        calibration: Calibration | str | Path | None = None,
        tap: Tap | None = None,
    ) -> None:
        self.uri = uri
        self.last: Measurement | None = None
        """The last measurement; None before the first."""
        self.notes: tuple[str, ...] = ()
        """What the user should know of what was opened, one sentence each."""
        self._stack = ExitStack()
        if tap is not None:
            self._stack.callback(tap.close)
        try:
            self._open(dut, fallback, tap)
            self._calibration = self._calibrated(calibration)
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop a run that is under way, keep what it measured, and close the link."""
        if self.last is not None and not self.last.ended:
            self.last.stop()
            self.last.wait()
        self._stack.close()

    @property
    def identity(self) -> Identity:
        """What the instrument is: geometry, features, board, build."""
        return self.device.identity

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return self.identity.simulated

    def settings(self, options: Mapping[str, Any], *, endless: bool = False) -> Settings:
        """Return the settings of `measure` with these options; without channels, all pins.

        Raises UsageError for options that cannot be read, combined or had from this instrument.
        """
        wanted = asked(options)
        return self.checked(settings_of(wanted, endless=endless), wanted)

    def checked(self, settings: Settings, wanted: Asked | None = None) -> Settings:
        """Return settings with the device's pins if they name no channel.

        Raises UsageError for settings that the instrument cannot take.
        """
        if not settings.channels:
            found = channels_of(self._dut, self.identity.geometry.channels)
            deadline = None if wanted is None else wanted.deadline
            settings = replace(settings, channels=named(found, deadline))
        try:
            plan_of(settings, self.identity)
        except ValueError as error:
            raise UsageError(str(error)) from error
        return settings

    def watched(self, settings: Settings, *, live: bool) -> Settings:
        """Return settings with snapshots for a person who watches, if the instrument has any.

        `live`: ten a second, by the chip if it takes them. Otherwise what costs the run least. A
        simulated instrument's second is long, so its snapshots come at shorter intervals.
        """
        streams = stream_of(settings, self.identity) == Stream.LIVE
        if not streams and Feature.SNAPSHOT not in self.identity.geometry.features:
            return settings
        every_s = Fraction(1, 10) if live else Fraction(1, 2)
        if self.simulated:
            every_s /= 10
        return replace(settings, report_s=every_s, report_on_chip=live or not streams)

    def measure(
        self,
        settings: Settings | None = None,
        *,
        device: Mapping[str, str] | None = None,
        out: str | Path | None = None,
        **options: Any,
    ) -> Measurement:
        """Begin a run in a thread of its own, and return it.

        The options are those of `plexor measure`, as texts or numbers (hertz, seconds):
        `rate="20k"`, `count=10_000`, `time="2s"`, `channels=["ISR=ch0"]`, `deadline=50e-6`. With
        `every="100ms"` the run has snapshots. Without an end, it lasts until it is stopped.
        `settings` are complete ones, in place of options. `device` describes what is measured. The
        run is kept in the folder `out`, even if it is stopped.

        Raises UsageError for options that the instrument cannot take, and during another run.
        """
        busy(self.last)
        chosen = self._chosen(settings, options, endless=True)
        target = None if out is None else Path(out)
        check_out(target, force=False)

        def take(listeners: Listeners, stop: Stop) -> Run:
            return self._take(chosen, listeners, stop, device, target)

        self.last = Measurement(take, Labels(self.identity.tick_fs, self.simulated))
        return self.last.start()

    def run(
        self,
        settings: Settings | None = None,
        *,
        listeners: Listeners | None = None,
        stop: Stop | None = None,
        device: Mapping[str, str] | None = None,
        out: str | Path | None = None,
        **options: Any,
    ) -> Run:
        """Take a run in this thread, and return it. The options are those of `measure`.

        `listeners` are told of its progress, snapshots and events. `stop` ends it, and so does the
        first KeyboardInterrupt; what was measured is kept. If the run cannot be kept in `out`, its
        `unsaved` says why.
        """
        busy(self.last)
        chosen = self._chosen(settings, options, endless=stop is not None)
        target = None if out is None else Path(out)
        check_out(target, force=False)
        return self._take(chosen, listeners or Listeners(), stop or Stop(), device, target)

    def _chosen(
        self, settings: Settings | None, options: Mapping[str, Any], *, endless: bool
    ) -> Settings:
        if settings is None:
            return self.settings(options, endless=endless)
        if options:
            raise UsageError(f"{', '.join(options)}: give complete settings, or options")
        return self.checked(settings)

    def _take(
        self,
        settings: Settings,
        listeners: Listeners,
        stop: Stop,
        device: Mapping[str, str] | None,
        out: Path | None,
    ) -> Run:
        described = {**self._description, **(device or {})}
        result = self._measured(settings, listeners, stop, described)
        result = replace(result, calibration=self._calibration)
        return Run(result, unsaved=None if out is None else keep(result, out))

    def _measured(
        self,
        settings: Settings,
        listeners: Listeners,
        stop: Stop,
        description: Mapping[str, str],
    ) -> RunResult:
        return measure(
            self.device,
            settings,
            listeners.on_progress,
            description,
            listeners.on_snapshot,
            stop,
            listeners.on_events,
        )

    def _serial(self) -> str:
        return self.device.serial

    def _open(self, dut: str | None, fallback: bool, tap: Tap | None) -> None:
        simulated = self.uri.startswith("sim:")
        if not simulated and (dut is not None or fallback):
            what = "fallback" if dut is None else f"dut {dut}"
            raise UsageError(f"{what}: is for sim: links; {self.uri} has a device of its own")
        link = open_link(self.uri, dut, ["--fallback"] if fallback else [])
        self.device = self._stack.enter_context(Device(link, tap))
        self._dut: str | None = None
        self._description: dict[str, str] = {}
        if simulated:
            wanted = sim_device(self.uri) or dut or DEFAULT_DUT
            self._dut, self._description = wanted, {"dut": wanted}
            if isinstance(link, SimLink) and link.fallback:
                self.notes = (link.fallback,)
                self._dut, self._description = link.device, {"dut": link.device}
                if link.device != wanted:
                    self._description["asked_for"] = wanted

    def _calibrated(self, chosen: Calibration | str | Path | None) -> Calibration | None:
        if isinstance(chosen, Calibration):
            return chosen
        path = None if chosen is None else Path(chosen)
        if path == Path("none"):
            return None
        found = find(self._serial(), self.identity, path)
        if found is None:
            others = of_other_builds(self._serial(), self.identity)
            self.notes += tuple(f"calibration not applied: {line}" for line in others)
        return found
