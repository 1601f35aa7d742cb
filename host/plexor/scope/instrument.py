# SPDX-License-Identifier: Apache-2.0
"""The live page's instrument: an instrument of the library, behind the page's interface."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.base.errors import UsageError
from plexor.base.units import plot_seconds
from plexor.figures.codes.names import names_of
from plexor.library.instrument import Instrument
from plexor.library.measurement import Measurement
from plexor.library.open import open as open_instrument
from plexor.library.pins import wired
from plexor.library.run import Run
from plexor.library.run_spec import RunSpec, named, settings_of
from plexor.library.scans.sweep import Sweep
from plexor.library.snapshot import Snapshot
from plexor.model.codes import CodeName
from plexor.model.results import EventArray, RunResult
from plexor.model.settings import Channel, RegisterWrite, Settings
from plexor.protocol.registers import RunState
from plexor.run.plan.registers import plan_of
from plexor.run.session.progress import Progress
from plexor.run.session.stop import Stop
from plexor.scope.interface import OnStep, Shot, Swept
from plexor.show.pictures.frame import provenance_of
from plexor.show.pictures.scope import strike_width_ticks
from plexor.wire.link.open import device_of

EVERY_S = Fraction(1, 30)
"""Time from snapshot to snapshot of an instrument."""
SERIAL_EVERY_S = Fraction(1, 10)
"""The same of one at a serial port, which carries events and snapshots more slowly."""
SIMULATED_EVERY_S = Fraction(1, 2000)
"""The same of a simulated one, whose time passes some hundred times more slowly."""
_COLUMNS = 110
"""Width of texts below the pictures."""
_BEFORE = Progress(0, None, 0.0, None, 0.0, None, 0, 0, 0, 0, RunState.RUNNING)
"""Progress that has not been reported yet."""


def open_rig(link: str, dut: str | None, codes: Path | None = None) -> LibraryRig:
    """Open the instrument at a link, for a page. Raises what `plexor.open` raises.

    `codes` is a file that names the device's codes. Raises UsageError if it cannot be read.
    """
    simulated = link.startswith("sim:")
    device = device_of(link, dut) if simulated else ""
    names = () if codes is None else names_of(codes)
    return LibraryRig(open_instrument(link, dut=dut), device, names)


class LibraryRig:
    """An instrument that the library has opened.

    `device` names what is at its pins, and `names` are those of the device's codes.
    """

    def __init__(
        self, instrument: Instrument, device: str, names: tuple[CodeName, ...] = ()
    ) -> None:
        self._instrument = instrument
        self._names = names
        identity = self._identity = instrument.identity
        self._pins = instrument.checked(Settings()).channels
        self._every_s: Fraction | None = EVERY_S
        if instrument.simulated:
            self._every_s = SIMULATED_EVERY_S
        elif instrument.uri.startswith("serial:"):
            self._every_s = SERIAL_EVERY_S
        notes = list(instrument.notes)
        try:
            self.check({"rate": "1k", "every": self._every_s})
        except UsageError:
            self._every_s = None
            notes.append("this instrument sends no figures during a run; they come at its end")
        measured = {pin.number: pin for pin in self._pins}
        self.about: Mapping[str, Any] = {
            "device": device or identity.board or "Plexor",
            "link": instrument.uri,
            "source": provenance_of(identity),
            "simulated": instrument.simulated,
            "tick_fs": identity.tick_fs,
            "notes": notes,
            "pins": [
                {
                    "number": number,
                    "name": measured[number].label if number in measured else f"ch{number}",
                    "measured": number in measured,
                }
                for number in range(identity.geometry.channels)
            ],
        }

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise UsageError if a run with these options cannot be taken."""
        self._settings(options)

    def begin(self, options: Mapping[str, Any]) -> LibraryRun:
        """Begin a run. Raises PlexorError if it does not start."""
        every = {} if self._every_s is None else {"every": self._every_s}
        # The events of a run without an end would fill the memory.
        ends = "count" in options or "time" in options
        settings = replace(self._settings({**every, **options}), keep_events=ends)
        registers = plan_of(settings, self._identity).registers
        return LibraryRun(self._instrument.measure(settings=settings), registers)

    def channels(self, options: Mapping[str, Any]) -> tuple[Channel, ...]:
        """Return the channels of a run or a sweep with these options."""
        chosen = {"channels": options["channels"]} if "channels" in options else {}
        return self._settings({"rate": "1k", **chosen}).channels

    def _settings(self, options: Mapping[str, Any]) -> Settings:
        """Return settings that this instrument can take. A sweep may have its link meanwhile."""
        spec = RunSpec.of(options)
        settings = settings_of(spec, endless=True)
        if settings.codes is not None:
            settings = replace(settings, codes=replace(settings.codes, names=self._names))
        settings = self._instrument.with_code_names(settings)
        # The form has all pins; those that carry codes are not measured.
        carry = () if settings.codes is None else settings.codes.channels
        chosen = settings.channels or named(self._pins, spec.deadline)
        measured = tuple(channel for channel in chosen if channel.number not in carry)
        settings = replace(settings, channels=measured)
        settings = wired(settings)
        try:
            plan_of(settings, self._identity)
        except ValueError as error:
            raise UsageError(str(error)) from error
        return settings

    def sweep(self, options: Mapping[str, Any], on_step: OnStep, stop: Stop) -> Sweep:
        """Sweep, telling of each step, until stopped. Raises PlexorError without any step."""
        return self._instrument.sweep(**options, on_step=on_step, stop=stop)

    def explain(self, result: RunResult) -> Mapping[str, Any]:
        """Return what the device did, by its codes: `timeline`, an SVG picture, and `texts`."""
        run = Run(result)
        if result.settings.codes is None or result.events is None:
            return {"timeline": "", "texts": {}}
        timeline = run.timeline()
        texts = {
            "timeline": timeline.text(width=_COLUMNS),
            "why": run.why().text(width=_COLUMNS),
            "profile": run.profile().text(width=_COLUMNS),
        }
        return {"timeline": timeline.picture(), "texts": texts}

    def keep(self, result: RunResult | Swept, folder: Path) -> None:
        """Write a run or a sweep into a new folder. Raises StoreError."""
        if isinstance(result, RunResult):
            Run(result).save(folder)
        elif isinstance(result, Sweep):
            result.write(folder)

    def close(self) -> None:
        """Let the instrument go."""
        self._instrument.close()


