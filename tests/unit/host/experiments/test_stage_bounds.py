# SPDX-License-Identifier: Apache-2.0
"""Where stages end: both errors by enumeration and by chance, the bounds against scipy's law."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from plexor.experiments.decide import STAGES, first_strikes
from plexor.experiments.stage_bounds import outcome_probabilities, plan_test
from plexor.figures.judge.verdict import Outcome

LIMITS = [Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20), Fraction(1, 10)]
CONFIDENCES = [Fraction(9, 10), Fraction(95, 100), Fraction(999, 1000)]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_either_error_at_the_limit_is_at_most_half_of_what_was_left_and_most_of_it(
    limit, confidence
):
    passed, failed, undecided = outcome_probabilities(plan_test(limit, confidence), float(limit))
    error = float(1 - confidence) / 2
    assert 0.6 * error < passed <= error
    assert 0.6 * error < failed <= error
    assert passed + failed + undecided == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_a_first_stage_passes_without_a_bad_strike_and_no_shorter_one_would(limit, confidence):
    test, error = plan_test(limit, confidence), float(1 - confidence) / 2
    first = test.stages[0]
    assert first.strikes == first_strikes(limit, confidence)
    assert (1 - float(limit)) ** first.strikes <= error / 2
    assert (1 - float(limit)) ** (first.strikes - 1) > error / 2
    assert first.pass_most == 0
    assert binom.sf(first.fail_least - 1, first.strikes, float(limit)) <= error / 2
    assert binom.sf(first.fail_least - 2, first.strikes, float(limit)) > error / 2


@pytest.mark.parametrize("first", [0, 256])
@pytest.mark.parametrize("limit", LIMITS)
def test_neither_error_grows_where_strikes_go_on_behind_a_verdict(limit, first):
    # As they do for the sake of another channel: each bound by itself, by scipy's law.
    test = plan_test(limit, Fraction(95, 100), first)
    for bounds, is_wrong in (
        ([stage.pass_most for stage in test.stages], lambda counts, bound: counts <= bound),
        ([stage.fail_least for stage in test.stages], lambda counts, bound: counts >= bound),
    ):
        law, before, wrong = np.ones(1), 0, 0.0
        for stage, bound in zip(test.stages, bounds, strict=True):
            more = stage.strikes - before
            most = int(binom.isf(1e-12, more, float(limit))) + 1
            law = np.convolve(law, binom.pmf(np.arange(most + 1), more, float(limit)))
            crossed = is_wrong(np.arange(len(law)), bound)
            wrong += law[crossed].sum()
            law[crossed] = 0
            before = stage.strikes
        assert 0.6 * 0.025 < wrong <= 0.025


def walk(random, test, p):
    """Return verdict and strikes of one device, strike by strike."""
    bad = strikes = 0
    for stage, bounds in enumerate(test.stages):
        while strikes < bounds.strikes:
            strikes += 1
            bad += random.random() < p
            if test.outcome(stage, strikes, bad) == Outcome.FAIL:
                return Outcome.FAIL, strikes
        if test.outcome(stage, strikes, bad) == Outcome.PASS:
            return Outcome.PASS, strikes
    return Outcome.TOO_FEW, strikes


@pytest.mark.parametrize("runs", [500, pytest.param(4000, marks=pytest.mark.full)])
@pytest.mark.parametrize("times", [0.3, 1, 2])
def test_outcomes_come_as_often_as_computed(times, runs):
    test = plan_test(Fraction(1, 10), Fraction(9, 10))
    random = np.random.default_rng(7)
    found = [walk(random, test, 0.1 * times)[0] for _ in range(runs)]
    computed = outcome_probabilities(test, 0.1 * times)
    for verdict, p in zip((Outcome.PASS, Outcome.FAIL, Outcome.TOO_FEW), computed, strict=True):
        deviation = (p * (1 - p) / runs) ** 0.5
        assert abs(found.count(verdict) / runs - p) < 4.5 * deviation + 1e-9


def test_what_is_bad_beyond_doubt_fails_within_a_few_strikes():
    test = plan_test(Fraction(1, 1000), Fraction(95, 100))
    verdict, strikes = walk(np.random.default_rng(1), test, 1.0)
    assert (verdict, strikes) == (Outcome.FAIL, test.stages[0].fail_least)
    assert strikes < 12


def test_a_longer_first_stage_keeps_the_errors():
    test = plan_test(Fraction(1, 100), Fraction(95, 100), 1000)
    assert [stage.strikes for stage in test.stages] == [1000 << n for n in range(STAGES)]
    passed, failed, _ = outcome_probabilities(test, 0.01)
    assert passed <= 0.025
    assert failed <= 0.025
