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

from plexor.figures.judge.verdict import Outcome

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


def spent(confidence: Fraction) -> list[float]:
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
    return math.ceil(math.log(spent(confidence)[0]) / math.log1p(-float(limit)))
