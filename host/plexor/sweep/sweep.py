# SPDX-License-Identifier: Apache-2.0
"""A sweep: every load and channel at once, each as a search of its own over the same executor."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction

from plexor.errors import InvalidRunError, PlexorError, UsageError
from plexor.judge.verdict import Outcome
from plexor.model.settings import Settings
from plexor.protocol.memory import ResponseClass
from plexor.sweep.criterion import Criterion
from plexor.sweep.drive import JobDriver, Steps, Work
from plexor.sweep.executor import Workers
from plexor.sweep.job import MOST_S, TIMEOUT_PERIODS, Job, check, first_stage, take
from plexor.sweep.model import DOWN, REST, UP, Bracket, Knee, RateStep
from plexor.sweep.scan import RateScan, check_scan, take_scan
from plexor.sweep.search import bisect, scan_bracket, scan_rates
from plexor.sweep.store import StepStore
from plexor.units import format_rate


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


@dataclass(slots=True)
class SearchState:
    """What is known so far."""

    steps: list[RateStep] = field(default_factory=list[RateStep])
    knees: list[Knee] = field(default_factory=list[Knee])
    interrupted: bool = False
    error: PlexorError | None = None


OnStep = Callable[[RateStep, int, int], None]
"""Gets each step, how many have been taken, and how many are expected."""
Switch = Callable[[str], AbstractContextManager[None]]
"""A context manager that is entered around the steps of a load."""


class _Search:
    """One channel under one load."""

    def __init__(self, load: str, channel: str) -> None:
        self.load = load
        self.channel = channel
        self.strikes = 0
        self.bracket = Bracket(None, None)
        self.done = False
        self._steps: Generator[Fraction, Outcome, Bracket] | None = None

    @property
    def begun(self) -> bool:
        """Whether the first scan was whole."""
        return self._steps is not None

    def left(self, wanted: SweepGoal) -> int:
        """Return about how many steps are left."""
        low = self.bracket.passing_hz
        high = self.bracket.failing_hz or self.bracket.instrument_hz
        ratio = (wanted.high_hz / wanted.low_hz) ** (1 / (wanted.points - 1))
        if self._steps is not None:
            if low is None or high is None:
                return 0
            ratio = high / low
        if ratio <= 1:
            return 0
        return max(math.ceil(math.log2(math.log(ratio) / math.log1p(float(wanted.width)))), 0)

    def begin(self, scan: Sequence[RateStep], width: Fraction) -> Fraction | None:
        """Start with the scan of all channels; return the first rate to try."""
        self.look(scan)
        untried = any(step.ends_hz is not None for step in scan)
        self._steps = bisect(self.bracket, width, untried=untried)
        return self._go(None)

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

    def go_on(self, step: RateStep) -> Fraction | None:
        """Take a step's verdict; return the next rate, None at the end."""
        self.strikes += step.strikes
        verdict = step.of(self.channel).verdict
        if verdict == Outcome.PASS:
            self.bracket = replace(self.bracket, passing_hz=step.rate_hz)
        elif verdict == Outcome.FAIL:
            self.bracket = replace(self.bracket, failing_hz=step.rate_hz, instrument_hz=None)
        elif verdict == Outcome.NOT_COMPARABLE:
            self.bracket = replace(self.bracket, instrument_hz=step.rate_hz)
        return self._go(verdict)

    def _go(self, verdict: Outcome | None) -> Fraction | None:
        assert self._steps is not None
        try:
            return next(self._steps) if verdict is None else self._steps.send(verdict)
        except StopIteration as end:
            self.bracket, self.done = end.value, True
            return None


def sweep(
    wanted: SweepGoal,
    workers: Workers,
    store: StepStore,
    on_step: OnStep | None = None,
    switch: Switch | None = None,
) -> SearchState:
    """Run a sweep. Whatever ends it, return what was found so far.

    An interrupt ends it after what is under way; `error` is what a job failed with. Simulated
    devices are struck side by side, a real one load by load, so that `workers` must be one.
    """
    return _Sweep(wanted, workers, store, on_step).run(switch or _unswitched)


