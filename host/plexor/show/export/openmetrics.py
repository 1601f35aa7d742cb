# SPDX-License-Identifier: Apache-2.0
"""Counts and histograms as metrics: OpenMetrics 1.0 text, or the text format of Prometheus.

Node exporter's textfile collector takes `.prom`, in the format of Prometheus 0.0.4, and no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from plexor.base.units import plot_seconds
from plexor.figures.analyse.analyse import PERCENTILES
from plexor.figures.analyse.percentiles import Distribution, quantile
from plexor.model.results import Kind, Statistics
from plexor.protocol.memory import ResponseClass, bin_bits, bin_bounds, bin_count, under_bin
from plexor.show.export.about import about
from plexor.show.export.source import ExportSource, distinct
from plexor.show.export.target import needed
from plexor.wire.decode.bins import bin_numbers

_BITS = 2
"""Buckets an octave, as a power of two. Every instrument's bins divide these."""
_NAMES = {
    Kind.RISE: ("latency", "From a strike to the response to it."),
    Kind.FALL: ("fall_latency", "From a strike to the end of the response to it."),
    Kind.WIDTH: ("width", "From a response's active edge to its end."),
    Kind.PERIOD: ("period", "From an active edge to the next."),
}
_OF_STRIKES = (ResponseClass.ANSWERED, ResponseClass.LATE, ResponseClass.MISSED)
_OF_RESPONSES = (
    ResponseClass.ANSWERED,
    ResponseClass.LATE,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)


def write_openmetrics(source: ExportSource, path: Path, name: Path) -> None:
    """Write OpenMetrics text. Raises UsageError, with `name`, without the library."""
    _write(source, path, name, "prometheus_client.openmetrics.exposition")


def write_prometheus(source: ExportSource, path: Path, name: Path) -> None:
    """Write the text format of Prometheus. Raises UsageError, with `name`, without the library."""
    _write(source, path, name, "prometheus_client.exposition")


def _write(source: ExportSource, path: Path, name: Path, exposition: str) -> None:
    package = "prometheus-client"
    core = needed("prometheus_client.core", package, name)
    generate: Callable[[Any], bytes] = needed(exposition, package, name).generate_latest
    registry = core.CollectorRegistry(auto_describe=False)
    registry.register(_Run(source, core))
    path.write_bytes(generate(registry))


