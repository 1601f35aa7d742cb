# SPDX-License-Identifier: Apache-2.0
"""An instrument at the end of a link: opened by its URI, measured with, closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from plexor.base.errors import UsageError
from plexor.experiments.calibration.store import find, of_other_builds
from plexor.experiments.prove.store import named as named_proof
from plexor.library.connection import Connection
from plexor.library.files import unsaved
from plexor.library.first_look import look_of, zoomed
from plexor.library.keep import FolderPlace, Tap, check_out
from plexor.library.measurement import Labels, Measurement, busy
from plexor.library.parts.extensions import MEASUREMENTS, offer_of
from plexor.library.pins import channels_of, wired
from plexor.library.run import Run
from plexor.library.run_spec import (
    AUTO,
    MeasureSpec,
    RunSpec,
    TakeSpec,
    given_all,
    named_by,
    settings_of,
)
from plexor.library.scans.burst import BurstScan
from plexor.library.scans.burst import scanned as bursts_scanned
from plexor.library.scans.burst_spec import BurstSpec
from plexor.library.scans.phase import PhaseScan
from plexor.library.scans.phase import scanned as phases_scanned
from plexor.library.scans.phase_spec import PhaseSpec
from plexor.library.scans.sweep import Sweep, swept
from plexor.library.scans.sweep_spec import SweepSpec
from plexor.library.specs.spec import takes
from plexor.library.specs.values import path_of
from plexor.library.upkeep.calibrate import Calibrated, calibrated
from plexor.library.upkeep.selftest import SelfTested, selftested
from plexor.library.upkeep.specs import CalibrateSpec, SelfTestSpec
from plexor.model.calibration import Calibration
from plexor.model.results import RunResult
from plexor.model.settings import Settings
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Stream
from plexor.run.plan.registers import need_zoom, plan_of, stream_of
from plexor.run.session.follow import Listeners
from plexor.run.session.session import measure, measure_whole
from plexor.run.session.stop import Stop
from plexor.run.session.warm_up import warm_up
from plexor.wire.device.device import Device


class Instrument(Connection):
    """An instrument, from `plexor.open`. Use it as a context manager, or close it.

    It is used by one run at a time. At the end of its block, a run that is under way is stopped and
    kept: `last.run` is what was measured, even if the block ended with an exception. `load` is a
    load that a simulated device has, by name: a run with another one starts the device anew.
    `again`: this process will open more instruments, so what starts a simulated one may stay.
    """

    def __init__(
        self,
        uri: str,
        *,
        dut: str | None = None,
        fallback: bool = False,
        calibration: Calibration | str | Path | None = None,
        tap: Tap | None = None,
        again: bool = False,
        load: str | None = None,
    ) -> None:
        super().__init__(uri, dut, fallback, tap, again, load)
        self.last: Measurement | None = None
        """The last measurement; None before the first."""
        try:
            self._calibration = self._calibrated(calibration)
            replayed = uri.startswith("file:")
            self._proof = "" if replayed else named_proof(self._serial(), self.identity)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Stop a run that is under way, keep what it measured, and close the link."""
        if self.last is not None:
            self.last.leave()
        super().close()

    def settings(self, options: Mapping[str, Any], *, endless: bool = False) -> Settings:
        """Return the settings of `measure` with these options; without channels, all pins.

        Raises UsageError for options that cannot be read, combined or had from this instrument.
        """
        return self._settings_of(RunSpec.of(options), endless=endless)

    def _settings_of(self, options: RunSpec, *, endless: bool) -> Settings:
        """Return the settings that are asked for. Raises as `settings`."""
        return self.checked(settings_of(options, endless=endless), options)

    def checked(self, settings: Settings, options: RunSpec | None = None) -> Settings:
        """Return settings with the device's pins if they name no channel.

        A simulated device that runs another load starts anew. Raises UsageError for settings that
        the instrument cannot take, and for a load that the device does not have.
        """
        self._put_on(settings.load_name)
        if not settings.channels:
            carry = () if settings.codes is None else settings.codes.channels
            pins = channels_of(self._dut, self.identity.geometry.channels)
            channels = tuple(channel for channel in pins if channel.number not in carry)
            settings = replace(settings, channels=given_all(channels, options or RunSpec()))
        settings = wired(self.with_code_names(settings))
        if options is not None and options.zoom == AUTO:
            need_zoom(self.identity, "zoom")
        try:
            plan_of(settings, self.identity)
        except ValueError as error:
            raise UsageError(str(error)) from error
        return settings

    def zoomed(self, settings: Settings, options: RunSpec, stop: Stop) -> Settings:
        """Return settings with windows of one-tick bins where a first look finds most values.

        They stay as they are unless `options` says `zoom="auto"`. Raises InvalidRunError where the
        instrument lost events of the look, and KeyboardInterrupt if the look was stopped.
        """
        if options.zoom != AUTO:
            return settings
        return zoomed(settings, measure_whole(self.device, look_of(settings), stop))

    def with_code_names(self, settings: Settings) -> Settings:
        """Return settings with the names of a simulated device's codes, unless they have some."""
        return replace(settings, codes=named_by(settings.codes, self._firmware))

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

    @takes(MeasureSpec)
    def measure(self, options: MeasureSpec) -> Measurement:
        """Begin a run in a thread of its own, and return it.

        The options are those of MeasureSpec, as texts or numbers (hertz, seconds): `rate="20k"`,
        `count=10_000`, `time="2s"`, `channels=["ISR=ch0"]`, `deadline=50e-6`. With `every="100ms"`
        the run has snapshots. Without an end, it lasts until it is stopped. `settings` are complete
        ones, in place of options. The run is kept in the folder `out`, even if it is stopped.

        Raises UsageError for options that the instrument cannot take, and during another run.
        """
        busy(self.last)
        chosen = self._chosen(options, endless=True)
        target = self._target_of(options)

        def take(listeners: Listeners, stop: Stop) -> Run:
            return self._take(chosen, options, listeners, stop, target)

        self.last = Measurement(take, Labels(self.identity.tick_fs, self.simulated))
        return self.last.start()

    @takes(TakeSpec)
    def run(self, options: TakeSpec) -> Run:
        """Take a run in this thread, and return it. The options are those of TakeSpec.

        `listeners` are told of its progress, snapshots and events. `stop` ends it, and so does the
        first KeyboardInterrupt; what was measured is kept. If the run cannot be kept in `out`, its
        `unsaved` says why.
        """
        busy(self.last)
        chosen = self._chosen(options, endless=options.stop is not None)
        target = self._target_of(options)
        listeners, stop = options.listeners or Listeners(), options.stop or Stop()
        return self._take(chosen, options, listeners, stop, target)

    @takes(SweepSpec)
    def sweep(self, options: SweepSpec) -> Sweep:
        """Find the highest rate that the device sustains, for each channel and each load.

        The options are those of SweepSpec: `low="1k"`, `high="200k"`, `criteria="missed<1%"`,
        `out="s1"`, `on_step=...`. Each step opens the link anew, so this one is closed until it is
        used again. Raises as `plexor.library.scans.sweep.swept` does.
        """
        busy(self.last)
        self._release()
        return swept(options, self._target())

    @takes(BurstSpec)
    def burst(self, options: BurstSpec) -> BurstScan:
        """Find the longest burst that the device answers, for each spacing of its strikes.

        The options are those of BurstSpec: `low="2us"`, `high="40us"`, `period="1ms"`. The link is
        closed until it is used again, as for `sweep`. Raises as
        `plexor.library.scans.burst.scanned` does.
        """
        busy(self.last)
        self._release()
        return bursts_scanned(options, self._target())

    @takes(PhaseSpec)
    def phase(self, options: PhaseSpec) -> PhaseScan:
        """Find the phases of a tick, or of another output, in which the device is deaf.

        The options are those of PhaseSpec: `against="ch2"`, `rate="5k"`, `out="p1"`. Raises as
        `plexor.library.scans.phase.scanned` does.
        """
        busy(self.last)
        if options.load is not None:
            self._put_on(options.load)
        options = replace(options, device=self.described(options.device))
        return phases_scanned(self.device, options, self._target(), firmware=self._firmware)

    @takes(CalibrateSpec)
    def calibrate(self, options: CalibrateSpec) -> Calibrated:
        """Measure where the bins of each channel end, and correct later runs by it.

        The options are those of CalibrateSpec: `edges="20k"`, `path="board.json"`. Raises as
        `plexor.library.upkeep.calibrate.calibrated` does.
        """
        busy(self.last)
        calibrated_result = calibrated(self.device, **options.keywords())
        self._calibration = calibrated_result.calibration
        return calibrated_result

    @takes(SelfTestSpec)
    def selftest(self, options: SelfTestSpec) -> SelfTested:
        """Test link, registers, memories, and every channel, phase and strike output.

        The options are those of SelfTestSpec: `jumpers="strike0=ch2"`. Raises as
        `plexor.library.upkeep.selftest.selftested` does.
        """
        busy(self.last)
        return selftested(self.device, **options.keywords())

    def taken_up(self) -> Device:
        """Return the registers and frames behind it, for a measurement of another package.

        Raises UsageError while a run is under way.
        """
        busy(self.last)
        return self.device

    def described(self, device: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the description of the device under test, with more of it."""
        return {**self._description, **(device or {})}

    def measurement(self, name: str) -> MethodType:
        """Return a measurement of another package, by its name; `instrument.NAME` is the same.

        Raises AttributeError if no package has it, UsageError if it cannot be imported.
        """
        offer = None if name.startswith("_") else offer_of(MEASUREMENTS, name)
        if offer is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return MethodType(offer.load(FunctionType), self)

    if not TYPE_CHECKING:
        __getattr__ = measurement

    def _chosen(self, options: MeasureSpec, *, endless: bool) -> Settings:
        if options.settings is None:
            return self._settings_of(options, endless=endless)
        also_given = [name for name in RunSpec.options() if name in options.given]
        if also_given:
            raise UsageError(f"{', '.join(also_given)}: give complete settings, or options")
        return self.checked(options.settings)

    def _target_of(self, options: MeasureSpec) -> FolderPlace | None:
        return None if options.out is None else check_out(options.out, options.force)

    def _take(
        self,
        settings: Settings,
        options: MeasureSpec,
        listeners: Listeners,
        stop: Stop,
        out: FolderPlace | None,
    ) -> Run:
        settings = self.zoomed(settings, options, stop)
        result = self._measured(settings, listeners, stop, self.described(options.device))
        result = replace(result, calibration=self._calibration)
        if self._proof:
            result = replace(result, versions={**result.versions, "proof": self._proof})
        run = Run(result)
        if out is not None:
            run.unsaved = unsaved(lambda: run.keep(out))
        return run

    def _measured(
        self,
        settings: Settings,
        listeners: Listeners,
        stop: Stop,
        description: Mapping[str, str],
    ) -> RunResult:
        """Return what a run gives, behind its warm-up; a recording replays it."""
        warmed = warm_up(self.device, settings, stop, listeners.on_progress)
        result = measure(
            self.device,
            settings,
            listeners.on_progress,
            description,
            listeners.on_snapshot,
            stop,
            listeners.on_events,
        )
        return replace(result, warm_up=warmed)

    def _serial(self) -> str:
        return self.device.serial

    def _calibrated(self, chosen: Calibration | str | Path | None) -> Calibration | None:
        if isinstance(chosen, Calibration):
            return chosen
        path = None if chosen is None else path_of(chosen)
        if path == Path("none"):
            return None
        calibration = find(self._serial(), self.identity, path)
        if calibration is None:
            other_builds = of_other_builds(self._serial(), self.identity)
            self.notes += tuple(f"calibration not applied: {line}" for line in other_builds)
        return calibration
