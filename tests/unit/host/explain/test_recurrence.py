"""Recurrences: planted ones are found, chance makes none."""

import numpy as np
import pytest

from plexor.explain.recurrence import LEAST, Law, Recurrence, recurrence

STRIKE_TICKS = 100_000


def times(count: int, seed: int = 1) -> np.ndarray:
    """Strikes with a dither of a tenth of their period."""
    rng = np.random.default_rng(seed)
    return np.arange(count) * STRIKE_TICKS + rng.integers(0, STRIKE_TICKS // 10, count)


@pytest.mark.parametrize("every", [2, 7, 100, 997])
def test_each_nth_answer_is_found_exactly(every):
    places = np.arange(every - 1, 40 * every, every)
    found = recurrence(places, times(40 * every))
    assert (found.law, found.every, found.exact) == (Law.COUNT, every, True)
    assert found.period_ticks == pytest.approx(every * STRIKE_TICKS, rel=1e-2)


def test_each_nth_answer_is_found_where_some_are_not_late():
    places = np.delete(np.arange(9, 1000, 10), [3, 4, 40])
    found = recurrence(places, times(1000))
    assert (found.law, found.every, found.exact) == (Law.COUNT, 10, False)


@pytest.mark.parametrize("share", [0.001, 0.01, 0.1, 0.5])
def test_answers_that_chance_puts_off_are_irregular(share):
    rng = np.random.default_rng(2)
    for seed in range(30):
        places = np.cumsum(rng.geometric(share, int(rng.integers(LEAST, 100))))
        found = recurrence(places, times(int(places[-1]) + 2, seed))
        assert found == Recurrence(Law.IRREGULAR)


@pytest.mark.parametrize("period_ticks", [734_567.8, 1_234_567.8, 40_000_000.0])
def test_a_period_that_is_no_multiple_of_the_strikes_is_found(period_ticks):
    every = times(20_000)
    places = np.flatnonzero(every % period_ticks < 0.06 * period_ticks)
    found = recurrence(places, every)
    assert found.law == Law.PERIOD
    assert found.period_ticks == pytest.approx(period_ticks, rel=1e-2)


def test_all_answers_recur_at_each_one():
    found = recurrence(np.arange(50), times(50))
    assert (found.law, found.every, found.exact) == (Law.COUNT, 1, True)


def test_too_few_answers_tell_nothing():
    assert recurrence(np.array([5, 10, 15]), times(20)) == Recurrence(Law.UNKNOWN)
