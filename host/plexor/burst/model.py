"""What a burst scan finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Lengths:
    """Burst lengths that were tried."""

    passing: int = 0
    """The longest below the failing one of which no strike went missing; 0: none did not."""
    failing: int | None = None
    """The shortest of which one did; None: none of those tried."""
    undecided: tuple[int, ...] = ()
    """Taken as failing, for the test could not decide."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One channel at one spacing."""

    spacing_s: Fraction
    channel: str
    lengths: Lengths
    most: int
    """The longest burst that may be tried at this spacing."""
    strikes: int
    """Spent on it, those that all channels share included."""
    max_ticks: int | None = None
    """Greatest latency in bursts of the passing length; None where it is not known."""
    reason: str = ""
    """Why the failing length failed."""
    shifted: bool = False
    """Whether no latency is known because some strikes of passing bursts went missing, so that
    responses may have been taken for those of earlier ones."""


@dataclass(frozen=True, slots=True)
class BurstResult:
    """A burst scan, with everything it was taken with."""

    tick_fs: int
    simulated: bool
    criterion: str
    period_s: Fraction
    """From a burst's first strike to that of the next."""
    timeout_s: Fraction
    limits: tuple[Limit, ...]
    """By spacing, then by channel."""
    interrupted: bool = False
    load: bool = False
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    drawn: bool | None = None
    """Whether anything was drawn at random; None: of a real device it is not known."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Names in their order."""
        return tuple(dict.fromkeys(entry.channel for entry in self.limits))
