# SPDX-License-Identifier: Apache-2.0
"""Measures the cells of a farm: each instrument by one cell at a time, and each cell once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from plexor.errors import LinkError, PlexorError, UsageError
from plexor.experiments.pool import RETRIES, Workers, is_lost
from plexor.library.cells.cell import Cell, take
from plexor.model.results import RunResult

POLL_S = 0.2
"""Wall time between two looks for an interrupt."""
GONE_S = 60.0
"""Wall time for which a cell waits for a worker that has its instrument, if there is none."""
Done = Callable[[Cell, RunResult | PlexorError], None]
"""Gets each cell's result, or why there is none."""


class Round:
    """Has cells measured, as many at once as there are workers and instruments.

    A simulated instrument is started for each cell; a real one is used by one cell at a time, and
    on a cluster by a worker that has the resource of its name. What a worker had under way when it
    died is done by another.
    """

    def __init__(self, cells: Sequence[Cell], workers: Workers, done: Done) -> None:
        self._open = list(cells)
        self._workers = workers
        self._done = done
        self._under_way: dict[Future[RunResult], Cell] = {}
        self._deaths = 0
        self._looked = 0.0
        self._missed: dict[str, float] = {}
        """Instruments without a worker, and since when."""

    def run(self) -> None:
        """Return when all cells are done. Raises LinkError where workers keep dying.

        Raises UsageError at once if no worker of a cluster has an instrument.
        """
        for name in sorted({cell.names["instrument"] for cell in self._open if cell.real}):
            if not self._workers.offers(name):
                raise UsageError(
                    f"instrument {name}: no Dask worker has it; start one beside it with "
                    f"--resources {name}=1"
                )
        while self._open or self._under_way:
            self._begin()
            self._wait()
            self._look()

    def finish(self) -> None:
        """Take what was under way at an early end; what has not begun is left open."""
        for future in self._workers.last(self._under_way):
            self._done(self._under_way[future], future.result())

    def _begin(self) -> None:
        busy = {cell.link for cell in self._under_way.values() if cell.real}
        for cell in tuple(self._open):
            if cell.link not in busy:
                needs = cell.names["instrument"] if cell.real else ""
                self._under_way[self._workers.submit(take, cell, needs)] = cell
                self._open.remove(cell)
                busy |= {cell.link} if cell.real else set()

    def _wait(self) -> None:
        done, _ = wait(self._under_way, POLL_S, FIRST_COMPLETED)
        for future in done:
            try:
                found: RunResult | PlexorError = future.result()
            except PlexorError as error:
                found = error
            except Exception as error:
                if not is_lost(error):
                    raise
                self._again(error)
                return
            self._deaths = 0
            self._done(self._under_way.pop(future), found)

    def _again(self, error: BaseException) -> None:
        """Measure again what was under way when a worker died, unless that happens too often."""
        self._deaths += 1
        if self._deaths > RETRIES:
            raise LinkError(f"executor: {self._deaths} workers died: {error}") from error
        self._open = [*self._under_way.values(), *self._open]
        self._under_way.clear()
        self._workers.renew()

    def _look(self) -> None:
        """Give up cells whose instrument no worker has had for some time."""
        now = time.monotonic()
        if now - self._looked < GONE_S / 10:
            return
        self._looked = now
        cells = {f: cell for f, cell in self._under_way.items() if cell.real}
        for future, cell in cells.items():
            name = cell.names["instrument"]
            if self._workers.offers(name):
                self._missed.pop(name, None)
            elif now - self._missed.setdefault(name, now) >= GONE_S:
                future.cancel()
                del self._under_way[future]
                self._done(cell, LinkError(f"instrument {name}: no Dask worker has it any more"))
