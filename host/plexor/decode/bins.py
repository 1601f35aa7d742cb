"""Log-linear bins and exact figures of values in ticks, as the instrument has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plexor.decode.matched import Samples
from plexor.model.results import Bins, Kind, Measurement, Statistics
from plexor.protocol.memory import VALUE_MOST, bin_bits, over_bin, under_bin

_HALF_BITS = 16


def bin_numbers(values: NDArray[np.int64], mantissa_bits: int) -> NDArray[np.int64]:
    """Return the log-linear bin of each value in ticks: `plexor.protocol.memory.bin_of`."""
    inside = np.clip(values, 0, VALUE_MOST)
    shift = np.maximum(np.frexp(inside.astype(np.float64))[1] - mantissa_bits - 1, 0)
    numbers = (shift.astype(np.int64) << mantissa_bits) + (inside >> shift)
    numbers[values < 0] = under_bin(mantissa_bits)
    numbers[values >= VALUE_MOST] = over_bin(mantissa_bits)
    return numbers


def bins_of(values: NDArray[np.int64], mantissa_bits: int) -> NDArray[np.uint64]:
    """Return log-linear counts of values in ticks."""
    numbers = bin_numbers(values, mantissa_bits)
    return np.bincount(numbers, minlength=1 << bin_bits(mantissa_bits)).astype(np.uint64)


def measurement_of(kind: Kind, samples: Samples, mantissa_bits: int) -> Measurement:
    """Return the exact figures and the bins of samples; values above VALUE_MOST count as it."""
    values = np.minimum(samples.value_ticks, VALUE_MOST)
    bins = Bins(mantissa_bits, bins_of(values, mantissa_bits))
    if not len(values):
        return Measurement(kind, Statistics(0, 0, 0, None, None), bins, on_chip=False)
    minimum, maximum = int(values.argmin()), int(values.argmax())
    statistics = Statistics(
        len(values),
        int(values.sum()),
        _sum_of_squares(values),
        int(values[minimum]),
        int(values[maximum]),
        int(samples.index[minimum]),
        int(samples.index[maximum]),
        int(samples.time_ticks[minimum]),
        int(samples.time_ticks[maximum]),
    )
    return Measurement(kind, statistics, bins, on_chip=False)


def _sum_of_squares(values: NDArray[np.int64]) -> int:
    """Return the exact sum of squares of up to 2**31 values of 32 bits.

    The squares of single values fit 64 bits, their sum may not. Sums of the products of halves do.
    """
    high, low = values >> _HALF_BITS, values & ((1 << _HALF_BITS) - 1)
    squares, products = int((high * high).sum()), int((high * low).sum())
    rest = int((low * low).sum())
    return (squares << 2 * _HALF_BITS) + (products << _HALF_BITS + 1) + rest
