# SPDX-License-Identifier: Apache-2.0
"""What the page needs of an instrument: a run that gives its results so far, events, and an end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from plexor.base.errors import PlexorError
from plexor.experiments.step import RateStep
from plexor.experiments.sweep.model import Knee
from plexor.figures.analyse.percentiles import Distribution
from plexor.model.results import ChannelResult, EventArray, Kind, RunResult
from plexor.model.settings import Channel
from plexor.run.session.progress import Progress
from plexor.run.session.stop import Stop


@dataclass(frozen=True, slots=True)
class Shot:
    """The results of a run at one moment."""

    number: int
    progress: Progress
    channels: tuple[ChannelResult, ...]
    tick_fs: int
    simulated: bool
    start_ticks: int
    taken_unix_s: float
    """Wall time at which the host had it."""
    invalid: tuple[str, ...] = ()
    """Reasons why nothing is proven; known at the end of a run."""
    exact: Mapping[tuple[int, Kind], Distribution] = field(
        default_factory=dict[tuple[int, Kind], Distribution]
    )
    """By channel, all rises and falls to the tick, where every event came; known at the end."""
    unpaired: frozenset[int] = frozenset()
    """Channels whose answers may be those of other strikes, so that a report has no latencies of
    them; known at the end."""
    strike_ticks: int | None = None
    """How long a strike is active; None if the channels answer edges of different length."""


class Running(Protocol):
    """A run under way."""

    def shots(self) -> Iterator[Shot]:
        """Yield the results so far, after each snapshot, until the run has ended."""
        ...

    def events(self) -> Iterator[EventArray]:
        """Yield events as they come, in order (EVENT_DTYPE), until the run has ended."""
        ...

    def stop(self) -> None:
        """Ask the run to end. It keeps what it has measured."""
        ...

    def result(self) -> RunResult:
        """Return the whole run, once it has ended."""
        ...


OnStep = Callable[[RateStep, int, int], None]
"""Gets each step of a sweep, how many were taken, and about how many there will be."""


class Swept(Protocol):
    """A sweep that has ended."""

    @property
    def knees(self) -> tuple[Knee, ...]:
        """Where each channel saturates."""
        ...

    @property
    def error(self) -> PlexorError | None:
        """What ended it early; None if nothing did."""
        ...


class Rig(Protocol):
    """An instrument and the device at its pins."""

    @property
    def about(self) -> Mapping[str, Any]:
        """What the page says of it: device, link, board, source, channels, tick_fs."""
        ...

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise UsageError if a run with these options cannot be taken."""
        ...

    def begin(self, options: Mapping[str, Any]) -> Running:
        """Begin a run. Raises PlexorError if it does not start."""
        ...

    def channels(self, options: Mapping[str, Any]) -> tuple[Channel, ...]:
        """Return the channels of a run or a sweep with these options."""
        ...

    def sweep(self, options: Mapping[str, Any], on_step: OnStep, stop: Stop) -> Swept:
        """Sweep, telling of each step, until stopped. Raises PlexorError without any step."""
        ...

    def explain(self, result: RunResult) -> Mapping[str, Any]:
        """Return what the device did, by its codes: `timeline`, an SVG picture, and `texts`.

        Without codes the timeline is empty.
        """
        ...

    def keep(self, result: RunResult | Swept, folder: Path) -> None:
        """Write a run or a sweep into a new folder. Raises StoreError."""
        ...

    def close(self) -> None:
        """Let the instrument go."""
        ...
