# SPDX-License-Identifier: Apache-2.0
"""A service's model from the calls in a log of the bus: accesses by section, region and kind.

A call's accesses grow with N. The accesses that each step of N adds form a section that runs N
times; the rest runs once. Each is split by whether other tasks could run: not while the core takes
no interrupts, or the kernel's scheduler is suspended.

Instructions are counted as they retire, each as one read of its section: as a burst read directly
after the previous instruction, otherwise as a read and a `branch`. Data is counted by section
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

from plexor.base.counts import counted
from plexor.base.errors import UsageError
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
    """A model, and the calls that it was counted from."""

    model: Model
    region_map: RegionMap
    """The section in which each region of data lies."""
    calls: int
    interrupted: int
    """Number of calls with an interrupt."""
    ns: tuple[int, ...]
    """N of the calls without an interrupt, ascending; empty if it was not logged."""
    excess: int
    """Accesses by which the model exceeds the counts, over all N; 0: it meets each count."""
    discarded: int
    """Fetches, in all calls, of instructions that did not retire."""


def traced(calls: Iterable[ServiceCall], image: Image, title: str, interrupts: int = 0) -> Traced:
    """Return the model of the calls, with a section for so many interrupts during one.

    Its counts are never below those of a call without interrupts. Raises UsageError if no such call
    is there, if some say their N and others do not, and for interrupts if none came.
    """
    counts_by_n: dict[int | None, dict[tuple[bool, Column], int]] = {}
    interrupted: list[tuple[int | None, int, Counter[Column]]] = []
    number = discarded = 0
    for call in calls:
        number += 1
        counts, trap_entries, thrown = _counted(call.records, image)
        discarded += thrown
        if trap_entries:
            total: Counter[Column] = Counter()
            for (_, column), count in counts.items():
                total[column] += count
            interrupted.append((call.n, trap_entries, total))
            continue
        most = counts_by_n.setdefault(call.n, {})
        for key, count in counts.items():
            most[key] = max(most.get(key, 0), count)
    if not counts_by_n:
        raise UsageError(
            f"the log has {counted(number, 'call')}, each with an interrupt in it; must have one "
            "without"
            if number
            else "the log has no call; must have one: is it the right pin?"
        )
    if len(counts_by_n) > 1 and None in counts_by_n:
        raise UsageError("some calls in the log have an N, others none; must all have one")
    lines, excess = _lines({n or 0: counts for n, counts in counts_by_n.items()})
    if interrupts and not interrupted:
        raise UsageError(
            f"no interrupt came into any of {counted(number, 'call')}; must be one to count: "
            "strike more "
            "often, or at random phases"
        )
    sections = [
        *_sections(lines),
        *(_interrupt(interrupted, lines, interrupts) if interrupts else ()),
    ]
    regions = {count.region for section in sections for count in section.counts}
    return Traced(
        Model(title, tuple(sections)),
        RegionMap({name: name.rstrip("0123456789") for name in sorted(regions) if _of_data(name)}),
        number,
        len(interrupted),
        tuple(sorted(n for n in counts_by_n if n is not None)),
        excess,
        discarded,
    )


def _of_data(region: str) -> bool:
    return region[-1:].isdigit()


def _counted(records: Records, image: Image) -> tuple[dict[tuple[bool, Column], int], int, int]:
    """Return a call's accesses, its interrupts, and its fetches that did not retire."""
    kind, address, flags = records["kind"], records["address"], records["flags"]
    blocking = (flags & MASKED) > 0
    if SUSPENDED in image.symbols:
        write_positions = np.flatnonzero(
            (kind == RecordKind.WRITE) & (address == image.symbols[SUSPENDED])
        )
        last_write = np.searchsorted(write_positions, np.arange(len(records))) - 1
        values = np.append(records["data"][write_positions], 0)  # -1, none before: not suspended
        blocking = blocking | (values[last_write] > 0)
    retired, jumps = kind == RecordKind.RETIRED, (flags & JUMP) > 0
    bursts = np.where(retired, ~jumps, (flags & BURST) > 0)
    counts: Counter[tuple[bool, Column]] = Counter()
    counted = kind != RecordKind.FETCH
    keys = np.stack([address, kind, records["bytes"], bursts, blocking], axis=1)[counted]
    section_numbers = _places(address[counted], image)
    keys[:, 0] = section_numbers
    names = [*image.sections, "interrupt_stack", "registers"]
    unique_keys, numbers = np.unique(keys, axis=0, return_counts=True)
    rows: list[tuple[int, ...]] = list(map(tuple, unique_keys.tolist()))
    for (number, record_kind, size, burst, blocks), count in zip(
        rows, numbers.tolist(), strict=True
    ):
        name = names[number] if record_kind == RecordKind.RETIRED else f"{names[number]}{8 * size}"
        access = (
            f"{'burst_' if burst else ''}{'write' if record_kind == RecordKind.WRITE else 'read'}"
        )
        counts[bool(blocks), (name, AccessKind(access))] += count
        if record_kind == RecordKind.RETIRED and not burst:
            counts[bool(blocks), (BRANCH, AccessKind.ANY)] += count
    trap_address = image.symbols.get(TRAP)
    trap_entries = (
        int((retired & (address == trap_address)).sum()) if trap_address is not None else 0
    )
    fetches = int((kind == RecordKind.FETCH).sum())
    # A trace of another simulator has none.
    return dict(counts), trap_entries, fetches - int(retired.sum()) if fetches else 0


