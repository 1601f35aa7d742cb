# SPDX-License-Identifier: Apache-2.0
"""Traces after the strike: the scope's stairway and the persistence image."""

import numpy as np
import pytest

from plexor.figures.analyse.percentiles import from_cells, from_values
from plexor.figures.analyse.traces import average_trace, intermediate_levels, persistence


@pytest.mark.parametrize("distinct", [1, 2, 3, 128])
def test_k_distinct_edges_make_k_minus_one_intermediate_levels(distinct):
    trace = average_trace(from_values(np.arange(distinct) * 7 + 100))
    assert intermediate_levels(trace) == distinct - 1


def test_a_stairway_climbs_by_the_share_of_each_edge():
    trace = average_trace(from_values([10, 10, 10, 30]), from_values([50, 50, 50, 70]))
    assert trace.time_ticks.tolist() == [10, 30, 50, 70]
    assert trace.level.tolist() == [0.75, 1.0, 0.25, 0.0]


def test_missed_responses_keep_the_average_below_one():
    assert average_trace(from_values([10]), None, traces=4).level.tolist() == [0.25]


def test_level_density_is_rises_less_falls():
    image = persistence(from_values([2, 4]), from_values([6, 6]), (0, 10), 10)
    assert image.rises.tolist() == [0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    assert image.falls.tolist() == [0, 0, 0, 0, 0, 0, 2, 0, 0, 0]
    # A sample is spread over its tick: half of it has risen by the middle of its column.
    assert image.high.tolist() == pytest.approx([0, 0, 0.25, 0.5, 0.75, 1, 0.5, 0, 0, 0])


def test_every_sample_lies_in_some_column():
    values = np.random.default_rng(1).integers(0, 997, 5000)
    image = persistence(from_values(values), None, (0, 1000), 37)
    assert image.rises.sum() == pytest.approx(5000)
    assert image.high[-1] == pytest.approx(1.0, abs=0.1)


def test_edges_before_the_window_still_raise_the_level():
    image = persistence(from_values([-5]), None, (0, 10), 5)
    assert image.high.tolist() == [1, 1, 1, 1, 1]
    assert image.rises.sum() == 0


def test_a_wide_cell_ramps_over_its_columns():
    cells = from_cells(np.array([0]), np.array([4]), np.array([8]))
    image = persistence(cells, None, (0, 8), 4)
    assert image.rises.tolist() == [4, 4, 0, 0]
    assert image.high.tolist() == [0.25, 0.75, 1, 1]
