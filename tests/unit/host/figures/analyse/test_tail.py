# SPDX-License-Identifier: Apache-2.0
"""Tails: survival, back wall, thinning, cold start and outliers, with planted values."""

import numpy as np

from plexor.figures.analyse.percentiles import from_cells, from_values
from plexor.figures.analyse.tail import beyond, cold_start, earliest, latest, survival, thin


def test_survival_counts_samples_greater_than_each_value():
    found = survival(from_values([3, 1, 3, 9]))
    assert found.value_ticks.tolist() == [1, 3, 9]
    assert found.beyond.tolist() == [3, 1, 0]


def test_a_sample_on_the_wall_is_not_beyond_it():
    values = from_values([10, 20, 20, 21])
    assert (beyond(values, 20).least, beyond(values, 20).most) == (1, 1)
    assert beyond(values, 21).most == 0


def test_a_wall_inside_a_bin_gives_both_bounds():
    cells = from_cells(np.array([0, 64]), np.array([64, 128]), np.array([5, 3]))
    found = beyond(cells, 32)
    assert (found.least, found.most) == (3, 8)


def test_thinning_keeps_the_extremes_and_their_times():
    times = np.arange(100_000) * 10
    values = np.full(100_000, 50)
    values[12_345], values[77_777] = 999, 1
    found = thin(times, values, 200)
    assert len(found.time_ticks) <= 400
    assert found.points == 100_000
    assert found.time_ticks[found.value_ticks == 999].tolist() == [123_450]
    assert found.time_ticks[found.value_ticks == 1].tolist() == [777_770]
    assert np.all(np.diff(found.time_ticks) > 0)


def test_few_points_are_not_thinned():
    assert len(thin(np.arange(5), np.arange(5), 10).time_ticks) == 5


def test_a_slow_first_response_stays_out_of_the_warm_extremes():
    found = cold_start(np.array([900, 12, 10, 15]))
    assert (found.cold_ticks, found.warm_min_ticks, found.warm_max_ticks) == (900, 10, 15)
    assert found.warm_count == 3


def test_planted_outliers_are_found_with_their_positions():
    values = np.random.default_rng(3).integers(1000, 1100, 100_000)
    values[[17, 50_000, 99_999]] = [2000, -4, 1999]
    assert [(o.position, o.value_ticks) for o in latest(values, 2)] == [(17, 2000), (99_999, 1999)]
    assert [(o.position, o.value_ticks) for o in earliest(values, 1)] == [(50_000, -4)]


def test_of_equal_outliers_the_first_come_first():
    assert [o.position for o in latest(np.array([5, 9, 9, 9]), 2)] == [1, 2]
