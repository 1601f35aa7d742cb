# SPDX-License-Identifier: Apache-2.0
"""Recurrences: planted ones are found, chance makes none, and a tie is said to be one."""

from collections import Counter

import numpy as np
import pytest
from tools.why_rates import (
    DEVICES,
    DITHERS,
    PERIODS_US,
    TICKS_PER_US,
    busy,
    counted,
    strikes,
    verdicts,
)

from plexor.figures.explain.recurrence import LEAST, Law, Recurrence, _period, recurrence
from plexor.figures.explain.timer import Timer

STRIKE_TICKS = 100_000
DITHERED = [dither for dither in DITHERS if dither != "none"]


def times(count: int, seed: int = 1) -> np.ndarray:
    """Strikes with a dither of a tenth of their period."""
    rng = np.random.default_rng(seed)
    return np.arange(count) * STRIKE_TICKS + rng.integers(0, STRIKE_TICKS // 10, count)


def late(places: np.ndarray, count: int) -> np.ndarray:
    """Latencies of which those at some places are later by the same time."""
    values = np.full(count, 4000, np.int64)
    values[places] += 120_000
    return values


@pytest.mark.parametrize("every", [2, 7, 100, 997])
def test_each_nth_answer_is_found_exactly(every):
    places = np.arange(every - 1, 40 * every, every)
    found = recurrence(places, times(40 * every), late(places, 40 * every))
    assert (found.law, found.every, found.exact) == (Law.COUNT, every, True)
    assert found.period_ticks == pytest.approx(every * STRIKE_TICKS, rel=1e-2)


def test_each_nth_answer_is_found_where_some_are_not_late():
    places = np.delete(np.arange(9, 1000, 10), [3, 4, 40])
    found = recurrence(places, times(1000), late(places, 1000))
    assert (found.law, found.every, found.exact) == (Law.COUNT, 10, False)


@pytest.mark.parametrize(
    ("share", "devices"),
    [
        *((0.001, 2), (0.01, 4), (0.1, 8), (0.5, 20)),
        *(pytest.param(share, 20, marks=pytest.mark.full) for share in (0.001, 0.01, 0.1)),
    ],
)
def test_answers_that_chance_puts_off_are_irregular(share, devices):
    rng = np.random.default_rng(2)
    for seed in range(devices):
        places = np.cumsum(rng.geometric(share, int(rng.integers(LEAST, 100))))
        count = int(places[-1]) + 2
        found = recurrence(places, times(count, seed), late(places, count))
        assert found == Recurrence(Law.IRREGULAR)


@pytest.mark.parametrize("period_ticks", [734_567.8, 1_234_567.8, 40_000_000.0])
def test_a_period_that_is_no_multiple_of_the_strikes_is_found(period_ticks):
    every = times(20_000)
    places = np.flatnonzero(every % period_ticks < 0.06 * period_ticks)
    found = recurrence(places, every, late(places, len(every)))
    assert found.law == Law.PERIOD
    assert found.period_ticks == pytest.approx(period_ticks, rel=1e-3)


def test_all_answers_recur_at_each_one():
    every = times(50)
    found = recurrence(np.arange(50), every, late(np.arange(50), 50))
    assert (found.law, found.every, found.exact) == (Law.COUNT, 1, True)
    assert found.period_ticks == (every[-1] - every[0]) / 49


def test_too_few_answers_tell_nothing():
    places = np.array([5, 10, 15])
    assert recurrence(places, times(20), late(places, 20)) == Recurrence(Law.UNKNOWN)


@pytest.mark.parametrize("period_us", PERIODS_US)
@pytest.mark.parametrize("dither", DITHERS)
def test_a_timer_of_1000_3_us_is_no_count_at_any_strike_period(period_us, dither):
    rng = np.random.default_rng(5)
    found = busy(rng, strikes(rng, period_us, 3000, dither), 1000.3).found()
    assert found is not None
    assert found.law == Law.PERIOD
    assert found.period_ticks is not None
    assert abs(found.period_ticks / TICKS_PER_US - 1000.3) < 0.001


@pytest.mark.parametrize("period_us", PERIODS_US)
@pytest.mark.parametrize("dither", DITHERED)
def test_each_20th_answer_is_a_count_where_strikes_are_dithered(period_us, dither):
    rng = np.random.default_rng(6)
    found = counted(rng, strikes(rng, period_us, 3000, dither), 20).found()
    assert found is not None
    assert (found.law, found.every, found.exact) == (Law.COUNT, 20, True)


@pytest.mark.parametrize("period_us", PERIODS_US)
def test_without_dither_an_nth_answer_and_a_time_are_a_tie(period_us):
    rng = np.random.default_rng(7)
    found = counted(rng, strikes(rng, period_us, 1000, "none"), 20).found()
    assert found is not None
    assert (found.law, found.every, found.evenly_struck) == (Law.EITHER, 20, True)
    assert found.period_ticks is not None
    assert found.period_ticks / TICKS_PER_US == pytest.approx(20 * period_us, rel=1e-6)


def test_a_timer_at_a_multiple_of_the_strikes_period_is_a_tie_that_dither_breaks():
    said = []
    for dither in ("none", "4.096 µs"):
        rng = np.random.default_rng(8)
        found = busy(rng, strikes(rng, 50.0, 3000, dither), 1000.0, 60.0).found()
        assert found is not None
        said.append(found.law)
    assert said == [Law.EITHER, Law.PERIOD]


def test_few_answers_of_a_count_are_no_timer_and_few_of_a_timer_no_count():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        dithered = strikes(rng, 100.0, 240, "4.096 µs")
        one, other = counted(rng, dithered, 20).found(), busy(rng, dithered, 1523.7, 120).found()
        assert one is not None
        assert one.law == Law.COUNT
        assert other is None or other.law in (Law.PERIOD, Law.IRREGULAR, Law.UNKNOWN)


WRONG = {
    "a count": {"period", "irregular"},
    "a count with gaps": {"period"},
    "busy for 30 µs each 1000.3 µs": {"count"},
    "busy at any period": {"count"},
    "busy each 20 strike periods": {"count"},
    "irregular": {"count", "period", "either"},
    "busy at random times": {"count", "period", "either"},
}
"""What is false of each device. A timer that delays by the same time always may look as a count."""


def is_wrong(name, dither, seeds):
    """Return how often something false is said of a device."""
    said = Counter(verdicts(name, dither, seeds))
    return sum(said[law] for law in WRONG[name])


@pytest.mark.parametrize(
    "dither",
    [
        pytest.param(dither, marks=() if dither in ("none", "4.096 µs") else pytest.mark.full)
        for dither in DITHERS
    ],
)
def test_nothing_false_is_said_of_planted_laws(dither):
    assert {name: is_wrong(name, dither, 1) for name in WRONG} == dict.fromkeys(WRONG, 0)


@pytest.mark.full
@pytest.mark.parametrize("dither", DITHERS)
def test_what_is_false_is_said_once_in_a_hundred_cases_at_most(dither):
    assert set(WRONG) | {"a timer that delays"} == set(DEVICES)
    for name in WRONG:
        assert is_wrong(name, dither, 30) <= 2, name


@pytest.mark.parametrize("exact", ["strikes", "answers"])
def test_a_timers_period_is_the_slope_of_the_times_that_fit_a_line_better(exact):
    number = np.arange(40)
    off = np.random.default_rng(1).uniform(-4, 4, 40).round()
    since, values = 1000.0 * number, 500 + off
    if exact == "answers":
        since = since - off
    all_of_them = np.ones(40, bool)
    timer = Timer(990.0, number, all_of_them, 0.0)
    period_ticks, error_ticks = _period(timer, all_of_them, since, values)
    if exact == "answers":
        assert period_ticks == pytest.approx(1000, abs=1e-9)
        # Twice the error of a slope through 40 times that are rounded to a tick.
        assert error_ticks == pytest.approx(2 * (1 / 12 / (40 * (40**2 - 1) / 12)) ** 0.5)
    else:
        # That of the strikes as they were counted, within a tick of rounding at both ends.
        assert (period_ticks, error_ticks) == (990.0, pytest.approx(1 / 39))
