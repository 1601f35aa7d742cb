"""Whether an estimate is safe: nothing that was measured may exceed it. And by how much it is over.

Both conventions of overestimation are computed, for literature uses either: the excess as a part
of what was measured, and as a part of the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

NS_FS = 10**6
"""Femtoseconds in a nanosecond."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An overestimation that was published."""

    about: str
    part: Fraction


MARK = Mark(
    "reported for RTEMS by A. Colin and I. Puaut, 13th Euromicro Conference on Real-Time Systems, "
    "2001",
    Fraction(86, 100),
)


class Outcome(StrEnum):
    """What a measurement says of an estimate."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    NOT_PROVEN = "not proven"


@dataclass(frozen=True, slots=True)
class Measured:
    """The maximum that was measured."""

    max_ns: Fraction
    what: str
    """Such as `on-width of TASK`."""
    provenance: str
    """Such as `simulated`, `measured on ulx3s` or `given`."""
    tick_fs: int | None = None
    """The instrument's tick; None for a value that was given."""
    samples: int | None = None
    missed: int | None = None
    """Strikes without a response, which may have taken longer than any sample; None if there can be
    no such."""
    books: str = ""
    """Where the run's events went."""
    invalid_reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """An estimate beside what was measured."""

    estimate_ns: Fraction
    measured: Measured

    @property
    def margin_ns(self) -> Fraction:
        """Estimate less measurement; below 0 for an unsafe one."""
        return self.estimate_ns - self.measured.max_ns

    @property
    def of_measured(self) -> Fraction | None:
        """The overestimation as a part of what was measured; None unless that is above 0."""
        return self.margin_ns / self.measured.max_ns if self.measured.max_ns > 0 else None

    @property
    def of_estimate(self) -> Fraction | None:
        """The overestimation as a part of the estimate; None for an estimate of 0."""
        return self.margin_ns / self.estimate_ns if self.estimate_ns else None

    @property
    def outcome(self) -> Outcome:
        """Whether the estimate is safe, as far as it was measured.

        An invalid run proves nothing. A longer measurement refutes the estimate, also where strikes
        were missed; otherwise missed strikes leave it unproven.
        """
        if self.measured.invalid_reasons:
            return Outcome.NOT_PROVEN
        if self.margin_ns < 0:
            return Outcome.UNSAFE
        return Outcome.NOT_PROVEN if self.measured.missed else Outcome.SAFE

    @property
    def within_a_tick(self) -> bool:
        """Whether the margin is smaller than the tick, which decides nothing finer."""
        tick_fs = self.measured.tick_fs
        return tick_fs is not None and abs(self.margin_ns) < Fraction(tick_fs, NS_FS)
