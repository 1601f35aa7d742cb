"""What a sweep finds: the figures of each step, and of each channel the bracket of its knee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from plexor.protocol.memory import ResponseClass
from plexor.sweep.decide import Verdict


@dataclass(frozen=True, slots=True)
class Figures:
    """One channel at one rate, over all stages of its test. Times are rise latencies in ticks."""

    name: str
    strikes: int
    """Settled: answered, late or missed."""
    classes: Mapping[ResponseClass, int]
    min_ticks: int | None = None
    max_ticks: int | None = None
    p50_ticks: int | None = None
    p99_ticks: int | None = None
    rms_ticks: float | None = None
    jitter128_ticks: int | None = None
    falls_behind: bool | None = None
    """Whether latency still grew at the end; None: it cannot be told."""
    behind: int = 0
    """Strikes by which it fell behind while it was struck."""
    verdict: Verdict = Verdict.UNDECIDED
    reason: str = ""
    """The criterion that decided, where the verdict is no pass."""

    @property
    def peak_to_peak_ticks(self) -> int | None:
        """Greatest less least latency."""
        if self.min_ticks is None or self.max_ticks is None:
            return None
        return self.max_ticks - self.min_ticks

    @property
    def missed_share(self) -> float:
        """Missed strikes, as a part of all."""
        return self.classes[ResponseClass.MISSED] / self.strikes if self.strikes else 0.0


@dataclass(frozen=True, slots=True)
class Step:
    """One rate under one load."""

    tick_fs: int
    simulated: bool
    load: str
    rate_hz: Fraction
    for_channel: str
    """The channel whose knee was searched; empty: all of them, in the first scan."""
    strikes: int
    """Sent, over all stages."""
    channels: tuple[Figures, ...]
    recovery_s: float | None = None
    """Wall time until the device answered at rest, before the step; None: it had just started."""

    def of(self, name: str) -> Figures:
        """Return a channel's figures; raise KeyError for a channel that is not there."""
        for entry in self.channels:
            if entry.name == name:
                return entry
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Bracket:
    """Where a channel saturates: the highest rate that passed below the lowest that failed."""

    passing_hz: Fraction | None
    """None: the lowest rate tried did not pass."""
    failing_hz: Fraction | None
    """None: the highest rate tried did not fail."""
    undecided_hz: tuple[Fraction, ...] = ()
    """Rates between the two at which the test could not decide."""
    passing_above_hz: tuple[Fraction, ...] = ()
    """Rates above the failing one that passed: the device is not monotonic."""

    @property
    def width(self) -> float | None:
        """Failing over passing, less 1; None where one is missing."""
        if self.passing_hz is None or self.failing_hz is None:
            return None
        return float(self.failing_hz / self.passing_hz - 1)

    @property
    def monotonic(self) -> bool:
        """Whether no rate above the failing one passed."""
        return not self.passing_above_hz


@dataclass(frozen=True, slots=True)
class Knee:
    """One channel under one load."""

    load: str
    channel: str
    bracket: Bracket
    strikes: int
    """Spent on it, those of the scan that all channels share included."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """A sweep, with everything it was taken with."""

    tick_fs: int
    simulated: bool
    criteria: tuple[str, ...]
    low_hz: Fraction
    high_hz: Fraction
    width: Fraction
    """Relative width asked of a bracket."""
    shape: str
    """Of a strike at all rates: `width 1 µs`, or `duty 20 %`."""
    steps: tuple[Step, ...]
    knees: tuple[Knee, ...]
    interrupted: bool = False
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    started: str = ""
