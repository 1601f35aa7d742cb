# SPDX-License-Identifier: Apache-2.0
"""Finds the longest burst that loses no strike, in a separate search for each spacing.

Bursts begin a period apart and last at most half of it. The time-out is the other half, so every
strike of a burst is settled before the next burst begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from fractions import Fraction

from plexor.burst.model import LONGEST_PART, Lengths, SpacingLimit
from plexor.judge.verdict import Outcome
from plexor.model.settings import Settings
from plexor.protocol.memory import ResponseClass
from plexor.sweep.criterion import Criterion, stage_strikes
from plexor.sweep.drive import End, Search, drive
from plexor.sweep.executor import Workers
from plexor.sweep.figures import LEAST_STRIKES
from plexor.sweep.job import MOST_S, Job
from plexor.sweep.model import RateStep
from plexor.sweep.search import scan_rates
from plexor.sweep.store import StepStore

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


def burst_scan(
    wanted: BurstGoal,
    workers: Workers,
    store: StepStore,
    on_step: Callable[[Job, RateStep], None] | None = None,
) -> tuple[list[SpacingLimit], list[RateStep], End]:
    """Run a scan; return the limits and steps so far and the reason of its end."""
    spacings = [_Spacing(wanted, spacing_s) for spacing_s in wanted.spacings_s]
    end = drive([entry.search() for entry in spacings], workers, store, on_step)
    limits = [limit for entry in spacings for limit in entry.limits]
    return limits, [step for entry in spacings for step in entry.steps.values()], end


class _Spacing:
    """The search at one spacing. Channels share what was tried."""

    def __init__(self, wanted: BurstGoal, spacing_s: Fraction) -> None:
        self.wanted = wanted
        self.spacing_s = spacing_s
        self.most = wanted.most_at(spacing_s)
        self.steps: dict[int, RateStep] = {}
        self.limits: list[SpacingLimit] = []

    def search(self) -> Search:
        for channel in self.wanted.settings.channels:
            lengths = longest(self.most)
            verdict: Outcome | None = None
            tried: list[int] = []
            while True:
                try:
                    length = next(lengths) if verdict is None else lengths.send(verdict)
                except StopIteration as end:
                    self.limits.append(self._limit(channel.label, end.value, tried))
                    break
                if length not in self.steps:
                    self.steps[length] = yield self._job(length)
                tried.append(length)
                verdict = self.steps[length].of(channel.label).verdict

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
