# SPDX-License-Identifier: Apache-2.0
"""What a sweep finds: the figures of each step, and of each channel the bracket of its knee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated

from plexor.constraints import Count, Ge, Positive, Signed
from plexor.judge.verdict import Outcome, Verdict
from plexor.model.numbers import TickFs
from plexor.protocol.memory import ResponseClass

UP, DOWN, REST = "up", "down", "rest"
"""Which way a scan goes; at rest it strikes at the lowest rate after the highest."""


@dataclass(frozen=True, slots=True)
class RateFigures:
    """One channel at one rate, over all stages of its test. Times are rise latencies in ticks.

    Of a channel that is `shifted` no latency is known.
    """

    name: str
    strikes: Count
    """Settled: answered, late or missed."""
    classes: Mapping[ResponseClass, Count]
    min_ticks: Signed | None = None
    max_ticks: Signed | None = None
    p50_ticks: Signed | None = None
    p99_ticks: Signed | None = None
    rms_ticks: Annotated[float, Ge(0)] | None = None
    jitter128_ticks: Count | None = None
    falls_behind: bool | None = None
    """Whether latency still grew at the end; None: not known."""
    behind: Count = 0
    """Strikes by which it fell behind while it was struck."""
    shifted: bool = False
    """Whether responses may have been matched with strikes other than their own: missed strikes
    were still open when the next ones came."""
    cycle: int | None = None
    """If nothing is random: the number of strikes after which the answers repeat; None: they do
    not, or it is not known."""
    verdict: Outcome = Outcome.TOO_FEW
    reason: str = ""
    """The criterion that decided, if the verdict is not a pass."""
    settles: str = ""
    """What would settle it, if it is open."""

    @property
    def judged(self) -> Verdict:
        """The verdict on all criteria."""
        return Verdict(outcome=self.verdict, reason=self.reason, settles=self.settles)

    @property
    def peak_to_peak_ticks(self) -> int | None:
        """Maximum minus minimum latency."""
        if self.min_ticks is None or self.max_ticks is None:
            return None
        return self.max_ticks - self.min_ticks

    @property
    def missed_share(self) -> float:
        """Missed strikes, as a part of all."""
        return self.classes[ResponseClass.MISSED] / self.strikes if self.strikes else 0.0

    def grown(self, strikes: int) -> RateFigures:
        """Return the figures of that many strikes, if they continued like these."""
        part = strikes / self.strikes if self.strikes else 0
        classes = {entry: round(part * count) for entry, count in self.classes.items()}
        return replace(self, strikes=strikes, classes=classes)


@dataclass(frozen=True, slots=True)
class RateStep:
    """One rate under one load."""

    tick_fs: TickFs
    simulated: bool
    load: str
    rate_hz: Positive
    for_channel: str
    """The channel whose knee was searched; empty: all of them, in the first scan."""
    strikes: Count
    """Strikes that were sent, over all stages."""
    channels: tuple[RateFigures, ...]
    recovery_s: Annotated[float, Ge(0)] | None = None
    """Wall time until the device answered at rest, before the step; None: it had just started.

    Of REST, from the last strike of the overload to the first from which on all are answered, in
    the instrument's time; None: there is none."""
    direction: str = ""
    """UP, DOWN or REST of a scan; empty: the device was not struck at another rate before."""
    drawn: bool | None = None
    """Whether anything was random, in the strikes or in a simulated device. If not, the same
    strikes get the same answers. None: not known, for a real device."""
    device_load: str | None = None
    """The load that a simulated device ran, such as `cpu`, or `none`; None: it has none, or
    nothing is known."""
    ends_hz: Positive | None = None
    """The highest rate that the instrument carries, of a step above it that was not taken."""

    def of(self, name: str) -> RateFigures:
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
    instrument_hz: Fraction | None = None
    """Where the instrument ends, if no rate failed below: the device's own end is not known."""

    @property
    def width(self) -> float | None:
        """Failing over passing rate, minus 1; None if one is missing."""
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
    strikes: Count
    """Strikes spent on it, including those of the first scan, which all channels share."""
    up: Bracket | None = None
    """The bracket by the scan up, if there was one."""
    down: Bracket | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether one rate may be the knee of the search and both scans; None: no scan."""
        if self.up is None or self.down is None:
            return None
        return _meet(self.bracket, self.up, self.down)

    @property
    def hysteresis(self) -> bool:
        """Whether the scans up and down cannot have the same knee."""
        return self.up is not None and self.down is not None and not _meet(self.up, self.down)


def _meet(*brackets: Bracket) -> bool:
    """Return whether one rate may be the knee of all."""
    passing = [entry.passing_hz for entry in brackets if entry.passing_hz is not None]
    failing = [entry.failing_hz for entry in brackets if entry.failing_hz is not None]
    return not passing or not failing or max(passing) < min(failing)


@dataclass(frozen=True, slots=True)
class SweepResult:
    """A sweep, with everything it was taken with."""

    tick_fs: TickFs
    simulated: bool
    criteria: tuple[str, ...]
    low_hz: Positive
    high_hz: Positive
    width: Positive
    """Requested relative width of a bracket."""
    shape: str
    """Shape of a strike at all rates: `width 1 µs`, or `duty 20 %`."""
    steps: tuple[RateStep, ...]
    knees: tuple[Knee, ...]
    interrupted: bool = False
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    started: str = ""
    """When it began, or was continued: ISO 8601 in UTC."""
    command: str = ""
    """The command line that took it; empty if none did."""
