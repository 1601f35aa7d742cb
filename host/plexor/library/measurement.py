# SPDX-License-Identifier: Apache-2.0
"""A run under way in a thread of its own: watched, stopped, and waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from plexor.base.errors import PlexorError, UsageError
from plexor.library.feed import Feed
from plexor.library.run import Run
from plexor.library.snapshot import Snapshot
from plexor.model.results import EventArray, SnapshotResult
from plexor.run.session.follow import Listeners
from plexor.run.session.progress import Progress
from plexor.run.session.stop import Stop

Take = Callable[[Listeners, Stop], Run]
"""Takes a run, reports to the listeners, and obeys the stop."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What every snapshot of a run says of its instrument."""

    tick_fs: int
    simulated: bool


class Measurement:
    """A run under way. Iterate over it for its snapshots, with `for` or `async for`.

    A slow reader gets the newest snapshot, never an old one; the results on the chip are complete
    in each. The run goes on whether it is watched or not. As a context manager, it is stopped and
    kept at the end of the block.
    """

    def __init__(self, take: Take, labels: Labels) -> None:
        self._labels = labels
        self._changed = threading.Condition()
        self._stop = Stop()
        self._latest: Snapshot | None = None
        self._progress: Progress | None = None
        self._run: Run | None = None
        self._error: BaseException | None = None
        self._ended = False
        self._feeds: list[Feed] = []
        self._wakers: list[Callable[[], None]] = []
        self._thread = threading.Thread(
            target=self._work, args=(take,), name="plexor run", daemon=True
        )

    def start(self) -> Measurement:
        """Start the thread."""
        self._thread.start()
        return self

    def __enter__(self) -> Measurement:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Stop the run, end the readers of its events, and wait for its end."""
        self.stop()
        for feed in tuple(self._feeds):
            feed.close()
        self.wait()

    @property
    def progress(self) -> Progress | None:
        """How far the run is; None before the first report."""
        return self._progress

    @property
    def ended(self) -> bool:
        """Whether the run has ended, or failed."""
        return self._ended

    def stop(self) -> None:
        """Stop the run soon. What was measured is kept. Any thread may call it."""
        self._stop.ask()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; return whether it has come."""
        with self._changed:
            return self._changed.wait_for(lambda: self._ended, timeout_s)

    @property
    def run(self) -> Run:
        """The finished run. Waits for its end, and raises what made it fail."""
        self.wait()
        if self._run is None:
            raise self._error or PlexorError("the run ended without a result")
        return self._run

    def events(self) -> Feed:
        """Return an iterator over the events from now on, as arrays (plexor.EVENT_DTYPE).

        Nothing is dropped for a slow reader: the link waits, and the instrument counts what it
        drops meanwhile. Read it to its end or close it; otherwise the run waits for its reader.
        """
        with self._changed:
            feed = Feed(self._changed)
            if self._ended:
                feed.finish()
            self._feeds.append(feed)
            return feed

    def __iter__(self) -> Iterator[Snapshot]:
        """Yield snapshots up to the final one. Raises what made the run fail."""
        seen: Snapshot | None = None
        while True:
            with self._changed:
                self._changed.wait_for(lambda seen=seen: self._ended or self._latest is not seen)
                latest = self._latest
            if latest is None or latest is seen:
                break
            seen = latest
            yield latest
            if latest.final:
                return
        if self._error is not None:
            raise self._error

    async def __aiter__(self) -> AsyncIterator[Snapshot]:
        """Yield snapshots as `for` does, without keeping the event loop waiting."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)

        with self._changed:
            self._wakers.append(wake)
        seen: Snapshot | None = None
        try:
            while True:
                woken.clear()
                latest, ended = self._latest, self._ended
                if latest is not None and latest is not seen:
                    seen = latest
                    yield latest
                    if latest.final:
                        return
                elif ended:
                    break
                else:
                    await woken.wait()
        finally:
            with self._changed:
                self._wakers.remove(wake)
        if self._error is not None:
            raise self._error

    def _work(self, take: Take) -> None:
        try:
            run = take(Listeners(self._reported, self._snapped, self._came), self._stop)
        except BaseException as error:
            self._end(None, error)
        else:
            self._end(run, None)

    def _reported(self, progress: Progress) -> None:
        self._progress = progress

    def _snapped(self, result: SnapshotResult) -> None:
        self._show(self._snapshot(result, final=False))

    def _came(self, events: EventArray) -> None:
        for feed in tuple(self._feeds):
            feed.put(events)

    def _snapshot(self, result: SnapshotResult, final: bool) -> Snapshot:
        return Snapshot(
            result,
            self._labels.tick_fs,
            self._labels.simulated,
            self._progress,
            final,
            lambda: self.run,
        )

    def _show(self, snapshot: Snapshot) -> None:
        with self._changed:
            self._latest = snapshot
            self._notify()

    def _end(self, run: Run | None, error: BaseException | None) -> None:
        with self._changed:
            self._run, self._error = run, error
            if run is not None:
                number = 1 if self._latest is None else self._latest.number + 1
                events = sum(source.generated for source in run.accounting.sources)
                result = run.result
                last = SnapshotResult(
                    number,
                    events,
                    result.channels,
                    start_ticks=result.start_ticks,
                    time_ticks=result.end_ticks,
                )
                self._latest = self._snapshot(last, final=True)
            self._ended = True
            self._notify()
        for feed in self._feeds:
            feed.finish()

    def _notify(self) -> None:
        self._changed.notify_all()
        for wake in self._wakers:
            wake()


def busy(measurement: Measurement | None) -> None:
    """Raise UsageError if a measurement is under way."""
    if measurement is not None and not measurement.ended:
        raise UsageError("a run is under way at this instrument; stop it, or wait for its end")
