# SPDX-License-Identifier: Apache-2.0
"""The bound of a service on a platform: T(N) = A + B x N, exactly.

Each section costs its repetition times the sum, over the columns of counts, of count x access time
(Renaux, de Góes and Linhares, section 5.2). All is summed as fractions, and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from plexor.base.errors import UsageError
from plexor_lab.bound.formula import ZERO, Formula
from plexor_lab.bound.model import (
    AccessKind,
    Count,
    Model,
    Platform,
    RegionMap,
    Section,
    column_name,
)

_MOST_NAMED = 10
"""Regions that a message lists."""


@dataclass(frozen=True, slots=True)
class SectionBound:
    """The bound of one section."""

    section: Section
    once_ns: Fraction
    """Time of each run of the section."""

    @property
    def total_ns(self) -> Formula:
        """Time of all its runs."""
        return self.section.repetition.formula.times(self.once_ns)


@dataclass(frozen=True, slots=True)
class ColumnBound:
    """The bound of all accesses of one kind to one logical region."""

    region: str
    access: AccessKind
    placed: str
    """The platform's region that holds it."""
    time_ns: Fraction
    """Time of one access."""
    accesses: Formula

    @property
    def name(self) -> str:
        """Its name in files."""
        return column_name(self.region, self.access)

    @property
    def total_ns(self) -> Formula:
        """Time of all accesses."""
        return self.accesses.times(self.time_ns)


@dataclass(frozen=True, slots=True)
class ServiceEstimate:
    """The bound of a service. Sections and columns are in the model's order."""

    sections: tuple[SectionBound, ...]
    columns: tuple[ColumnBound, ...]

    @property
    def total_ns(self) -> Formula:
        """The whole service."""
        return _sum(section.total_ns for section in self.sections)

    @property
    def blocked_ns(self) -> Formula:
        """The sections that block, together."""
        return _sum(bound.total_ns for bound in self.sections if bound.section.blocking)


def estimate(model: Model, platform: Platform, region_map: RegionMap) -> ServiceEstimate:
    """Return the bound of a service on a platform.

    Raises UsageError, with file and line, for a map to a region that the platform does not have,
    and for a count without an access time.
    """
    for logical, region in region_map.regions.items():
        if region not in platform.regions:
            raise UsageError(
                f"{region_map.place(logical)}: {logical}: {_no_region(region, platform)}"
            )
    sections: list[SectionBound] = []
    columns: dict[tuple[str, AccessKind], ColumnBound] = {}
    for section in model.sections:
        once_ns = Fraction(0)
        for count in section.counts:
            placed = region_map.of(count.region)
            time_ns = platform.time_ns(placed, count.access)
            if time_ns is None:
                raise UsageError(
                    f"{model.place(section.name, count)}: section {section.name}: "
                    f"{_missing(count, placed, platform)}"
                )
            once_ns += count.number * time_ns
            known = columns.get((count.region, count.access))
            columns[count.region, count.access] = ColumnBound(
                count.region,
                count.access,
                placed,
                time_ns,
                (ZERO if known is None else known.accesses)
                + section.repetition.formula.times(count.number),
            )
        sections.append(SectionBound(section, once_ns))
    return ServiceEstimate(tuple(sections), tuple(columns.values()))


def _sum(formulas: Iterable[Formula]) -> Formula:
    return reduce(Formula.__add__, formulas, ZERO)


def _missing(count: Count, placed: str, platform: Platform) -> str:
    """Return the error for a count without a time, and what would be right."""
    name = column_name(count.region, count.access)
    if placed not in platform.regions:
        return f"{name}: {_no_region(placed, platform)}, or map {count.region} to one of these"
    access_names = "read and write" if count.access == AccessKind.ANY else str(count.access)
    return f"{name}: {platform.file} has no time for it; give {placed} one for {access_names}"


def _no_region(region: str, platform: Platform) -> str:
    known = platform.regions
    names = ", ".join(known if len(known) <= _MOST_NAMED else (*known[:_MOST_NAMED], "…"))
    return f"{platform.file} has no region {region!r}; it has {names}; add it there"
