# SPDX-License-Identifier: Apache-2.0
"""Runs searches side by side: an executor takes the steps that each asks for, and they are kept.

What a search asks for next depends on steps alone, and a job on nothing but itself: so results are
the same whatever runs the jobs, in whatever order they end.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from plexor.errors import LinkError, PlexorError
from plexor.sweep.executor import RETRIES, Workers, is_lost
from plexor.sweep.job import Job, take
from plexor.sweep.model import RateStep
from plexor.sweep.scan import RateScan
from plexor.sweep.store import StepStore

POLL_S = 0.2
"""Wall time between two looks for an interrupt."""

Steps = tuple[RateStep, ...]
Work = Callable[[Any], Steps]
"""The function that takes a job."""


@dataclass(frozen=True, slots=True)
class End:
    """How searches ended."""

    interrupted: bool = False
    error: PlexorError | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    work: Work
    job: Job | RateScan
    then: Callable[[Steps], None]


class JobDriver:
    """Has jobs done, as many at once as there are workers; one that dies is replaced."""

    def __init__(self, workers: Workers, store: StepStore) -> None:
        self._workers = workers
        self._store = store
        self._deaths = 0
        self._under_way: dict[Future[Steps], _Asked] = {}

    def ask(self, work: Work, job: Job | RateScan, then: Callable[[Steps], None]) -> None:
        """Have a job done, unless its steps are known; `then` gets them, and may ask for more."""
        known = self._store.find(job)
        if known is None:
            self._under_way[self._workers.submit(work, job)] = _Asked(work, job, then)
        else:
            then(known)

    def run(self) -> None:
        """Return when all is done; raise what `then` raises, and PlexorError where a job fails."""
        while self._under_way:
            self._wait()

    def finish(self, late: Callable[[Steps], None] | None = None) -> None:
        """Keep the steps that were under way at an early end; those not begun are not taken."""
        for future in self._workers.last(self._under_way):
            self._keep(self._under_way[future].job, future.result())
            if late is not None:
                late(future.result())

    def _wait(self) -> None:
        done, _ = wait(self._under_way, POLL_S, FIRST_COMPLETED)
        for future in [future for future in self._under_way if future in done]:
            try:
                steps = future.result()
            except Exception as error:
                if not is_lost(error):
                    raise
                self._again(error)
                return
            asked = self._under_way.pop(future)
            self._keep(asked.job, steps)
            asked.then(steps)

    def _keep(self, job: Job | RateScan, steps: Steps) -> None:
        if steps:
            self._store.add(job, steps)

    def _again(self, error: BaseException) -> None:
        """Ask again for what was under way when a worker died, unless that happens too often."""
        self._deaths += 1
        if self._deaths > RETRIES:
            raise LinkError(f"executor: {self._deaths} workers died: {error}") from error
        lost = list(self._under_way.values())
        self._under_way.clear()
        self._workers.renew()
        for asked in lost:
            self.ask(asked.work, asked.job, asked.then)


Search = Generator[Job, RateStep, None]
"""Yields the next job and gets its step; it keeps its own result."""


def drive(
    searches: Sequence[Search],
    workers: Workers,
    store: StepStore,
    on_step: Callable[[Job, RateStep], None] | None = None,
) -> End:
    """Run searches to their ends.

    An interrupt ends all after what is under way, as does a job that fails.
    """
    driver = JobDriver(workers, store)

    def go(search: Search, job: Job | None) -> None:
        if job is not None:
            driver.ask(take, job, lambda steps: taken(search, job, steps[0]))

    def taken(search: Search, job: Job, step: RateStep) -> None:
        following: Job | None = None
        with suppress(StopIteration):
            following = search.send(step)
        # The search has the step by now, whatever its listener raises.
        if on_step is not None:
            on_step(job, step)
        go(search, following)

    try:
        for search in searches:
            go(search, next(search, None))
        driver.run()
    except KeyboardInterrupt:
        return End(interrupted=True)
    except PlexorError as error:
        return End(error=error)
    finally:
        driver.finish()
    return End()