class LibraryRun:
    """A run of the library, under way."""

    def __init__(self, measurement: Measurement, registers: Sequence[RegisterWrite] = ()) -> None:
        self._measurement = measurement
        self._registers = registers
        self._events = measurement.events()

    def shots(self) -> Iterator[Shot]:
        """Yield the results so far, after each snapshot, until the run has ended."""
        for snapshot in self._measurement:
            if not snapshot.final:
                yield self._shot(snapshot)

    def events(self) -> Iterator[EventArray]:
        """Yield events as they come, in order, until the run has ended."""
        return self._events

    def stop(self) -> None:
        """Ask the run to end. It keeps what it has measured."""
        self._measurement.stop()

    def result(self) -> RunResult:
        """Return the whole run, once it has ended."""
        return self._measurement.run.result

    def _shot(self, snapshot: Snapshot) -> Shot:
        # Progress is read less often than snapshots come.
        tick_fs = snapshot.tick_fs
        result = snapshot.result
        channels = result.channels
        progress = replace(
            snapshot.progress or _BEFORE,
            elapsed_s=plot_seconds(max(result.time_ticks - result.start_ticks, 0), tick_fs),
            strikes=max((channel.strikes for channel in channels), default=0),
        )
        return Shot(
            snapshot.number,
            progress,
            channels,
            tick_fs,
            snapshot.simulated,
            result.start_ticks,
            time.time(),
            strike_ticks=strike_width_ticks(
                self._registers, {channel.reference for channel in channels}
            ),
        )
