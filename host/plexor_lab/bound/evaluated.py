# SPDX-License-Identifier: Apache-2.0
"""A bound, evaluated: as text, and as a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plexor_lab.bound.estimate import ServiceEstimate
from plexor_lab.bound.formula import Formula
from plexor_lab.bound.model import Model, Platform
from plexor_lab.bound.text import bound_text

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
        return bound_text(
            self.model, self.platform, self.estimate, self.ns, width=width, colour=colour
        )

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor lab bound eval --json` prints.

        Times are exact nanoseconds as texts, such as `56728` or `126895/9`. A formula has what is
        `fixed` and what is added `per_n`.
        """
        estimate = self.estimate
        return {
            "schema": SCHEMA,
            "provenance": "computed",
            "model": self.model.title,
            "platform": self.platform.title,
            "total_ns": _formula(estimate.total_ns),
            "blocked_ns": _formula(estimate.blocked_ns),
            "sections": [
                {
                    "name": section_bound.section.name,
                    "repetition": str(section_bound.section.repetition),
                    "blocking": section_bound.section.blocking,
                    "once_ns": str(section_bound.once_ns),
                    "total_ns": _formula(section_bound.total_ns),
                }
                for section_bound in estimate.sections
            ],
            "columns": [
                {
                    "region": column.region,
                    "access": column.access.value,
                    "placed": column.placed,
                    "time_ns": str(column.time_ns),
                    "accesses": _formula(column.accesses),
                    "total_ns": _formula(column.total_ns),
                }
                for column in estimate.columns
            ],
            "at": [self._at(n) for n in self.ns],
        }

    def _at(self, n: int) -> dict[str, Any]:
        estimate = self.estimate
        return {
            "n": n,
            "total_ns": str(estimate.total_ns.at(n)),
            "blocked_ns": str(estimate.blocked_ns.at(n)),
            "sections_ns": [
                str(section_bound.total_ns.at(n)) for section_bound in estimate.sections
            ],
            "columns_accesses": [str(column.accesses.at(n)) for column in estimate.columns],
            "columns_ns": [str(column.total_ns.at(n)) for column in estimate.columns],
        }


def _formula(formula: Formula) -> dict[str, str]:
    return {"fixed": str(formula.fixed), "per_n": str(formula.per_n)}
