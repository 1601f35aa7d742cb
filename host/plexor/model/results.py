"""What a run measured: immutable, in ticks, with all it needs to be judged.

Equality compares arrays by their content, so that a run read back from disk equals the run stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from plexor.model.calibration import Calibration
from plexor.model.identity import Identity
from plexor.model.settings import Echo, RegisterWrite, Settings
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_LOAD, SOURCE_STEP, SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import StatusFlag, StopReason, register

Counts = NDArray[np.uint64]
EventArray = NDArray[np.void]

EVENT_DTYPE = np.dtype(
    [("time_ticks", "<u8"), ("index", "<u8"), ("source", "u1"), ("polarity", "u1")]
)
"""One event of `RunResult.events` and `trace`; polarity 1 is the edge to the active level."""

LINK_DROPPED = ("status", "link_dropped")
"""The register that counts bytes from the host, up to its greatest value."""
LINK_DROPPED_MOST = (1 << register(*LINK_DROPPED).bits) - 1


def source_name(source: int) -> str:
    """Return the name of an event source: `ch3`, `strike0`, `load` or `step`."""
    if source == SOURCE_STEP:
        return "step"
    if source == SOURCE_LOAD:
        return "load"
    if source >= SOURCE_STRIKE:
        return f"strike{source - SOURCE_STRIKE}"
    return f"ch{source - SOURCE_CHANNEL}"


@dataclass(frozen=True, eq=False)
class _ByContent:  # noqa: PLW1641 (arrays have no hash)
    """Equality of dataclasses that hold arrays."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            _same(getattr(self, entry.name), getattr(other, entry.name)) for entry in fields(self)
        )


def _same(one: object, other: object) -> bool:
    arrays = [cast("NDArray[Any]", e) for e in (one, other) if isinstance(e, np.ndarray)]
    if len(arrays) == 2:
        return arrays[0].dtype == arrays[1].dtype and np.array_equal(arrays[0], arrays[1])
    return not arrays and one == other


class Kind(StrEnum):
    """What a measurement measures."""

    RISE = "rise"  # strike to the edge to the active level
    FALL = "fall"  # strike to the trailing edge
    WIDTH = "width"  # edge to the active level to the trailing edge
    PERIOD = "period"  # edge to the active level to the next such edge


@dataclass(frozen=True, slots=True)
class Statistics:
    """Exact figures over samples. None: no sample, or the chip has no such figure."""

    count: int
    sum_ticks: int
    sum_sq_ticks2: int | None
    min_ticks: int | None
    max_ticks: int | None
    min_index: int | None = None
    """Event index of the first least sample."""
    max_index: int | None = None
    min_time_ticks: int | None = None
    """Time of that event."""
    max_time_ticks: int | None = None


@dataclass(frozen=True, eq=False)
class Bins(_ByContent):
    """Log-linear bins as in `plexor.protocol.memory`, under and over bins at the end."""

    mantissa_bits: int
    counts: Counts


@dataclass(frozen=True, eq=False)
class Zoom(_ByContent):
    """A window of one-tick bins from `first_ticks`; the first bin is under, the last is over."""

    first_ticks: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class Measurement:
    """One kind of sample of one channel."""

    kind: Kind
    statistics: Statistics
    bins: Bins
    zoom: Zoom | None = None
    on_chip: bool = True
    """False: the chip leaves it out and the host computed it from events."""


@dataclass(frozen=True, slots=True)
class ChannelResult:
    """One response channel."""

    number: int
    name: str
    reference: str
    """The edge that is this channel's strike: `strike0`, `ch1.fall`."""
    deadline_ticks: int | None
    classes: Mapping[ResponseClass, int]
    pending: int
    active_edges: int
    """Edges to the active level that were matched (Space.EDGES)."""
    measurements: tuple[Measurement, ...]

    def measurement(self, kind: Kind) -> Measurement | None:
        """Return the measurement of a kind, or None."""
        return next((entry for entry in self.measurements if entry.kind == kind), None)

    @property
    def strikes(self) -> int:
        """Reference edges seen."""
        return self.classes[ResponseClass.STRIKES]

    @property
    def conserved(self) -> bool:
        """Whether every strike and every response edge is in exactly one class."""
        count = self.classes
        matched = count[ResponseClass.ANSWERED] + count[ResponseClass.LATE]
        return (
            self.strikes == matched + count[ResponseClass.MISSED] + self.pending
            and self.active_edges
            == matched + count[ResponseClass.DUPLICATE] + count[ResponseClass.SPURIOUS]
        )


