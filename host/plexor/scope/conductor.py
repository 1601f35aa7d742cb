# SPDX-License-Identifier: Apache-2.0
"""Takes runs as the steering page asks, one after the other, and shows what comes of them."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from plexor.base.errors import PlexorError, UsageError
from plexor.base.units import plot_seconds
from plexor.experiments.step import RateStep
from plexor.figures.analyse.analyse import Report, analyse
from plexor.figures.analyse.doubts import doubts
from plexor.figures.analyse.percentiles import Distribution, from_values
from plexor.figures.analyse.rules import is_complete, rules_of
from plexor.model.results import Kind, RunResult
from plexor.protocol.registers import RunState
from plexor.run.session.progress import Progress
from plexor.run.session.stop import Stop
from plexor.scope.figures import figures
from plexor.scope.interface import Rig, Running, Shot, Swept
from plexor.scope.kept import KeptRuns
from plexor.scope.messages import SWEEP_DEFAULTS
from plexor.scope.newest import NewestOnly
from plexor.scope.outliers import Outliers
from plexor.scope.sweeps import SweepView
from plexor.scope.wire import FrameId, edges_of, encode
from plexor.show.drawn import MOST_CELLS
from plexor.show.facts import books
from plexor.show.pictures.scope import strike_width_ticks
from plexor.wire.decode.rematch import rematch

FIGURES_EACH_S = 0.25
"""The table is worked out and read, so it changes four times a second at most."""


NO_CODES: Mapping[str, Any] = {"timeline": "", "texts": {}}
"""What a device without codes did."""


class Show(Protocol):
    """Where documents and frames go."""

    def show(self, kind: str, document: Mapping[str, Any]) -> None:
        """Show a document."""
        ...

    def frame(self, number: int, data: bytes) -> None:
        """Show a frame."""
        ...


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run that a page asks for."""

    options: Mapping[str, Any]
    single: bool = False


