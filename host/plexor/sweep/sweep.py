"""A sweep: every load and channel at once, each as a search of its own over the same executor.

What a search asks for next depends on verdicts alone, and a job on nothing but itself: so results
are the same whatever runs the jobs, in whatever order they end.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field, replace
from fractions import Fraction

from plexor.errors import LinkError, PlexorError
from plexor.settings import Settings
from plexor.sweep.criterion import Criterion
from plexor.sweep.decide import Verdict
from plexor.sweep.executor import RETRIES, Workers
from plexor.sweep.job import Job, take
from plexor.sweep.model import Bracket, Knee, Step
from plexor.sweep.search import bisect, scan_bracket, scan_rates
from plexor.sweep.store import StepStore

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


@dataclass(slots=True)
class Found:
    """What is known so far."""

    steps: list[Step] = field(default_factory=list[Step])
    knees: list[Knee] = field(default_factory=list[Knee])
    interrupted: bool = False
    error: PlexorError | None = None


OnStep = Callable[[Step, int, int], None]
"""Gets each step, and how many have been taken of how many that are expected."""


class _Search:
    """One channel under one load."""

    def __init__(self, load: str, channel: str) -> None:
        self.load = load
        self.channel = channel
        self.strikes = 0
        self.bracket = Bracket(None, None)
        self._steps: Generator[Fraction, Verdict, Bracket] | None = None

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
        return self._go(step.of(self.channel).verdict)

    def _go(self, verdict: Verdict | None) -> Fraction | None:
        assert self._steps is not None
        try:
            return next(self._steps) if verdict is None else self._steps.send(verdict)
        except StopIteration as end:
            self.bracket = end.value
            return None


def sweep(
    wanted: Wanted, workers: Workers, store: StepStore, on_step: OnStep | None = None
) -> Found:
    """Run a sweep; whatever ends it, return what was found until then.

    An interrupt ends it after what is under way; `error` is what a job failed with.
    """
    return _Sweep(wanted, workers, store, on_step).run()


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

    def run(self) -> Found:
        try:
            for load in self.wanted.loads:
                for rate in self.rates:
                    self._ask(self._job(load, rate, ""), None)
            while self.under_way:
                self._wait()
        except KeyboardInterrupt:
            self.found.interrupted = True
        except PlexorError as error:
            self.found.error = error
        for future in self.under_way:
            future.cancel()
        self.found.steps.sort(key=lambda step: (step.load, step.for_channel, step.rate_hz))
        self.found.knees = [
            Knee(search.load, search.channel, search.bracket, search.strikes)
            for search in self.searches
        ]
        return self.found

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
            except BrokenExecutor as error:
                self._again(error)
                return
            del self.under_way[future]
            self.store.add(job, step)
            following = self._taken(step, search)
            if following is not None and search is not None:
                self._ask(self._job(search.load, following, search.channel), search)

    def _again(self, error: BrokenExecutor) -> None:
        """Ask anew for all that was under way when a worker died, unless that happens too often."""
        self.deaths += 1
        if self.deaths > RETRIES:
            raise LinkError(f"executor: {self.deaths} workers died: {error}") from error
        lost = list(self.under_way.values())
        self.under_way.clear()
        self.workers.renew()
        for job, search in lost:
            self._ask(job, search)

    def _taken(self, step: Step, search: _Search | None) -> Fraction | None:
        """Note a step; return the rate that its search wants next."""
        self.found.steps.append(step)
        if self.on_step is not None:
            self.on_step(step, len(self.found.steps), len(self.under_way))
        if search is not None:
            return search.go_on(step)
        scan = self.scans[step.load]
        scan.append(step)
        if len(scan) == len(self.rates):
            for each in self.searches:
                if each.load == step.load:
                    rate = each.begin(scan, self.wanted.width)
                    if rate is not None:
                        self._ask(self._job(each.load, rate, each.channel), each)
        return None