@contextmanager
def _unswitched(load: str) -> Generator[None]:
    del load
    yield


class _Sweep:
    def __init__(
        self, wanted: SweepGoal, workers: Workers, store: StepStore, on_step: OnStep | None
    ) -> None:
        self.wanted = wanted
        self.driver = JobDriver(workers, store)
        self.on_step = on_step
        self.found = SearchState()
        self.rates = scan_rates(wanted.low_hz, wanted.high_hz, wanted.points)
        self.searches = [
            _Search(load, channel.label)
            for load in wanted.loads
            for channel in wanted.settings.channels
        ]

    def run(self, switch: Switch) -> SearchState:
        loads = list(self.wanted.loads)
        try:
            self._check()
            if self.wanted.simulated:
                self._sweep(loads)
            else:
                for load in loads:
                    with switch(load):
                        self._sweep([load])
        except KeyboardInterrupt:
            self.found.interrupted = True
        except PlexorError as error:
            self.found.error = error
        self.driver.finish(self.found.steps.extend)
        self.found.steps.sort(key=_place)
        self.found.knees = [self._knee(search) for search in self.searches]
        return self.found

    def _check(self) -> None:
        """Raise UsageError if the criteria cannot be decided in time."""
        wanted = self.wanted
        strikes = first_stage(wanted.criteria, wanted.least_strikes)
        if strikes > wanted.most_s * wanted.low_hz:
            raise UsageError(
                f"{', '.join(entry.text for entry in wanted.criteria)}: needs {strikes} strikes, "
                f"which take {float(strikes / wanted.low_hz):.4g} s at "
                f"{format_rate(wanted.low_hz)}; must be at most {float(wanted.most_s):.4g} s"
            )

    def _knee(self, search: _Search) -> Knee:
        scans: list[Bracket | None] = []
        for way in (UP, DOWN):
            scanned = [step for step in self._of(search.load) if step.direction]
            top = max((step.rate_hz for step in scanned), default=self.wanted.high_hz)
            steps = [step for step in scanned if way in _ways(step, top)]
            scans.append(search.bracket_of(steps) if steps else None)
        if not search.begun:
            # The first scan was not whole.
            search.look([step for step in self._of(search.load) if not step.direction])
        return Knee(search.load, search.channel, search.bracket, search.strikes, *scans)

    def _of(self, load: str) -> list[RateStep]:
        return [step for step in self.found.steps if step.load == load]

    # Jobs.

    def _sweep(self, loads: Sequence[str]) -> None:
        # Lower rates are possible where the highest one is, and every load is one that the device
        # has: only then anything is struck.
        unchecked = list(loads)

        def begin(_: Steps) -> None:
            if not unchecked:
                self._begin(loads)
                return
            self.driver.ask(check, self._job(unchecked.pop(0), self.wanted.high_hz, ""), begin)

        if self.wanted.both_ways:
            self.driver.ask(check_scan, self._scan(loads[0]), begin)
        else:
            begin(())
        self.driver.run()

    def _begin(self, loads: Sequence[str]) -> None:
        # The ends first: what is wrong with them ends the sweep before anything else is struck.
        low, *between, high = self.rates
        for load in loads:
            for rate in (low, high, *between):
                self._ask(take, self._job(load, rate, ""), self._scanned)

    def _job(self, load: str, rate_hz: Fraction, channel: str) -> Job:
        wanted, its = self.wanted, self.wanted.loads[load]
        return Job(
            wanted.link,
            its.dut,
            load,
            replace(wanted.settings, load=its.level, load_name=load),
            rate_hz,
            channel,
            wanted.criteria,
            wanted.least_strikes,
            wanted.most_s,
            None if wanted.simulated else wanted.low_hz,
        )

    def _scan(self, load: str) -> RateScan:
        """Return the scan by the table; its time-out is that of the lowest rate that passed."""
        wanted, its = self.wanted, self.wanted.loads[load]
        passing = [s.bracket.passing_hz for s in self.searches if s.load == load]
        lowest = min((rate for rate in passing if rate is not None), default=wanted.low_hz)
        timeout_s = wanted.settings.timeout_s or TIMEOUT_PERIODS / lowest
        return RateScan(
            wanted.link,
            its.dut,
            load,
            replace(wanted.settings, load=its.level, load_name=load, timeout_s=timeout_s),
            self._carried(load),
            wanted.criteria,
            wanted.least_strikes,
        )

    def _is_searched(self, load: str) -> bool:
        """Return whether a load's searches have ended, so that its scan both ways may begin."""
        done = all(search.done for search in self.searches if search.load == load)
        return done and len(self._carried(load)) > 1

    def _carried(self, load: str) -> tuple[Fraction, ...]:
        """Return the rates of the first scan that the instrument carried, all before it."""
        beyond = {step.rate_hz for step in self._of(load) if _is_beyond(step)}
        return tuple(rate for rate in self.rates if rate < min(beyond, default=rate + 1))

    def _ask(self, work: Work, job: Job | RateScan, then: Callable[[Steps], None]) -> None:
        def taken(steps: Steps) -> None:
            self.found.steps += steps
            taken = len(self.found.steps)
            then(steps)
            if self.on_step is not None:
                for number, step in enumerate(steps, taken - len(steps) + 1):
                    self.on_step(step, number, self._expected())

        self.driver.ask(work, job, taken)

    # What comes of them.

    def _scanned(self, steps: Steps) -> None:
        """Look at a step of the first scan; behind its last one each search of the load begins."""
        (step,) = steps
        self._hear(step)
        scan = [entry for entry in self._of(step.load) if not entry.for_channel]
        if len(scan) == len(self.rates):
            for search in self.searches:
                if search.load == step.load:
                    self._go_on(search, search.begin(scan, self.wanted.width))

    def _go_on(self, search: _Search, rate_hz: Fraction | None) -> None:
        if rate_hz is not None:
            job = self._job(search.load, rate_hz, search.channel)
            self._ask(take, job, lambda steps: self._go_on(search, search.go_on(steps[0])))
        elif self.wanted.both_ways and self._is_searched(search.load):
            self._ask(take_scan, self._scan(search.load), lambda steps: None)

    def _hear(self, step: RateStep) -> None:
        """Raise InvalidRunError if nothing can be known at the lowest rate.

        That is where a channel does not answer, and where the instrument is at its end.
        """
        if step.rate_hz == self.wanted.low_hz and _is_beyond(step):
            raise InvalidRunError(
                f"{step.load}: {step.channels[0].reason}; begin below {format_rate(step.rate_hz)}"
            )
        silent = [
            entry.name
            for entry in step.channels
            if entry.classes[ResponseClass.MISSED] == entry.strikes > 0
        ]
        if step.rate_hz == self.wanted.low_hz and silent:
            raise InvalidRunError(
                f"{step.load}: {', '.join(silent)}: no response to any of {step.strikes} strikes "
                f"at {format_rate(step.rate_hz)}; check the wiring and the device, or begin at a "
                "lower rate"
            )

    def _expected(self) -> int:
        """Return about how many steps there will be."""
        first = len(self.rates) * len(self.wanted.loads)
        taken = sum(1 for step in self.found.steps if step.for_channel)
        both_ways = 2 * first if self.wanted.both_ways else 0
        return first + taken + both_ways + sum(search.left(self.wanted) for search in self.searches)


def _is_beyond(step: RateStep) -> bool:
    """Return whether the instrument could not carry a step."""
    return any(entry.verdict == Outcome.NOT_COMPARABLE for entry in step.channels)


def _place(step: RateStep) -> tuple[str, str, int, Fraction]:
    return step.load, step.for_channel, ("", UP, DOWN, REST).index(step.direction), step.rate_hz


def _ways(step: RateStep, high_hz: Fraction) -> tuple[str, ...]:
    """Return the scans that a step belongs to: with the highest rate one ends and one begins."""
    both = step.direction == UP and step.rate_hz == high_hz
    return (UP, DOWN) if both else (step.direction,)