@dataclass(frozen=True, slots=True)
class StepChannel:
    """What one response channel counted in one step of a sweep table."""

    number: int
    name: str
    classes: Mapping[ResponseClass, int]
    pending_before: int
    """Strikes of earlier steps that were outstanding when this one began."""
    pending: int
    """Strikes outstanding at its end."""
    rise: Statistics
    """Latencies of the responses that came in this step; without events of extremes."""

    @property
    def strikes(self) -> int:
        """Reference edges seen."""
        return self.classes[ResponseClass.STRIKES]

    @property
    def conserved(self) -> bool:
        """Whether every strike is in exactly one class, and every latency is of a response."""
        count = self.classes
        matched = count[ResponseClass.ANSWERED] + count[ResponseClass.LATE]
        outstanding = self.pending_before + self.strikes
        return (
            outstanding == matched + count[ResponseClass.MISSED] + self.pending
            and matched == self.rise.count
        )


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step of a sweep table, from the end of the one before to its own."""

    number: int
    start_ticks: int
    end_ticks: int
    channels: tuple[StepChannel, ...]
    """All that are enabled, in the order of RunResult.channels."""


@dataclass(frozen=True, slots=True)
class SourceAccounting:
    """The edges of one source."""

    source: int
    generated: int
    dropped: int
    """For want of room before the merge: neither matched nor sent."""
    upload_dropped: int
    """For want of room to the link: matched, not sent."""
    received: int

    @property
    def name(self) -> str:
        """The source's name."""
        return source_name(self.source)

    @property
    def lost(self) -> int:
        """Sent and never received."""
        return max(self.generated - self.dropped - self.upload_dropped - self.received, 0)


@dataclass(frozen=True, slots=True)
class Accounting:
    """Where every event went. In dump mode `received` are the events counted on the chip."""

    generated: int
    received: int
    dropped_on_chip: int
    lost_on_link: int
    sources: tuple[SourceAccounting, ...] = ()
    frames_received: int = 0
    frames_lost: int = 0
    decode_faults: Mapping[str, int] = field(default_factory=dict[str, int])
    """Faulty stretches of bytes by kind of fault."""
    disorder: Mapping[str, int] = field(default_factory=dict[str, int])
    """Frames that did not come in their turn (link.sequence); late ones count as lost too."""
    contradictions: tuple[str, ...] = ()
    """Counters that should agree and do not."""
    link_dropped: int = 0
    """Bytes from the host that a UART's receiver dropped; LINK_DROPPED_MOST: or more."""

    @property
    def holds(self) -> bool:
        """Whether generated = received + dropped + lost, and no counter contradicts another."""
        parts = (self.received, self.dropped_on_chip, self.lost_on_link)
        return not self.contradictions and min(parts) >= 0 and self.generated == sum(parts)

    @property
    def dropped_before_merge(self) -> int:
        """Edges that were never matched."""
        return sum(entry.dropped for entry in self.sources)


@dataclass(frozen=True, eq=False, kw_only=True)
class RunResult(_ByContent):
    """A run, with everything it was taken with. It is valid when there are no invalid reasons."""

    identity: Identity
    settings: Settings
    registers: tuple[RegisterWrite, ...]
    echo: tuple[Echo, ...]
    start_ticks: int
    end_ticks: int
    stop_reason: StopReason
    flags: StatusFlag
    channels: tuple[ChannelResult, ...]
    accounting: Accounting
    events: EventArray | None = None
    """EVENT_DTYPE, as received, in order; None where they were not kept or not sent."""
    trace: EventArray | None = None
    """EVENT_DTYPE: the events around the trigger."""
    trigger_index: int | None = None
    trigger_ticks: int | None = None
    invalid_reasons: tuple[str, ...] = ()
    computed_on_host: tuple[str, ...] = ()
    """What the chip leaves out and the host computed from events, such as `ch0.fall`."""
    omitted: tuple[str, ...] = ()
    """What the chip leaves out and the host cannot compute, with the reason."""
    interrupted: bool = False
    wall_seconds: float = 0.0
    started: str = ""
    """Wall time of the start, ISO 8601 in UTC."""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    """The device under test: board, os, build, driver, test code, free keys."""
    calibration: Calibration | None = None
    """Of the instrument, to be applied to this run's events."""
    steps: tuple[StepResult, ...] = ()
    """Of the sweep table: those that have ended, and the one that the run's end cut short."""

    @property
    def valid(self) -> bool:
        """Whether the run's figures can be trusted."""
        return not self.invalid_reasons

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return self.identity.simulated

    @property
    def tick_fs(self) -> int:
        """One tick in femtoseconds."""
        return self.identity.tick_fs

    @property
    def strikes(self) -> int:
        """Strikes sent: of the edges of each strike output every other one, the first included."""
        return sum(
            (entry.generated + 1) // 2
            for entry in self.accounting.sources
            if SOURCE_STRIKE <= entry.source < SOURCE_LOAD
        )
