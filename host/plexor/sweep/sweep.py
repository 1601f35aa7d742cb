"""A sweep: every load and channel at once, each as a search of its own over the same executor.

What a search asks for next depends on verdicts alone, and a job on nothing but itself: so results
are the same whatever runs the jobs, in whatever order they end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction

from plexor.errors import InvalidRunError, LinkError, PlexorError, UsageError
from plexor.protocol.memory import ResponseClass
from plexor.settings import Settings
from plexor.sweep.criterion import Criterion
from plexor.sweep.decide import Verdict
from plexor.sweep.executor import RETRIES, Workers, is_lost
from plexor.sweep.job import MOST_S, Job, first_stage, take
from plexor.sweep.model import Bracket, Knee, Step
from plexor.sweep.search import bisect, scan_bracket, scan_rates
from plexor.sweep.store import StepStore
from plexor.units import format_rate

POLL_S = 0.2
"""Wall time between two looks for an interrupt."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a device does beside: the device that has it, and the level of the load output."""

    dut: str | None
    level: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a sweep is to find out."""

    link: str
    loads: Mapping[str, Load]
    settings: Settings
    low_hz: Fraction
    high_hz: Fraction
    criteria: tuple[Criterion, ...]
    width: Fraction
    points: int
    """Of the scan that comes first."""
    least_strikes: int
    most_s: Fraction = MOST_S
    """Of the instrument's time, at one rate."""

    @property
    def simulated(self) -> bool:
        """Whether every step has an instrument and a device of its own."""
        return self.link.startswith("sim:")


@dataclass(slots=True)
class Found:
    """What is known so far."""

    steps: list[Step] = field(default_factory=list[Step])
    knees: list[Knee] = field(default_factory=list[Knee])
    interrupted: bool = False
    error: PlexorError | None = None


OnStep = Callable[[Step, int, int], None]
"""Gets each step, and how many have been taken of how many that are expected."""
Switch = Callable[[str], AbstractContextManager[None]]
"""Is entered around the steps of a load."""


class _Search:
    """One channel under one load."""

    def __init__(self, load: str, channel: str) -> None:
        self.load = load
        self.channel = channel
        self.strikes = 0
        self.bracket = Bracket(None, None)
        self._steps: Generator[Fraction, Verdict, Bracket] | None = None

    def left(self, wanted: Wanted) -> int:
        """Return about how many steps it takes yet."""
        low, high = self.bracket.passing_hz, self.bracket.failing_hz
        ratio = (wanted.high_hz / wanted.low_hz) ** (1 / (wanted.points - 1))
        if self._steps is not None:
            if low is None or high is None:
                return 0
            ratio = high / low
        return max(math.ceil(math.log2(math.log(ratio) / math.log1p(float(wanted.width)))), 0)

    def begin(self, scan: Sequence[Step], width: Fraction) -> Fraction | None:
        """Start with the scan of all channels; return the first rate to try."""
        verdicts = {step.rate_hz: step.of(self.channel).verdict for step in scan}
        self.strikes = sum(step.strikes for step in scan)
        self.bracket = scan_bracket(verdicts)
        self._steps = bisect(self.bracket, width)
        return self._go(None)

    def go_on(self, step: Step) -> Fraction | None:
        """Take a step's verdict; return the next rate, None at the end."""
        self.strikes += step.strikes
        verdict = step.of(self.channel).verdict
        if verdict == Verdict.PASS:
            self.bracket = replace(self.bracket, passing_hz=step.rate_hz)
        elif verdict == Verdict.FAIL:
            self.bracket = replace(self.bracket, failing_hz=step.rate_hz)
        return self._go(verdict)

    def _go(self, verdict: Verdict | None) -> Fraction | None:
        assert self._steps is not None
        try:
            return next(self._steps) if verdict is None else self._steps.send(verdict)
        except StopIteration as end:
            self.bracket = end.value
            return None


