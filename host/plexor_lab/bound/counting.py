# SPDX-License-Identifier: Apache-2.0
"""A service's model from the calls in a log of the bus: accesses by section, region and kind.

A call's accesses grow with N. What each step of N adds is a section that runs N times; the rest
runs once. Each is parted by whether the core took no interrupts, or the kernel's scheduler was
suspended, so that other tasks could not run.

Instructions are counted as they retire, each as one read of the section that it lies in: behind the
one before it as a burst read, elsewhere as a read and as a `branch` too. Data is counted by section
and by width in bits, such as `heap32`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np

from plexor.errors import UsageError
from plexor_lab.bound.files.bus_log import (
    BURST,
    JUMP,
    MASKED,
    REGISTERS,
    RecordKind,
    Records,
    ServiceCall,
)
from plexor_lab.bound.files.image import Image
from plexor_lab.bound.model import AccessKind, Count, Model, RegionMap, Repetition, Section

BRANCH = "branch"
SUSPENDED = "uxSchedulerSuspended"
"""Variable of the kernel that is not 0 while no other task runs."""
TRAP = "freertos_risc_v_trap_handler"
"""Where interrupts go."""
Column = tuple[str, AccessKind]
Counts = Mapping[tuple[bool, Column], int]
"""Accesses by whether they block, region and kind."""
_NAMES = {
    (False, False): "once",
    (False, True): "once-blocking",
    (True, False): "each",
    (True, True): "each-blocking",
}
"""Of sections, by whether they run N times and whether they block."""
INTERRUPT = "interrupt"


@dataclass(frozen=True, slots=True)
class Traced:
    """A model, and the calls that it is from."""

    model: Model
    region_map: RegionMap
    """The section in which each region of data lies."""
    calls: int
    interrupted: int
    """Calls that an interrupt came into."""
    ns: tuple[int, ...]
    """N of the calls without, in order; none if it was not noted."""
    excess: int
    """Accesses by which the model exceeds the counts, over all those N; 0: it has each count."""
    discarded: int
    """Fetches, in all calls, of instructions that did not retire."""


def traced(found: Iterable[ServiceCall], image: Image, title: str, interrupts: int = 0) -> Traced:
    """Return the model of the calls, with a section for so many interrupts during one.

    Its counts are never below those of a call without interrupts. Raises UsageError if no such call
    is there, if some say their N and others do not, and for interrupts if none came.
    """
    kept: dict[int | None, dict[tuple[bool, Column], int]] = {}
    broken: list[tuple[int | None, int, Counter[Column]]] = []
    number = discarded = 0
    for call in found:
        number += 1
        counts, entries, thrown = _counted(call.records, image)
        discarded += thrown
        if entries:
            total: Counter[Column] = Counter()
            for (_, column), count in counts.items():
                total[column] += count
            broken.append((call.n, entries, total))
            continue
        most = kept.setdefault(call.n, {})
        for key, count in counts.items():
            most[key] = max(most.get(key, 0), count)
    if not kept:
        raise UsageError(
            f"the log has {number} calls, each with an interrupt in it; must have one without"
            if number
            else "the log has no call; must have one: is it the right pin?"
        )
    if len(kept) > 1 and None in kept:
        raise UsageError("some calls in the log have an N, others none; must all have one")
    lines, excess = _lines({n or 0: counts for n, counts in kept.items()})
    if interrupts and not broken:
        raise UsageError(
            f"no interrupt came into any of {number} calls; must be one to count: strike more "
            "often, or at random phases"
        )
    sections = [*_sections(lines), *(_interrupt(broken, lines, interrupts) if interrupts else ())]
    regions = {count.region for section in sections for count in section.counts}
    return Traced(
        Model(title, tuple(sections)),
        RegionMap({name: name.rstrip("0123456789") for name in sorted(regions) if _of_data(name)}),
        number,
        len(broken),
        tuple(sorted(n for n in kept if n is not None)),
        excess,
        discarded,
    )


def _of_data(region: str) -> bool:
    return region[-1:].isdigit()


def _counted(records: Records, image: Image) -> tuple[dict[tuple[bool, Column], int], int, int]:
    """Return a call's accesses, how often it was interrupted, and the fetches for nothing."""
    kind, address, flags = records["kind"], records["address"], records["flags"]
    blocking = (flags & MASKED) > 0
    if SUSPENDED in image.symbols:
        at = np.flatnonzero((kind == RecordKind.WRITE) & (address == image.symbols[SUSPENDED]))
        before = np.searchsorted(at, np.arange(len(records))) - 1
        values = np.append(records["data"][at], 0)  # -1, none before: not suspended
        blocking = blocking | (values[before] > 0)
    retired, jumps = kind == RecordKind.RETIRED, (flags & JUMP) > 0
    bursts = np.where(retired, ~jumps, (flags & BURST) > 0)
    counts: Counter[tuple[bool, Column]] = Counter()
    counted = kind != RecordKind.FETCH
    keys = np.stack([address, kind, records["bytes"], bursts, blocking], axis=1)[counted]
    places = _places(address[counted], image)
    keys[:, 0] = places
    names = [*image.sections, "interrupt_stack", "registers"]
    found, numbers = np.unique(keys, axis=0, return_counts=True)
    rows: list[tuple[int, ...]] = list(map(tuple, found.tolist()))
    for (place, what, size, burst, blocks), count in zip(rows, numbers.tolist(), strict=True):
        name = names[place] if what == RecordKind.RETIRED else f"{names[place]}{8 * size}"
        access = f"{'burst_' if burst else ''}{'write' if what == RecordKind.WRITE else 'read'}"
        counts[bool(blocks), (name, AccessKind(access))] += count
        if what == RecordKind.RETIRED and not burst:
            counts[bool(blocks), (BRANCH, AccessKind.ANY)] += count
    entry = image.symbols.get(TRAP)
    entries = int((retired & (address == entry)).sum()) if entry is not None else 0
    return dict(counts), entries, int((kind == RecordKind.FETCH).sum() - retired.sum())


