# SPDX-License-Identifier: Apache-2.0
"""A bound against a measurement: safe, unsafe, or not proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from plexor.base.errors import ExitCode, InvalidRunError, UsageError
from plexor.library.parts.results import AMBIGUOUS, Kind, Outcome
from plexor.library.parts.show import books, provenance
from plexor.library.reading import Reading, of_name
from plexor.library.specs.values import Naming, plain
from plexor_lab.bound.estimate import ServiceEstimate
from plexor_lab.bound.model import Model, Platform
from plexor_lab.bound.page import Sampled, bound_page
from plexor_lab.bound.spec import OF, OfRun
from plexor_lab.bound.text import check_text
from plexor_lab.bound.verdict import MARK, NS_FS, Bounded, MeasuredMaximum

if TYPE_CHECKING:
    from plexor.library.run import Run
    from plexor.library.scans.phase import PhaseScan

SCHEMA = "plexor.bound-check/2"
GIVEN = "given"
KEY = "N"
"""The key of a run that gives its N: `--label N=13`."""
_KINDS: Mapping[str, Kind] = dict(zip(OF, (Kind.RISE, Kind.WIDTH), strict=True))
"""Kinds of samples that are compared with an estimate, by option."""
_CODES = {
    Outcome.PASS: ExitCode.PASS,
    Outcome.FAIL: ExitCode.BUDGET,
    Outcome.TOO_FEW: ExitCode.INVALID,
    Outcome.NOT_COMPARABLE: ExitCode.INVALID,
}


@dataclass(frozen=True, slots=True)
class BoundCheck:
    """Whether an estimate is safe, and how much it is over, in both conventions."""

    model: Model
    platform: Platform
    n: int | None
    """N; None for a model without one."""
    verdict: Bounded
    estimate: ServiceEstimate
    run: Run | None = None
    """The run that was checked; None for a maximum that was given."""
    channel: str | None = None
    of: str = "latency"

    @property
    def outcome(self) -> Outcome:
        """Whether the estimate is safe."""
        return self.verdict.outcome

    def exit_code(self) -> ExitCode:
        """Return the exit code: BUDGET for an unsafe estimate, INVALID for one not proven."""
        return _CODES[self.outcome]

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return check_text(
            self.model, self.platform, self.n, self.verdict, width=width, colour=colour
        )

    def page(self, scan: PhaseScan | None = None) -> str:
        """Return it as an HTML page: bound, distribution, and a phase scan of the worst case."""
        sampled = None
        if self.run is not None:
            kind = _KINDS[self.of]
            distribution = reading_of(self.run, self.channel).distribution(kind)
            sampled = Sampled(distribution, self.run.tick_fs)
        return bound_page(
            self.model,
            self.platform,
            self.estimate,
            self.verdict,
            self.n,
            sampled,
            None if scan is None else scan.result,
            () if self.run is None else tuple(self.run.device.items()),
            self.document(),
        )

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor lab bound check --json` prints.

        Times are exact nanoseconds as texts, and overestimations exact parts, such as `45/14137`.
        """
        verdict, measured = self.verdict, self.verdict.measured
        return {
            "schema": SCHEMA,
            "model": self.model.title,
            "platform": self.platform.title,
            "n": self.n,
            **verdict.document(),
            "exit_code": int(self.exit_code()),
            "estimate_ns": str(verdict.estimate_ns),
            "measured_ns": _part(measured.max_ns),
            "measured_over_ns": _part(measured.over_ns),
            "margin_ns": _part(verdict.margin_ns),
            "over_measured": _part(verdict.of_measured),
            "over_estimate": _part(verdict.of_estimate),
            "measured": {
                "what": measured.what,
                "provenance": measured.provenance,
                "tick_fs": measured.tick_fs,
                "samples": measured.samples,
                "missed": measured.missed,
                "invalid_reasons": list(measured.invalid_reasons),
            },
            "mark": {"about": MARK.about, "over": str(MARK.part)},
        }


def reading_of(run: Run, channel: str | None, name: Naming = plain) -> Reading:
    """Return a run's channel by its name, or its only one; raise UsageError."""
    names = [channel_reading.name for channel_reading in run.channels]
    if channel is None and len(names) != 1:
        raise UsageError(
            f"{name('channel')}: is missing; this run has {', '.join(names) or 'none'}; name one"
        )
    return of_name(run.channels, names[0] if channel is None else channel)


def at_own_n(run: Run, options: OfRun) -> OfRun:
    """Return the options with the N that the run's key gives, where they have none."""
    own = run.device.get(KEY)
    return options if options.n is not None or own is None else replace(options, n=own)


def measured_of(run: Run, options: OfRun) -> MeasuredMaximum:
    """Return the maximum of a run's channel; see `Bound.check` for what it takes and raises."""
    kind_name = options.kind
    kind = _KINDS[kind_name]
    reading = reading_of(run, options.channel, options.naming)
    if reading.pairing is not None and not reading.pairing.known and kind == Kind.RISE:
        raise InvalidRunError(f"{reading.name}: {AMBIGUOUS}; nothing can be checked")
    known = reading.statistics(kind)
    if not known.count:
        raise InvalidRunError(f"{reading.name}: has no {kind_name}; nothing can be checked")
    most, limit = known.max_ticks, reading.distribution(kind).limit_ticks
    return MeasuredMaximum(
        None if most is None else Fraction(most * run.tick_fs, NS_FS),
        f"{kind_name} of {reading.name}",
        provenance(run.result),
        run.tick_fs,
        known.count,
        reading.missed if kind == Kind.RISE else None,
        books(run.accounting),
        run.invalid_reasons,
        None if most is not None or limit is None else Fraction(limit * run.tick_fs, NS_FS),
    )


def _part(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
