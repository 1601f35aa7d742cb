# SPDX-License-Identifier: Apache-2.0
"""Finds the longest burst that loses no strike, in a separate search for each spacing.

Bursts begin a period apart and last at most half of it. The time-out is the other half, so every
strike of a burst is settled before the next burst begins.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from plexor.experiments.burst.model import LONGEST_PART, BurstResult, Lengths, SpacingLimit
from plexor.experiments.criterion import Criterion, stage_strikes
from plexor.experiments.figures import LEAST_STRIKES
from plexor.experiments.job import MOST_S, Job
from plexor.experiments.rates import scan_rates
from plexor.experiments.step import RateStep
from plexor.experiments.work import Experiment, taken, together
from plexor.figures.judge.verdict import Outcome
from plexor.model.settings import Settings
from plexor.protocol.memory import ResponseClass

QUEUE_FULL = "more strikes outstanding than the instrument can hold"


@dataclass(frozen=True, slots=True)
class BurstGoal:
    """What a burst scan should find out."""

    link: str
    dut: str | None
    settings: Settings
    """Settings of a run. The scan sets burst, spacing, period and count of its first stimulus."""
    low_s: Fraction
    high_s: Fraction
    points: int
    period_s: Fraction
    most: int
    criterion: Criterion

    @property
    def spacings_s(self) -> tuple[Fraction, ...]:
        """Spacings, evenly distributed on a log scale."""
        return scan_rates(self.low_s, self.high_s, self.points)

    @property
    def timeout_s(self) -> Fraction:
        """Time-out of every strike."""
        return self.period_s * (1 - LONGEST_PART)

    def most_at(self, spacing_s: Fraction) -> int:
        """Return the maximum burst length at a spacing."""
        return min(self.most, math.floor(self.period_s * LONGEST_PART / spacing_s) + 1)


def longest(most: int) -> Generator[int, Outcome, Lengths]:
    """Yield burst lengths to try, from 1 to `most`; return what is known at the end.

    Assumes that a device that loses a strike of a burst also loses one of every longer burst.
    """
    passing, failing = 0, most + 1
    undecided: list[int] = []
    while failing - passing > 1:
        middle = min(max(math.isqrt(max(passing, 1) * failing), passing + 1), failing - 1)
        verdict = yield middle
        if verdict == Outcome.PASS:
            passing = middle
            continue
        failing = middle
        if verdict == Outcome.TOO_FEW:
            undecided.append(middle)
    known = tuple(sorted(undecided))
    return Lengths(passing, failing if failing <= most else None, known)


class BurstSteps:
    """The steps of a burst scan, and what is known from them so far."""

    kind: ClassVar[str] = "burst"

    def __init__(self, goal: BurstGoal) -> None:
        self.goal = goal
        self._spacings = [_Spacing(goal, spacing_s) for spacing_s in goal.spacings_s]

    @property
    def duts(self) -> list[str | None]:
        """The simulated device."""
        return [self.goal.dut]

    def run(self) -> Experiment[None]:
        """Search all spacings side by side."""
        yield from together(spacing.run() for spacing in self._spacings)

    def expected(self) -> int:
        """Return about how many steps there will be."""
        return sum(spacing.expected() for spacing in self._spacings)

    def result(self, steps: Sequence[RateStep], interrupted: bool) -> BurstResult:
        """Return what one or more steps say."""
        goal = self.goal
        return BurstResult(
            steps[0].tick_fs,
            any(step.simulated for step in steps),
            goal.criterion.text,
            goal.period_s,
            goal.timeout_s,
            tuple(limit for spacing in self._spacings for limit in spacing.limits),
            interrupted,
            goal.settings.load,
            drawn=steps[0].drawn,
            load_name=goal.settings.load_name,
            device_load=steps[0].device_load,
        )


class _Spacing:
    """The search at one spacing. Channels share what was tried."""

    def __init__(self, wanted: BurstGoal, spacing_s: Fraction) -> None:
        self.wanted = wanted
        self.spacing_s = spacing_s
        self.most = wanted.most_at(spacing_s)
        self.steps: dict[int, RateStep] = {}
        self.limits: list[SpacingLimit] = []
        self._left = self.most.bit_length()
        """About how many lengths are left to try for the channel that is searched."""

    def expected(self) -> int:
        """Return about how many steps there will be, if channels share most of them."""
        return len(self.steps) + self._left

    def run(self) -> Experiment[None]:
        """Search the longest burst of each channel."""
        for channel in self.wanted.settings.channels:
            lengths = longest(self.most)
            outcome: Outcome | None = None
            tried: list[int] = []
            self._left = self.most.bit_length()
            while True:
                try:
                    length = next(lengths) if outcome is None else lengths.send(outcome)
                except StopIteration as end:
                    self._left = 0
                    self.limits.append(self._limit(channel.label, end.value, tried))
                    break
                if length not in self.steps:
                    (self.steps[length],) = yield from taken(self._job(length))
                tried.append(length)
                self._left = max(self._left - 1, 0)
                outcome = self.steps[length].of(channel.label).verdict

    def _job(self, length: int) -> Job:
        wanted = self.wanted
        swept, *others = wanted.settings.strikes
        swept = replace(swept, burst=length, spacing_s=self.spacing_s if length > 1 else None)
        criterion = wanted.criterion
        # One lost strike in each burst must exceed the limit.
        criterion = replace(criterion, share=min(criterion.share, Fraction(1, 2 * length)))
        # Every stage has whole bursts only.
        least = math.ceil(stage_strikes((criterion,), LEAST_STRIKES) / length) * length
        settings = replace(wanted.settings, strikes=(swept, *others), timeout_s=wanted.timeout_s)
        return Job(
            wanted.link,
            wanted.dut,
            "",
            settings,
            1 / wanted.period_s,
            "",
            (criterion,),
            least,
            # The time limit is for one strike in each period; here there are `length`.
            MOST_S * length,
        )

    def _limit(self, channel: str, lengths: Lengths, tried: list[int]) -> SpacingLimit:
        best = self.steps.get(lengths.passing)
        worst = None if lengths.failing is None else self.steps[lengths.failing].of(channel)
        reason = "" if worst is None else worst.reason
        if worst is not None and worst.classes[ResponseClass.QUEUE_FULL]:
            reason = QUEUE_FULL
        if worst is not None and worst.verdict == Outcome.NOT_COMPARABLE:
            reason = worst.reason
        return SpacingLimit(
            self.spacing_s,
            channel,
            lengths,
            self.most,
            sum(self.steps[length].strikes for length in tried),
            None if best is None else best.of(channel).max_ticks,
            reason,
            best is not None and best.of(channel).shifted,
        )
