# SPDX-License-Identifier: Apache-2.0
"""A sweep: every load and channel at once, each as a search of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from plexor.base.counts import counted
from plexor.base.errors import InvalidRunError, UsageError
from plexor.base.units import format_rate, format_seconds, whole_ticks
from plexor.experiments.criterion import Criterion
from plexor.experiments.job import MOST_S, Job, first_stage
from plexor.experiments.rates import scan_rates
from plexor.experiments.step import DOWN, REST, UP, RateStep
from plexor.experiments.sweep.model import Bracket, Knee, SweepResult
from plexor.experiments.sweep.scan import RateScan
from plexor.experiments.sweep.search import bisect, scan_bracket
from plexor.experiments.work import Experiment, taken, together
from plexor.figures.judge.verdict import Outcome
from plexor.model.settings import Settings
from plexor.model.timeouts import SWEPT, default_timeout_s
from plexor.protocol.memory import ResponseClass
from plexor.run.plan.strikes import dither_taken


@dataclass(frozen=True, slots=True)
class SweepLoad:
    """A load: the device that runs it, and the level of the load output."""

    dut: str | None
    level: bool


@dataclass(frozen=True, slots=True)
class SweepGoal:
    """What a sweep is to find out."""

    link: str
    loads: Mapping[str, SweepLoad]
    settings: Settings
    low_hz: Fraction
    high_hz: Fraction
    criteria: tuple[Criterion, ...]
    width: Fraction
    points: int
    """Number of rates in the first scan."""
    least_strikes: int
    most_s: Fraction = MOST_S
    """Maximum time at one rate, in the instrument's time."""
    both_ways: bool = False
    """Whether the instrument's table goes over the rates of the first scan, up and down."""

    @property
    def simulated(self) -> bool:
        """Whether every step has an instrument and a device of its own."""
        return self.link.startswith("sim:")


Switch = Callable[[str], AbstractContextManager[None]]
"""A context manager that is entered around the steps of a load."""


class _Search:
    """One channel under one load."""

    def __init__(self, load: str, channel: str) -> None:
        self.load = load
        self.channel = channel
        self.strikes = 0
        self.bracket = Bracket(None, None)
        self.begun = False
        """Whether the first scan was whole."""

    def left(self, goal: SweepGoal) -> int:
        """Return about how many steps are left."""
        low = self.bracket.passing_hz
        high = self.bracket.failing_hz or self.bracket.instrument_hz
        ratio = (goal.high_hz / goal.low_hz) ** (1 / (goal.points - 1))
        if self.begun:
            if low is None or high is None:
                return 0
            ratio = high / low
        if ratio <= 1:
            return 0
        return max(math.ceil(math.log2(math.log(ratio) / math.log1p(float(goal.width)))), 0)

    def look(self, scan: Sequence[RateStep]) -> None:
        """Take what a scan of all channels says."""
        self.strikes = sum(step.strikes for step in scan)
        self.bracket = self.bracket_of(scan)

    def bracket_of(self, scan: Sequence[RateStep]) -> Bracket:
        """Return the bracket of a scan's verdicts."""
        found = scan_bracket({step.rate_hz: step.of(self.channel).verdict for step in scan})
        ends_hz = min((s.ends_hz for s in scan if s.ends_hz is not None), default=None)
        if found.instrument_hz is None or ends_hz is None:
            return found
        return replace(found, instrument_hz=min(found.instrument_hz, ends_hz))

    def narrowed(
        self,
        scan: Sequence[RateStep],
        width: Fraction,
        step_at: Callable[[Fraction], Experiment[RateStep]],
    ) -> Experiment[None]:
        """Take steps until the bracket that a scan of all channels leaves is narrow enough."""
        self.look(scan)
        self.begun = True
        untried = any(step.ends_hz is not None for step in scan)
        rates = bisect(self.bracket, width, untried=untried)
        outcome: Outcome | None = None
        while True:
            try:
                rate_hz = next(rates) if outcome is None else rates.send(outcome)
            except StopIteration as end:
                self.bracket = end.value
                return
            outcome = self._tried((yield from step_at(rate_hz)))

    def _tried(self, step: RateStep) -> Outcome:
        """Take a step's verdict into the bracket, which holds if the search ends early."""
        self.strikes += step.strikes
        outcome = step.of(self.channel).verdict
        if outcome == Outcome.PASS:
            self.bracket = replace(self.bracket, passing_hz=step.rate_hz)
        elif outcome == Outcome.FAIL:
            self.bracket = replace(self.bracket, failing_hz=step.rate_hz, instrument_hz=None)
        elif outcome == Outcome.NOT_COMPARABLE:
            self.bracket = replace(self.bracket, instrument_hz=step.rate_hz)
        return outcome