def _places(address: np.ndarray, image: Image) -> np.ndarray:
    """Return the section number of each address; two more numbers stand for stack and registers."""
    section_numbers = np.full(len(address), -1)
    lowest = min((first for first, _ in image.sections.values()), default=REGISTERS)
    section_numbers[address < lowest] = len(image.sections)
    section_numbers[address >= REGISTERS] = len(image.sections) + 1
    for number, (first, last) in enumerate(image.sections.values()):
        section_numbers[(address >= first) & (address <= last)] = number
    if (section_numbers < 0).any():
        wrong = int(address[(section_numbers < 0).argmax()])
        raise UsageError(
            f"{wrong:#x}: an access to no section of the ELF file; must be the file of the "
            "firmware that ran"
        )
    return section_numbers


def _lines(
    counts_by_n: Mapping[int, Counts],
) -> tuple[dict[tuple[bool, Column], tuple[int, int]], int]:
    """Return, by column, (fixed, per N) of the lowest line above all counts, and the total excess.

    The excess is the sum of the lines minus the counts.
    """
    keys = sorted({key for counts in counts_by_n.values() for key in counts})
    lines: dict[tuple[bool, Column], tuple[int, int]] = {}
    excess = 0
    for key in keys:
        points = [(n, counts_by_n[n].get(key, 0)) for n in sorted(counts_by_n)]
        lowest = min((_above(points, slope) for slope in _slopes(points)), key=lambda line: line[2])
        lines[key] = lowest[0], lowest[1]
        excess += lowest[2]
    return lines, excess


def _slopes(points: Sequence[tuple[int, int]]) -> set[int]:
    """Return slopes that the lowest line above the points may have."""
    pairs = pairwise(points)
    exact = [
        Fraction(second_count - first_count, m - n) for (n, first_count), (m, second_count) in pairs
    ]
    return {max(0, ceil(slope)) for slope in exact} | {0}


def _above(points: Sequence[tuple[int, int]], slope: int) -> tuple[int, int, int]:
    fixed = max(0, *(count - slope * n for n, count in points))
    return fixed, slope, sum(fixed + slope * n - count for n, count in points)


def _sections(lines: Mapping[tuple[bool, Column], tuple[int, int]]) -> Iterable[Section]:
    for of_n in (False, True):
        for blocking in (False, True):
            counts = tuple(
                Count(*column, line[of_n])
                for (blocks, column), line in lines.items()
                if blocks == blocking and line[of_n]
            )
            if counts:
                repetition = Repetition(1, of_n=of_n)
                yield Section(_NAMES[of_n, blocking], repetition, blocking, counts)


def _interrupt(
    interrupted: Iterable[tuple[int | None, int, Counter[Column]]],
    lines: Mapping[tuple[bool, Column], tuple[int, int]],
    interrupts: int,
) -> Iterable[Section]:
    """Yield the section of an interrupt: what it adds to a call at most."""
    most: dict[Column, int] = {}
    for n, trap_entries, total in interrupted:
        own: Counter[Column] = Counter()
        for (_, column), (fixed, slope) in lines.items():
            own[column] += fixed + slope * (n or 0)
        for column, count in total.items():
            added = ceil(Fraction(count - own[column], trap_entries))
            most[column] = max(most.get(column, 0), added)
    counts = tuple(Count(*column, most[column]) for column in sorted(most) if most[column] > 0)
    if counts:
        yield Section(INTERRUPT, Repetition(interrupts), blocking=True, counts=counts)
