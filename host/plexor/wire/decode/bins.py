# SPDX-License-Identifier: Apache-2.0
"""Log-linear bins and exact figures of values in ticks, as the instrument has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plexor.model.results import Bins, Kind, SampleResult, Statistics
from plexor.protocol.memory import VALUE_MOST, bin_bits, over_bin, under_bin
from plexor.wire.decode.matched import Samples, pieces

_PART_BITS = 16


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
    bins = 1 << bin_bits(mantissa_bits)
    counts = np.zeros(bins, np.int64)
    for piece in pieces(len(values)):
        counts += np.bincount(bin_numbers(values[piece], mantissa_bits), minlength=bins)
    return counts.astype(np.uint64)


def clamped(samples: Samples) -> Samples:
    """Return samples as the chip records them: VALUE_MOST for every greater value."""
    values = np.minimum(samples.value_ticks, VALUE_MOST)
    return Samples(values, samples.time_ticks, samples.index, samples.start_ticks)


def measurement_of(kind: Kind, samples: Samples, mantissa_bits: int) -> SampleResult:
    """Return the exact figures and the bins of samples. The last bin counts values over range."""
    bins = Bins(mantissa_bits, bins_of(samples.value_ticks, mantissa_bits))
    return SampleResult(kind, statistics_of(samples), bins, on_chip=False)


def statistics_of(samples: Samples) -> Statistics:
    """Return the exact figures of samples."""
    return statistics_with(samples, samples.value_ticks)


def statistics_with(samples: Samples, values: NDArray[np.int64]) -> Statistics:
    """Return the exact figures of `values`; indices and times are taken from `samples`."""
    if not len(values):
        return Statistics(0, 0, 0, None, None)
    minimum, maximum = int(values.argmin()), int(values.argmax())
    least, most = (samples.cut(slice(position, position + 1)) for position in (minimum, maximum))
    return Statistics(
        len(values),
        int(values.sum()),
        sum_of_squares(values),
        int(values[minimum]),
        int(values[maximum]),
        int(least.index[0]),
        int(most.index[0]),
        int(least.time_ticks[0]),
        int(most.time_ticks[0]),
    )


def sum_of_squares(values: NDArray[np.int64]) -> int:
    """Return the exact sum of squares of up to 2**31 values.

    The square of a 64-bit value overflows 64 bits. So values are split into 16-bit digits; sums of
    products of two digits fit.
    """
    return sum(_sum_of_squares(values[piece]) for piece in pieces(len(values)))


def _sum_of_squares(values: NDArray[np.int64]) -> int:
    bits = int(np.abs(values).max(initial=0)).bit_length()
    shifts = range(0, bits + 1, _PART_BITS)
    digits = [values >> shift for shift in shifts]
    digits = [*(digit & ((1 << _PART_BITS) - 1) for digit in digits[:-1]), digits[-1]]
    return sum(
        int((first * second).sum()) << _PART_BITS * (i + j)
        for i, first in enumerate(digits)
        for j, second in enumerate(digits)
    )
