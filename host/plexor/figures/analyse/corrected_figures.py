# SPDX-License-Identifier: Apache-2.0
"""Figures of corrected samples, in picoseconds. They are never mixed with figures in ticks.

The stated error bounds the error of every sample, and so that of mean, quantiles and extremes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plexor.figures.analyse.correct import Corrector, Delay, Picoseconds, UncalibratedError
from plexor.figures.analyse.jitter import variance_ticks2
from plexor.figures.analyse.percentiles import from_values, quantiles
from plexor.figures.analyse.samples import ChannelSamples
from plexor.model.calibration import FS_PER_PS, PPB
from plexor.model.oscillators import oscillator_of
from plexor.model.results import ChannelResult, Kind, RunResult
from plexor.protocol.geometry import Feature


@dataclass(frozen=True, slots=True)
class CorrectedQuantile:
    """A quantile and its 95 % interval, in ps; see `analyse.percentiles.Quantile` for ticks."""

    q: Fraction
    value_ps: int
    lower_ps: int | None
    upper_ps: int | None

    @property
    def enough(self) -> bool:
        """Whether there are enough samples for an upper bound."""
        return self.upper_ps is not None


@dataclass(frozen=True, slots=True, eq=False)
class Corrected:
    """Figures of one kind of sample of one channel, with at least one sample."""

    kind: Kind
    values_ps: Picoseconds
    """Corrected samples, in the order of the samples in ticks."""
    mean_ps: Fraction
    variance_ps2: Fraction
    """Variance about the mean, in square ps."""
    quantiles: tuple[CorrectedQuantile, ...]
    ways_error_ps: int
    """Maximum error of each sample, without the oscillator's."""
    clock_error_ppb: int
    """Maximum error of the oscillator, after correction."""
    by_jumper: bool
    """Whether jumpers measured the way over the pins."""

    def error_ps(self, value_ps: float | Fraction) -> int:
        """Return the maximum error of a sample, mean, quantile or extreme of that value."""
        return self.ways_error_ps + self.clock_ps(value_ps)

    def clock_ps(self, value_ps: float | Fraction) -> int:
        """Return the oscillator's part of the maximum error of a value."""
        return math.ceil(abs(value_ps) * self.clock_error_ppb / PPB)

    @property
    def rms_ps(self) -> float:
        """Standard deviation about the mean, in ps."""
        return float(self.variance_ps2) ** 0.5

    @property
    def min_ps(self) -> int:
        """Minimum, in ps."""
        return int(self.values_ps.min())

    @property
    def max_ps(self) -> int:
        """Maximum, in ps."""
        return int(self.values_ps.max())

    def quantile(self, q: Fraction) -> CorrectedQuantile | None:
        """Return the quantile `q` if it was requested, else None."""
        return next((quantile for quantile in self.quantiles if quantile.q == q), None)


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedChannel:
    """Corrected figures of one channel. If `kinds` is empty, `reason` says why."""

    number: int
    name: str
    kinds: dict[Kind, Corrected]
    edge_rms_ps: float | None
    """RMS error of one active edge of the channel, in ps, computed from its bin widths."""
    reason: str = ""
    """Why nothing was corrected; empty if something was."""
    delay: Delay | None = None
    """The delay over pads that latencies in ticks include; None if unknown."""
    tick_fs: int = 0

    @property
    def late_ticks(self) -> int | None:
        """Mean excess of a latency in ticks, rounded; None if unknown.

        A latency ends at the tick after its edge: half a tick late on average.
        """
        if self.delay is None:
            return None
        return math.floor(Fraction(self.delay.value_ps * FS_PER_PS, self.tick_fs) + 1)

    @property
    def late_error_ticks(self) -> int | None:
        """Maximum error of `late_ticks` for one latency."""
        if self.delay is None:
            return None
        return math.ceil(Fraction(self.delay.error_ps * FS_PER_PS, self.tick_fs) + 1)


def corrected_channel(
    result: RunResult,
    channel: ChannelResult,
    samples: ChannelSamples | None,
    qs: tuple[Fraction, ...],
    base_ticks: int = 0,
) -> CorrectedChannel:
    """Return the corrected figures of a channel; the run must have a calibration.

    `base_ticks` is subtracted from each rise and fall latency; negative results are taken as 0.
    """
    calibration = result.calibration
    assert calibration is not None
    inverts = {
        channel_settings.number: channel_settings.invert
        for channel_settings in result.settings.channels
    }
    either = frozenset(
        channel_settings.number
        for channel_settings in result.settings.channels
        if channel_settings.either
    )
    corrector = Corrector(calibration, channel, inverts, either)
    clock_error_ppb = clock_error_of(result)
    tick_fs = calibration.tick_fs
    if samples is None:
        reason = "its events are not complete"
        if Feature.EVENTS not in result.identity.geometry.features:
            reason = "this instrument sends no events, latencies are whole ticks"
        delay = _known_delay(corrector)
        return CorrectedChannel(channel.number, channel.name, {}, None, reason, delay, tick_fs)
    kinds: dict[Kind, Corrected] = {}
    try:
        for kind in Kind:
            own = getattr(samples, kind.value)
            if len(own.value_ticks):
                values = corrector.correct(kind, own)
                if base_ticks and kind in (Kind.RISE, Kind.FALL):
                    base_ps = base_ticks * calibration.tick_fs // FS_PER_PS
                    values = np.maximum(values - base_ps, 0)
                errors = (corrector.error_ps(kind), clock_error_ppb)
                by_jumper = corrector.delay(kind).by_jumper
                kinds[kind] = _figures(kind, values, qs, errors, by_jumper)
        delay = _known_delay(corrector)
        rms_ps = corrector.rms_ps()
        return CorrectedChannel(channel.number, channel.name, kinds, rms_ps, "", delay, tick_fs)
    except UncalibratedError as error:
        return CorrectedChannel(channel.number, channel.name, {}, None, str(error))


def clock_error_of(result: RunResult) -> int:
    """Return the maximum error of a run's time scale in ppb: as measured, or by the board."""
    calibration = result.calibration
    if calibration is not None and calibration.scale is not None:
        return calibration.scale.error_ppb
    return oscillator_of(result.identity.board).ppm * 1000


def _known_delay(corrector: Corrector) -> Delay | None:
    try:
        return corrector.delay(Kind.RISE)
    except UncalibratedError:
        return None


def _figures(
    kind: Kind,
    values: Picoseconds,
    qs: tuple[Fraction, ...],
    errors: tuple[int, int],
    by_jumper: bool,
) -> Corrected:
    values_ps = values.tolist()
    count, total, squares = (
        len(values_ps),
        sum(values_ps),
        sum(value * value for value in values_ps),
    )
    corrected = tuple(
        CorrectedQuantile(
            quantile.q, quantile.value_ticks, quantile.lower_ticks, quantile.upper_ticks
        )
        for quantile in quantiles(from_values(values), qs)
        if quantile.value_ticks is not None
    )
    # Moments of integers, whatever their unit.
    variance_ps2 = variance_ticks2(count, total, squares)
    mean_ps = Fraction(total, count)
    return Corrected(kind, values, mean_ps, variance_ps2, corrected, *errors, by_jumper)
