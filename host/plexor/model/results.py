# SPDX-License-Identifier: Apache-2.0
"""What a run measured: immutable, in ticks, with everything needed to judge it.

Arrays are compared by content, so a run that is read from disk equals the stored one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

from plexor.base.constraints import Count, Ge, Le
from plexor.model.calibration import Calibration
from plexor.model.code_array import CODE_DTYPE, CodeArray
from plexor.model.code_tables import CodeTables
from plexor.model.identity import Identity
from plexor.model.settings import AppliedSetting, RegisterWrite, Settings
from plexor.model.sources import source_name
from plexor.protocol.frames import (
    SOURCE_LOAD,
    SOURCE_STRIKE,
    SOURCES,
)
from plexor.protocol.memory import VALUE_MOST, ResponseClass
from plexor.protocol.registers import StatusFlag, StopReason, register

Counts = NDArray[np.uint64]
NotBelow0 = Annotated[int, Ge(0)]
EventArray = NDArray[np.void]

EVENT_DTYPE = np.dtype(
    [("time_ticks", "<u8"), ("index", "<u8"), ("source", "u1"), ("polarity", "u1")]
)
"""One event of `RunResult.events` and `trace`. Polarity 1 is the edge to the active level."""

LINK_DROPPED = ("status", "link_dropped")
"""Register that counts bytes from the host that were dropped. It stops at its maximum."""
LINK_DROPPED_MOST = (1 << register(*LINK_DROPPED).bits) - 1
REMOVED = ("long_filter_status", "removed")
"""Register that counts edges that long glitch filters removed."""
MENDED = ("status", "mended")
"""Register that counts clocks with exchanged samples. It stops at its maximum."""
MENDED_MOST = (1 << register(*MENDED).bits) - 1


@dataclass(frozen=True, eq=False)
class _ByContent:  # noqa: PLW1641 (arrays have no hash)
    """Equality for dataclasses with arrays."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            _same(getattr(self, member.name), getattr(other, member.name))
            for member in fields(self)
        )


def _same(value: object, other: object) -> bool:
    arrays = [cast("NDArray[Any]", e) for e in (value, other) if isinstance(e, np.ndarray)]
    if len(arrays) == 2:
        return arrays[0].dtype == arrays[1].dtype and np.array_equal(arrays[0], arrays[1])
    return not arrays and value == other


class Kind(StrEnum):
    """What a measurement measures."""

    RISE = "rise"  # strike to the edge to the active level
    FALL = "fall"  # strike to the trailing edge
    WIDTH = "width"  # edge to the active level to the trailing edge
    PERIOD = "period"  # edge to the active level to the next such edge


@dataclass(frozen=True, slots=True)
class Statistics:
    """Exact figures of samples. None: there is no sample, or the figure is not known."""

    count: int
    sum_ticks: int | None
    sum_sq_ticks2: int | None
    min_ticks: int | None
    max_ticks: int | None
    min_index: int | None = None
    """Event index of the first sample with the minimum."""
    max_index: int | None = None
    min_time_ticks: int | None = None
    """Time of that event."""
    max_time_ticks: int | None = None


@dataclass(frozen=True, eq=False)
class Bins(_ByContent):
    """Counts of log-linear bins (`plexor.protocol.memory`). The last two count over and under."""

    mantissa_bits: int
    counts: Counts


