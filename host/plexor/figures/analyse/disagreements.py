# SPDX-License-Identifier: Apache-2.0
"""Differences between what complete events say and what the chip has counted. Pure.

The chip counts every event, so both must be equal, sums of squares included. A difference means
that one of them is wrong. Values are clamped as on the chip: `docs/instrument.md`, "Samples".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from plexor.figures.analyse.samples import ChannelSamples
from plexor.model.results import ChannelResult, Counts, SampleResult, Zoom
from plexor.protocol.memory import VALUE_MOST, ResponseClass
from plexor.wire.decode.bins import bins_of, statistics_with
from plexor.wire.decode.matched import Samples, Ticks, pieces

_MORE = {
    "sum of squares": "sum_sq_ticks2",
    "event of the minimum": "min_index",
    "event of the maximum": "max_index",
    "time of the minimum": "min_time_ticks",
    "time of the maximum": "max_time_ticks",
}


def differences(channel: ChannelResult, samples: ChannelSamples) -> list[str]:
    """Return the differences between a channel's rebuilt samples and the chip's figures."""
    differences = list(_of_classes(channel, samples.counts))
    for measurement in channel.measurements:
        if measurement.on_chip:
            own: Samples = getattr(samples, measurement.kind.value)
            differences += (
                f"{channel.name} {measurement.kind.value}: {t}" for t in _of(measurement, own)
            )
    return differences


def _of_classes(
    channel: ChannelResult, counts: Mapping[ResponseClass, int] | None
) -> Iterator[str]:
    for kind, count in (counts or {}).items():
        chip = channel.classes[kind]
        if chip != count:
            name = kind.name.lower()
            yield f"{channel.name}: the events have {count} {name}, the chip has {chip}"


def _of(measurement: SampleResult, samples: Samples) -> Iterator[str]:
    # The chip records VALUE_MOST for every greater value.
    values = samples.value_ticks
    if len(values) and int(values.max()) > VALUE_MOST:
        values = np.minimum(values, VALUE_MOST)
    own, chip = statistics_with(samples, values), measurement.statistics
    events, figures = (
        (statistics.count, statistics.sum_ticks, statistics.min_ticks, statistics.max_ticks)
        for statistics in (own, chip)
    )
    if events != figures:
        yield f"the events have count, sum, min, max {events}, the chip has {figures}"
        return
    for name, field in _MORE.items():
        ours, theirs = getattr(own, field), getattr(chip, field)
        # None: the chip does not keep it.
        if theirs is not None and ours != theirs:
            yield f"the events have the {name} {ours}, the chip has {theirs}"
    bins = measurement.bins
    if not np.array_equal(bins_of(values, bins.mantissa_bits), bins.counts):
        yield "the bins computed from the events differ from the chip's"
    zoom = measurement.zoom
    if zoom is not None and not np.array_equal(_window_of(values, zoom), zoom.counts):
        yield "the window computed from the events differs from the chip's"


def _window_of(values: Ticks, zoom: Zoom) -> Counts:
    """Return the counts of a window of one-tick bins, under and over range included."""
    last = len(zoom.counts) - 1
    counts = np.zeros(last + 1, np.int64)
    for piece in pieces(len(values)):
        bins = np.clip(values[piece] - zoom.first_ticks + 1, 0, last)
        counts += np.bincount(bins, minlength=last + 1)
    return counts.astype(np.uint64)
