# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment: workers do what it asks for, side by side, and what they found is kept.

What an experiment asks for next depends on what it got alone, and work on nothing but itself: so
results are the same whatever does the work, in whatever order it ends.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, cast

from plexor.base.errors import LinkError, PlexorError
from plexor.experiments.pool import RETRIES, Workers, is_lost
from plexor.experiments.work import Experiment, Work, take

POLL_S = 0.2
"""Wall time between two looks for an interrupt."""
GONE_S = 60.0
"""Wall time for which work waits for a worker that has what it needs, if there is none."""

OnTaken = Callable[[Work[Any], Any], None]
"""Gets work, and what came of it, after the experiment got it."""


class Store(Protocol):
    """Where what came of work is kept. What is None is not kept, and told to nobody."""

    def find(self, work: Any, /) -> Any:
        """Return what came of work before; None: it must be done."""
        ...

    def add(self, work: Any, found: Any, /) -> None:
        """Keep what came of work. Raises StoreError if it cannot be written."""
        ...


@dataclass(frozen=True, slots=True)
class ExperimentEnd:
    """How an experiment ended."""

    interrupted: bool = False
    error: PlexorError | None = None


@dataclass(eq=False, slots=True)
class _Branch:
    """A generator under way, and the one that waits for it."""

    generator: Generator[Any, Any, Any]
    parent: _Branch | None = None
    place: int = 0
    """Its place among those that the parent waits for."""
    results: list[Any] = field(default_factory=list[Any])
    """What came of those that it waits for itself, so far."""
    open: int = 0
    """How many of them have not ended."""


class Engine:
    """Has work done, as many at once as there are workers; one that dies is replaced."""

    def __init__(self, workers: Workers, store: Store, on_taken: OnTaken | None = None) -> None:
        self._workers = workers
        self._store = store
        self._on_taken = on_taken
        self._ready: deque[Callable[[], None]] = deque()
        """How branches that need not wait go on."""
        self._under_way: dict[Future[Any], tuple[_Branch, Work[Any]]] = {}
        self._branches: list[_Branch] = []
        self._deaths = 0
        self._looked = 0.0
        self._missed: dict[str, float] = {}
        """What is needed and no worker has, and since when."""

    def run(self, experiment: Experiment[Any]) -> ExperimentEnd:
        """Run an experiment to its end.

        An interrupt ends it after what is under way, as does an error that it does not catch. A
        second interrupt ends also what is under way. What came by then is kept.
        """
        interrupted, error = False, None
        try:
            self._begin(experiment)
            while self._ready or self._under_way:
                while self._ready:
                    self._ready.popleft()()
                if self._under_way:
                    self._wait()
                    self._look()
        except KeyboardInterrupt:
            interrupted = True
        except PlexorError as caught:
            error = caught
        finally:
            late = self._finish()
        return ExperimentEnd(interrupted, error or late)

    # Generators.

    def _begin(
        self, experiment: Experiment[Any], parent: _Branch | None = None, place: int = 0
    ) -> None:
        branch = _Branch(experiment, parent, place)
        self._branches.append(branch)
        self._ready.append(partial(self._resume, branch, None))

    def _resume(self, branch: _Branch, value: Any) -> None:
        self._follow(branch, self._asked(branch, partial(branch.generator.send, value)))

    def _fail(self, branch: _Branch, error: PlexorError) -> None:
        self._follow(branch, self._asked(branch, partial(branch.generator.throw, error)))

    def _give(self, branch: _Branch, work: Work[Any], found: Any) -> None:
        """Give a branch what came of its work, and tell of it."""
        asked = self._asked(branch, partial(branch.generator.send, found))
        # The experiment has it by now, whatever its listener raises.
        if found is not None and self._on_taken is not None:
            self._on_taken(work, found)
        self._follow(branch, asked)

    def _asked(self, branch: _Branch, go: Callable[[], Any]) -> Any:
        """Let a branch go on, and return what it asks for; None: it has ended."""
        try:
            return go()
        except StopIteration as end:
            self._end(branch, end.value)
            return None

    def _follow(self, branch: _Branch, asked: Any) -> None:
        """Do what a branch asks for: work, or experiments side by side."""
        if isinstance(asked, Work):
            self._ask(branch, cast("Work[Any]", asked))
        elif asked:
            branch.results, branch.open = [None] * len(asked), len(asked)
            for place, experiment in enumerate(asked):
                self._begin(experiment, branch, place)
        elif asked is not None:
            self._ready.append(partial(self._resume, branch, []))

    def _end(self, branch: _Branch, result: Any) -> None:
        self._branches.remove(branch)
        parent = branch.parent
        if parent is not None:
            parent.results[branch.place] = result
            parent.open -= 1
            if not parent.open:
                self._ready.append(partial(self._resume, parent, parent.results))

    # Work.

    def _ask(self, branch: _Branch, work: Work[Any]) -> None:
        """Have work done, unless what came of it is known."""
        known = self._store.find(work)
        if known is None:
            self._under_way[self._workers.submit(take, work, work.needs)] = branch, work
        else:
            self._ready.append(partial(self._give, branch, work, known))

    def _wait(self) -> None:
        done, _ = wait(self._under_way, POLL_S, FIRST_COMPLETED)
        for future in [future for future in self._under_way if future in done]:
            try:
                found = future.result()
            except PlexorError as error:
                branch, _ = self._under_way.pop(future)
                self._fail(branch, error)
            except Exception as error:
                if not is_lost(error):
                    raise
                self._again(error)
                return
            else:
                branch, work = self._under_way.pop(future)
                self._keep(work, found)
                self._give(branch, work, found)
            self._deaths = 0

    def _keep(self, work: Work[Any], found: Any) -> None:
        if found is not None:
            self._store.add(work, found)

    def _again(self, error: BaseException) -> None:
        """Ask again for what was under way when a worker died, unless that happens too often."""
        self._deaths += 1
        if self._deaths > RETRIES:
            raise LinkError(f"executor: {self._deaths} workers died: {error}") from error
        lost = list(self._under_way.values())
        self._under_way.clear()
        self._workers.renew()
        for branch, work in lost:
            self._ask(branch, work)

    def _look(self) -> None:
        """Give up work whose resource no worker has had for some time."""
        now = time.monotonic()
        if now - self._looked < GONE_S / 10:
            return
        self._looked = now
        needing = [(future, *entry) for future, entry in self._under_way.items() if entry[1].needs]
        for future, branch, work in needing:
            if self._workers.offers(work.needs):
                self._missed.pop(work.needs, None)
            elif now - self._missed.setdefault(work.needs, now) >= GONE_S:
                future.cancel()
                del self._under_way[future]
                gone = LinkError(f"instrument {work.needs}: no Dask worker has it any more")
                self._ready.append(partial(self._fail, branch, gone))

    def _finish(self) -> PlexorError | None:
        """Keep what was under way at an early end, and end the generators, the last ones first.

        Work that has not begun is not done. Returns the first error of what is kept or ended.
        """
        errors: list[PlexorError] = []
        for future in self._workers.last(self._under_way):
            try:
                self._keep(self._under_way[future][1], future.result())
            except PlexorError as error:
                errors.append(error)
        for branch in reversed(self._branches):
            try:
                branch.generator.close()
            except PlexorError as error:
                errors.append(error)
        return errors[0] if errors else None
