# SPDX-License-Identifier: Apache-2.0
"""Result of a phase scan: latency over phase, and windows in which a strike must wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from plexor.base.constraints import (
    MOST_TICKS,
    Count,
    Ge,
    Le,
    Lt,
    NotNegative,
    Positive,
    Signed,
    Whole,
)
from plexor.model.results import Accounting


@dataclass(frozen=True, slots=True)
class PhaseBin:
    """The strikes of one phase step. Latencies are in ticks, None if no strike was answered."""

    phase_ticks: Fraction
    """Phase at which the step begins."""
    strikes: Count
    missed: Count
    min_ticks: Count | None
    median_ticks: Count | None
    max_ticks: Count | None
    masked: Count
    """Number of strikes that were missed, or took longer than base plus threshold."""


@dataclass(frozen=True, slots=True)
class MaskedWindow:
    """Adjacent phases in which strikes are masked. A window may wrap around the period.

    It begins between the last unmasked strike before it and its first masked strike: in the middle,
    plus or minus `start_error_ticks`. It ends between its last masked strike and the next unmasked
    one. If a strike was delayed, it may end up to the threshold later, because shorter delays are
    not seen.
    """

    start_ticks: NotNegative
    start_error_ticks: NotNegative
    end_ticks: Fraction
    """End of the window; greater than the period if the window wraps around."""
    end_error_ticks: NotNegative
    strikes: Count
    """Number of strikes from the first masked one to the last."""
    masked: Count
    """Number of masked ones among them: all, unless the window is not always there."""
    missed: Count
    empty_phases: Count
    """Number of phase steps inside that had no strike."""
    delay_ticks: Signed | None
    """Maximum latency minus base. It is the window's width if responses wait for its end."""
    waits_until_ticks: Signed | None
    """Maximum of phase plus delay: the window's end if responses wait for it. None without a
    period, because strikes may then wait for a later window."""
    chance: Annotated[float, Ge(0), Le(1)]
    """Upper bound of the probability that a scan has such a window by chance, that is, if neither
    latency nor losses depend on phase; see plexor.experiments.phase.chance."""

    @property
    def width_ticks(self) -> Fraction:
        """End minus start."""
        return self.end_ticks - self.start_ticks

    @property
    def width_error_ticks(self) -> Fraction:
        """Error of the width."""
        return self.start_error_ticks + self.end_error_ticks


@dataclass(frozen=True, slots=True)
class PhaseReference:
    """The edges from which phases are measured."""

    name: str
    edges: Count
    period_ticks: Positive | None
    """Mean interval; None for edges without a period."""
    least_ticks: Count
    """Minimum interval, irregular ones included."""
    most_ticks: Count


@dataclass(frozen=True, slots=True)
class ChannelPhases:
    """One response channel over the phases of a reference."""

    channel: str
    reference: PhaseReference
    step_ticks: Annotated[Fraction, Ge(1), Lt(MOST_TICKS)]
    span_ticks: Whole
    """Upper bound of phases: the period, or the chosen time after an edge."""
    base_ticks: Count | None
    """Median latency of the fastest quarter of strikes; None if none was answered."""
    spread_ticks: Count
    """Variation of latency at any phase. The period of the device's clock is at most this."""
    threshold_ticks: Count
    strikes: Count
    left_out: Mapping[str, Count]
    """Number of strikes without a known phase or latency, by reason."""
    bins: tuple[PhaseBin, ...]
    """All phase steps, with and without strikes."""
    windows: tuple[MaskedWindow, ...]
    """Windows that chance does not explain, the widest first."""
    suspect: MaskedWindow | None
    """The least likely window among those that chance explains."""
    stray_strikes: Count
    """Number of masked strikes outside the windows."""
    disagreements: tuple[str, ...] = ()
    """Differences between complete events and the chip's classes. One of the two is wrong."""

    @property
    def empty_phases(self) -> int:
        """Number of phase steps without a strike."""
        return sum(not entry.strikes for entry in self.bins)


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """A phase scan, with everything it was taken with."""

    tick_fs: Whole
    simulated: bool
    scans: tuple[ChannelPhases, ...]
    strikes: Count
    asked_rate_hz: Positive
    rate_hz: Positive
    """Mean strike rate, after the requested rate was fitted to the phases."""
    accounting: Accounting
    invalid_reasons: tuple[str, ...] = ()
    interrupted: bool = False
    load: bool = False
    """Level of the load output."""
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    started: str = ""
    load_name: str = ""
    """The load that was asked for by name."""
    device_load: str | None = None
    """The load that a simulated device ran; None: it has none, or nothing is known."""
    command: str = ""
    """The command line that took it; empty if none did."""

    @property
    def complete(self) -> bool:
        """Whether no event was dropped or lost."""
        return self.accounting.generated == self.accounting.received


LOST = "events were dropped or lost"
UNBOUNDED = "no edge of the reference on both sides"
IRREGULAR = "an irregular interval of the reference"
BEYOND = "later than the span after the reference's edge"
OVERTAKEN = "answered after the reference's next edge"
UNSETTLED = "the run ended first"