class _Run:
    """A collector that reports one run, by `core` (prometheus_client.core)."""

    def __init__(self, source: ExportSource, core: Any) -> None:
        self.source, self.core = source, core
        self.tick_fs = source.result.tick_fs

    def collect(self) -> Iterator[Any]:
        """Yield the metric families of the run."""
        result = self.source.result
        texts = about(self.source)
        labels = distinct([re.sub(r"\W", "_", key, flags=re.ASCII) for key in texts])
        info = dict(zip(labels, texts.values(), strict=True))
        yield self.core.InfoMetricFamily("plexor_run", "What the run was taken with.", info)
        yield self._gauge(
            "plexor_valid", "Whether the figures hold.", not self.source.invalid_reasons
        )
        yield self._gauge("plexor_simulated", "Whether it is simulated.", result.simulated)
        yield self._gauge(
            "plexor_duration_seconds",
            "Length of the run.",
            plot_seconds(self.source.duration_ticks, self.tick_fs),
        )
        yield self._counts("plexor_strike_outcomes", "Strikes by what became of them.", _OF_STRIKES)
        yield self._counts(
            "plexor_response_outcomes", "Responses by what they were.", _OF_RESPONSES
        )
        pending = self.core.GaugeMetricFamily(
            "plexor_pending_strikes", "Strikes outstanding at the end.", labels=["channel"]
        )
        for channel in result.channels:
            pending.add_metric([channel.name], channel.pending)
        yield pending
        books = result.accounting
        for key in ("generated", "received", "dropped_on_chip", "lost_on_link"):
            yield self.core.CounterMetricFamily(
                f"plexor_events_{key}", f"Events {key.replace('_', ' ')}.", getattr(books, key)
            )
        for kind, (name, about_it) in _NAMES.items():
            yield from self._times(kind, f"plexor_{name}", about_it)

    def _gauge(self, name: str, about_it: str, value: float) -> Any:
        return self.core.GaugeMetricFamily(name, about_it, float(value))

    def _counts(self, name: str, about_it: str, kinds: tuple[ResponseClass, ...]) -> Any:
        family = self.core.CounterMetricFamily(name, about_it, labels=["channel", "outcome"])
        for channel in self.source.result.channels:
            for kind in kinds:
                family.add_metric([channel.name, kind.name.lower()], channel.classes[kind])
        return family

    def _times(self, kind: Kind, name: str, about_it: str) -> Iterator[Any]:
        """Yield the families of one kind: its histogram, its extremes and its quantiles."""
        histogram = self.core.HistogramMetricFamily(f"{name}_seconds", about_it, labels=["channel"])
        extremes = {
            end: self.core.GaugeMetricFamily(f"{name}_{end}_seconds", about_it, labels=["channel"])
            for end in ("min", "max")
        }
        quantiles = self.core.GaugeMetricFamily(
            f"{name}_quantile_seconds",
            f"{about_it} Estimate and 95 % interval.",
            labels=["channel", "q", "bound"],  # promtool keeps `quantile` for summaries
        )
        for channel in self.source.result.channels:
            measurements = [own for own in self.source.measurements(channel) if own.kind == kind]
            if not measurements:
                continue
            (measurement,) = measurements
            cells = self.source.distribution(channel, measurement)
            known = self.source.statistics(channel, measurement)
            histogram.add_metric([channel.name], *self._buckets(known, cells))
            for end, family in extremes.items():
                ticks = getattr(known, f"{end}_ticks")
                if ticks is not None:
                    family.add_metric([channel.name], plot_seconds(ticks, self.tick_fs))
            for label, bound, ticks in _quantiles(cells):
                seconds = plot_seconds(ticks, self.tick_fs)
                quantiles.add_metric([channel.name, label, bound], seconds)
        yield from (histogram, *extremes.values(), quantiles)

    def _buckets(
        self, known: Statistics, cells: Distribution
    ) -> tuple[list[tuple[str, float]], float | None]:
        """Return (limit, count up to it) in the library's form, and the sum, which may be none.

        A value of n ticks is in the bucket whose limit is n ticks: limits are the greatest values.
        """
        to_text = needed("prometheus_client.utils", "prometheus-client", Path()).floatToGoString
        numbers = bin_numbers(cells.low_ticks, _BITS)
        counts = np.bincount(numbers, cells.counts, 1 << bin_bits(_BITS)).astype(np.int64)
        below = int(counts[under_bin(_BITS)])
        limits = [bin_bounds(number, _BITS)[1] - 1 for number in range(bin_count(_BITS))]
        totals = np.cumsum(counts[: len(limits)]) + below
        buckets = [
            (to_text(plot_seconds(limit, self.tick_fs)), count)
            for limit, count in zip(limits, totals.tolist(), strict=True)
        ]
        total, ticks = max(known.count, cells.total), known.sum_ticks
        # A counter cannot fall: the format has no sum of values below 0.
        if ticks is None or below or ticks < 0:
            return [*buckets, ("+Inf", total)], None
        return [*buckets, ("+Inf", total)], plot_seconds(ticks, self.tick_fs)


def _quantiles(cells: Distribution) -> Iterator[tuple[str, str, int]]:
    """Yield (quantile, bound, ticks) of what there are enough samples for."""
    for q in PERCENTILES:
        estimate = quantile(cells, q)
        if estimate is None or not estimate.enough:
            continue
        bounds = {
            "lower": estimate.lower_ticks,
            "estimate": estimate.value_ticks,
            "upper": estimate.upper_ticks,
        }
        for bound, ticks in bounds.items():
            if ticks is not None:
                yield str(float(q)), bound, ticks
