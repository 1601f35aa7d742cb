# SPDX-License-Identifier: Apache-2.0
"""Log-linear bins and exact figures of values in ticks, as the instrument has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plexor.model.results import Bins, Counts, Kind, SampleResult, Statistics, Zoom
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


class Tally:
    """Figures of one kind of sample, counted as the samples come.

    `zoom` is the window's first value in ticks, and its number of bins; None: there is no window.
    """

    def __init__(self, kind: Kind, mantissa_bits: int, zoom: tuple[int, int] | None = None) -> None:
        self.kind = kind
        self.exact = _NO_SAMPLES
        self._clamped: Statistics | None = None
        """With VALUE_MOST for every greater value. None: there is no greater value."""
        self._mantissa_bits = mantissa_bits
        self._bins: Counts = np.zeros(1 << bin_bits(mantissa_bits), np.uint64)
        self._first_ticks, bins = zoom or (0, 0)
        self._zoomed: NDArray[np.int64] = np.zeros(bins, np.int64)

    def add(self, samples: Samples) -> None:
        """Count the samples that come next."""
        values = samples.value_ticks
        if not len(values):
            return
        statistics = statistics_of(samples)
        if statistics.max_ticks is not None and statistics.max_ticks > VALUE_MOST:
            self._clamped = self.clamped
            statistics_clamped = statistics_of(clamped(samples))
        else:
            statistics_clamped = statistics
        if self._clamped is not None:
            self._clamped = _together(self._clamped, statistics_clamped)
        self.exact = _together(self.exact, statistics)
        self._bins += bins_of(values, self._mantissa_bits)
        bins = len(self._zoomed)
        if bins:
            places = np.clip(values - (self._first_ticks - 1), 0, bins - 1)
            self._zoomed += np.bincount(places, minlength=bins)

    @property
    def clamped(self) -> Statistics:
        """The exact figures of what the chip records: VALUE_MOST for every greater value."""
        return self.exact if self._clamped is None else self._clamped

    def result(self) -> SampleResult:
        """Return the figures so far. The last bin counts values over range."""
        zoom = None
        if len(self._zoomed):
            zoom = Zoom(self._first_ticks, self._zoomed.astype(np.uint64))
        bins = Bins(self._mantissa_bits, self._bins.copy())
        return SampleResult(self.kind, self.exact, bins, zoom, on_chip=False)


_NO_SAMPLES = Statistics(0, 0, 0, None, None)


def _together(first: Statistics, second: Statistics) -> Statistics:
    """Return the figures of samples and of those that came after them; all figures are known."""
    if not first.count or not second.count:
        return first if first.count else second
    least = second if _known(second.min_ticks) < _known(first.min_ticks) else first
    most = second if _known(second.max_ticks) > _known(first.max_ticks) else first
    return Statistics(
        first.count + second.count,
        _known(first.sum_ticks) + _known(second.sum_ticks),
        _known(first.sum_sq_ticks2) + _known(second.sum_sq_ticks2),
        least.min_ticks,
        most.max_ticks,
        least.min_index,
        most.max_index,
        least.min_time_ticks,
        most.max_time_ticks,
    )


def _known(figure: int | None) -> int:
    if figure is None:
        raise ValueError("a figure of counted samples is None; must be known")
    return figure
