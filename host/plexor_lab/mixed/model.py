# SPDX-License-Identifier: Apache-2.0
"""What a schedule's runs found: a row for each entry, and the responses that belong to none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from plexor.base.constraints import Count, NotNegative, Signed, Whole
from plexor_lab.mixed.timecode import Timecode


class Mode(StrEnum):
    """Who schedules, and who answers."""

    VERIFY = "verify"
    """The device schedules its own responses, from the timecode."""
    NORMAL = "normal"
    """The host answers by itself, at the load output; there is no device."""
    MIXED = "mixed"
    """The host schedules, and the device answers."""


class Order(StrEnum):
    """The order of ids in a schedule."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"


class Status(StrEnum):
    """What became of an entry, or of a response. An entry has one of the first four."""

    DONE = "done"
    """It came at its due time or after it, by no more than the limit."""
    LATE = "late"
    """It came after the limit, within the time-out."""
    EARLY = "early"
    """It came before its due time."""
    MISSED = "missed"
    """No response with its id came in time."""
    EXTRA = "extra"
    """A response for which no entry waited."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a schedule."""

    number: int
    event_id: int
    due_step: int
    """Step of the timecode at which it is due."""
    issue_step: int | None = None
    """Step at which it is issued, or was; None if the device schedules by itself."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response: its time in ticks from the run's start, and its id; None for no id's code."""

    time_ticks: Signed
    event_id: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """An entry and what was measured of it. Times are in ticks from the run's start."""

    number: Count
    event_id: Count
    due_step: Whole
    issue_step: int | None
    due_ticks: Count
    measured_ticks: Signed | None
    status: Status

    @property
    def lateness_ticks(self) -> int | None:
        """Response minus due time, negative if it came early; None if it did not come."""
        return None if self.measured_ticks is None else self.measured_ticks - self.due_ticks

    @property
    def distance_steps(self) -> int | None:
        """Due step minus issue step."""
        return None if self.issue_step is None else self.due_step - self.issue_step


@dataclass(frozen=True, slots=True)
class Limits:
    """What parts the statuses, in ticks. Raises ValueError for a limit below 0 or no time-out."""

    limit_ticks: Fraction
    """Greatest lateness of a response that is done."""
    timeout_ticks: Fraction
    """Greatest lateness of a response that belongs to an entry."""
    early_ticks: Fraction
    """Greatest time before the due time of a response that belongs to an entry."""

    def __post_init__(self) -> None:
        if not 0 <= self.limit_ticks <= self.timeout_ticks:
            raise ValueError(
                f"limit: {self.limit_ticks} ticks; must be 0 to the time-out, {self.timeout_ticks}"
            )
        if self.early_ticks < 0:
            raise ValueError(f"early: {self.early_ticks} ticks; must be 0 or more")


@dataclass(frozen=True, slots=True)
class Served:
    """What became of the entries that were written to the instrument, by its own counters."""

    written: Count
    struck: Count
    past: Count
    """Entries whose due time was past when they came to their turn."""
    refused: Count
    """Entries that were written while the schedule was full."""
    waiting: Count
    """Entries that waited when the run ended."""

    @property
    def holds(self) -> bool:
        """Whether each entry is in exactly one of the counts."""
        return self.written == self.struck + self.past + self.refused + self.waiting


@dataclass(frozen=True, slots=True)
class Heard:
    """What a device got over its line, by its own counters."""

    good: int
    damaged: int
    missing: int
    """Messages that never came."""
    refused: int
    """Entries for which it had no room."""

    @property
    def whole(self) -> bool:
        """Whether it got every message, and took it."""
        return not (self.damaged or self.missing or self.refused)


@dataclass(frozen=True, slots=True)
class ModeRun:
    """One run of a schedule."""

    mode: Mode
    distance_steps: int | None
    """Steps from issue to due, as asked for; None in a mode that issues nothing to a device."""
    rows: tuple[Row, ...]
    extras: tuple[Response, ...]
    served: Served
    invalid_reasons: tuple[str, ...] = ()
    interrupted: bool = False
    heard: Heard | None = None
    """What the device got, as it says; None if it was not asked, or was silent."""

    @property
    def name(self) -> str:
        """Its mode, and its distance where it has one: `verify`, `mixed-2`."""
        distance = self.distance_steps
        return str(self.mode) if distance is None else f"{self.mode}-{distance}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How the entries of a run are made."""

    count: int
    """Number of entries."""
    spacing_steps: int
    """Steps from one entry to the next."""
    ids: int
    """Number of ids, from 0 up."""
    order: Order
    seed: int
    first_step: int
    """Due step of the first entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedResult:
    """The runs of one schedule, with everything they were taken with."""

    tick_fs: Whole
    simulated: bool
    timecode: Timecode
    schedule: Schedule
    limits: Limits
    spike_sds: NotNegative
    """A spike lies more than this many standard deviations above the mean."""
    runs: tuple[ModeRun, ...]
    interrupted: bool = False
    not_started: str = ""
    """Why the next run did not start, with its name; empty: it did, or none was to come."""
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    started: str = ""
    command: str = ""
    """The command line that took it; empty if none did."""

    @property
    def invalid_reasons(self) -> tuple[str, ...]:
        """Why the figures cannot be trusted, by the names of the runs."""
        told = [f"{run.name}: {text}" for run in self.runs for text in run.invalid_reasons]
        return (*told, *([self.not_started] if self.not_started else []))
