# SPDX-License-Identifier: Apache-2.0
"""A recorded link as an instrument: what was measured with it is replayed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.library.instrument import Instrument
from plexor.library.keep import Tap
from plexor.library.run_spec import RunSpec, named, settings_of
from plexor.model.identity import Identity
from plexor.model.results import RunResult
from plexor.model.settings import RegisterWrite, Settings
from plexor.run.plan.registers import plan_of
from plexor.run.session.follow import Listeners
from plexor.run.session.replay import ReplayQuery, identity_in, replay
from plexor.run.session.stop import Stop
from plexor.wire.device.device import Device

_FREE = {"channels", "every"}
"""Options that ask for nothing that a recording could contradict: channels give names."""
_OF_CHANNELS = {"trigger_channels"}
_UNCOMPARED = {"report_clocks", "report_spaces", "load"}


class Replay(Instrument):
    """The last run of a recording (`file:PATH`), through the interface of an instrument.

    `measure` and `run` replay it at full speed. Options may be left out; those that are given must
    be what was recorded. `channels` gives names. Snapshots are those of the recording.
    """

    def _settings_of(self, options: RunSpec, *, endless: bool) -> Settings:
        """Return the settings that are asked for; empty ones if only names are."""
        if not options.given & (RunSpec.options().keys() - _FREE):
            return Settings(channels=named(options.channels, options.deadline))
        settings = settings_of(options, endless=endless)
        return self.checked(settings, options) if options.channels else settings

    @property
    def device(self) -> Device:
        """Raise UsageError: there is none."""
        raise UsageError(f"{self.uri}: is a recording; this needs an instrument")

    @property
    def identity(self) -> Identity:
        """What the recording's instrument was."""
        return self._identity

    def _open(self, dut: str | None, fallback: bool, tap: Tap | None) -> None:
        if dut is not None or fallback or tap is not None:
            raise UsageError(f"{self.uri}: is a recording; it takes no device and no record")
        self._path = Path(self.uri.removeprefix("file:").removeprefix("//"))
        self._identity = identity_in(self._path)

    def _serial(self) -> str:
        return self.uri

    def _measured(
        self,
        settings: Settings,
        listeners: Listeners,
        stop: Stop,
        description: Mapping[str, str],
    ) -> RunResult:
        def check(registers: tuple[RegisterWrite, ...]) -> None:
            if settings.strikes or settings.time_s is not None:
                self._check(settings, registers)

        names = {channel.number: channel.label for channel in settings.channels}
        return replay(self._path, description, ReplayQuery(listeners, stop, names, check))

    def _check(self, settings: Settings, recorded: tuple[RegisterWrite, ...]) -> None:
        """Raise UsageError if the recorded run had other settings."""
        requested = {write[:3]: write.value for write in plan_of(settings, self.identity).registers}
        for block, copy, name, value in recorded:
            expected = requested.get((block, copy, name), value)
            unnamed = not settings.channels and (block == "channel" or name in _OF_CHANNELS)
            if expected != value and not unnamed and name not in _UNCOMPARED:
                raise UsageError(
                    f"{self.uri}: was recorded with {block}[{copy}].{name} = {value}, not with the "
                    f"{expected} that is asked for; leave options out to replay what was recorded"
                )
