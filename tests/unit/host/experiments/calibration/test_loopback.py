# SPDX-License-Identifier: Apache-2.0
"""Pad delay: inside its bounds whatever the bins, and narrower by what other channels know."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.experiments.calibration.loopback import DelayBounds, behind_ps, bounds, delays
from plexor.model.calibration import Instants

TICK_FS = 1_000_000
EVEN = Instants((0, 0, 0, 0), (1,) * 4, 1000)


def seen(time_ps: np.ndarray, bins: Instants) -> np.ndarray:
    """Return the first tick whose instant is at or after each time, one by one."""
    found = []
    for time in time_ps.tolist():
        tick = int(time // 1000) - 2
        while tick * 1000 + bins.late_ps[tick % 4] < time:
            tick += 1
        found.append(tick)
    return np.array(found)


def strikes() -> np.ndarray:
    return 100 + 65 * np.arange(32)


@given(
    st.integers(0, 20_000),
    st.lists(st.integers(-400, 400), min_size=4, max_size=4),
)
def test_a_delay_lies_between_its_bounds_which_are_a_tick_apart_at_most(delay_ps, late):
    bins = Instants(tuple(late), (1,) * 4, 1000)
    ticks = seen(strikes() * 1000 + delay_ps, bins)
    found = bounds(strikes(), ticks, bins, TICK_FS)
    assert found.low_ps < delay_ps <= found.high_ps
    # Either every bin is hit, the narrowest too, or one is hit twice, a tick apart.
    assert found.high_ps - found.low_ps <= 1000


def test_of_even_bins_the_bounds_are_a_tick_apart():
    ticks = seen(strikes() * 1000 + 1300, EVEN)
    assert bounds(strikes(), ticks, EVEN, TICK_FS) == DelayBounds(1000, 2000)


def test_how_much_later_the_source_comes_is_known_much_better_than_a_tick():
    edges = np.cumsum(np.random.default_rng(2).integers(190_000, 230_000, 5000))
    bins = Instants((-150, 200, -80, 30), (1,) * 4, 1000)
    first, other = seen(edges, EVEN), seen(edges + 730, bins)
    # The other channel has lost some edges, and has seen some that the first has not.
    late = behind_ps((np.delete(first, slice(40, 90)), EVEN), (other[10:], bins), TICK_FS)
    assert late == pytest.approx(730, abs=30)


def test_channels_without_common_edges_know_nothing_of_each_other():
    nothing = np.array([], np.int64)
    assert behind_ps((nothing, EVEN), (np.array([5]), EVEN), TICK_FS) is None
    assert behind_ps((np.array([5, 400]), EVEN), (nothing, EVEN), TICK_FS) is None
    assert behind_ps((np.array([0, 4000]), EVEN), (np.array([2000]), EVEN), TICK_FS) is None


def test_what_one_channel_knows_helps_the_others_within_what_they_know():
    own = [DelayBounds(1000, 2000), DelayBounds(1750, 1850), DelayBounds(1400, 2400)]
    found = delays(own, [0.0, 400.0, 900.0])
    assert found == [(1400, 600), (1800, 50), (2300, 900)]


def test_no_help_leads_outside_a_channels_own_bounds():
    own = [DelayBounds(1000, 2000), DelayBounds(100, 200)]
    for (value, _), bound in zip(delays(own, [0.0, 0.0]), own, strict=True):
        assert bound.low_ps <= value <= bound.high_ps
    assert delays(own, [0.0, None])[1] == (150, 50)


def test_noise_that_crosses_the_bounds_leaves_their_middle():
    assert delays([DelayBounds(1210, 1190)], [0.0]) == [(1200, 10)]


@pytest.mark.parametrize("count", [0, 3])
def test_edges_that_are_not_as_many_as_strikes_are_refused(count):
    with pytest.raises(ValueError, match=f"{count} edges from 32 strikes"):
        bounds(strikes(), strikes()[:count], EVEN, TICK_FS)
