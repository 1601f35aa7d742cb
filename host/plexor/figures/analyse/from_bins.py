# SPDX-License-Identifier: Apache-2.0
"""Distributions from the chip's bins, and the subtraction of a base result."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plexor.figures.analyse.percentiles import OPEN_TICKS, Distribution, from_cells
from plexor.model.results import SampleResult, Zoom
from plexor.protocol.memory import VALUE_MOST, bin_count, over_bin, under_bin

Ticks = npt.NDArray[np.int64]


def of_bins(measurement: SampleResult, most_ticks: int | None = None) -> Distribution:
    """Return the distribution of a measurement's bins, with cells as narrow as known.

    The window of one-tick bins replaces the log-linear bins that it covers. Minimum and maximum
    bound the first and the last cell. `most_ticks` is the maximum if events tell it. If samples are
    at the chip's limit and no event tells the maximum, their cell is open.
    """
    bins = measurement.bins
    mantissa, counts = bins.mantissa_bits, bins.counts.astype(np.int64)
    numbers = np.arange(bin_count(mantissa), dtype=np.int64)
    shift = np.maximum((numbers >> mantissa) - 1, 0)
    low = (numbers - (shift << mantissa)) << shift
    high = low + (np.int64(1) << shift)
    counted = counts[: len(numbers)].copy()
    under, over = int(counts[under_bin(mantissa)]), int(counts[over_bin(mantissa)])
    if measurement.zoom is not None:
        low, high, counted = _refined(low, high, counted, measurement.zoom, under)
    known, limit = measurement.known, measurement.limit_ticks
    least, most = known.min_ticks, known.max_ticks if most_ticks is None else most_ticks
    least = 0 if least is None else least
    most = VALUE_MOST if most is None else most
    end = min(most + 1, VALUE_MOST)
    filled = counted > 0
    low, high = np.maximum(low[filled], max(least, 0)), np.minimum(high[filled], end)
    low = np.concatenate([[min(least, -1)], low, [VALUE_MOST]])
    last = max(most, VALUE_MOST) + 1 if limit is None or most_ticks is not None else OPEN_TICKS
    high = np.concatenate([[0], np.maximum(high, low[1:-1] + 1), [last]])
    return from_cells(low, high, np.concatenate([[under], counted[filled], [over]]))


def _refined(
    low: Ticks, high: Ticks, counts: Ticks, zoom: Zoom, negative: int
) -> tuple[Ticks, Ticks, Ticks]:
    """Replace covered cells by the window's inner bins; shrink or split the cells at its ends.

    A window within one cell splits it: the window's under-range bin counts the samples below, of
    which `negative` are below 0 and in no cell.
    """
    inner = zoom.counts.astype(np.int64)[1:-1]
    first = max(zoom.first_ticks, 0)
    inner = inner[first - zoom.first_ticks :]
    end = first + len(inner)
    if not len(inner):
        return low, high, counts
    ticks = np.arange(first, end, dtype=np.int64)
    begins_below, ends_above = low < first, high > end
    touched = (high > first) & (low < end)
    # A cell that extends beyond the window keeps the samples that are not in the window.
    seen = np.zeros(len(low), np.int64)
    np.add.at(seen, np.searchsorted(low, ticks, side="right") - 1, inner)
    uncounted = np.maximum(counts - seen, 0)
    lower_cells, upper_cells = touched & begins_below, touched & ends_above
    below = int(zoom.counts[0]) - negative - int(counts[high <= first].sum())
    of_below = np.where(
        lower_cells & upper_cells, np.clip(below, 0, uncounted), np.where(lower_cells, uncounted, 0)
    )
    lows = [low[~touched], low[lower_cells], np.full(int(upper_cells.sum()), end), ticks]
    highs = [high[~touched], np.full(int(lower_cells.sum()), first), high[upper_cells], ticks + 1]
    news = [counts[~touched], of_below[lower_cells], (uncounted - of_below)[upper_cells], inner]
    return _sorted(np.concatenate(lows), np.concatenate(highs), np.concatenate(news))


def _sorted(low: Ticks, high: Ticks, counts: Ticks) -> tuple[Ticks, Ticks, Ticks]:
    order = np.argsort(low, kind="stable")
    return low[order], high[order], counts[order]


def less_base(distribution: Distribution, base_ticks: int) -> tuple[Distribution, int]:
    """Return the distribution less `base_ticks`, and the number of clamped samples.

    A sample below the base becomes 0 and counts as clamped. All samples of a cell count as clamped
    if the cell begins below the base.
    """
    if base_ticks < 0:
        raise ValueError(f"base_ticks: {base_ticks}; must be 0 or more")
    below = distribution.low_ticks < base_ticks
    clamped = int(distribution.counts[below].sum())
    low = np.maximum(distribution.low_ticks - base_ticks, 0)
    high = np.maximum(distribution.high_ticks - base_ticks, low + 1)
    high[distribution.high_ticks == OPEN_TICKS] = OPEN_TICKS
    # Clamped cells and samples equal to the base all lie at 0. A cell on both sides of the base
    # joins them.
    at_zero = low == 0
    zero_high = int(high[at_zero].max(initial=1))
    zero = int(distribution.counts[at_zero].sum())
    cells = (
        np.concatenate([[0], low[~at_zero]]),
        np.concatenate([[zero_high], high[~at_zero]]),
        np.concatenate([[zero], distribution.counts[~at_zero]]),
    )
    return from_cells(*cells), clamped
