# SPDX-License-Identifier: Apache-2.0
"""Cells of the chip's bins, windows and bases, each sample in exactly one."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plexor.figures.analyse.from_bins import less_base, of_bins
from plexor.figures.analyse.percentiles import from_cells, from_values
from plexor.model.results import Bins, Kind, SampleResult, Statistics, Zoom
from plexor.protocol.memory import bin_of


def test_a_base_on_bins_keeps_every_sample():
    cells = from_cells(np.array([8, 12, 64]), np.array([9, 13, 66]), np.array([2, 3, 4]))
    less, clamped = less_base(cells, 12)
    assert clamped == 2
    assert less.low_ticks.tolist() == [0, 52]
    assert less.high_ticks.tolist() == [1, 54]
    assert less.counts.tolist() == [5, 4]


def test_a_base_inside_of_a_bin_leaves_one_cell_at_zero():
    cells = from_cells(np.array([8, 64, 80]), np.array([9, 72, 88]), np.array([2, 3, 4]))
    less, clamped = less_base(cells, 66)
    assert clamped == 5
    assert less.low_ticks.tolist() == [0, 14]
    assert less.high_ticks.tolist() == [6, 22]
    assert less.counts.tolist() == [5, 4]


def test_a_negative_base_is_refused():
    with pytest.raises(ValueError, match="base_ticks: -1"):
        less_base(from_values([1]), -1)


def test_the_window_of_one_tick_bins_refines_what_it_covers():
    # Six samples in the bin of 1024 to 1039 (16 ticks wide), window from 1030 of 6 inner bins.
    counts = np.zeros(1 << 11, np.uint64)
    counts[320] = 6  # octave 4 of 64 bins each: 4 * 64 + 64
    zoom = np.array([2, 0, 1, 0, 0, 2, 0, 1], np.uint64)  # 1031 once, 1034 twice; 2 under, 1 over
    statistics = Statistics(6, 6 * 1030, None, 1024, 1039)
    found = of_bins(SampleResult(Kind.RISE, statistics, Bins(6, counts), Zoom(1030, zoom)))
    assert found.low_ticks.tolist() == [1024, 1031, 1034, 1036]
    assert found.high_ticks.tolist() == [1030, 1032, 1035, 1040]
    assert found.counts.tolist() == [2, 1, 2, 1]


def test_negative_and_huge_values_keep_their_cells():
    counts = np.zeros(1 << 11, np.uint64)
    counts[2047], counts[5], counts[2046] = 2, 1, 1
    statistics = Statistics(4, 0, None, -40, (1 << 31) + 5)
    found = of_bins(SampleResult(Kind.RISE, statistics, Bins(6, counts)))
    assert found.low_ticks.tolist() == [-40, 5, (1 << 31) - 1]
    assert found.high_ticks.tolist() == [0, 6, (1 << 31) + 6]


VALUES = st.lists(st.integers(-50, 3000) | st.integers(0, (1 << 31) - 1), min_size=1, max_size=30)


@example([162, 163], 100, False)  # the first two after the window
@example([(1 << 31) - (1 << 26), (1 << 31) - 1], None, False)  # in the last bin, and beyond it
@example([1536, 1599], 1537, True)  # a window within one bin, and a sample on each side of it
@given(VALUES, st.integers(-20, 2000) | st.none(), st.booleans())
def test_every_sample_is_counted_once_in_a_cell_that_it_lies_in(values, first, extremes):
    counts = np.zeros(1 << 9, np.uint64)
    for value in values:
        counts[bin_of(value, 4)] += np.uint64(1)
    zoom = None
    if first is not None:
        window = np.zeros(64, np.uint64)
        for value in values:
            window[min(max(value - first + 1, 0), 63)] += np.uint64(1)
        zoom = Zoom(first, window)
    ends = (min(values), max(values)) if extremes else (None, None)
    statistics = Statistics(len(values), sum(values), None, *ends)
    found = of_bins(SampleResult(Kind.RISE, statistics, Bins(4, counts), zoom))
    # In order and apart: the samples that a cell counts are the next ones in order.
    assert (found.low_ticks[1:] >= found.high_ticks[:-1]).all()
    assert found.total == len(values)
    left = sorted(values)
    for low, high, count in zip(
        found.low_ticks.tolist(), found.high_ticks.tolist(), found.counts.tolist(), strict=True
    ):
        own, left = left[:count], left[count:]
        below_all = low == -1 and not extremes
        assert all((low <= value or below_all) and value < high for value in own)
        if first is not None and 0 <= first <= own[0] < own[-1] < first + 62:
            pytest.fail(f"{own} in one cell, inside of the window")