@dataclass(frozen=True, eq=False)
class Zoom(_ByContent):
    """A window of one-tick bins from `first_ticks`. The first bin counts under, the last over."""

    first_ticks: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One kind of sample of one channel."""

    kind: Kind
    statistics: Statistics
    """As the chip keeps them. VALUE_MOST stands for every greater fall latency, width or period; so
    `known` is for whoever takes figures for numbers."""
    bins: Bins
    zoom: Zoom | None = None
    on_chip: bool = True
    """False if the chip leaves it out and the host computed it from events."""

    @property
    def limit_ticks(self) -> int | None:
        """The limit that at least one sample may exceed by any time; None: all are exact.

        The time-out bounds a rise latency, so it is never at the limit.
        """
        most = self.statistics.max_ticks
        return VALUE_MOST if self.kind != Kind.RISE and most == VALUE_MOST else None

    @property
    def known(self) -> Statistics:
        """The statistics, without those that a sample at the limit makes unknown."""
        statistics = self.statistics
        if self.limit_ticks is None:
            return statistics
        statistics = replace(
            statistics,
            sum_ticks=None,
            sum_sq_ticks2=None,
            max_ticks=None,
            max_index=None,
            max_time_ticks=None,
        )
        if statistics.min_ticks == self.limit_ticks:
            statistics = replace(statistics, min_ticks=None, min_index=None, min_time_ticks=None)
        return statistics


@dataclass(frozen=True, slots=True)
class ChannelResult:
    """Results of one response channel."""

    number: int
    name: str
    reference: str
    """The edge that counts as the channel's strike, such as `strike0` or `ch1.fall`."""
    deadline_ticks: int | None
    classes: Mapping[ResponseClass, int]
    pending: int
    active_edges: int
    """Number of edges to the active level that were matched (Space.EDGES)."""
    measurements: tuple[SampleResult, ...]
    unknown_strikes: int = 0
    """Number of strikes seen whose class is not known: the host matched, and events are missing."""
    unknown_edges: int = 0
    """The same of edges to the active level. The measurements are of the known ones."""

    def measurement(self, kind: Kind) -> SampleResult | None:
        """Return the measurement of a kind; None if there is none."""
        return next(
            (measurement for measurement in self.measurements if measurement.kind == kind), None
        )

    @property
    def strikes(self) -> int:
        """Number of reference edges seen."""
        return self.classes[ResponseClass.STRIKES]

    @property
    def conserved(self) -> bool:
        """Whether every strike and every response edge is in exactly one class."""
        count = self.classes
        matched = count[ResponseClass.ANSWERED] + count[ResponseClass.LATE]
        return (
            self.strikes
            == matched + count[ResponseClass.MISSED] + self.pending + self.unknown_strikes
            and self.active_edges
            == matched
            + count[ResponseClass.DUPLICATE]
            + count[ResponseClass.SPURIOUS]
            + self.unknown_edges
        )


@dataclass(frozen=True, slots=True)
class SnapshotResult:
    """All channels as of one event, while a run is under way."""

    number: int
    """Number of the snapshot in its run. Snapshots that were lost leave a gap."""
    events: int
    """Number of events that are counted in it."""
    channels: tuple[ChannelResult, ...]
    on_chip: bool = True
    """False if the chip takes no snapshots and the host computed it from events."""
    start_ticks: int = 0
    """The run's first tick."""
    time_ticks: int = 0
    """Time of the snapshot, or the tick after that of its last event."""


@dataclass(frozen=True, slots=True)
class StepChannel:
    """Counts of one response channel in one step of a sweep table."""

    number: int
    name: str
    classes: Mapping[ResponseClass, int]
    pending_before: int
    """Number of earlier steps' strikes that were outstanding when this step began."""
    pending: int
    """Number of outstanding strikes at the end of the step."""
    rise: Statistics
    """Latencies of the responses that came in this step, without the extremes' events."""

    @property
    def strikes(self) -> int:
        """Number of reference edges seen."""
        return self.classes[ResponseClass.STRIKES]

    @property
    def conserved(self) -> bool:
        """Whether every strike is in exactly one class, and every latency belongs to a response."""
        count = self.classes
        matched = count[ResponseClass.ANSWERED] + count[ResponseClass.LATE]
        outstanding = self.pending_before + self.strikes
        return (
            outstanding == matched + count[ResponseClass.MISSED] + self.pending
            and matched == self.rise.count
        )


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step of a sweep table, from the end of the previous step to its own."""

    number: int
    start_ticks: int
    end_ticks: int
    channels: tuple[StepChannel, ...]
    """All enabled channels, in the order of RunResult.channels."""


@dataclass(frozen=True, slots=True)
class SourceAccounting:
    """Number of edges of one source, by where they went."""

    source: int
    generated: NotBelow0
    dropped: NotBelow0
    """Edges dropped before the merge because a queue was full: neither matched nor sent."""
    upload_dropped: NotBelow0
    """Edges dropped before the link because it had no room: matched, but not sent."""
    received: NotBelow0

    @property
    def name(self) -> str:
        """The source's name."""
        return source_name(self.source)

    @property
    def lost(self) -> int:
        """Number of edges that were sent but not received."""
        return max(self.generated - self.dropped - self.upload_dropped - self.received, 0)


