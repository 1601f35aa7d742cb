# SPDX-License-Identifier: Apache-2.0
"""The strike that answers vary with, of latencies and strikes that are planted."""

import numpy as np
import pytest

from plexor.figures.analyse.lags import BLOCK, LAGS, LEAST_BLOCKS, fitting_lag, thinned

from .crossing import struck

PERIOD = 10_000


def dithered(count, part=0.1, seed=1):
    return struck(np.random.default_rng(seed), "dithered", PERIOD, count, part)


def jitter(count, least, most, seed=2):
    return np.random.default_rng(seed).integers(least, most, count)


@pytest.mark.parametrize("lag", LAGS)
@pytest.mark.parametrize("how", ["dithered", "poisson"])
def test_the_lag_is_that_of_the_strike_that_was_answered(lag, how):
    strikes = struck(np.random.default_rng(1), how, PERIOD, 1000, 0.1)
    number = np.arange(10, 980)
    answers = strikes[number - lag] + jitter(970, 100, 200)
    assert fitting_lag(strikes, number, answers) == lag


def test_too_few_answers_fit_none():
    strikes = dithered(1000)
    number = np.arange(LAGS[-1], LAGS[-1] + LEAST_BLOCKS * BLOCK)
    assert fitting_lag(strikes, number, strikes[number]) == 0
    assert fitting_lag(strikes, number[:-1], strikes[number[:-1]]) is None


def test_a_drift_of_the_latency_hides_no_lag():
    strikes = dithered(4000)
    latency = 20_000 + np.arange(4000) * 2 + jitter(4000, 0, 200)
    assert fitting_lag(strikes, np.arange(4000), strikes + latency) == 0
    assert fitting_lag(strikes, np.arange(3, 4000), (strikes + latency)[:-3]) == 3


def test_one_late_answer_in_a_hundred_hides_no_lag():
    strikes = dithered(4000)
    latency = np.where(jitter(4000, 0, 100) == 0, 10**7, jitter(4000, 2000, 2100))
    assert fitting_lag(strikes, np.arange(4000), strikes + latency) == 0


def test_strikes_that_do_not_vary_fit_none():
    strikes = struck(None, "periodic", PERIOD, 4000, 0)
    assert fitting_lag(strikes, np.arange(4000), strikes + jitter(4000, 0, 3000)) is None


@pytest.mark.parametrize("count", [0, 63, 1000, 100_000])
def test_of_very_many_answers_those_are_kept_that_are_looked_at(count):
    number = np.arange(count) + 20
    strikes = dithered(count + 60)
    answers = strikes[number - 2] + jitter(count, 100, 200)
    parts = [slice(at, at + 777) for at in range(0, count, 777)]
    some = thinned(lambda: ((number[part], answers[part]) for part in parts))
    assert len(some[0]) == len(some[1]) <= 256 * BLOCK
    assert fitting_lag(strikes, *some) == fitting_lag(strikes, number, answers)
    assert (fitting_lag(strikes, *some) == 2) == (count >= 1000)
