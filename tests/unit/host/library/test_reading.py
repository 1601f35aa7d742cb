# SPDX-License-Identifier: Apache-2.0
"""What is known of one channel."""

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.library.reading import Reading, of_name
from plexor.library.run import Run

LATENCIES = [1000, 1500, 1501, 40_000, 1000, None]


@pytest.fixture
def reading(run_of):
    return Run(run_of([LATENCIES]))["ISR"]


@pytest.fixture
def snapshot(run_of):
    """The same channel as in a snapshot: without samples."""
    return Reading(run_of([LATENCIES]).channels[0], 1_000_000)


def test_figures_are_those_of_the_latencies_in_seconds(reading, snapshot):
    for found in (reading, snapshot):
        assert (found.min_s, found.max_s) == (1e-6, 40e-6)
        assert found.mean_s == pytest.approx((1000 + 1500 + 1501 + 40_000 + 1000) / 5 * 1e-9)
        assert found.peak_to_peak_s == pytest.approx(39e-6)
        assert found.rms_s == pytest.approx(np.std([1000, 1500, 1501, 40_000, 1000]) * 1e-9)
        counts = (found.strikes, found.answered, found.missed, found.late, found.pending)
        assert counts == (6, 5, 1, 0, 0)
        assert (found.duplicate, found.spurious) == (0, 0)


def test_a_histogram_is_numpy_s(reading):
    values = np.array([v for v in LATENCIES if v is not None])
    edges, counts = reading.histogram()
    again, _ = np.histogram(values * 1e-9 + 0.5e-9, bins=edges)
    assert np.array_equal(counts, again)
    assert len(edges) == len(counts) + 1
    assert counts[0]
    assert counts[-1]
    # Bins are 1/64 of their value or finer.
    assert np.all(np.diff(edges) <= np.maximum(edges[:-1] / 64, 1e-9) * (1 + 1e-9))


def test_without_a_sample_a_histogram_is_empty(run_of):
    edges, counts = Run(run_of([[None, None]]))["ISR"].histogram()
    assert len(edges) == len(counts) == 0


def test_a_percentile_is_exact_with_samples_and_a_bin_s_end_without(reading, snapshot):
    assert reading.percentile(50).value_s == pytest.approx(1.5e-6)
    assert 1.5e-6 <= snapshot.percentile(50).value_s <= 1.5e-6 * (1 + 1 / 32)
    # Six samples would be needed for an interval of the median, five are there.
    assert reading.percentile(50).upper_s is None


def test_latencies_of_strikes_that_are_not_known_are_refused(run_of):
    reading = Run(run_of([[None, 20_000, 30_000]]))["ISR"]
    assert not reading.pairing.known
    assert (reading.min_s, reading.max_s, reading.mean_s) == (None, None, None)
    assert (reading.peak_to_peak_s, reading.rms_s) == (None, None)
    for take in (reading.statistics, reading.histogram, reading.samples, reading.distribution):
        with pytest.raises(UsageError, match="its answers may be those of other strikes"):
            take()
    assert reading.statistics("width").count == 2


@pytest.mark.parametrize("percent", [0, 100, -1, 100.5])
def test_a_percentile_out_of_range_is_refused(reading, percent):
    with pytest.raises(ValueError, match="must lie between 0 and 100"):
        reading.percentile(percent)


def test_samples_are_in_order_and_a_snapshot_has_none(reading, snapshot):
    assert reading.samples().value_ticks.tolist() == [1000, 1500, 1501, 40_000, 1000]
    with pytest.raises(UsageError, match="only of a finished run"):
        snapshot.samples()


def test_a_kind_or_a_name_that_is_not_there_says_what_is(reading):
    with pytest.raises(UsageError, match="'rize' was not measured; it has rise, fall"):
        reading.histogram("rize")
    with pytest.raises(UsageError, match="'TASK': there is none; this run has ISR"):
        of_name((reading,), "TASK")
