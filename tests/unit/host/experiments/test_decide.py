# SPDX-License-Identifier: Apache-2.0
"""The staged test: what is known after some strikes, and which limits make no test."""

from fractions import Fraction

import pytest

from plexor.experiments.decide import first_strikes
from plexor.experiments.stage_bounds import plan_test
from plexor.figures.judge.verdict import Outcome


@pytest.mark.parametrize(
    ("limit", "confidence"), [(0, 0.5), (1, 0.5), (0.5, 1), (0.5, 0), (2, 0.9)]
)
def test_what_is_no_probability_is_refused(limit, confidence):
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        first_strikes(Fraction(limit), Fraction(confidence))


def test_what_may_be_bad_too_passes_no_device_and_fails_none():
    test = plan_test(Fraction(1, 100), Fraction(95, 100))
    strikes, most = test.stages[2].strikes, test.stages[2].pass_most
    assert most > 1
    for bad in range(most + 1):
        assert test.outcome(2, strikes, bad, most - bad) == Outcome.PASS
        assert test.outcome(2, strikes, bad, most - bad + 1) == Outcome.TOO_FEW
    assert test.outcome(2, strikes, 0, strikes) == Outcome.TOO_FEW
    assert test.outcome(2, strikes, test.stages[2].fail_least, 0) == Outcome.FAIL
