"""A burst scan: of each spacing the longest burst that loses no strike, as a search of its own.

Bursts are a period apart and last half of it at most; the time-out is the other half, so that each
strike of a burst is settled before the next one begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from fractions import Fraction

from plexor.burst.model import Lengths, Limit
from plexor.model.settings import Settings
from plexor.protocol.memory import ResponseClass
from plexor.sweep.criterion import Criterion, stage_strikes
from plexor.sweep.decide import Verdict
from plexor.sweep.drive import End, Search, drive
from plexor.sweep.executor import Workers
from plexor.sweep.figures import LEAST_STRIKES
from plexor.sweep.job import MOST_S, Job
from plexor.sweep.model import Step
from plexor.sweep.search import scan_rates
from plexor.sweep.store import StepStore

LONGEST_PART = Fraction(1, 2)
"""Of the period, for a burst; the rest is the time-out."""
QUEUE_FULL = "more strikes outstanding than the instrument can hold"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a burst scan is to find out."""

    link: str
    dut: str | None
    settings: Settings
    """Of its first stimulus burst, spacing, period and count are set."""
    low_s: Fraction
    high_s: Fraction
    points: int
    period_s: Fraction
    most: int
    criterion: Criterion

    @property
    def spacings_s(self) -> tuple[Fraction, ...]:
        """Evenly apart on a log scale."""
        return scan_rates(self.low_s, self.high_s, self.points)

    @property
    def timeout_s(self) -> Fraction:
        """Of every strike."""
        return self.period_s * (1 - LONGEST_PART)

    def most_at(self, spacing_s: Fraction) -> int:
        """Return the longest burst that may be tried."""
        return min(self.most, math.floor(self.period_s * LONGEST_PART / spacing_s) + 1)


def longest(most: int) -> Generator[int, Verdict, Lengths]:
    """Yield burst lengths to try up to `most`, 1 or more, and return what is known at the end.

    Takes it that a device which loses a strike of a burst loses one of each longer burst.
    """
    passing, failing = 0, most + 1
    undecided: list[int] = []
    while failing - passing > 1:
        middle = min(max(math.isqrt(max(passing, 1) * failing), passing + 1), failing - 1)
        verdict = yield middle
        if verdict == Verdict.PASS:
            passing = middle
            continue
        failing = middle
        if verdict == Verdict.UNDECIDED:
            undecided.append(middle)
    known = tuple(sorted(undecided))
    return Lengths(passing, failing if failing <= most else None, known)


def burst_scan(
    wanted: Wanted,
    workers: Workers,
    store: StepStore,
    on_step: Callable[[Job, Step], None] | None = None,
) -> tuple[list[Limit], list[Step], End]:
    """Run a scan; whatever ends it, return what was found until then, and the steps."""
    spacings = [_Spacing(wanted, spacing_s) for spacing_s in wanted.spacings_s]
    end = drive([entry.search() for entry in spacings], workers, store, on_step)
    limits = [limit for entry in spacings for limit in entry.limits]
    return limits, [step for entry in spacings for step in entry.steps.values()], end


class _Spacing:
    """The search at one spacing, for all channels: what one has tried the others need not."""

    def __init__(self, wanted: Wanted, spacing_s: Fraction) -> None:
        self.wanted = wanted
        self.spacing_s = spacing_s
        self.most = wanted.most_at(spacing_s)
        self.steps: dict[int, Step] = {}
        self.limits: list[Limit] = []

    def search(self) -> Search:
        for channel in self.wanted.settings.channels:
            lengths = longest(self.most)
            verdict: Verdict | None = None
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
        # A device that loses one strike of each burst must not be within the limit.
        criterion = replace(criterion, share=min(criterion.share, Fraction(1, 2 * length)))
        # Whole bursts only, in every stage.
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
            # A step's time is reckoned by its strikes; here so many come in each period.
            MOST_S * length,
        )

    def _limit(self, channel: str, lengths: Lengths, tried: list[int]) -> Limit:
        best = self.steps.get(lengths.passing)
        worst = None if lengths.failing is None else self.steps[lengths.failing].of(channel)
        reason = "" if worst is None else worst.reason
        if worst is not None and worst.classes[ResponseClass.QUEUE_FULL]:
            reason = QUEUE_FULL
        return Limit(
            self.spacing_s,
            channel,
            lengths,
            self.most,
            sum(self.steps[length].strikes for length in tried),
            None if best is None else best.of(channel).max_ticks,
            reason,
            best is not None and best.of(channel).shifted,
        )