def sweep(
    wanted: Wanted,
    workers: Workers,
    store: StepStore,
    on_step: OnStep | None = None,
    switch: Switch | None = None,
) -> Found:
    """Run a sweep; whatever ends it, return what was found until then.

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
        self, wanted: Wanted, workers: Workers, store: StepStore, on_step: OnStep | None
    ) -> None:
        self.wanted = wanted
        self.workers = workers
        self.store = store
        self.on_step = on_step
        self.found = Found()
        self.rates = scan_rates(wanted.low_hz, wanted.high_hz, wanted.points)
        self.scans: dict[str, list[Step]] = {load: [] for load in wanted.loads}
        self.searches = [
            _Search(load, channel.label)
            for load in wanted.loads
            for channel in wanted.settings.channels
        ]
        self.deaths = 0
        self.under_way: dict[Future[Step], tuple[Job, _Search | None]] = {}

    def run(self, switch: Switch) -> Found:
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
        self._keep_rest()
        self.found.steps.sort(key=lambda step: (step.load, step.for_channel, step.rate_hz))
        self.found.knees = [
            Knee(search.load, search.channel, search.bracket, search.strikes)
            for search in self.searches
        ]
        return self.found

    def _check(self) -> None:
        """Raise UsageError where the criteria cannot be decided in time."""
        wanted = self.wanted
        strikes = first_stage(wanted.criteria, wanted.least_strikes)
        if strikes > wanted.most_s * wanted.low_hz:
            raise UsageError(
                f"{', '.join(entry.text for entry in wanted.criteria)}: takes {strikes} strikes, "
                f"{float(strikes / wanted.low_hz):.4g} s at {format_rate(wanted.low_hz)}; must be "
                f"{float(wanted.most_s):.4g} s or less"
            )

    def _sweep(self, loads: Sequence[str]) -> None:
        for load in loads:
            for rate in self.rates:
                self._ask(self._job(load, rate, ""), None)
        while self.under_way:
            self._wait()

    def _job(self, load: str, rate_hz: Fraction, channel: str) -> Job:
        wanted, its = self.wanted, self.wanted.loads[load]
        return Job(
            wanted.link,
            its.dut,
            load,
            replace(wanted.settings, load=its.level),
            rate_hz,
            channel,
            wanted.criteria,
            wanted.least_strikes,
            wanted.most_s,
            None if wanted.simulated else wanted.low_hz,
        )

    def _ask(self, job: Job, search: _Search | None) -> None:
        """Have a job done, unless its step is known."""
        while True:
            known = self.store.find(job)
            if known is None:
                self.under_way[self.workers.submit(take, job)] = (job, search)
                return
            following = self._taken(known, search)
            if following is None or search is None:
                return
            job = self._job(search.load, following, search.channel)

    def _wait(self) -> None:
        done, _ = wait(self.under_way, POLL_S, FIRST_COMPLETED)
        for future in done:
            job, search = self.under_way[future]
            try:
                step = future.result()
            except Exception as error:
                if not is_lost(error):
                    raise
                self._again(error)
                return
            del self.under_way[future]
            self.store.add(job, step)
            following = self._taken(step, search)
            if following is not None and search is not None:
                self._ask(self._job(search.load, following, search.channel), search)

    def _again(self, error: BaseException) -> None:
        """Ask anew for all that was under way when a worker died, unless that happens too often."""
        self.deaths += 1
        if self.deaths > RETRIES:
            raise LinkError(f"executor: {self.deaths} workers died: {error}") from error
        lost = list(self.under_way.values())
        self.under_way.clear()
        self.workers.renew()
        for job, search in lost:
            self._ask(job, search)

    def _keep_rest(self) -> None:
        """Keep the steps that were under way at an early end; those not begun are not taken."""
        running = [future for future in self.under_way if not future.cancel()]
        for future in wait(running).done:
            if not future.cancelled() and future.exception() is None:
                self.store.add(self.under_way[future][0], future.result())
                self.found.steps.append(future.result())

    def _taken(self, step: Step, search: _Search | None) -> Fraction | None:
        """Note a step; return the rate that its search wants next."""
        self.found.steps.append(step)
        if search is None:
            self._scanned(step)
        following = None if search is None else search.go_on(step)
        if self.on_step is not None:
            self.on_step(step, len(self.found.steps), self._expected())
        return following

    def _scanned(self, step: Step) -> None:
        """Note a step of the scan; behind the last one each search of its load begins."""
        self._hear(step)
        scan = self.scans[step.load]
        scan.append(step)
        if len(scan) == len(self.rates):
            for each in self.searches:
                if each.load == step.load:
                    rate = each.begin(scan, self.wanted.width)
                    if rate is not None:
                        self._ask(self._job(each.load, rate, each.channel), each)

    def _hear(self, step: Step) -> None:
        """Raise InvalidRunError where the lowest rate says that no one answers."""
        silent = [
            entry.name
            for entry in step.channels
            if entry.classes[ResponseClass.MISSED] == entry.strikes > 0
        ]
        if step.rate_hz == self.wanted.low_hz and silent:
            raise InvalidRunError(
                f"{step.load}: {', '.join(silent)}: no response to any of {step.strikes} strikes "
                f"at {format_rate(step.rate_hz)}; check the wiring and the device, or begin lower"
            )

    def _expected(self) -> int:
        """Return about how many steps there will be."""
        scans = len(self.rates) * len(self.wanted.loads)
        taken = sum(1 for step in self.found.steps if step.for_channel)
        return scans + taken + sum(search.left(self.wanted) for search in self.searches)
