# SPDX-License-Identifier: Apache-2.0
"""Converts a run's latencies to picoseconds by putting each sample into the middle of its bin.

An edge at tick k came between the sampling instants k - 1 and k. The middle between them has the
smallest RMS error. A strike's own tick is exact. The delay between the strike and a channel's
flip-flops, pads included, is subtracted: a jumper's, or that of loopback less its detour. A tick is
shorter than its nominal length by the oscillator's relative error.

The error of a corrected sample is at most the sum of:

- the errors of its delays;
- at each end with bins, half of the widest bin and SIGMAS standard errors of its instants;
- where one edge rises and the other falls, the difference of their delays, which a single pad may
  cause;
- the oscillator's error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.model.calibration import FS_PER_PS, PPB, SIGMAS, Calibration, Instants, PinDelay
from plexor.model.results import ChannelResult, Kind
from plexor.model.settings import parse_reference
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_LOAD, SOURCE_STRIKE
from plexor.wire.decode.matched import Samples

Picoseconds = npt.NDArray[np.int64]
Femtoseconds = npt.NDArray[np.int64]


class UncalibratedError(ValueError):
    """The calibration lacks something that a channel needs; the text says what."""


UNLIKE_PS = 600
"""Maximum difference between a pad's rise and fall delays that a loop through two pads can hide.

Project IceStorm's tables of iCE40 HX have 204 ps between rise and fall of an input pad, and 293 ps
of an output pad (icefuzz/timings_hx8k.txt, IO_PAD and PRE_IO); the routing adds to that.
"""


@dataclass(frozen=True, slots=True)
class Delay:
    """The delay that pads and paths add to a sample, in ps."""

    value_ps: int
    error_ps: int
    """Maximum error."""
    by_jumper: bool
    """Whether jumpers measured it."""


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

    def error_ps(self, tick_fs: int) -> int:
        """Return the maximum distance of an edge from the middle of its bin."""
        if self.bins is None:
            return 0
        widest = max(self.bins.widths_ps(tick_fs))
        return math.ceil(widest / 2) + SIGMAS * max(self.bins.error_ps)


@dataclass(frozen=True, slots=True)
class Corrector:
    """Corrects the samples of one channel."""

    calibration: Calibration
    channel: ChannelResult
    inverts: Mapping[int, bool]
    """Whether the active level is low, by channel number."""
    either: frozenset[int] = frozenset()
    """Channels of which each edge is an answer: which direction it has is not known."""

    def correct(self, kind: Kind, samples: Samples) -> Picoseconds:
        """Return samples in whole ps. Raises UncalibratedError if a calibration is missing."""
        start, end = self._pins(kind)
        tick_fs = self.calibration.tick_fs
        # An early response comes before its strike, so its sample starts at the response.
        began = samples.start_ticks
        ended = began + samples.value_ticks
        value_fs = samples.value_ticks * tick_fs
        value_fs = value_fs - end.early_fs(ended, tick_fs) + start.early_fs(began, tick_fs)
        value_fs -= self._delay(start, end).value_ps * FS_PER_PS
        value_ps = (value_fs + FS_PER_PS // 2) // FS_PER_PS
        scale = self.calibration.scale
        if scale is not None:
            value_ps -= np.rint(value_ps * (scale.fast_ppb / (PPB + scale.fast_ppb))).astype(
                np.int64
            )
        return value_ps

    def rms_ps(self) -> float:
        """Return the RMS error of one active edge of the channel, computed from its bin widths."""
        bins = self._pin(self.channel.number, active=True).bins
        assert bins is not None
        return bins.rms_ps(self.calibration.tick_fs)

    def delay(self, kind: Kind) -> Delay:
        """Return the pads' and paths' delay in samples; UncalibratedError if unknown."""
        return self._delay(*self._pins(kind))

    def error_ps(self, kind: Kind) -> int:
        """Return the maximum error of a sample, without the oscillator's error."""
        start, end = self._pins(kind)
        tick_fs = self.calibration.tick_fs
        error_ps = self._delay(start, end).error_ps
        return error_ps + start.error_ps(tick_fs) + end.error_ps(tick_fs)

    def _pins(self, kind: Kind) -> tuple[_Pin, _Pin]:
        own = self.channel.number
        active, inactive = self._pin(own, active=True), self._pin(own, active=False)
        if kind == Kind.WIDTH:
            return active, inactive
        if kind == Kind.PERIOD:
            return active, active
        source, polarity = parse_reference(self.channel.reference)
        return self._pin(source, active=bool(polarity)), inactive if kind == Kind.FALL else active

    def _pin(self, source: int, *, active: bool) -> _Pin:
        if source == SOURCE_LOAD:
            raise UncalibratedError("the load output has no calibration")
        if source >= SOURCE_STRIKE:
            return _Pin(source, active, None)
        number = source - SOURCE_CHANNEL
        if number in self.either:
            raise UncalibratedError(
                f"ch{number} answers with edge=either, and a calibration is of one direction"
            )
        instants = self.calibration.channel(number)
        if instants is None:
            raise UncalibratedError(f"ch{number} was not calibrated")
        up = active != self.inverts.get(number, False)
        return _Pin(source, up, instants.rise if up else instants.fall)

    def _delay(self, start: _Pin, end: _Pin) -> Delay:
        """Return the delay that pads and paths add to the time from `start` to `end`.

        Between two channels it is the difference of their delays from the same output.
        """
        if start.source == end.source and start.up == end.up:
            return Delay(0, 0, False)
        if start.source >= SOURCE_STRIKE:
            last = self._way(start.source - SOURCE_STRIKE, end)
            delay_ps, error_ps, by_jumper = _of(last, end), _error_ps(last, end), bool(last.made)
            first = last
        else:
            first, last = self._both(start, end)
            delay_ps = _of(last, end) - _of(first, start)
            error_ps = _error_ps(last, end) + _error_ps(first, start)
            by_jumper = bool(first.made and last.made)
            loop = self.calibration.delay(first.output, first.channel)
            if start.source == end.source and loop is not None and not by_jumper:
                # The detour is that of both edges.
                error_ps = loop.rise_error_ps + loop.fall_error_ps
        if start.up != end.up:
            error_ps += UNLIKE_PS + max(
                abs(delay.rise_ps - delay.fall_ps) for delay in (first, last)
            )
        return Delay(delay_ps, error_ps, by_jumper)

    def _both(self, start: _Pin, end: _Pin) -> tuple[PinDelay, PinDelay]:
        """Return two channels' delays from one output, over jumpers if both have one."""
        jumpers = self.calibration.jumpers
        wired = [
            {jumper.output for jumper in jumpers if jumper.channel == pin.source - SOURCE_CHANNEL}
            for pin in (start, end)
        ]
        outputs = wired[0] & wired[1] or {delay.output for delay in self.calibration.delays} or {0}
        output = min(outputs)
        return self._way(output, start), self._way(output, end)

    def _way(self, output: int, pin: _Pin) -> PinDelay:
        number = pin.source - SOURCE_CHANNEL
        delay = self.calibration.pins(output, number)
        if delay is None:
            raise UncalibratedError(f"no delay from strike{output} to ch{number} was measured")
        return delay


def _of(delay: PinDelay, pin: _Pin) -> int:
    return delay.rise_ps if pin.up else delay.fall_ps


def _error_ps(delay: PinDelay, pin: _Pin) -> int:
    return delay.rise_error_ps if pin.up else delay.fall_error_ps
