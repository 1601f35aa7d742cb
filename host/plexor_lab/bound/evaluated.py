# SPDX-License-Identifier: Apache-2.0
"""A bound, evaluated: as text, and as a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plexor_lab.bound.estimate import ServiceEstimate
from plexor_lab.bound.formula import Formula
from plexor_lab.bound.model import Model, Platform

SCHEMA = "plexor.bound/1"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What a service takes at most, part by part, and at each N of `ns`."""

    model: Model
    platform: Platform
    estimate: ServiceEstimate
    ns: tuple[int, ...]

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        from plexor_lab.bound.text import bound_text  # noqa: PLC0415

        return bound_text(
            self.model, self.platform, self.estimate, self.ns, width=width, colour=colour
        )

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor bound eval --json` prints.

        Times are exact nanoseconds as texts, such as `56728` or `126895/9`. A formula has what is
        `fixed` and what is added `per_n`.
        """
        found = self.estimate
        return {
            "schema": SCHEMA,
            "provenance": "computed",
            "model": self.model.title,
            "platform": self.platform.title,
            "total_ns": _formula(found.total_ns),
            "blocked_ns": _formula(found.blocked_ns),
            "sections": [
                {
                    "name": entry.section.name,
                    "repetition": str(entry.section.repetition),
                    "blocking": entry.section.blocking,
                    "once_ns": str(entry.once_ns),
                    "total_ns": _formula(entry.total_ns),
                }
                for entry in found.sections
            ],
            "columns": [
                {
                    "region": entry.region,
                    "access": entry.access.value,
                    "placed": entry.placed,
                    "time_ns": str(entry.time_ns),
                    "accesses": _formula(entry.accesses),
                    "total_ns": _formula(entry.total_ns),
                }
                for entry in found.columns
            ],
            "at": [self._at(n) for n in self.ns],
        }

    def _at(self, n: int) -> dict[str, Any]:
        found = self.estimate
        return {
            "n": n,
            "total_ns": str(found.total_ns.at(n)),
            "blocked_ns": str(found.blocked_ns.at(n)),
            "sections_ns": [str(entry.total_ns.at(n)) for entry in found.sections],
            "columns_accesses": [str(entry.accesses.at(n)) for entry in found.columns],
            "columns_ns": [str(entry.total_ns.at(n)) for entry in found.columns],
        }


def _formula(formula: Formula) -> dict[str, str]:
    return {"fixed": str(formula.fixed), "per_n": str(formula.per_n)}
