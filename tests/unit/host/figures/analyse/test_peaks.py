# SPDX-License-Identifier: Apache-2.0
"""Peaks: planted ones are found, chance makes none."""

import numpy as np
import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.analyse.peaks import peaks
from plexor.figures.analyse.percentiles import from_cells, from_values
from plexor.show.table import jitter_rows, latency_rows

US = 1000


def test_planted_peaks_are_found_within_a_bin_and_the_wall_is_none():
    random = np.random.default_rng(4)
    values = np.concatenate(
        [
            random.normal(15 * US, 300, 20_000),
            random.normal(30 * US, 900, 5_000),
            random.uniform(10 * US, 133 * US, 3_000),
        ]
    ).astype(int)
    found = peaks(from_values(values))
    assert len(found) == 2
    for peak, truth in zip(found, (15 * US, 30 * US), strict=True):
        width = peak.high_ticks - peak.low_ticks
        assert abs(peak.value_ticks - truth) <= 1.5 * width


def test_one_value_is_one_peak():
    found = peaks(from_values([5000] * 100))
    assert [(p.low_ticks <= 5000 < p.high_ticks, p.count) for p in found] == [(True, 100)]


@pytest.mark.parametrize("latency", [2500, 2537, 9, 1_234_567])
@pytest.mark.parametrize("keep_events", [True, False])
def test_a_peak_of_equal_samples_is_named_by_their_value(run_of, latency, keep_events):
    report = analyse(run_of([[latency] * 100], keep_events=keep_events))
    (peak,) = peaks(report.channels[0].rise.distribution)
    assert peak.value_ticks == latency
    head, (row,) = jitter_rows(report)
    told = latency_rows(report)
    greatest = told[1][0][told[0].index("max seen")][0]
    assert row[head.index("peaks")] == (greatest, "")


@pytest.mark.parametrize("values", [[2496] * 90 + [2559] * 60, [4000] * 40 + [4001] * 60 + [90]])
def test_a_peak_is_named_by_a_sample(values):
    assert {peak.value_ticks for peak in peaks(from_values(values))} <= set(values)


def test_a_flat_distribution_has_no_more_than_its_one_body():
    values = np.random.default_rng(8).integers(1000, 2000, 50_000)
    assert len(peaks(from_values(values))) <= 1


def test_a_handful_of_samples_is_no_peak():
    assert peaks(from_values([100, 200, 300, 300, 900])) == ()
    assert peaks(from_values([])) == ()


def test_a_change_of_bin_width_makes_no_peak():
    # Density falls smoothly over many octaves; bins double at powers of two.
    values = np.random.default_rng(2).exponential(5000, 200_000).astype(int)
    assert len(peaks(from_values(values))) <= 1


def test_a_peak_of_two_equal_bins_is_one_peak():
    distribution = from_cells(
        np.array([16, 17, 18, 19]), np.array([17, 18, 19, 20]), np.array([10, 400, 400, 10])
    )
    (peak,) = peaks(distribution)
    assert (peak.low_ticks, peak.high_ticks) == (17, 18)
