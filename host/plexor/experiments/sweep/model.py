# SPDX-License-Identifier: Apache-2.0
"""What a sweep finds: its steps, and of each channel the bracket of its knee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from plexor.base.constraints import Count, Positive
from plexor.experiments.step import RateStep
from plexor.model.numbers import TickFs


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
