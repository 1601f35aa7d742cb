# SPDX-License-Identifier: Apache-2.0
"""Computes the figures of a run from its result. Pure: no clock, no file, no socket."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from plexor.base.units import seconds_of
from plexor.figures.analyse.breakdown import Shares, shares
from plexor.figures.analyse.corrected_figures import CorrectedChannel, corrected_channel
from plexor.figures.analyse.disagreements import differences
from plexor.figures.analyse.evidence import pairing_of
from plexor.figures.analyse.from_bins import less_base, of_bins
from plexor.figures.analyse.jitter import (
    PeriodJitter,
    SlidingSpan,
    period_jitter,
    sliding_span,
    variance_ticks2,
)
from plexor.figures.analyse.pairing import AMBIGUOUS, Pairing
from plexor.figures.analyse.percentiles import Distribution, Quantile, from_values, quantiles
from plexor.figures.analyse.rules import has_rules, is_complete, rules_of
from plexor.figures.analyse.samples import ChannelSamples, channel_samples
from plexor.figures.analyse.tail import ColdStart, cold_start
from plexor.model.results import ChannelResult, Kind, RunResult, SampleResult, Statistics
from plexor.protocol.memory import ResponseClass
from plexor.wire.decode.bins import statistics_with, sum_of_squares
from plexor.wire.decode.matched import Samples

PERCENTILES = (
    Fraction(50, 100),
    Fraction(90, 100),
    Fraction(99, 100),
    Fraction(999, 1000),
    Fraction(9999, 10_000),
)


LATENCIES = (Kind.RISE, Kind.FALL)
"""Kinds of samples that are measured from a strike."""


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Figures of one kind of sample of one channel, in ticks.

    Count, sums, minimum and maximum are exact. If the run's events are complete, `samples` holds
    the values in order, and the distribution is exact too. Otherwise samples may be at the limit of
    the instrument's registers: then `limit_ticks` is their lower bound, sums and maximum are None,
    and so is the minimum if all samples are at the limit. `clamped` counts samples below the base
    result, which are taken as 0.
    """

    kind: Kind
    count: int
    min_ticks: int | None
    max_ticks: int | None
    mean_ticks: Fraction | None
    variance_ticks2: Fraction | None
    max_index: int | None
    max_time_ticks: int | None
    """Time of the maximum, from the start of the run."""
    distribution: Distribution
    quantiles: tuple[Quantile, ...]
    samples: Samples | None = None
    span: SlidingSpan | None = None
    cold: ColdStart | None = None
    clamped: int = 0

    @property
    def limit_ticks(self) -> int | None:
        """Lower bound of the samples without an upper one; None if every sample is bounded."""
        return self.distribution.limit_ticks

    @property
    def peak_to_peak_ticks(self) -> int | None:
        """Maximum minus minimum. The maximum of a rise latency is the back wall."""
        if self.min_ticks is None or self.max_ticks is None:
            return None
        return self.max_ticks - self.min_ticks

    @property
    def rms_ticks(self) -> float | None:
        """Standard deviation about the mean, in ticks."""
        return None if self.variance_ticks2 is None else float(self.variance_ticks2) ** 0.5

    def quantile(self, q: Fraction) -> Quantile | None:
        """Return the quantile `q` if it is one of PERCENTILES, else None."""
        return next((quantile for quantile in self.quantiles if quantile.q == q), None)


@dataclass(frozen=True, slots=True, eq=False)
class ChannelFigures:
    """One channel: the instrument's counts, and the figures of each kind of sample."""

    result: ChannelResult
    kinds: dict[Kind, Figures]
    periods: PeriodJitter | None = None
    pairing: Pairing | None = None
    """Whether each answer belongs to its own strike; None without an answer."""

    @property
    def name(self) -> str:
        """The channel's name."""
        return self.result.name

    @property
    def rise(self) -> Figures | None:
        """Figures of the rise latency; None without a sample, or if the pairing is ambiguous."""
        figures = self.kinds.get(Kind.RISE) if self.paired else None
        return figures if figures is not None and figures.count else None

    @property
    def fall(self) -> Figures | None:
        """Figures of the fall latency; None as for `rise`."""
        figures = self.kinds.get(Kind.FALL) if self.paired else None
        return figures if figures is not None and figures.count else None

    @property
    def silent(self) -> bool:
        """Whether it was struck, and answered no strike."""
        answered = (ResponseClass.ANSWERED, ResponseClass.LATE)
        return bool(self.result.strikes) and not any(map(self.result.classes.__getitem__, answered))

    @property
    def paired(self) -> bool:
        """Whether latencies may be shown and judged: the pairing is not ambiguous."""
        return self.pairing is None or self.pairing.known

    def latency(self, kind: Kind) -> Figures | None:
        """Return the figures of a kind; None for latencies of an ambiguous pairing."""
        return self.kinds.get(kind) if self.paired or kind not in LATENCIES else None