def _places(address: np.ndarray, image: Image) -> np.ndarray:
    """Return the place of each address in the list of sections, and of what lies outside."""
    places = np.full(len(address), -1)
    lowest = min((first for first, _ in image.sections.values()), default=REGISTERS)
    for place, (first, last) in enumerate(image.sections.values()):
        places[(address >= first) & (address <= last)] = place
    places[address < lowest] = len(image.sections)
    places[address >= REGISTERS] = len(image.sections) + 1
    if (places < 0).any():
        wrong = int(address[(places < 0).argmax()])
        raise UsageError(
            f"{wrong:#x}: an access to no section of the ELF file; must be the file of the "
            "firmware that ran"
        )
    return places


def _lines(kept: Mapping[int, Counts]) -> tuple[dict[tuple[bool, Column], tuple[int, int]], int]:
    """Return, by column, (fixed, per N) of the lowest line that is nowhere below the counts.

    Also return by how much these are above the counts, over all.
    """
    keys = sorted({key for counts in kept.values() for key in counts})
    lines: dict[tuple[bool, Column], tuple[int, int]] = {}
    excess = 0
    for key in keys:
        points = [(n, kept[n].get(key, 0)) for n in sorted(kept)]
        found = min((_above(points, slope) for slope in _slopes(points)), key=lambda line: line[2])
        lines[key] = found[0], found[1]
        excess += found[2]
    return lines, excess


def _slopes(points: Sequence[tuple[int, int]]) -> set[int]:
    """Return slopes that the lowest line above the points may have."""
    pairs = pairwise(points)
    exact = [Fraction(after - before, m - n) for (n, before), (m, after) in pairs]
    return {max(0, ceil(slope)) for slope in exact} | {0}


def _above(points: Sequence[tuple[int, int]], slope: int) -> tuple[int, int, int]:
    fixed = max(0, *(count - slope * n for n, count in points))
    return fixed, slope, sum(fixed + slope * n - count for n, count in points)


def _sections(lines: Mapping[tuple[bool, Column], tuple[int, int]]) -> Iterable[Section]:
    for each in (False, True):
        for blocking in (False, True):
            counts = tuple(
                Count(*column, line[each])
                for (blocks, column), line in lines.items()
                if blocks == blocking and line[each]
            )
            if counts:
                repetition = Repetition(1, of_n=each)
                yield Section(_NAMES[each, blocking], repetition, blocking, counts)


def _interrupt(
    broken: Iterable[tuple[int | None, int, Counter[Column]]],
    lines: Mapping[tuple[bool, Column], tuple[int, int]],
    interrupts: int,
) -> Iterable[Section]:
    """Yield the section of an interrupt: what it adds to a call at most."""
    most: dict[Column, int] = {}
    for n, entries, total in broken:
        own: Counter[Column] = Counter()
        for (_, column), (fixed, slope) in lines.items():
            own[column] += fixed + slope * (n or 0)
        for column, count in total.items():
            added = ceil(Fraction(count - own[column], entries))
            most[column] = max(most.get(column, 0), added)
    counts = tuple(Count(*column, most[column]) for column in sorted(most) if most[column] > 0)
    if counts:
        yield Section(INTERRUPT, Repetition(interrupts), blocking=True, counts=counts)
