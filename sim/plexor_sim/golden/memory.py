# SPDX-License-Identifier: Apache-2.0
"""The result memories: counts samples into bins, windows and statistics, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import (
    STATISTICS,
    STATISTICS_SETS,
    VALUE_MOST,
    Space,
    bin_bits,
    entries,
    over_bin,
    under_bin,
)
from plexor_sim.golden.edges import Times
from plexor_sim.golden.matcher import Samples

Counts = npt.NDArray[np.int64]

BIN_MOST = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of one key, combined over sets and banks; all 0 without a sample."""

    count: int = 0
    sum_ticks: int = 0
    sum_sq_ticks2: int = 0
    min_ticks: int = 0
    max_ticks: int = 0
    min_index: int = 0
    max_index: int = 0
    min_time_ticks: int = 0
    max_time_ticks: int = 0


def bins_of(values: Times, mantissa_bits: int) -> Counts:
    """Return the log-linear bin of each value."""
    # A double holds every value below 2**53, so its exponent gives the value's bit length.
    inside = np.clip(values, 0, VALUE_MOST)
    lengths = np.frexp(inside.astype(np.float64))[1].astype(np.int64)
    shifts = np.maximum(lengths - mantissa_bits - 1, 0)
    bins = (shifts << mantissa_bits) + (inside >> shifts)
    bins[values < 0] = under_bin(mantissa_bits)
    bins[values >= VALUE_MOST] = over_bin(mantissa_bits)
    return bins


def zoom_bins_of(values: Times, first_ticks: int, zoom_bits: int) -> Counts:
    """Return the bin of each value in a window whose second bin is `first_ticks`."""
    return np.clip(values - first_ticks + 1, 0, (1 << zoom_bits) - 1)


def log_counts(samples: Samples, mantissa_bits: int) -> Counts:
    """Return the unsaturated counts of all log-linear bins of one key."""
    bins = bins_of(samples.value_ticks, mantissa_bits)
    return np.bincount(bins, minlength=1 << bin_bits(mantissa_bits)).astype(np.int64)


def zoom_counts(samples: Samples, first_ticks: int, zoom_bits: int) -> Counts:
    """Return the unsaturated counts of a zoom window of one key."""
    bins = zoom_bins_of(samples.value_ticks, first_ticks, zoom_bits)
    return np.bincount(bins, minlength=1 << zoom_bits).astype(np.int64)


def _sum_of_squares(values: Times) -> int:
    # The parts' squares add up within 64 bits for more samples than fit into memory.
    high, low = values >> 16, values & 0xFFFF
    parts = (int(np.sum(high * high)), int(np.sum(high * low)), int(np.sum(low * low)))
    return (parts[0] << 32) + (parts[1] << 17) + parts[2]


def statistics(samples: Samples, features: Feature) -> Statistics:
    """Return the statistics of one key. Fields that `features` excludes are 0."""
    if not len(samples):
        return Statistics()
    values = samples.value_ticks
    least, greatest = int(np.argmin(values)), int(np.argmax(values))
    where = Feature.EXTREMES in features
    return Statistics(
        len(values),
        int(np.sum(values)),
        _sum_of_squares(values) if Feature.SUM_SQUARES in features else 0,
        int(values[least]),
        int(values[greatest]),
        int(samples.index[least]) * where,
        int(samples.index[greatest]) * where,
        int(samples.time_ticks[least]) * where,
        int(samples.time_ticks[greatest]) * where,
    )


def folded(parts: Sequence[Statistics]) -> Statistics:
    """Return the statistics of samples that were counted in parts, such as sets and banks."""
    parts = [part for part in parts if part.count]
    if not parts:
        return Statistics()
    least = min(parts, key=lambda part: (part.min_ticks, part.min_index))
    greatest = min(parts, key=lambda part: (-part.max_ticks, part.max_index))
    return Statistics(
        sum(part.count for part in parts),
        sum(part.sum_ticks for part in parts),
        sum(part.sum_sq_ticks2 for part in parts),
        least.min_ticks,
        greatest.max_ticks,
        least.min_index,
        greatest.max_index,
        least.min_time_ticks,
        greatest.max_time_ticks,
    )


_PLAIN = [field.name for field in fields(Statistics) if field.name != "sum_sq_ticks2"]


def pack_statistics(value: Statistics) -> bytes:
    """Return one entry of a statistics space."""
    entry = {name: int(getattr(value, name)) for name in _PLAIN}
    entry["sum_sq_low_ticks2"] = value.sum_sq_ticks2 & (1 << 64) - 1
    entry["sum_sq_high_ticks2"] = value.sum_sq_ticks2 >> 64
    return STATISTICS.pack(entry)


def unpack_statistics(data: bytes) -> Statistics:
    """Return the statistics in one entry of a statistics space."""
    entry = STATISTICS.unpack(data)
    squares = entry.pop("sum_sq_low_ticks2") | entry.pop("sum_sq_high_ticks2") << 64
    return Statistics(sum_sq_ticks2=squares, **entry)


def statistics_of_space(geometry: Geometry, space: Space, dump: bytes) -> list[Statistics]:
    """Return the combined statistics of each key, from a statistics space's dumped bytes.

    Raises ValueError if the dump has another length.
    """
    size, count = STATISTICS.size_bytes, entries(geometry, space)
    if len(dump) != count * size:
        raise ValueError(f"{space.name}: {len(dump)} bytes; must be {count * size}")
    parts = [unpack_statistics(dump[at : at + size]) for at in range(0, len(dump), size)]
    keys = count // STATISTICS_SETS
    return [folded(parts[key::keys]) for key in range(keys)]
