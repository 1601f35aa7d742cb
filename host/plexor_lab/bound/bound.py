# SPDX-License-Identifier: Apache-2.0
"""The bound of a service's time on a platform, by its model: T(N) = A + B x N."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from plexor.base.errors import UsageError
from plexor.library.specs.spec import takes
from plexor.library.specs.values import Time, read, seconds
from plexor_lab.bound.check import GIVEN, KEY, BoundCheck, at_own_n, measured_of
from plexor_lab.bound.estimate import estimate
from plexor_lab.bound.evaluated import Evaluated
from plexor_lab.bound.files.map_file import read_map
from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.model import RegionMap
from plexor_lab.bound.spec import AtN, OfRun
from plexor_lab.bound.verdict import MeasuredMaximum, bounded

if TYPE_CHECKING:
    from plexor.library.run import Run

_NS = 10**9
"""Nanoseconds in a second."""


class Bound:
    """A service on a platform: the model's accesses, each at the platform's time, in nanoseconds.

    `model`, `platform` and `region_map` are files, TOML or CSV. The map says in which region of the
    platform a logical region lies, where their names differ. All figures are exact fractions.

    Raises UsageError, with file, line and what would be right, for a file that is wrong, and for an
    access without a time.
    """

    def __init__(
        self, model: str | Path, platform: str | Path, region_map: str | Path | None = None
    ) -> None:
        self.model = read_model(model)
        self.platform = read_platform(platform)
        self.region_map = RegionMap() if region_map is None else read_map(region_map)
        self.estimate = estimate(self.model, self.platform, self.region_map)
        """Sections, columns and formulas."""

    def total_ns(self, n: int) -> Fraction:
        """Return the bound of the whole service at N = `n`, in nanoseconds. Raises ValueError."""
        return self.estimate.total_ns.at(n)

    def blocked_ns(self, n: int) -> Fraction:
        """Return the bound of its blocking sections at N = `n`, in ns. Raises ValueError."""
        return self.estimate.blocked_ns.at(n)

    def evaluate(self, *ns: int) -> Evaluated:
        """Return the bound part by part, with its values at each N of `ns`.

        Raises UsageError for an N that is no whole number of at least 0.
        """
        known = [AtN.of({"n": n}).n or 0 for n in ns]
        return Evaluated(self.model, self.platform, self.estimate, tuple(dict.fromkeys(known)))

    @takes(OfRun)
    def check(self, run: Run, options: OfRun) -> BoundCheck:
        """Check the maximum of a run against the bound at N = `n`.

        `kind` is `latency` or `on-width`, of the channel with that name; without `channel`, of the
        only one. Without `n`, the run's key N says it.

        Raises UsageError for an N, a channel or a `kind` that is missing or is none, and
        InvalidRunError for a channel without samples.
        """
        options = at_own_n(run, options)
        judged = self._judged(measured_of(run, options), options)
        return replace(judged, run=run, channel=options.channel, of=options.kind)

    @takes(AtN)
    def check_value(self, measured: Time, options: AtN) -> BoundCheck:
        """Check a measured time against the bound at N = `n`.

        `measured` is a text such as `51111ns`, or a number of seconds. Raises UsageError for one
        that is not above 0, and for an N that is missing or is none.
        """
        value_ns = read({"measured": measured}, {"measured": seconds})["measured"] * _NS
        if value_ns <= 0:
            name = options.naming("measured")
            raise UsageError(f"{name}: {measured}; must be above 0, such as 51111ns")
        return self._judged(MeasuredMaximum(value_ns, "maximum", GIVEN), options)

    def _judged(self, measured: MeasuredMaximum, options: AtN) -> BoundCheck:
        """Return the verdict on a maximum; raise UsageError for an N that is missing."""
        n = options.n
        if n is None and self.model.grows:
            raise UsageError(
                f"{options.naming('n')}: is missing; {self.model.title} takes longer with N: give "
                f"it, or measure with the key {KEY}, such as {KEY}=13"
            )
        return BoundCheck(
            self.model,
            self.platform,
            n,
            bounded(self.estimate.total_ns.at(n or 0), measured),
            self.estimate,
        )
