"""What a phase scan finds: latency over phase, and the windows in which a strike has to wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from plexor.model.results import Accounting


@dataclass(frozen=True, slots=True)
class PhaseBin:
    """The strikes of one phase step. Latencies are in ticks, None where none was answered."""

    phase_ticks: Fraction
    """Where it begins."""
    strikes: int
    missed: int
    min_ticks: int | None
    median_ticks: int | None
    max_ticks: int | None
    masked: int
    """Strikes that were missed, or took longer than base and threshold."""


@dataclass(frozen=True, slots=True)
class Window:
    """Phases next to each other in which strikes are masked; it may wrap around the period.

    It begins after the last strike before it that was not masked, up to its first one that was: in
    the middle of the two, plus or minus `start_error_ticks`. It ends after its last masked strike,
    up to the next one that was not; where a strike was delayed, up to the threshold after that one,
    for a shorter delay is not seen.
    """

    start_ticks: Fraction
    start_error_ticks: Fraction
    end_ticks: Fraction
    """Greater than a period where the window wraps around it."""
    end_error_ticks: Fraction
    strikes: int
    """From the first masked one to the last."""
    masked: int
    """Of them; all, but for windows that are not always there."""
    missed: int
    empty_phases: int
    """Phase steps inside that had no strike."""
    delay_ticks: int | None
    """Greatest latency less the base; of responses that wait for the end, the window's width."""
    waits_until_ticks: int | None
    """The latest phase plus delay of its strikes: where it ends if their responses wait for it.
    None without a period, for then strikes of the windows after it are among them."""
    chance: float
    """Probability, at most, that a scan of a device whose latency and losses have nothing to do
    with phase has such a window; see plexor.phase.chance."""

    @property
    def width_ticks(self) -> Fraction:
        """End less start."""
        return self.end_ticks - self.start_ticks

    @property
    def width_error_ticks(self) -> Fraction:
        """Of the width."""
        return self.start_error_ticks + self.end_error_ticks


@dataclass(frozen=True, slots=True)
class Reference:
    """The edges that phases are measured from."""

    name: str
    edges: int
    period_ticks: Fraction | None
    """Mean interval; None for edges without a period."""
    least_ticks: int
    """Shortest interval, irregular ones included."""
    most_ticks: int


@dataclass(frozen=True, slots=True)
class PhaseScan:
    """One response channel over the phases of a reference."""

    channel: str
    reference: Reference
    step_ticks: Fraction
    span_ticks: int
    """Of phases: the period, or how far after an edge they go."""
    base_ticks: int | None
    """Median latency of the fastest quarter of strikes; None where none was answered."""
    spread_ticks: int
    """What latency varies by at any phase: the period of a device's clock is no greater."""
    threshold_ticks: int
    strikes: int
    left_out: Mapping[str, int]
    """Strikes whose phase or latency is not known, by reason."""
    bins: tuple[PhaseBin, ...]
    """Of all phases, those without a strike too."""
    windows: tuple[Window, ...]
    """The widest first. Those that chance explains are not among them."""
    suspect: Window | None
    """Of those that chance explains the one it explains least."""
    stray_strikes: int
    """Masked ones outside the windows."""
    disagreements: tuple[str, ...] = ()
    """Where complete events and the chip's classes differ: one of them is wrong."""

    @property
    def empty_phases(self) -> int:
        """Phase steps without a strike."""
        return sum(not entry.strikes for entry in self.bins)


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """A phase scan, with everything it was taken with."""

    tick_fs: int
    simulated: bool
    scans: tuple[PhaseScan, ...]
    strikes: int
    asked_rate_hz: Fraction
    rate_hz: Fraction
    """Strikes a second, on average: what phases leave of the rate that was asked for."""
    accounting: Accounting
    invalid_reasons: tuple[str, ...] = ()
    interrupted: bool = False
    load: bool = False
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    started: str = ""

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