class Conductor:
    """The instrument's thread: it waits for what pages ask, and takes one run at a time."""

    def __init__(self, rig: Rig, show: Show, folder: Path) -> None:
        self._rig = rig
        self._show = show
        self.kept = KeptRuns(folder)
        """The recorded runs beside the live one."""
        self._place = folder
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: Running | None = None
        self._next: RunRequest | None = None
        self._stops = 0
        self._sweep_stop = Stop()
        self._asked: RunRequest | None = None
        self._result: RunResult | Swept | None = None
        self._keeping = False
        self._kept: list[str] = []
        self._frame = self._run = 0
        self._phase, self._error, self._doubt = "idle", "", ""
        self._outliers = Outliers()
        self._figures = NewestOnly(self._figure, FIGURES_EACH_S, "figures")
        self._edges: set[int] = set()
        self._thread = threading.Thread(target=self._work, name="instrument", daemon=True)
        self._thread.start()
        self._show.show("runs", {"runs": self.kept.listed()})
        self._show.show("about", {"sweep": SWEEP_DEFAULTS, **rig.about})
        self._tell()

    # What pages ask, from any thread.

    def run(self, options: Mapping[str, Any], *, single: bool = False) -> None:
        """Begin a run, in the place of one under way. Raises UsageError for wrong options."""
        options = dict(options)
        if single:
            options["count"] = options.get("burst", "1")
        self.check(options)
        with self._lock:
            self._next = RunRequest(options, single)
            self._sweep_stop.ask()
            running = self._running
        if running is not None:
            running.stop()
        self._jobs.put(self._take)

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise UsageError for options with which no run can be taken."""
        _check_chosen(options)
        self._rig.check(options)

    def sweep(self, options: Mapping[str, Any]) -> None:
        """Begin a sweep, in the place of a run under way. Raises UsageError for no channels."""
        _check_chosen(options)
        channels = self._rig.channels(options)
        with self._lock:
            self._next = None
            running = self._running
        if running is not None:
            running.stop()
        self._jobs.put(lambda: self._sweep(dict(options), SweepView(channels)))

    def stop(self) -> None:
        """End the run or sweep under way, and whatever was to follow it."""
        with self._lock:
            self._next = None
            self._stops += 1
            running = self._running
            self._sweep_stop.ask()
        if self._phase in ("running", "sweeping"):
            self._set("stopping")
        if running is not None:
            running.stop()

    def clear(self) -> None:
        """Begin the run under way again from nothing; without one, forget the last run."""
        with self._lock:
            request = self._asked if self._running is not None else None
        if request is not None:
            self.run(request.options)
        else:
            self._jobs.put(self._forget)

    def keep(self, session: str = "") -> None:
        """Keep the last run in a folder, of a session; one under way when it has ended.

        Raises UsageError without a run, and for a session that is no name of a folder.
        """
        place = self.kept.place(session)
        with self._lock:
            self._place = place
            if self._running is not None:
                self._keeping = True
            elif self._result is None:
                raise UsageError("there is no run to keep; take one first")
        self._tell()
        if not self._keeping:
            self._jobs.put(self._store)

    def note(self, name: str, text: str) -> None:
        """Keep a note on a recorded run. Raises UsageError for what is none."""
        self.kept.note(name, text)
        self._show.show("runs", {"runs": self.kept.listed()})

    def close(self) -> None:
        """End the run under way and let the instrument go."""
        self.stop()
        self._jobs.put(None)
        self._thread.join()
        self._figures.close()
        self._rig.close()

    # What the instrument's thread does.

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except PlexorError as error:
                self._set("idle", str(error))
            except Exception as error:
                self._set("idle", f"the program has a fault: {error!r}; end it and start again")
                raise

    def _take(self) -> None:
        with self._lock:
            request, self._next = self._next, None
            stops = self._stops
        if request is None:
            return
        self._begin(request)
        running = self._rig.begin(request.options)
        with self._lock:
            self._running = running
            stale = self._next is not None or self._stops != stops
        if stale:
            running.stop()
        self._set("running")
        try:
            self._follow(running)
        finally:
            with self._lock:
                self._running = None
        if self._keeping:
            self._keeping = False
            self._store()

    def _sweep(self, options: Mapping[str, Any], view: SweepView) -> None:
        with self._lock:
            self._sweep_stop = stop = Stop()
            self._result = None
        self._show.show("sweep", view.document())
        self._set("sweeping")

        def tell(step: RateStep, number: int, expected: int) -> None:
            view.step(step, number, expected)
            self._show.show("sweep", view.document())

        swept = self._rig.sweep(options, tell, stop)
        view.end(swept.knees)
        self._show.show("sweep", view.document())
        with self._lock:
            self._result = swept
        self._set("idle", "" if swept.error is None else str(swept.error))

    def _begin(self, request: RunRequest) -> None:
        self._run += 1
        self._asked, self._result = request, None
        self._outliers.clear()
        self._show.show("outliers", self._outliers.document())
        self._show.show("books", {"state": "unknown", "text": ""})
        self._show.show("codes", NO_CODES)
        self._set("starting")

    def _follow(self, running: Running) -> None:
        """Show all of a run, from its first snapshot to its result."""
        listener = threading.Thread(target=self._listen, args=(running,), daemon=True)
        listener.start()
        last: Shot | None = None
        for shot in running.shots():
            self._shoot(shot, ended=False)
            last = shot
        result = running.result()
        listener.join()
        with self._lock:
            self._result = result
        report = analyse(result)
        shot = final(report, last)
        self._shoot(shot, ended=True)
        self._show.show("exact", exact_document(self._run, shot))
        self._figures.flush()
        self._show.show("books", books_of(result))
        self._show.show("codes", self._rig.explain(result))
        doubt = "; ".join(doubts(report)) if result.valid else ""
        self._set("idle", "; ".join(result.invalid_reasons), doubt)

    def _listen(self, running: Running) -> None:
        for batch in running.events():
            self._outliers.events(batch)

    def _shoot(self, shot: Shot, *, ended: bool) -> None:
        for channel in shot.channels:
            for kind in (Kind.RISE, Kind.FALL):
                measurement = channel.measurement(kind)
                bits = None if measurement is None else measurement.bins.mantissa_bits
                if bits is not None and bits not in self._edges:
                    self._edges.add(bits)
                    self._show.show(f"edges{bits}", {"bits": bits, "edges": edges_of(bits)})
        self._frame += 1
        self._show.frame(self._frame, encode(shot, FrameId(self._frame, self._run, not ended)))
        self._figures.put(shot)

    def _figure(self, shot: Shot) -> None:
        if self._outliers.shot(shot):
            self._show.show("outliers", self._outliers.document())
        document = {"run": self._run, "traces": self._outliers.traces(), **figures(shot)}
        self._show.show("figures", document)

    def _forget(self) -> None:
        self._run += 1
        self._asked = self._result = None
        self._outliers.clear()
        self._show.show("outliers", self._outliers.document())
        self._show.show("figures", {"run": self._run, "heads": [], "rows": [], "traces": {}})
        self._show.show("books", {"state": "unknown", "text": ""})
        self._show.show("codes", NO_CODES)
        self._set("idle")

    def _store(self) -> None:
        result = self._result
        if result is None:
            return
        stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
        kind = "run" if isinstance(result, RunResult) else "sweep"
        folder = self._place / f"{kind}-{stamp}"
        number = 1
        while folder.exists():
            number += 1
            folder = self._place / f"{kind}-{stamp}-{number}"
        self._rig.keep(result, folder)
        self._kept.append(str(folder))
        self._tell()
        self._show.show("runs", {"runs": self.kept.listed()})

    def _set(self, phase: str, error: str = "", doubt: str = "") -> None:
        self._phase, self._error, self._doubt = phase, error, doubt
        self._tell()

    def _tell(self) -> None:
        request = self._asked
        self._show.show(
            "state",
            {
                "phase": self._phase,
                "error": self._error,
                "doubt": self._doubt,
                "run": self._run,
                "options": {} if request is None else dict(request.options),
                "single": request is not None and request.single,
                "keeping": self._keeping,
                "kept": self._kept[-3:],
            },
        )


def _check_chosen(options: Mapping[str, Any]) -> None:
    """Raise UsageError if a page has chosen no channel; without a choice there are defaults."""
    if options.get("channels") == []:
        raise UsageError("channels: none is chosen; choose at least one")


def final(report: Report, last: Shot | None) -> Shot:
    """Return the last shot of a run: its result, with the progress of the one before."""
    result = report.result
    elapsed_s = plot_seconds(result.end_ticks - result.start_ticks, result.tick_fs)
    known = Progress(
        strikes=max((channel.strikes for channel in result.channels), default=result.strikes),
        expected_strikes=None if last is None else last.progress.expected_strikes,
        elapsed_s=elapsed_s,
        expected_s=None,
        wall_s=result.wall_seconds,
        remaining_wall_s=None,
        events_received=result.accounting.received,
        dropped=result.accounting.dropped_on_chip,
        frames_lost=result.accounting.frames_lost,
        decode_faults=sum(result.accounting.decode_faults.values()),
        state=RunState.DONE,
    )
    return Shot(
        1 if last is None else last.number + 1,
        known,
        result.channels,
        result.tick_fs,
        result.simulated,
        result.start_ticks,
        time.time(),
        result.invalid_reasons,
        _exact(result),
        frozenset(channel.result.number for channel in report.channels if not channel.paired),
        strike_width_ticks(
            result.registers, {channel_result.reference for channel_result in result.channels}
        ),
    )


def _exact(result: RunResult) -> dict[tuple[int, Kind], Distribution]:
    """Return the rises and falls of each channel whose events all came, to the tick."""
    distributions: dict[tuple[int, Kind], Distribution] = {}
    for channel in result.answering:
        if result.events is None or not is_complete(result, channel):
            continue
        matched = rematch(result.events, rules_of(result, channel), result.end_ticks)
        if matched.classes == channel.classes:
            for kind in (Kind.RISE, Kind.FALL):
                distributions[channel.number, kind] = from_values(matched.samples[kind].value_ticks)
    return distributions


def exact_document(run: int, shot: Shot) -> dict[str, Any]:
    """Return the exact cells of a run's end, by channel; none of more than the page can draw."""
    cells: dict[str, dict[str, Any]] = {}
    for (channel, kind), distribution in shot.exact.items():
        if len(distribution.counts) <= MOST_CELLS:
            own = cells.setdefault(str(channel), {})
            own[kind.value] = [distribution.low_ticks.tolist(), [], distribution.counts.tolist()]
    return {"run": run, "cells": cells}


def books_of(result: RunResult) -> dict[str, str]:
    """Return the accounting of a run as a light: good only if nothing was dropped or lost."""
    accounting = result.accounting
    clean = accounting.holds and not (accounting.dropped_on_chip or accounting.lost_on_link)
    conserved = clean and all(channel.conserved for channel in result.channels)
    state = "bad" if not (accounting.holds and result.valid) else "good" if conserved else "doubt"
    return {"state": state, "text": books(accounting)}
