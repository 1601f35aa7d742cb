"""Converts a run's latencies to picoseconds by putting each sample into the middle of its bin.

An edge at tick k came between the sampling instants k - 1 and k. The middle between them has the
smallest RMS error. A strike's own tick is exact. The delay between the strike and a channel's
flip-flops, pads included, was measured by loopback and is subtracted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.decode.matched import Samples
from plexor.model.calibration import FS_PER_PS, Calibration, Instants
from plexor.model.results import ChannelResult, Kind
from plexor.model.settings import parse_reference
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_LOAD, SOURCE_STRIKE

Picoseconds = npt.NDArray[np.int64]
Femtoseconds = npt.NDArray[np.int64]


class UncalibratedError(ValueError):
    """The calibration lacks something that a channel needs; the text says what."""


@dataclass(frozen=True, slots=True)
class _Pin:
    """The edges of one direction at a channel or at a strike output."""

    source: int
    up: bool
    bins: Instants | None
    """None for a strike output, whose ticks are exact."""

    def early_fs(self, time_ticks: npt.NDArray[np.int64], tick_fs: int) -> Femtoseconds:
        """Return how much earlier than its tick the middle of each event's bin is, in fs."""
        if self.bins is None:
            return np.zeros(len(time_ticks), np.int64)
        late = np.array(self.bins.late_ps, np.int64) * FS_PER_PS
        early = (tick_fs - late - np.roll(late, 1)) // 2
        return early[time_ticks % len(late)]


@dataclass(frozen=True, slots=True)
class Corrector:
    """Corrects the samples of one channel."""

    calibration: Calibration
    channel: ChannelResult
    inverts: Mapping[int, bool]
    """Whether the active level is low, by channel number."""

    def correct(self, kind: Kind, samples: Samples) -> Picoseconds:
        """Return samples in whole ps. Raises UncalibratedError if a calibration is missing."""
        start, end = self._pins(kind)
        tick_fs = self.calibration.tick_fs
        # An early response comes before its strike, so its sample starts at the response.
        began = samples.start_ticks
        ended = began + samples.value_ticks
        found = samples.value_ticks * tick_fs
        found = found - end.early_fs(ended, tick_fs) + start.early_fs(began, tick_fs)
        found -= self._delay_ps(start, end) * FS_PER_PS
        return (found + FS_PER_PS // 2) // FS_PER_PS

    def rms_ps(self) -> float:
        """Return the RMS error of one active edge of the channel, computed from its bin widths."""
        bins = self._pin(self.channel.number, active=True).bins
        assert bins is not None
        return bins.rms_ps(self.calibration.tick_fs)

    def delay_ps(self, kind: Kind) -> int:
        """Return the pads' and paths' delay in samples, in ps; UncalibratedError if unknown."""
        return self._delay_ps(*self._pins(kind))

    def _pins(self, kind: Kind) -> tuple[_Pin, _Pin]:
        own = self.channel.number
        active, back = self._pin(own, active=True), self._pin(own, active=False)
        if kind == Kind.WIDTH:
            return active, back
        if kind == Kind.PERIOD:
            return active, active
        source, polarity = parse_reference(self.channel.reference)
        return self._pin(source, active=bool(polarity)), back if kind == Kind.FALL else active

    def _pin(self, source: int, *, active: bool) -> _Pin:
        if source == SOURCE_LOAD:
            raise UncalibratedError("the load output has no calibration")
        if source >= SOURCE_STRIKE:
            return _Pin(source, active, None)
        number = source - SOURCE_CHANNEL
        found = self.calibration.channel(number)
        if found is None:
            raise UncalibratedError(f"ch{number} was not calibrated")
        up = active != self.inverts.get(number, False)
        return _Pin(source, up, found.rise if up else found.fall)

    def _delay_ps(self, start: _Pin, end: _Pin) -> int:
        """Return what pads and paths add to the time from `start` to `end`, in ps.

        Between two channels it is the difference of their delays from the same output.
        """
        if start.source == end.source and start.up == end.up:
            return 0
        if start.source >= SOURCE_STRIKE:
            return self._from_output(start.source - SOURCE_STRIKE, end)
        output = min((entry.output for entry in self.calibration.delays), default=0)
        return self._from_output(output, end) - self._from_output(output, start)

    def _from_output(self, output: int, pin: _Pin) -> int:
        found = self.calibration.delay(output, pin.source - SOURCE_CHANNEL)
        if found is None:
            number = pin.source - SOURCE_CHANNEL
            raise UncalibratedError(f"no delay from strike{output} to ch{number} was measured")
        return found.rise_ps if pin.up else found.fall_ps
