# SPDX-License-Identifier: Apache-2.0
"""Code density: planted bins come back from counts, with errors that are theirs."""

from __future__ import annotations

import numpy as np
import pytest

from plexor.experiments.calibration.density import BATCHES, LEAST_EDGES, DensityError, by_phase
from plexor.experiments.calibration.density import instants as instants_of
from plexor.model.calibration import Instants

TICK_FS = 500_000
LATE_PS = np.array([30, -120, 80, 10, -60, 140, -40, -40])
PHASES = len(LATE_PS)
PERIOD_PS = PHASES * TICK_FS // 1000


def seen_ticks(time_ps: np.ndarray) -> np.ndarray:
    """Return the first sample at or after each time, by the planted instants."""
    tick_ps = TICK_FS // 1000
    instants_ps = np.arange(-1, PHASES + 2) * tick_ps + np.resize(np.roll(LATE_PS, 1), PHASES + 3)
    whole, into = np.divmod(time_ps, PERIOD_PS)
    first = np.searchsorted(instants_ps, into, side="left") - 1
    return whole * PHASES + first


def instants(ticks: np.ndarray, phases: int, tick_fs: int) -> Instants:
    """Return the instants of events."""
    return instants_of(by_phase(ticks, phases), tick_fs)


def asynchronous(count: int, seed: int) -> np.ndarray:
    """Return ticks of edges at independent times."""
    times = np.random.default_rng(seed).integers(0, 10**9, count)
    return np.sort(seen_ticks(times))


def test_planted_instants_come_back_less_their_mean():
    found = instants(asynchronous(200_000, 1), PHASES, TICK_FS)
    off = np.array(found.late_ps) - (LATE_PS - LATE_PS.mean())
    assert np.abs(off).max() <= 4 * max(found.error_ps)
    assert max(found.error_ps) < 6
    assert found.edges == 200_000


def test_the_standard_error_is_the_spread_of_many_calibrations():
    many = [instants(asynchronous(5000, seed), PHASES, TICK_FS) for seed in range(300)]
    spread = np.std([found.late_ps for found in many], axis=0)
    claimed = np.mean([found.error_ps for found in many], axis=0)
    # The greater of two estimates, rounded up: a little over the truth, never far below.
    assert np.all(claimed > 0.95 * spread)
    assert np.all(claimed < 1.5 * spread)


def test_edges_that_hang_together_have_the_greater_error_of_their_batches():
    ticks = asynchronous(32_000, 3)
    # Each half of the run keeps to half of the phases: its edges are no 32,000 independent ones.
    halves = np.concatenate([ticks[ticks % PHASES < 4], ticks[ticks % PHASES >= 4]])
    assert max(instants(halves, PHASES, TICK_FS).error_ps) > 20 * max(
        instants(ticks, PHASES, TICK_FS).error_ps
    )


def test_even_bins_are_even():
    found = instants(np.arange(8000), PHASES, TICK_FS)
    assert found.late_ps == (0,) * PHASES
    assert found.widths_ps(TICK_FS) == (500.0,) * PHASES
    assert found.rms_ps(TICK_FS) == pytest.approx(500 / 12**0.5)


def test_the_rms_error_is_that_of_edges_put_in_the_middle():
    planted = Instants(tuple(LATE_PS.tolist()), (1,) * PHASES, 1)
    times = np.random.default_rng(5).integers(0, 10**9, 400_000)
    ticks = seen_ticks(times)
    late = LATE_PS[ticks % PHASES] + LATE_PS[ticks % PHASES - 1]
    middles = ticks * 500 + late / 2 - 250
    seen = np.sqrt(np.mean((middles - times) ** 2))
    assert planted.rms_ps(TICK_FS) == pytest.approx(seen, rel=0.01)


def test_one_phase_alone_has_nothing_to_be_late_against():
    assert instants(np.arange(2000), 1, TICK_FS).late_ps == (0,)


@pytest.mark.parametrize(
    ("ticks", "says"),
    [
        (np.arange(LEAST_EDGES - 1), "999 edges; must be at least 1000"),
        (np.arange(0, 9000, 2), "none of 4,500 edges at phase 1, 3, 5, 7"),
    ],
)
def test_edges_that_tell_no_bins_are_refused(ticks, says):
    with pytest.raises(DensityError, match=says):
        instants(ticks, PHASES, TICK_FS)


def test_of_two_even_bins_the_error_is_the_binomial_ones_half():
    # Every batch is the same. The instants are half of one bin's width from their mean, and of
    # N = 2400 edges that width is known to T sqrt(q (1 - q) / N) = 1000 ps / 2 / 49 = 10.2 ps.
    assert instants(np.arange(2400), 2, TICK_FS).error_ps == (6, 6)


def test_events_are_counted_by_phase_in_batches_one_after_the_other():
    ticks = np.concatenate([np.full(3 * BATCHES, 9), np.full(5 * BATCHES, 6)])
    found = by_phase(ticks, 4)
    assert found.shape == (BATCHES, 4)
    assert found.sum(axis=0).tolist() == [0, 3 * BATCHES, 5 * BATCHES, 0]
    assert found[0].tolist() == [0, 8, 0, 0]


def test_batches_that_differ_have_the_greater_error_and_empty_ones_say_nothing():
    even, skewed = np.full((8, 4), 100), np.full((8, 4), 100)
    skewed[::2, 1] += 80
    skewed[1::2, 1] -= 80
    independent = max(instants_of(even, TICK_FS).error_ps)
    assert max(instants_of(skewed, TICK_FS).error_ps) > 3 * independent
    some = np.concatenate([even, np.zeros((8, 4), np.int64)])
    assert instants_of(some, TICK_FS) == instants_of(even, TICK_FS)
    # A single batch has no spread.
    assert max(instants_of(even.sum(axis=0)[None], TICK_FS).error_ps) == independent
