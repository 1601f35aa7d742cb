# SPDX-License-Identifier: Apache-2.0
"""Result of a burst scan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from plexor.base.constraints import Count, Positive, Whole

LONGEST_PART = Fraction(1, 2)
"""Maximum length of a burst, as a part of its period. The rest is the time-out."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """The burst lengths that were tried."""

    passing: Count = 0
    """The longest length without a lost strike, below the failing one; 0 if there is none."""
    failing: Count | None = None
    """The shortest length with a lost strike; None if no length lost one."""
    undecided: tuple[Whole, ...] = ()
    """Lengths for which the test could not decide. They count as failing."""


@dataclass(frozen=True, slots=True)
class SpacingLimit:
    """The result for one channel at one spacing."""

    spacing_s: Positive
    channel: str
    lengths: Lengths
    most: Whole
    """Maximum burst length that may be tried at this spacing."""
    strikes: Count
    """Number of strikes used, including those that all channels share."""
    max_ticks: Count | None = None
    """Maximum latency in bursts of the passing length; None if it is not known."""
    reason: str = ""
    """Why the failing length failed."""
    shifted: bool = False
    """Whether the maximum latency is unknown because passing bursts lost some strikes: responses
    may then have been matched to earlier strikes."""


@dataclass(frozen=True, slots=True)
class BurstResult:
    """A burst scan, with everything it was taken with."""

    tick_fs: Count
    simulated: bool
    criterion: str
    period_s: Positive
    """Time from a burst's first strike to the next burst's."""
    timeout_s: Positive
    limits: tuple[SpacingLimit, ...]
    """Limits by spacing, then by channel."""
    interrupted: bool = False
    load: bool = False
    """Level of the load output."""
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    drawn: bool | None = None
    """Whether anything was drawn at random; None for a real device, where it is not known."""
    load_name: str = ""
    """The load that was asked for by name."""
    device_load: str | None = None
    """The load that a simulated device ran; None: it has none, or nothing is known."""
    started: str = ""
    """When it began, or was continued: ISO 8601 in UTC."""
    command: str = ""
    """The command line that took it; empty if none did."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Channel names, in order."""
        return tuple(dict.fromkeys(entry.channel for entry in self.limits))