@dataclass(frozen=True, slots=True)
class Accounting:
    """Where every event went. In dump mode, `received` counts the events in the chip's memories."""

    generated: NotBelow0
    received: NotBelow0
    dropped_on_chip: NotBelow0
    lost_on_link: int
    sources: tuple[SourceAccounting, ...] = ()
    frames_received: NotBelow0 = 0
    frames_lost: NotBelow0 = 0
    decode_faults: Mapping[str, NotBelow0] = field(default_factory=dict[str, int])
    """Number of faulty stretches of bytes, by kind of fault."""
    disorder: Mapping[str, NotBelow0] = field(default_factory=dict[str, int])
    """Number of frames that came out of order (link.sequence). Late ones also count as lost."""
    contradictions: tuple[str, ...] = ()
    """Counters that should agree but do not, one sentence each."""
    link_dropped: Annotated[int, Ge(0), Le(LINK_DROPPED_MOST)] = 0
    """Bytes from the host that a UART's receiver dropped; LINK_DROPPED_MOST: at least as many."""
    masked: int = 0
    """Codes that were not to be sent, because of their class. They are not in `generated`."""
    mended_clocks: Annotated[int, Ge(0), Le(MENDED_MOST)] = 0
    """Core clocks in which exchanged samples were mended; MENDED_MOST: at least as many."""
    filtered: NotBelow0 = 0
    """Edges that filters longer than a core clock removed. They are not in `generated`."""

    @property
    def holds(self) -> bool:
        """Whether generated = received + dropped + lost, and no counter contradicts another."""
        counts = (self.received, self.dropped_on_chip, self.lost_on_link)
        return not self.contradictions and min(counts) >= 0 and self.generated == sum(counts)

    @property
    def lost_of_any(self) -> int:
        """Number of lost events that no source accounts for: they may be of any."""
        return max(self.lost_on_link - sum(source.lost for source in self.sources), 0)

    @property
    def dropped_before_merge(self) -> int:
        """Number of edges that were never matched."""
        return sum(source.dropped for source in self.sources)


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Strikes that were made before a run, in a run of their own. They are in no figure of it."""

    start_ticks: Count
    """In the instrument's time, as of the run that follows."""
    end_ticks: Count
    strikes: NotBelow0
    """Strikes of all outputs."""
    channels: tuple[StepChannel, ...]
    """All enabled channels, in the order of RunResult.channels."""
    accounting: Accounting
    invalid_reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """The capture of another analyser that a run was imported from."""

    file: str
    """Its name, without folders."""
    format: str
    """What it is, such as `VCD`."""
    step_fs: Annotated[int, Ge(1)]
    """Time from one sample to the next, in femtoseconds. It cannot order edges that are closer."""
    signals: Mapping[str, str]
    """Name in the file of each source, such as `strike0` or `ch1`."""
    unordered: Mapping[str, NotBelow0]
    """By channel, the number of responses at the time of an edge that they may answer. They are
    matched as if that edge had come first."""
    left_out: tuple[str, ...] = ()
    """How the file was read, and what of it is not in the run, one sentence each."""
    gaps_ticks: tuple[tuple[int, int], ...] = ()
    """From and to where a signal is not known, in order. No strike is open across a gap."""


def cut_text(kept_events: int, received: int) -> str:
    """Return what a run says that keeps only the first of its events."""
    return f"events: the first {kept_events} are kept, which is the bound, of {received}"