@dataclass(frozen=True, slots=True, eq=False)
class SharesOf:
    """The shares of a latency between two named channels."""

    first: str
    second: str
    shares: Shares


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """All figures of a run."""

    result: RunResult
    channels: tuple[ChannelFigures, ...]
    shares: tuple[SharesOf, ...]
    base_ticks: int = 0
    velocity_m_s: Fraction | None = None
    """Speed of a moving object. Its path during a latency is shown too."""
    columns: tuple[str, ...] = ()
    """Further figures to show: `variance`, `jitter128`."""
    corrected: tuple[CorrectedChannel, ...] = ()
    """Corrected figures in picoseconds, for a run with a calibration."""
    disagreements: tuple[str, ...] = field(default=())
    """Differences between complete events and the chip's figures. One of the two is wrong."""

    @property
    def invalid_reasons(self) -> tuple[str, ...]:
        """Reasons why no figure can be trusted; empty for a valid run."""
        return (*self.result.invalid_reasons, *self.disagreements)

    @property
    def valid(self) -> bool:
        """Whether the figures can be trusted."""
        return not self.invalid_reasons

    @property
    def tick_fs(self) -> int:
        """Length of a tick, in femtoseconds."""
        return self.result.tick_fs

    def metres(self, ticks: Fraction | int) -> Fraction:
        """Return how far the object moves in a time in ticks, in metres; 0 without a velocity."""
        return (self.velocity_m_s or Fraction(0)) * seconds_of(ticks, self.result.tick_fs)

    @property
    def duration_ticks(self) -> int:
        """Length of the run in ticks."""
        return self.result.end_ticks - self.result.start_ticks


def analyse(
    result: RunResult,
    base_ticks: int = 0,
    velocity_m_s: Fraction | None = None,
    columns: tuple[str, ...] = (),
) -> Report:
    """Return the figures of a run; `base_ticks` is subtracted from each rise and fall latency.

    What is shown beside them are `columns`, and of a velocity how far an object moves.
    """
    channels: list[ChannelFigures] = []
    disagreements: list[str] = []
    sampled: dict[int, ChannelSamples] = {}
    for result_channel in result.answering:
        if is_complete(result, result_channel):
            samples = samples_of(result, result_channel)
            wrong = differences(result_channel, samples)
            if has_rules(result):
                disagreements += wrong
            if not wrong:
                sampled[result_channel.number] = samples
        channels.append(
            _channel(result, result_channel, sampled.get(result_channel.number), base_ticks)
        )
    corrected: tuple[CorrectedChannel, ...] = ()
    if result.calibration is not None:
        corrected = tuple(
            _paired(
                figures,
                corrected_channel(
                    result,
                    figures.result,
                    sampled.get(figures.result.number),
                    PERCENTILES,
                    base_ticks,
                ),
            )
            for figures in channels
        )
    paired = {figures.result.number for figures in channels if figures.paired}
    return Report(
        result,
        tuple(channels),
        _all_shares(
            result, {key: own for key, own in sampled.items() if key in paired}, base_ticks
        ),
        base_ticks,
        velocity_m_s,
        columns,
        corrected,
        tuple(disagreements),
    )


def _paired(channel: ChannelFigures, corrected: CorrectedChannel) -> CorrectedChannel:
    """Return corrected figures, without latencies if the channel's pairing is ambiguous."""
    if channel.paired:
        return corrected
    kinds = {kind: own for kind, own in corrected.kinds.items() if kind not in LATENCIES}
    return replace(corrected, kinds=kinds, reason=corrected.reason or AMBIGUOUS)


