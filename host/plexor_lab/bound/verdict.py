# SPDX-License-Identifier: Apache-2.0
"""Whether an estimate is safe: nothing that was measured may exceed it. And by how much it is over.

Both conventions of overestimation are computed, for literature uses either: the excess as a part
of what was measured, and as a part of the estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from plexor.library.parts.results import AT_LIMIT, NotKnown, Number, Outcome, Verdict

MISSED = "strikes were missed: their answers may have taken longer than any sample"
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


@dataclass(frozen=True, slots=True)
class MeasuredMaximum:
    """The maximum that was measured.

    If samples are at the limit of the instrument's registers, `max_ns` is None, and the maximum is
    known only to be above `over_ns`.
    """

    max_ns: Fraction | None
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
    over_ns: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Bounded(Verdict):
    """An estimate beside what was measured."""

    estimate_ns: Fraction
    measured: MeasuredMaximum

    @property
    def margin_ns(self) -> Fraction | None:
        """Estimate less measurement; below 0 for an unsafe one. None: the maximum is not known."""
        most = self.measured.max_ns
        return None if most is None else self.estimate_ns - most

    @property
    def of_measured(self) -> Fraction | None:
        """The overestimation as a part of what was measured; None unless that is above 0."""
        most, margin = self.measured.max_ns, self.margin_ns
        return None if margin is None or most is None or most <= 0 else margin / most

    @property
    def of_estimate(self) -> Fraction | None:
        """The overestimation as a part of the estimate; None for an estimate of 0."""
        margin = self.margin_ns
        return None if margin is None or not self.estimate_ns else margin / self.estimate_ns

    @property
    def numbers(self) -> Mapping[str, Number | None]:
        """Estimate, measurement and margin, in nanoseconds."""
        return {
            "estimate_ns": self.estimate_ns,
            "measured_ns": self.measured.max_ns,
            "margin_ns": self.margin_ns,
        }

    @property
    def within_a_tick(self) -> bool:
        """Whether the margin is smaller than the tick, which decides nothing finer."""
        tick_fs, margin = self.measured.tick_fs, self.margin_ns
        if tick_fs is None or margin is None:
            return False
        return abs(margin) < Fraction(tick_fs, NS_FS)


def bounded(estimate_ns: Fraction, measured: MeasuredMaximum) -> Bounded:
    """Return whether an estimate is safe, as far as it was measured.

    An invalid run proves nothing. A longer measurement refutes the estimate, also where strikes
    were missed; otherwise missed strikes leave it unproven. So does a maximum that is known only to
    be above something.
    """
    outcome, (reason, settles) = _known(estimate_ns, measured)
    return Bounded(estimate_ns, measured, outcome=outcome, reason=reason, settles=settles)


def _known(estimate_ns: Fraction, measured: MeasuredMaximum) -> tuple[Outcome, NotKnown]:
    """Return the outcome, and of what is open why, and what would settle it."""
    unknown = unproven(measured)
    if measured.invalid_reasons:
        return Outcome.NOT_COMPARABLE, unknown
    least = measured.over_ns if measured.max_ns is None else measured.max_ns
    if least is not None and estimate_ns < least:
        return Outcome.FAIL, NotKnown("what was measured exceeds it")
    return Outcome.TOO_FEW if unknown.reason else Outcome.PASS, unknown


def unproven(measured: MeasuredMaximum) -> NotKnown:
    """Return why something may have taken longer, and what would settle it; NOTHING if none did."""
    if measured.invalid_reasons:
        return NotKnown("the run is invalid", "a valid one would tell")
    if measured.max_ns is None:
        return AT_LIMIT._replace(reason=f"the maximum is {AT_LIMIT.reason}")
    if measured.missed:
        return NotKnown(MISSED, "a run without missed strikes would tell")
    return NotKnown()
