"""Figures of corrected samples, in picoseconds. They are never mixed with figures in ticks."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plexor.analyse.correct import Corrector, Picoseconds, UncalibratedError
from plexor.analyse.jitter import variance_ticks2
from plexor.analyse.percentiles import from_values, quantiles
from plexor.analyse.samples import ChannelSamples
from plexor.model.calibration import FS_PER_PS
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
        return next((found for found in self.quantiles if found.q == q), None)


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


def corrected_channel(
    result: RunResult,
    channel: ChannelResult,
    samples: ChannelSamples | None,
    wanted: tuple[Fraction, ...],
    base_ticks: int = 0,
) -> CorrectedChannel:
    """Return the corrected figures of a channel; the run must have a calibration.

    `base_ticks` is subtracted from each rise and fall latency; negative results are taken as 0.
    """
    calibration = result.calibration
    assert calibration is not None
    inverts = {entry.number: entry.invert for entry in result.settings.channels}
    corrector = Corrector(calibration, channel, inverts)
    if samples is None:
        reason = "its events are not complete"
        if Feature.EVENTS not in result.identity.geometry.features:
            reason = _whole_ticks(corrector)
        return CorrectedChannel(channel.number, channel.name, {}, None, reason)
    kinds: dict[Kind, Corrected] = {}
    try:
        for kind in Kind:
            own = getattr(samples, kind.value)
            if len(own.value_ticks):
                values = corrector.correct(kind, own)
                if base_ticks and kind in (Kind.RISE, Kind.FALL):
                    base_ps = base_ticks * calibration.tick_fs // FS_PER_PS
                    values = np.maximum(values - base_ps, 0)
                kinds[kind] = _figures(kind, values, wanted)
        return CorrectedChannel(channel.number, channel.name, kinds, corrector.rms_ps())
    except UncalibratedError as error:
        return CorrectedChannel(channel.number, channel.name, {}, None, str(error))


def _whole_ticks(corrector: Corrector) -> str:
    """Return why an instrument without events has no correction, and the known pad delays."""
    reason = "this instrument sends no events, latencies are whole ticks"
    try:
        delay_ps = corrector.delay_ps(Kind.RISE)
    except UncalibratedError:
        return reason
    return f"{reason}; {delay_ps} ps of each are the way over the pads"


def _figures(kind: Kind, values: Picoseconds, wanted: tuple[Fraction, ...]) -> Corrected:
    whole = values.tolist()
    count, total, squares = len(whole), sum(whole), sum(value * value for value in whole)
    found = tuple(
        CorrectedQuantile(entry.q, entry.value_ticks, entry.lower_ticks, entry.upper_ticks)
        for entry in quantiles(from_values(values), wanted)
        if entry.value_ticks is not None
    )
    # Moments of integers, whatever their unit.
    variance_ps2 = variance_ticks2(count, total, squares)
    return Corrected(kind, values, Fraction(total, count), variance_ps2, found)