@contextmanager
def _unswitched(load: str) -> Generator[None]:
    del load
    yield


class SweepSteps:
    """The steps of a sweep, and what is known from them so far."""

    kind: ClassVar[str] = "sweep"

    def __init__(self, goal: SweepGoal, switch: Switch | None = None) -> None:
        self.goal = goal
        self.rates = scan_rates(goal.low_hz, goal.high_hz, goal.points)
        self.searches = {
            load: [_Search(load, channel.label) for channel in goal.settings.channels]
            for load in goal.loads
        }
        self._switch = switch or _unswitched
        self._steps: list[RateStep] = []
        """Those of the first scans and of the searches."""

    def run(self) -> Experiment[None]:
        """Search all loads: of simulated devices side by side, of a real one load by load.

        A real device has one worker.
        """
        self._check()
        loads = list(self.goal.loads)
        if self.goal.simulated:
            yield from self._sweep(loads)
            return
        for load in loads:
            with self._switch(load):
                yield from self._sweep([load])

    @property
    def duts(self) -> list[str | None]:
        """The simulated devices that run the loads."""
        return [load.dut for load in self.goal.loads.values()]

    def expected(self) -> int:
        """Return about how many steps there will be."""
        first = len(self.rates) * len(self.goal.loads)
        taken = sum(1 for step in self._steps if step.for_channel)
        both_ways = 2 * first if self.goal.both_ways else 0
        left = sum(search.left(self.goal) for own in self.searches.values() for search in own)
        return first + taken + both_ways + left

    def result(self, steps: Iterable[RateStep], interrupted: bool) -> SweepResult:
        """Return what one or more steps say, the last ones too, which came behind an early end."""
        steps = sorted(steps, key=_place)
        goal, swept = self.goal, self.goal.settings.strikes[0]
        shape = "half of the period, at most 10 µs"
        if swept.width_s is not None:
            shape = f"width {format_seconds(swept.width_s)}"
        if swept.duty is not None:
            shape = f"duty {float(swept.duty):.4g}"
        if swept.dither_s:
            shape += f", {_dither_text(swept.dither_s, steps[0].tick_fs)}"
        return SweepResult(
            steps[0].tick_fs,
            any(step.simulated for step in steps),
            tuple(entry.text for entry in goal.criteria),
            goal.low_hz,
            goal.high_hz,
            goal.width,
            shape,
            tuple(steps),
            tuple(
                self._knee(search, [step for step in steps if step.load == load])
                for load, own in self.searches.items()
                for search in own
            ),
            interrupted,
        )

    def _check(self) -> None:
        """Raise UsageError if the criteria cannot be decided in time."""
        goal = self.goal
        strikes = first_stage(goal.criteria, goal.least_strikes)
        if strikes > goal.most_s * goal.low_hz:
            raise UsageError(
                f"{', '.join(entry.text for entry in goal.criteria)}: needs "
                f"{counted(strikes, 'strike')}, "
                f"which take {float(strikes / goal.low_hz):.4g} s at "
                f"{format_rate(goal.low_hz)}; must be at most {float(goal.most_s):.4g} s"
            )

    def _knee(self, search: _Search, steps: Sequence[RateStep]) -> Knee:
        """Return the knee of a search by the steps of its load."""
        scans: list[Bracket | None] = []
        for way in (UP, DOWN):
            scanned = [step for step in steps if step.direction]
            top = max((step.rate_hz for step in scanned), default=self.goal.high_hz)
            own = [step for step in scanned if way in _ways(step, top)]
            scans.append(search.bracket_of(own) if own else None)
        if not search.begun:
            # The first scan was not whole.
            search.look([step for step in steps if not step.direction])
        return Knee(search.load, search.channel, search.bracket, search.strikes, *scans)

    def _sweep(self, loads: Sequence[str]) -> Experiment[None]:
        # Lower rates are possible where the highest one is, and every load is one that the device
        # has: only then anything is struck.
        if self.goal.both_ways:
            yield from taken(self._scan(loads[0]).check)
        for load in loads:
            yield from taken(self._job(load, self.goal.high_hz, "").check)
        yield from together(self._load(load) for load in loads)

    def _load(self, load: str) -> Experiment[None]:
        """Scan all rates under a load, and search each channel between those that the scan leaves.

        The ends come first: what is wrong with them ends the sweep before anything else is struck.
        """
        low, *between, high = self.rates
        scan = yield from together(self._first(load, rate) for rate in (low, high, *between))
        yield from together(
            search.narrowed(scan, self.goal.width, self._at(load, search.channel))
            for search in self.searches[load]
        )
        if self.goal.both_ways and len(self._carried(load)) > 1:
            yield from taken(self._scan(load))

    def _first(self, load: str, rate_hz: Fraction) -> Experiment[RateStep]:
        """Take a step of the first scan."""
        step = yield from self._step(self._job(load, rate_hz, ""))
        self._hear(step)
        return step

    def _at(self, load: str, channel: str) -> Callable[[Fraction], Experiment[RateStep]]:
        """Return what takes the step of a channel at a rate."""
        return lambda rate_hz: self._step(self._job(load, rate_hz, channel))

    def _step(self, job: Job) -> Experiment[RateStep]:
        (step,) = yield from taken(job)
        self._steps.append(step)
        return step

    def _job(self, load: str, rate_hz: Fraction, channel: str) -> Job:
        goal, its = self.goal, self.goal.loads[load]
        return Job(
            goal.link,
            its.dut,
            load,
            replace(goal.settings, load=its.level, load_name=load),
            rate_hz,
            channel,
            goal.criteria,
            goal.least_strikes,
            goal.most_s,
            None if goal.simulated else goal.low_hz,
        )

    def _scan(self, load: str) -> RateScan:
        """Return the scan by the table; its time-out is that of the lowest rate that passed."""
        goal, its = self.goal, self.goal.loads[load]
        passing = [s.bracket.passing_hz for s in self.searches[load]]
        lowest = min((rate for rate in passing if rate is not None), default=goal.low_hz)
        timeout_s = goal.settings.timeout_s or default_timeout_s([1 / lowest], SWEPT)
        return RateScan(
            goal.link,
            its.dut,
            load,
            replace(goal.settings, load=its.level, load_name=load, timeout_s=timeout_s),
            self._carried(load),
            goal.criteria,
            goal.least_strikes,
        )

    def _carried(self, load: str) -> tuple[Fraction, ...]:
        """Return the rates of the first scan that the instrument carried, all before it."""
        own = [step for step in self._steps if step.load == load]
        beyond = {step.rate_hz for step in own if _is_beyond(step)}
        return tuple(rate for rate in self.rates if rate < min(beyond, default=rate + 1))

    def _hear(self, step: RateStep) -> None:
        """Raise InvalidRunError if nothing can be known at the lowest rate.

        That is where a channel does not answer, and where the instrument is at its end.
        """
        if step.rate_hz == self.goal.low_hz and _is_beyond(step):
            raise InvalidRunError(
                f"{step.load}: {step.channels[0].reason}; begin below {format_rate(step.rate_hz)}"
            )
        silent = [
            entry.name
            for entry in step.channels
            if entry.classes[ResponseClass.MISSED] == entry.strikes > 0
        ]
        if step.rate_hz == self.goal.low_hz and silent:
            raise InvalidRunError(
                f"{step.load}: {', '.join(silent)}: no response to any of "
                f"{counted(step.strikes, 'strike')} "
                f"at {format_rate(step.rate_hz)}; check the wiring and the device, or begin at a "
                "lower rate"
            )


def _is_beyond(step: RateStep) -> bool:
    """Return whether the instrument could not carry a step."""
    return any(entry.verdict == Outcome.NOT_COMPARABLE for entry in step.channels)


def _place(step: RateStep) -> tuple[str, str, int, Fraction]:
    return step.load, step.for_channel, ("", UP, DOWN, REST).index(step.direction), step.rate_hz


def _ways(step: RateStep, high_hz: Fraction) -> tuple[str, ...]:
    """Return the scans that a step belongs to: with the highest rate one ends and one begins."""
    both = step.direction == UP and step.rate_hz == high_hz
    return (UP, DOWN) if both else (step.direction,)


def _dither_text(asked_s: Fraction, tick_fs: int) -> str:
    """Return `dither 1 µs (1.024 µs used, ...)`: the range that is asked for, and the chip's."""
    taken_s = dither_taken(asked_s, tick_fs)
    text = f"dither {format_seconds(asked_s, 6)}"
    if whole_ticks(asked_s, tick_fs) == whole_ticks(taken_s, tick_fs):
        return text
    less = f", or {format_seconds(taken_s / 2, 6)} where the period has no room"
    return f"{text} ({format_seconds(taken_s, 6)} used{less if taken_s > asked_s else ''})"
