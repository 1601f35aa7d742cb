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

from plexor.errors import UsageError
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
    """What one section takes."""

    section: Section
    once_ns: Fraction
    """Each time that it runs."""

    @property
    def total_ns(self) -> Formula:
        """All times together."""
        return self.section.repetition.formula.times(self.once_ns)


@dataclass(frozen=True, slots=True)
class ColumnBound:
    """What all accesses of one kind to one logical region take."""

    region: str
    access: AccessKind
    placed: str
    """The platform's region in which it lies."""
    time_ns: Fraction
    """Of one access."""
    accesses: Formula

    @property
    def name(self) -> str:
        """As files have it."""
        return column_name(self.region, self.access)

    @property
    def total_ns(self) -> Formula:
        """All accesses together."""
        return self.accesses.times(self.time_ns)


@dataclass(frozen=True, slots=True)
class ServiceEstimate:
    """What a service takes at most. Sections and columns are in the model's order."""

    sections: tuple[SectionBound, ...]
    columns: tuple[ColumnBound, ...]

    @property
    def total_ns(self) -> Formula:
        """The whole service."""
        return _sum(entry.total_ns for entry in self.sections)

    @property
    def blocked_ns(self) -> Formula:
        """The sections that block, together."""
        return _sum(entry.total_ns for entry in self.sections if entry.section.blocking)


def estimate(model: Model, platform: Platform, region_map: RegionMap) -> ServiceEstimate:
    """Return what a service takes at most on a platform.

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


def _sum(parts: Iterable[Formula]) -> Formula:
    return reduce(Formula.__add__, parts, ZERO)


def _missing(count: Count, placed: str, platform: Platform) -> str:
    """Return what is wrong with a count that has no time, and what would be right."""
    name = column_name(count.region, count.access)
    if placed not in platform.regions:
        return f"{name}: {_no_region(placed, platform)}, or map {count.region} to one of these"
    wanted = "read and write" if count.access == AccessKind.ANY else str(count.access)
    return f"{name}: {platform.file} has no time for it; give {placed} one for {wanted}"


def _no_region(region: str, platform: Platform) -> str:
    known = platform.regions
    names = ", ".join(known if len(known) <= _MOST_NAMED else (*known[:_MOST_NAMED], "…"))
    return f"{platform.file} has no region {region!r}; it has {names}; add it there"
