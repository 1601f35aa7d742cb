"""Searches that ask for one job after the other, side by side on the same executor."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from plexor.errors import LinkError, PlexorError
from plexor.sweep.executor import RETRIES, Workers, is_lost
from plexor.sweep.job import Job, take
from plexor.sweep.model import Step
from plexor.sweep.store import StepStore

POLL_S = 0.2
"""Wall time between two looks for an interrupt."""

Search = Generator[Job, Step, None]
"""Yields the next job and gets its step; what it finds it keeps itself."""


@dataclass(frozen=True, slots=True)
class End:
    """How searches ended."""

    interrupted: bool = False
    error: PlexorError | None = None


def drive(
    searches: Sequence[Search],
    workers: Workers,
    store: StepStore,
    on_step: Callable[[Job, Step], None] | None = None,
) -> End:
    """Run searches to their ends; steps that the store has are not taken again.

    An interrupt ends all after what is under way, as does a job that fails.
    """
    driver = _Driver(workers, store, on_step)
    try:
        for search in searches:
            driver.go(search, None)
        while driver.under_way:
            driver.wait()
    except KeyboardInterrupt:
        return End(interrupted=True)
    except PlexorError as error:
        return End(error=error)
    finally:
        driver.keep_rest()
    return End()


class _Driver:
    def __init__(
        self,
        workers: Workers,
        store: StepStore,
        on_step: Callable[[Job, Step], None] | None,
    ) -> None:
        self.workers = workers
        self.store = store
        self.on_step = on_step
        self.deaths = 0
        self.under_way: dict[Future[Step], tuple[Job, Search]] = {}

    def go(self, search: Search, step: Step | None) -> None:
        """Give a search its step, and have the next one that is not known taken."""
        try:
            job = next(search) if step is None else search.send(step)
            while (known := self.store.find(job)) is not None:
                self._say(job, known)
                job = search.send(known)
        except StopIteration:
            return
        self.under_way[self.workers.submit(take, job)] = (job, search)

    def wait(self) -> None:
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
            self._say(job, step)
            self.go(search, step)

    def keep_rest(self) -> None:
        """Keep the steps that were under way at an early end; those not begun are not taken."""
        running = [future for future in self.under_way if not future.cancel()]
        for future in wait(running).done:
            if not future.cancelled() and future.exception() is None:
                self.store.add(self.under_way[future][0], future.result())

    def _say(self, job: Job, step: Step) -> None:
        if self.on_step is not None:
            self.on_step(job, step)

    def _again(self, error: BaseException) -> None:
        """Ask anew for all that was under way when a worker died, unless that happens too often."""
        self.deaths += 1
        if self.deaths > RETRIES:
            raise LinkError(f"executor: {self.deaths} workers died: {error}") from error
        lost = list(self.under_way.values())
        self.under_way.clear()
        self.workers.renew()
        for job, search in lost:
            self.under_way[self.workers.submit(take, job)] = (job, search)