def samples_of(result: RunResult, channel: ChannelResult) -> ChannelSamples:
    """Return a channel's samples by the run's own matching rules.

    The channel's events must be complete. Raises ValueError if the run kept none.
    """
    if result.events is None:
        raise ValueError(f"channel {channel.name}: this run kept no events")
    return channel_samples(result.events, rules_of(result, channel), result.end_ticks)


def _channel(
    result: RunResult, channel: ChannelResult, samples: ChannelSamples | None, base_ticks: int
) -> ChannelFigures:
    kinds: dict[Kind, Figures] = {}
    for measurement in channel.measurements:
        own: Samples | None = None if samples is None else getattr(samples, measurement.kind.value)
        base = base_ticks if measurement.kind in LATENCIES else 0
        kinds[measurement.kind] = _figures(result, measurement, own, base)
    periods = None
    if samples is not None and len(samples.period):
        edges = np.empty(len(samples.period) + 1, np.int64)
        edges[0] = samples.period.cut(slice(0, 1)).start_ticks[0]
        edges[1:] = samples.period.time_ticks
        periods = period_jitter(edges)
        del edges
    pairing = pairing_of(result, channel, None if samples is None else samples.rise)
    return ChannelFigures(channel, kinds, periods, pairing)


def _figures(
    result: RunResult, measurement: SampleResult, samples: Samples | None, base_ticks: int
) -> Figures:
    known = measurement.known
    values = None if samples is None else samples.value_ticks
    if samples is not None and values is not None and measurement.limit_ticks is not None:
        known = statistics_with(samples, values)
    distribution = of_bins(measurement) if values is None else from_values(values)
    count, total, squares = known.count, known.sum_ticks, known.sum_sq_ticks2
    least, most = known.min_ticks, known.max_ticks
    if values is not None and squares is None:
        squares = sum_of_squares(values)
    clamped = 0
    if base_ticks:
        distribution, clamped = less_base(distribution, base_ticks)
        least = None if least is None else max(least - base_ticks, 0)
        most = None if most is None else max(most - base_ticks, 0)
        if values is not None:
            values = np.maximum(values - base_ticks, 0)
            total, squares = int(values.sum()), sum_of_squares(values)
        elif clamped or total is None:
            # Bins do not tell the sum of the clamped samples.
            total = squares = None
        else:
            squares = (
                None
                if squares is None
                else squares - 2 * base_ticks * total + count * base_ticks**2
            )
            total -= count * base_ticks
    if samples is not None and base_ticks:
        samples = samples.less(base_ticks)
    has = count > 0
    return Figures(
        kind=measurement.kind,
        count=count,
        min_ticks=least,
        max_ticks=most,
        mean_ticks=Fraction(total, count) if has and total is not None else None,
        variance_ticks2=(
            variance_ticks2(count, total, squares)
            if has and total is not None and squares is not None
            else None
        ),
        max_index=known.max_index,
        max_time_ticks=_time_of_max(result, known, samples),
        distribution=distribution,
        quantiles=quantiles(distribution, PERCENTILES),
        samples=samples,
        span=None if values is None else sliding_span(values),
        cold=None if values is None else cold_start(values),
        clamped=clamped,
    )


def _time_of_max(result: RunResult, known: Statistics, samples: Samples | None) -> int | None:
    if known.max_time_ticks is not None:
        return known.max_time_ticks - result.start_ticks
    if samples is None or not len(samples):
        return None
    position = int(np.argmax(samples.value_ticks))
    return int(samples.cut(slice(position, position + 1)).time_ticks[0]) - result.start_ticks


def _all_shares(
    result: RunResult, sampled: dict[int, ChannelSamples], base_ticks: int
) -> tuple[SharesOf, ...]:
    """Return the shares between the first channel of each reference and its later channels.

    A second pin that mostly answers before the first one's pulse has ended has none: its latency
    does not go that way.
    """
    all_shares: list[SharesOf] = []
    for position, second in enumerate(result.answering):
        first = next(
            (
                channel
                for channel in result.answering[:position]
                if channel.reference == second.reference and channel.number in sampled
            ),
            None,
        )
        if first is not None and second.number in sampled:
            own = shares(sampled[first.number], sampled[second.number], base_ticks)
            if own.is_in_order:
                all_shares.append(SharesOf(first.name, second.name, own))
    return tuple(all_shares)
