# SPDX-License-Identifier: Apache-2.0
"""Where the stages of a test end (decide.py), by the exact law of the count of bad strikes."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from plexor.experiments.decide import Stage, StagedTest, first_strikes, spent


@lru_cache(maxsize=64)
def plan_test(limit: Fraction, confidence: Fraction, first: int = 0) -> StagedTest:
    """Return the test for fewer than `limit` bad strikes; both errors are at most 1 - confidence.

    A device with `limit` or more bad strikes passes, and one with `limit` or fewer fails, each with
    a probability of at most half of that. The first stage has `first` strikes, or as many as it
    takes to pass if that is more. Raises ValueError for what is not between 0 and 1.
    """
    p, first = float(limit), max(first, first_strikes(limit, confidence))
    found: list[Stage] = []
    low = high = np.ones(1)
    """Probability of each count, where nothing has passed, and where nothing has failed."""
    passed = failed = 0.0
    before = 0
    for number, budget in enumerate(spent(confidence)):
        strikes = first << number
        low, high = (_after(law, strikes - before, p) for law in (low, high))
        below = np.cumsum(low)
        pass_most = int(np.searchsorted(passed + below, budget, side="right")) - 1
        above = np.cumsum(high[::-1])
        fail_least = len(high) - int(np.searchsorted(failed + above, budget, side="right"))
        found.append(Stage(strikes, pass_most, fail_least))
        passed += float(low[: pass_most + 1].sum())
        failed += float(high[fail_least:].sum())
        low[: pass_most + 1] = 0
        high = high[:fail_least]
        before = strikes
    return StagedTest(limit, confidence, tuple(found))


def outcome_probabilities(test: StagedTest, p: float) -> tuple[float, float, float]:
    """Return how probably a device with a share `p` of bad strikes passes, fails, is undecided."""
    going, passed, failed, before = np.ones(1), 0.0, 0.0, 0
    for stage in test.stages:
        going = _after(going, stage.strikes - before, p)
        passed += float(going[: stage.pass_most + 1].sum())
        failed += float(going[stage.fail_least :].sum())
        going = going[: stage.fail_least].copy()
        going[: stage.pass_most + 1] = 0
        before = stage.strikes
    return passed, failed, float(going.sum())


def _after(going: npt.NDArray[np.float64], strikes: int, p: float) -> npt.NDArray[np.float64]:
    """Return the law of the count after so many more strikes, cut where it has no weight."""
    mean = strikes * p
    most = min(strikes, math.ceil(mean + 12 * math.sqrt(mean) + 40))
    numbers = np.arange(most + 1, dtype=np.float64)
    steps = np.log((strikes - numbers[:-1]) / (numbers[:-1] + 1)) + math.log(p) - math.log1p(-p)
    law = np.exp(strikes * math.log1p(-p) + np.concatenate(([0.0], np.cumsum(steps))))
    return np.convolve(going, law)
