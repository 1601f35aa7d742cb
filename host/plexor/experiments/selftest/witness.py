# SPDX-License-Identifier: Apache-2.0
"""Observations that a self-test needs and a calibration does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from plexor.experiments.calibration.observation import Observer
from plexor.experiments.selftest.model import Finding

MEMORY_STRIKES = 200


@dataclass(frozen=True, slots=True)
class LinkLoad:
    """What the link carried under load."""

    bytes_s: Fraction
    """Bytes per second of the instrument's time."""
    more: bool
    """Whether the instrument had more to send."""


@dataclass(frozen=True, slots=True)
class Recount:
    """Comparison of the chip's results with their true values."""

    against: str
    """What the results were compared with."""
    compared: int = 0
    used: int = 0
    """Number of compared counts that are not 0."""
    findings: Sequence[Finding] = ()
    lost: int = 0
    """Number of events lost on the link, after several tries."""


class Witness(Observer, Protocol):
    """An observer that can also load the link and check memories."""

    def load(self, nominal_bytes_s: Fraction | None) -> LinkLoad:
        """Load the link and return its rate. `nominal_bytes_s` is its nominal rate, if known."""
        ...

    def recount(self, channels: Sequence[int]) -> Recount:
        """Check the results of these channels, which have no known defect."""
        ...
