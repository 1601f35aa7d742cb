# SPDX-License-Identifier: Apache-2.0
"""What a bound is made of: a service's accesses, a platform's times, and where sections lie.

The model is that of D. P. B. Renaux, R. E. de Góes and R. R. Linhares, "Performance
Characterization of Real-Time Operating Systems for Systems-on-Silicon", 12th Brazilian Workshop on
Real-Time and Embedded Systems, sections 4 and 5. The kernel's provider counts accesses, the
hardware's designer knows their times, and who links the software knows which section lies where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from plexor_lab.bound.formula import Formula


class AccessKind(StrEnum):
    """A kind of access."""

    READ = "read"
    WRITE = "write"
    BURST_READ = "burst_read"
    BURST_WRITE = "burst_write"
    ANY = "any"  # of a model: not parted by kind; of a platform: each kind that it does not name


@dataclass(frozen=True, slots=True)
class Repetition:
    """How often a section runs: `factor` times, or `factor` x N times."""

    factor: int
    of_n: bool = False

    @property
    def formula(self) -> Formula:
        """The number of times."""
        factor = Fraction(self.factor)
        return Formula(per_n=factor) if self.of_n else Formula(factor)

    def __str__(self) -> str:
        """Return it as files have it: `1`, `N` or `2*N`."""
        if not self.of_n:
            return str(self.factor)
        return "N" if self.factor == 1 else f"{self.factor}*N"


@dataclass(frozen=True, slots=True)
class Count:
    """How many accesses of one kind to one logical region a section makes each time it runs."""

    region: str
    access: AccessKind
    number: int


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a service whose code runs equally often, and blocks or does not block."""

    name: str
    repetition: Repetition
    blocking: bool
    """Whether it keeps interrupts or other tasks from running."""
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """A service: its sections in order."""

    title: str
    sections: tuple[Section, ...]
    place: Callable[[str, Count], str] = field(compare=False, default=lambda _section, _count: "-")
    """Returns the file and the line of a section's count, for messages."""

    @property
    def grows(self) -> bool:
        """Whether anything depends on N."""
        return any(section.repetition.of_n for section in self.sections)


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform: the time of an access, by region and kind, in nanoseconds."""

    title: str
    file: str
    """Where it comes from, for messages."""
    times_ns: Mapping[tuple[str, AccessKind], Fraction]

    @property
    def regions(self) -> tuple[str, ...]:
        """Names of all regions, in order."""
        return tuple(dict.fromkeys(region for region, _ in self.times_ns))

    def time_ns(self, region: str, access: AccessKind) -> Fraction | None:
        """Return the time of an access to a region; None if it is not known.

        Accesses that a model does not part by kind take the slower of read and write.
        """
        for kind in (access, AccessKind.ANY):
            if (region, kind) in self.times_ns:
                return self.times_ns[region, kind]
        times_ns = [
            self.times_ns.get((region, kind)) for kind in (AccessKind.READ, AccessKind.WRITE)
        ]
        known = [time for time in times_ns if time is not None]
        return max(known) if access == AccessKind.ANY and len(known) == 2 else None


@dataclass(frozen=True, slots=True)
class RegionMap:
    """Regions of a platform by the logical ones that lie there. Others have the same name."""

    regions: Mapping[str, str] = field(default_factory=dict[str, str])
    place: Callable[[str], str] = field(compare=False, default=lambda _logical: "-")
    """Returns the file and the line of a logical region, for messages."""

    def of(self, logical: str) -> str:
        """Return the platform's region of a logical one."""
        return self.regions.get(logical, logical)


def column_name(region: str, access: AccessKind) -> str:
    """Return what stands for accesses in files and prints: `heap.read`, or `stack` for any."""
    return region if access == AccessKind.ANY else f"{region}.{access}"
