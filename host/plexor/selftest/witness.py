"""What a self-test sees of an instrument beyond what a calibration does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from plexor.calibration.observation import Observer
from plexor.selftest.model import Finding

MEMORY_STRIKES = 200


@dataclass(frozen=True, slots=True)
class Load:
    """What the link carried under load."""

    bytes_s: Fraction
    """A second of the instrument's time."""
    more: bool
    """Whether there was more to send."""


@dataclass(frozen=True, slots=True)
class Recount:
    """Results on the chip against what they must be."""

    against: str
    """What they were compared with."""
    compared: int = 0
    used: int = 0
    """Of the counts compared, those that are not 0."""
    findings: Sequence[Finding] = ()
    lost: int = 0
    """Events lost on the link, in each of several tries."""


class Witness(Observer, Protocol):
    """An observer that can load the link and recount memories too."""

    def load(self, nominal_bytes_s: Fraction | None) -> Load:
        """Load the link; `nominal_bytes_s` is what it must carry, None: not known."""
        ...

    def recount(self, channels: Sequence[int]) -> Recount:
        """Compare results of these channels, of which nothing is known to be wrong."""
        ...
