# SPDX-License-Identifier: Apache-2.0
"""An exact test of whether the share of bad strikes is below a limit. It ends once it is certain.

A group-sequential test of a binomial proportion with curtailed rejection (C. Jennison and B. W.
Turnbull, "Group Sequential Methods with Applications to Clinical Trials", 2000, chapters 7 and 12):
strikes come in stages; a stage fails as soon as too many of all strikes so far have gone wrong, and
passes at its end if few enough have. The bounds are those that spend an error of each kind and no
more, by the exact law of the count where each strike goes wrong by itself. Those of one kind are
reckoned as if the other kind ended nothing, so that both errors hold also where it goes on behind a
verdict, for the sake of another channel or criterion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from plexor.figures.judge.verdict import Outcome

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

STAGES = 5
"""Each ends after twice the strikes of the one before."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the test, in strikes and bad strikes since the first stage's start."""

    strikes: int
    """At its end."""
    pass_most: int
    """At its end, this many bad strikes or fewer pass; -1: nothing passes."""
    fail_least: int
    """This many bad strikes fail, at any strike."""


@dataclass(frozen=True, slots=True)
class StagedTest:
    """Stages in their order; what has neither passed nor failed after the last is undecided."""

    limit: Fraction
    """Probability of a bad strike from which on a device must not pass."""
    confidence: Fraction
    stages: tuple[Stage, ...]

    def outcome(self, stage: int, strikes: int, bad: int, doubtful: int = 0) -> Outcome:
        """Return what is known in a stage, after so many strikes in all.

        So many `doubtful` ones beside the bad ones may be bad too: only a pass counts them.
        """
        bounds = self.stages[stage]
        if bad >= bounds.fail_least:
            return Outcome.FAIL
        if strikes >= bounds.strikes and bad + doubtful <= bounds.pass_most:
            return Outcome.PASS
        return Outcome.TOO_FEW


def _spent(confidence: Fraction) -> list[float]:
    """Return the error of a kind spent by the end of each stage: half, three quarters, all of it.

    Each kind has half of what a confidence leaves: a bracket has a rate that passes and one that
    fails, and is as sure as is asked where one of its two ends may be wrong.
    """
    error = float(1 - confidence) / 2
    return [error * (1 - 0.5 ** (number + 1)) for number in range(STAGES - 1)] + [error]


def first_strikes(limit: Fraction, confidence: Fraction) -> int:
    """Return after how many strikes, none of them bad, a test can pass.

    Raises ValueError for what is not between 0 and 1.
    """
    for name, value in (("limit", limit), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ValueError(f"{name}: {float(value):g}; must lie between 0 and 1")
    return math.ceil(math.log(_spent(confidence)[0]) / math.log1p(-float(limit)))


@lru_cache(maxsize=64)
def plan_test(limit: Fraction, confidence: Fraction, first: int = 0) -> StagedTest:
    """Return the test for fewer than `limit` bad strikes; both errors are at most 1 - confidence.

    A device with `limit` or more bad strikes passes, and one with `limit` or fewer fails, each with
    a probability of at most half of that. The first stage has `first` strikes, or as many as it
    takes to pass if that is more. Raises ValueError for what is not between 0 and 1.
    """
    # Imported here so that --help and wrong options answer at once; so below.
    import numpy as np  # noqa: PLC0415

    p, first = float(limit), max(first, first_strikes(limit, confidence))
    found: list[Stage] = []
    low = high = np.ones(1)
    """Probability of each count, where nothing has passed, and where nothing has failed."""
    passed = failed = 0.0
    before = 0
    for number, budget in enumerate(_spent(confidence)):
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
    import numpy as np  # noqa: PLC0415

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
    import numpy as np  # noqa: PLC0415

    mean = strikes * p
    most = min(strikes, math.ceil(mean + 12 * math.sqrt(mean) + 40))
    numbers = np.arange(most + 1, dtype=np.float64)
    steps = np.log((strikes - numbers[:-1]) / (numbers[:-1] + 1)) + math.log(p) - math.log1p(-p)
    law = np.exp(strikes * math.log1p(-p) + np.concatenate(([0.0], np.cumsum(steps))))
    return np.convolve(going, law)
