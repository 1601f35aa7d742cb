"""Whether a device falls behind, and what stages of a test have together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.sweep.decide import STAGES
from plexor.sweep.job import LEAST_STRIKES, behind, falls_behind, runs_of


@settings(max_examples=100)
@given(
    count=st.integers(256, 4000),
    step=st.integers(1, 50),
    seed=st.integers(0, 1000),
)
def test_a_steady_growth_is_seen_whatever_its_jitter_if_that_is_less_than_a_quarters(
    count, step, seed
):
    random = np.random.default_rng(seed)
    spread = max((count // 4 - 3) * step, 1)
    latency = np.arange(count) * step + random.integers(0, spread, count)
    assert falls_behind(latency)


@pytest.mark.parametrize(
    "latency",
    [
        np.full(1000, 5),
        np.arange(1000)[::-1],
        np.r_[np.arange(500), np.full(500, 500)],  # has settled at the end
        np.r_[np.full(999, 3), 10**6],
        np.tile(np.arange(10), 100),
        np.arange(100),  # too few to tell
        np.zeros(0, np.int64),
    ],
    ids=["constant", "falling", "settled", "one", "periodic", "few", "none"],
)
def test_what_does_not_grow_to_the_end_does_not_fall_behind(latency):
    assert not falls_behind(latency)


def test_noise_is_no_growth():
    random = np.random.default_rng(3)
    assert not any(falls_behind(random.integers(0, 1000, 400)) for _ in range(500))


@pytest.mark.parametrize("backlog", [0, 1, 3, 7])
def test_what_waits_more_at_the_end_is_counted_in_strikes(backlog):
    # Latency grows by a period for each strike more that waits, within the middle of the run.
    latency = 300 + 1000 * np.clip(np.arange(400) - 100, 0, backlog)
    assert behind(latency, 1000.0) == backlog


def test_what_waits_less_at_the_end_is_not():
    assert behind(np.linspace(9000, 300, 400).astype(np.int64), 1000.0) == 0
    assert behind(np.array([5, 9]), 1.0) == 0


@pytest.mark.parametrize("first", [256, 368, 1023, 1024, 3688])
def test_the_runs_of_a_stage_are_together_as_long_as_all_before_it(first):
    strikes = dict.fromkeys(range(STAGES), 0)
    for stage, count in runs_of(first, 1):
        assert count >= LEAST_STRIKES
        strikes[stage] += count
    assert list(strikes.values()) == [first] + [first << n for n in range(STAGES - 1)]
    assert (runs_of(first, 1)[0][1] == LEAST_STRIKES) == (first >= 1024 or first == 256)
    assert len(runs_of(first, first)) == STAGES
