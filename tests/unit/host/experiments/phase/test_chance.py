# SPDX-License-Identifier: Apache-2.0
"""How often a scan without a window has one, how surely it has one that is there."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.experiments.phase.chance import LIMIT, Chance, MaskedByChance, needed, spread_ticks
from plexor.experiments.phase.fold import MISSED, Folded
from plexor.experiments.phase.model import PhaseReference
from plexor.experiments.phase.windows import scan

from .drawn import (
    Model,
    constant,
    exponential,
    lognormal,
    modes,
    normal,
    pareto,
    scanned,
    settings,
    uniform,
)

US = Fraction(1, 10**6)
HEALTHY = {
    "no jitter": Model(constant),
    "even": Model(uniform(200_000)),
    "normal": Model(normal(20_000)),
    "skewed": Model(exponential(50_000)),
    "long tail": Model(lognormal(20_000, 1.0)),
    "heavy tail": Model(pareto(20_000, 2.0)),
    "no mean": Model(pareto(20_000, 1.0)),
    "two modes": Model(modes((0.8, 0, 10_000), (0.2, 500_000, 10_000))),
    "a mode in half": Model(modes((0.5, 0, 5_000), (0.5, 400_000, 1_000))),
    "a rare mode": Model(modes((0.998, 0, 5_000), (0.002, 2_000_000, 1_000))),
    "1 % lost": Model(constant, lost=0.01),
    "10 % lost": Model(normal(20_000), lost=0.1),
    "half lost": Model(normal(20_000), lost=0.5),
    # The tick is made of the device's clock.
    "clock of 4 ns": Model(constant, clock_ps=4_000),
    "clock of 10 ns": Model(constant, clock_ps=10_000, period_ps=10_000_000),
    "clock of 12.5 ns": Model(constant, clock_ps=12_500, period_ps=20_000_000),
    "clock of 14 ns": Model(constant, clock_ps=14_000, period_ps=14_000 * 357),
    "clock of 16 ns": Model(constant, clock_ps=16_000, period_ps=10_000_000),
    "clock of 20 ns": Model(constant, clock_ps=20_000),
    "clock of 100 ns": Model(constant, clock_ps=100_000),
    "clock of 1 µs": Model(constant, clock_ps=1_000_000),
    "clock and tick are one": Model(constant, clock_ps=5_000_000),
    "clock, skewed": Model(exponential(50_000), clock_ps=100_000),
    "clock, two modes": Model(modes((0.8, 0, 1), (0.2, 900_000, 1)), clock_ps=1_000_000),
    "clock, 1 % lost": Model(normal(30_000), clock_ps=625_000, lost=0.01),
}
WANTED = [
    settings(100, 8),
    settings(50, 8),
    settings(64, 8),
    settings(80, 8),
    settings(100, 1),
    settings(200, 3),
    settings(97, 5),
    settings(None, 3, step_s=US / 10),
]
"""The default first; then the numbers of points that lock with clocks."""


def with_a_window(model: Model, scans: int) -> int:
    """Return how many of so many scans have one."""
    found = (scanned(model, WANTED[n % len(WANTED)], n) for n in range(scans))
    return sum(bool(each.windows) for each in found)


def test_at_most_5_percent_of_scans_without_a_window_have_one():
    counts = {name: with_a_window(model, len(WANTED)) for name, model in HEALTHY.items()}
    scans = len(HEALTHY) * len(WANTED)
    print(f"{sum(counts.values())} of {scans} scans: {counts}")
    assert scans == 200
    assert sum(counts.values()) <= LIMIT * scans


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", HEALTHY)
def test_at_most_5_percent_of_1000_scans_of_each_kind_without_a_window_have_one(name):
    found = with_a_window(HEALTHY[name], 1000)
    print(f"{name}: {found} of 1000 scans")
    assert found <= LIMIT * 1000


@pytest.mark.parametrize("clock_ps", [10_000, 12_500, 16_000, 20_000])
@pytest.mark.parametrize("wanted", WANTED[:4] + WANTED[-1:])
def test_a_planted_window_is_the_only_one_whatever_locks(clock_ps, wanted):
    period_ps = 10_000_000
    model = Model(constant, clock_ps=clock_ps, period_ps=period_ps, waits=((3_300_000, 1_250_000),))
    (window,) = scanned(model, wanted, 1).windows
    for value, error, truth_ps in (
        (window.start_ticks, window.start_error_ticks, 3_300_000),
        (window.end_ticks, window.end_error_ticks, 4_550_000),
    ):
        assert abs(value * 1000 - truth_ps) <= error * 1000 + clock_ps + 1000
    assert window.chance < 1e-6


NOISY = ["normal", "even", "skewed", "long tail", "two modes", "1 % lost", "clock of 20 ns"]


def planted(name: str, repeats: int, width_ps: int, scans: int, lost: bool) -> tuple[int, int]:
    """Return in how many scans of 100 steps of 50 ns just one window is found, and with its ends.

    The window lies anywhere.
    """
    found = right = 0
    for seed in range(scans):
        start = int(np.random.default_rng([seed, 5]).integers(0, 5_000_000))
        window = ((start, width_ps),)
        model = replace(HEALTHY[name], **({"deaf": window} if lost else {"waits": window}))
        windows = scanned(model, settings(100, repeats), seed).windows
        found += len(windows) == 1
        if not windows:
            continue
        (seen,) = windows[:1]
        slack = 1 + model.clock_ps / 1000
        within = [
            abs((float(value) - truth / 1000 + 2500) % 5000 - 2500) <= float(error) + slack
            for value, error, truth in (
                (seen.start_ticks, seen.start_error_ticks, start),
                (seen.end_ticks, seen.end_error_ticks, start + width_ps),
            )
        ]
        right += all(within)
    return found, right


@pytest.mark.parametrize("name", NOISY)
@pytest.mark.parametrize(("repeats", "least"), [(3, 0.75), (8, 1)])
def test_a_deaf_window_of_a_single_step_is_found(name, repeats, least):
    found, right = planted(name, repeats, 50_000, 20, lost=True)
    print(f"{name}, {repeats} strikes: {found} of 20 found, {right} with their ends")
    assert found >= least * 20
    assert right >= 0.85 * found


@pytest.mark.parametrize("name", NOISY)
@pytest.mark.parametrize("lost", [True, False])
def test_the_ends_of_a_window_lie_within_their_errors_whatever_the_jitter(name, lost):
    found, right = planted(name, 8, 1_000_000, 20, lost=lost)
    assert found == 20
    assert right >= 0.85 * 20


@pytest.mark.parametrize(
    "masked", [1, 2, 3, *(pytest.param(n, marks=pytest.mark.full) for n in (4, 5))]
)
def test_chance_is_not_below_how_often_any_order_of_the_strikes_has_such_a_window(masked):
    strikes, least = 12, []
    reference = PhaseReference("ch1", 99, Fraction(strikes), strikes, strikes)
    for places in itertools.combinations(range(strikes), masked):
        latency = np.full(strikes, 50, np.int64)
        latency[list(places)] = MISSED
        folded = Folded(np.arange(strikes), latency, strikes, reference, {}, 0, masked, 10**6)
        found = scan("A", folded, Fraction(1))
        least.append(min(window.chance for window in (*found.windows, found.suspect) if window))
    for level in sorted(set(least)):
        assert sum(value <= level for value in least) <= level * len(least) + 1e-9


def test_a_clock_is_no_slower_than_latencies_allow():
    rng = np.random.default_rng(3)
    for period in (1, 2, 3, 10, 137, 4000):
        for rest in (np.zeros(500), period * rng.integers(0, 3, 500), rng.exponential(50, 500)):
            latency = np.sort((rng.uniform(0, period, 500) + rest).astype(np.int64))
            # The range of 500 even samples lies below their period by two 500ths, on average.
            assert spread_ticks(latency) >= 0.97 * period
    even = np.sort(rng.integers(0, 1000, 500))
    assert spread_ticks(even) <= 1000


def test_an_eighth_of_all_strikes_tells_the_spread():
    rng = np.random.default_rng(4)
    latency = np.sort(np.concatenate([np.full(1500, 300), rng.integers(400, 4000, 8500)]))
    assert spread_ticks(latency) <= 10


def test_no_latency_has_the_least_spread():
    assert spread_ticks(np.zeros(0, np.int64)) == 1


def test_where_chance_masks_strikes_a_step_needs_more_than_it_does():
    counts = np.array([1, 8, 100])
    assert needed(counts, 0.0).tolist() == [1, 1, 1]
    assert needed(counts, 0.1).tolist() == [1, 4, 20]
    assert needed(counts, 1.0).tolist() == [1, 8, 100]


def test_nothing_masked_and_everything_masked_are_work_of_chance():
    none, every = np.zeros(50, np.bool_), np.ones(50, np.bool_)
    assert Chance(MaskedByChance(50, 0), MaskedByChance(50, 0), 1).of(none, none) == 1
    assert Chance(MaskedByChance(50, 50), MaskedByChance(50, 50), 1).of(every, every) == 1
