# SPDX-License-Identifier: Apache-2.0
"""What is known of one channel: of a finished run, or of a snapshot while it is under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import FEMTOSECONDS, format_seconds, plot_seconds
from plexor.figures.analyse.analyse import LATENCIES, ChannelFigures
from plexor.figures.analyse.from_bins import of_bins
from plexor.figures.analyse.jitter import variance_ticks2
from plexor.figures.analyse.pairing import AMBIGUOUS, Pairing
from plexor.figures.analyse.percentiles import Distribution, quantile
from plexor.model.results import ChannelResult, Kind, SampleResult, Statistics
from plexor.protocol.memory import ResponseClass, bin_count
from plexor.show.notebook import channel_html, channel_line
from plexor.show.pictures.plot import plot
from plexor.wire.decode.bins import statistics_of
from plexor.wire.decode.matched import Samples

_WHAT = {
    Kind.RISE: "latency",
    Kind.FALL: "latency of the trailing edge",
    Kind.WIDTH: "pulse width",
    Kind.PERIOD: "period",
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A percentile in seconds, with the 95 % interval of its order statistics.

    A bound is None if there are too few samples for it. If the percentile is at the limit of the
    instrument's registers, it is None, and known only to be above `over_s`.
    """

    value_s: float | None
    lower_s: float | None
    upper_s: float | None
    over_s: float | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reading:
    """One channel. `kind` is rise, fall, width or period in all methods.

    Methods raise UsageError for a kind that was not measured, and for latencies of a finished run
    whose strikes are not known.
    """

    result: ChannelResult
    tick_fs: int
    figures: ChannelFigures | None = None
    """Figures of a finished run; None in a snapshot."""

    def __repr__(self) -> str:
        if self.figures is not None:
            return f"<plexor.Reading {channel_line(self.figures, self.tick_fs)}>"
        most = "" if self.max_s is None else f", {MAX_SEEN} {format_seconds(self.max_s)}"
        return (
            f"<plexor.Reading {self.name} {counted(self.strikes, 'strike')}, missed "
            f"{self.missed}{most}>"
        )

    def _repr_html_(self) -> str | None:
        """Return the table that a notebook shows; None in a snapshot, whose line it shows."""
        return None if self.figures is None else channel_html(self.figures, self.tick_fs)

    @property
    def name(self) -> str:
        """The channel's name."""
        return self.result.name

    @property
    def number(self) -> int:
        """The channel's number."""
        return self.result.number

    @property
    def strikes(self) -> int:
        """Number of strikes, or other reference edges."""
        return self.result.strikes

    @property
    def answered(self) -> int:
        """Number of strikes that were answered in time."""
        return self.result.classes[ResponseClass.ANSWERED]

    @property
    def late(self) -> int:
        """Number of strikes that were answered after the deadline."""
        return self.result.classes[ResponseClass.LATE]

    @property
    def missed(self) -> int:
        """Number of strikes that were not answered before the time-out."""
        return self.result.classes[ResponseClass.MISSED]

    @property
    def pending(self) -> int:
        """Number of strikes that are still outstanding."""
        return self.result.pending

    @property
    def duplicate(self) -> int:
        """Number of responses to a strike that was answered before."""
        return self.result.classes[ResponseClass.DUPLICATE]

    @property
    def spurious(self) -> int:
        """Number of responses to no strike."""
        return self.result.classes[ResponseClass.SPURIOUS]

    def statistics(self, kind: str = "rise") -> Statistics:
        """Return the exact count, sums and extremes in ticks.

        Sums and maximum are None if a sample is at the limit of the instrument's registers, and no
        events tell what it was. The minimum is None, too, if all samples are.
        """
        measurement = self._measurement(kind)
        known = None if self.figures is None else self.figures.kinds.get(measurement.kind)
        if measurement.limit_ticks is not None and known is not None and known.samples is not None:
            return statistics_of(known.samples)
        return measurement.known

    @property
    def pairing(self) -> Pairing | None:
        """Whether answers are those of their own strikes; None without one, and in a snapshot."""
        return None if self.figures is None else self.figures.pairing

    @property
    def min_s(self) -> float | None:
        """Minimum latency in seconds; None without a response, or if its strike is not known."""
        return self._seconds(self._latency.min_ticks)

    @property
    def max_s(self) -> float | None:
        """Maximum latency in seconds; None as for `min_s`."""
        return self._seconds(self._latency.max_ticks)

    @property
    def mean_s(self) -> float | None:
        """Mean latency in seconds; None as for `min_s`."""
        known = self._latency
        if not known.count or known.sum_ticks is None:
            return None
        return self._seconds(known.sum_ticks / known.count)

    @property
    def peak_to_peak_s(self) -> float | None:
        """Maximum less minimum latency, in seconds; None as for `min_s`."""
        known = self._latency
        if known.max_ticks is None or known.min_ticks is None:
            return None
        return self._seconds(known.max_ticks - known.min_ticks)

    @property
    def rms_s(self) -> float | None:
        """Standard deviation of latencies about their mean, in seconds; None as for `min_s`."""
        known = self._latency
        if not known.count or known.sum_ticks is None or known.sum_sq_ticks2 is None:
            return None
        variance = variance_ticks2(known.count, known.sum_ticks, known.sum_sq_ticks2)
        return self._seconds(float(variance) ** 0.5)

    def percentile(self, percent: float, kind: str = "rise") -> Estimate | None:
        """Return a percentile, such as 99.9; None without a sample.

        Raises ValueError unless `percent` lies between 0 and 100.
        """
        q = Fraction(repr(percent)) / 100
        if not 0 < q < 1:
            raise ValueError(f"percentile: {percent}; must lie between 0 and 100")
        estimate = quantile(self.distribution(kind), q)
        if estimate is None:
            return None
        return Estimate(
            self._seconds(estimate.value_ticks),
            self._seconds(estimate.lower_ticks),
            self._seconds(estimate.upper_ticks),
            self._seconds(estimate.limit_ticks),
        )

    def distribution(self, kind: str = "rise") -> Distribution:
        """Return counts in cells of ticks, as narrow as they are known."""
        measurement = self._measurement(kind)
        if self.figures is not None and measurement.kind in self.figures.kinds:
            return self.figures.kinds[measurement.kind].distribution
        return of_bins(measurement)

    def histogram(
        self, kind: str = "rise"
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint64]]:
        """Return the edges of bins in seconds, and the counts between them, as numpy.histogram.

        The bins are the chip's, from the first to the last that is not empty. Edges are one more
        than counts; both are empty without a sample. Samples below 0 or beyond the last bin are
        left out; `statistics` counts them.
        """
        bins = self._measurement(kind).bins
        mantissa = bins.mantissa_bits
        counts = bins.counts[: bin_count(mantissa)]
        filled = np.flatnonzero(counts)
        if not len(filled):
            return np.empty(0), np.empty(0, dtype=np.uint64)
        first, last = int(filled[0]), int(filled[-1])
        numbers = np.arange(first, last + 2, dtype=np.int64)
        shift = np.maximum((numbers >> mantissa) - 1, 0)
        edges_ticks = (numbers - (shift << mantissa)) << shift
        edges_s = edges_ticks.astype(np.float64) * (self.tick_fs / FEMTOSECONDS)
        return edges_s, counts[first : last + 1].copy()

    def samples(self, kind: str = "rise") -> Samples:
        """Return all samples in order, as arrays of ticks.

        Raises UsageError if the run's events are not complete, or for a snapshot.
        """
        measurement = self._measurement(kind)
        known = None if self.figures is None else self.figures.kinds.get(measurement.kind)
        if known is None or known.samples is None:
            raise UsageError(
                f"{self.name}.{kind}: single samples are known only of a finished run whose events "
                "are complete; use histogram()"
            )
        return known.samples

    def samples_s(self, kind: str = "rise") -> npt.NDArray[np.float64]:
        """Return all samples in order, in seconds; raise as `samples`."""
        return self.samples(kind).value_ticks.astype(np.float64) * (self.tick_fs / FEMTOSECONDS)

    def plot(self, kind: str = "rise") -> Any:
        """Return the histogram as a matplotlib Figure, with logarithmic counts.

        Raises UsageError if matplotlib is not installed.
        """
        return plot_of([("", self)], kind, self.name)

    def _measurement(self, kind: str) -> SampleResult:
        measurement = self.result.measurement(Kind(kind)) if kind in set(Kind) else None
        if measurement is None:
            has = ", ".join(known.kind for known in self.result.measurements)
            raise UsageError(f"{self.name}: {kind!r} was not measured; it has {has or 'nothing'}")
        if not self._paired and measurement.kind in LATENCIES:
            raise UsageError(
                f"{self.name}.{kind}: {AMBIGUOUS}; `run.result` has them as they were matched"
            )
        return measurement

    @property
    def _paired(self) -> bool:
        return self.figures is None or self.figures.paired

    @property
    def _latency(self) -> Statistics:
        """The statistics of the latency, without figures if its strikes are not known."""
        return self.statistics() if self._paired else Statistics(0, 0, None, None, None)

    def _seconds(self, ticks: float | None) -> float | None:
        return None if ticks is None else plot_seconds(ticks, self.tick_fs)


def of_name(readings: tuple[Reading, ...], name: str) -> Reading:
    """Return the reading of a channel's name; raise UsageError if there is none."""
    reading = next((candidate for candidate in readings if candidate.name == name), None)
    if reading is None:
        names = ", ".join(candidate.name for candidate in readings)
        raise UsageError(f"channel {name!r}: there is none; this run has {names or 'none'}")
    return reading


def plot_of(channels: Sequence[tuple[str, Reading]], kind: str, title: str) -> Any:
    """Return the histograms of channels as a matplotlib Figure, each named behind a prefix.

    Raises UsageError as `Reading.histogram`, and if matplotlib is not installed.
    """
    histograms = [(f"{before}{one.name}", *one.histogram(kind)) for before, one in channels]
    return plot(histograms, title, _WHAT[Kind(kind)])