@dataclass(frozen=True, eq=False, kw_only=True)
class RunResult(_ByContent):
    """A run, with everything it was taken with. It is valid if it has no invalid reasons."""

    identity: Identity
    settings: Settings
    registers: tuple[RegisterWrite, ...]
    echo: tuple[AppliedSetting, ...]
    start_ticks: Count
    end_ticks: Count
    stop_reason: StopReason
    flags: StatusFlag
    channels: tuple[ChannelResult, ...]
    accounting: Accounting
    events: EventArray | None = None
    """Events as received, in order (EVENT_DTYPE); None if they were not kept or not sent."""
    codes: CodeArray = field(default_factory=lambda: np.empty(0, CODE_DTYPE))
    """Codes that came at the code port, in order (plexor.model.codes.CODE_DTYPE)."""
    trace: EventArray | None = None
    """Events around the trigger (EVENT_DTYPE)."""
    trigger_index: Count | None = None
    trigger_ticks: Count | None = None
    invalid_reasons: tuple[str, ...] = ()
    computed_on_host: tuple[str, ...] = ()
    """What the host computed from events because the chip leaves it out, such as `ch0.fall`."""
    omitted: tuple[str, ...] = ()
    """What the chip leaves out and the host cannot compute, with the reasons."""
    interrupted: bool = False
    wall_seconds: Annotated[float, Ge(0)] = 0.0
    started: str = ""
    """Wall time of the start, ISO 8601 in UTC."""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    """The device under test: board, os, build, driver, test code, free keys."""
    device_load: str | None = None
    """The load that a simulated device ran, such as `cpu`, or `none`; None: it has none, or
    nothing is known."""
    device_said: tuple[str, ...] = ()
    """What a simulated design wrote by `$display` and the like up to the run's end, and since the
    run before: the first lines of all, each behind the simulated time."""
    calibration: Calibration | None = None
    """Calibration of the instrument, to correct this run's events with."""
    warm_up: WarmUp | None = None
    """The strikes before the run, if any were asked for."""
    steps: tuple[StepResult, ...] = ()
    """Steps of the sweep table: the finished ones, and the one that the run's end cut short."""
    code_tables: CodeTables | None = None
    """What the chip counted of codes; None if it has no code port, or the end was never seen."""
    command: str = ""
    """Command line that took the run, as a shell reads it; empty if a program did."""
    imported: Imported | None = None
    """Where the events are from if no Plexor took them. `identity` then describes no instrument."""

    @property
    def valid(self) -> bool:
        """Whether the run's figures can be trusted."""
        return not self.invalid_reasons

    @property
    def whole_events(self) -> EventArray | None:
        """The events if all that came are kept, else None. A run keeps the first 2**26."""
        cut = self.events is not None and len(self.events) < self.accounting.received
        return None if cut else self.events

    @property
    def overrun(self) -> bool:
        """Whether all that is wrong is that edges came faster than the instrument matches them."""
        dropped = sum(1 for source in self.accounting.sources if source.dropped)
        return 0 < dropped == len(self.invalid_reasons)

    @property
    def answering(self) -> tuple[ChannelResult, ...]:
        """The channels but for those that carry codes, which answer no strikes."""
        codes = self.settings.codes
        carry = () if codes is None else codes.channels
        return tuple(channel for channel in self.channels if channel.number not in carry)

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return self.identity.simulated

    @property
    def tick_fs(self) -> int:
        """Length of a tick, in femtoseconds."""
        return self.identity.tick_fs

    @property
    def active_only(self) -> frozenset[int]:
        """Sources whose trailing edges are no events."""
        written = ("control", "active_only")
        masks = [one.value for one in self.registers if (one.block, one.name) == written]
        return frozenset(n for n in range(SOURCES) if masks and masks[-1] >> n & 1)

    @property
    def strikes(self) -> int:
        """Number of strikes sent: every other edge of each strike output, from the first."""
        alone = self.active_only
        return sum(
            source.generated if source.source in alone else (source.generated + 1) // 2
            for source in self.accounting.sources
            if SOURCE_STRIKE <= source.source < SOURCE_LOAD
        )
