# SPDX-License-Identifier: Apache-2.0
"""What the accesses of measured services take, by least squares over services and platforms.

An access takes its platform's time, and a core adds some of its own: to each data access by kind,
and to each access that no platform has a time for, such as `branch`, all of it. An instruction
takes its fetch, or what the core needs for it at least, whichever is longer: `fetch`. These terms
are the core's, equal on all platforms, and none is below 0. The sum of the squares of the relative
errors is the smallest that they can give.

A bound from them is the estimate times a margin: the largest of measured over estimated. No
measurement of these services is above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil

import numpy as np
import numpy.typing as npt

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor_lab.bound.files.measured_file import Service
from plexor_lab.bound.formula import ZERO, Formula
from plexor_lab.bound.model import AccessKind, Model, Platform, RegionMap, column_name

FETCH, READ, WRITE = "fetch", "read", "write"
_OF = {
    AccessKind.READ: READ,
    AccessKind.BURST_READ: READ,
    AccessKind.WRITE: WRITE,
    AccessKind.BURST_WRITE: WRITE,
}
MOST_TERMS = 10
_STEPS = 1000
"""A term is a multiple of 1/_STEPS ns, and so is the margin of 1/_STEPS %."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Term:
    """What a core adds to accesses of one kind."""

    name: str
    time_ns: Fraction


@dataclass(frozen=True, slots=True)
class EstimatedService:
    """A service beside its estimates."""

    service: Service
    estimate_ns: Fraction
    plain_ns: Fraction
    """The sum of the accesses' times on the platform, without the core's terms."""

    @property
    def error(self) -> Fraction:
        """The estimate's error, as a part of what was measured."""
        return self.estimate_ns / self.service.measured_ns - 1

    @property
    def plain_error(self) -> Fraction:
        """The plain sum's error, as a part of what was measured."""
        return self.plain_ns / self.service.measured_ns - 1


@dataclass(frozen=True, slots=True)
class Fit:
    """The core's terms, and how well they fit."""

    fetched: frozenset[str]
    """Logical regions whose reads are fetches."""
    terms: tuple[Term, ...]
    is_unique: bool
    """Whether the services tell each term from the others."""
    services: tuple[EstimatedService, ...]
    margin: Fraction
    """By which estimates are multiplied for a bound; at least 1."""

    def compare(self, services: Sequence[Service]) -> tuple[EstimatedService, ...]:
        """Return services beside their estimates by these terms."""
        terms = {term.name: term.time_ns for term in self.terms}
        return tuple(_compared(service, terms, self.fetched) for service in services)

    def platform(
        self,
        platform: Platform,
        models: Sequence[tuple[Model, RegionMap]],
        bound: bool,
    ) -> Platform:
        """Return the time of each access of some models on a platform, core included.

        Its regions are the models' own. As a bound each time is multiplied by the margin. Raises
        UsageError for an access that has neither a time on the platform nor a term.
        """
        terms = {term.name: term.time_ns for term in self.terms}
        times: dict[tuple[str, AccessKind], Fraction] = {}
        for model, region_map in models:
            for section in model.sections:
                for count in section.counts:
                    key = (count.region, count.access)
                    known = platform.time_ns(region_map.of(count.region), count.access)
                    if known is None and column_name(*key) not in terms:
                        raise UsageError(
                            f"{platform.file}: has no time for {column_name(*key)}; add it there, "
                            "or measure where it has none either"
                        )
                    own = _time(key, known, terms, self.fetched)
                    times[key] = _up(own * self.margin) if bound else own
        kind = "bound" if bound else "fitted"
        return Platform(f"{platform.title}, {kind}", platform.file, times)


def fit(services: Sequence[Service], fetched: frozenset[str]) -> Fit:
    """Return the core's terms by services that were measured, on one platform or on several.

    Raises UsageError if these are fewer than the terms.
    """
    sums = [_sums(service) for service in services]
    names = _names(services, sums, fetched)
    if len(names) > min(MOST_TERMS, len(services)):
        most = counted(len(services), "service") if len(names) > len(services) else f"{MOST_TERMS}"
        raise UsageError(
            f"{len(names)} times are not known: {', '.join(names)}; must be at most {most}: "
            "measure more services, or give their times in the platform's file"
        )
    times, is_unique = _solved(services, sums, names, fetched)
    terms = {name: Fraction(round(times[name] * _STEPS), _STEPS) for name in names}
    compared = tuple(_compared(service, terms, fetched) for service in services)
    ordered = tuple(Term(name, terms[name]) for name in names)
    return Fit(fetched, ordered, is_unique, compared, margin_over(compared))


def _up(time_ns: Fraction) -> Fraction:
    return Fraction(ceil(time_ns * _STEPS), _STEPS)


def margin_over(compared: Sequence[EstimatedService]) -> Fraction:
    """Return the largest of measured over estimated, rounded up, at least 1."""
    longest = max(service.service.measured_ns / service.estimate_ns for service in compared)
    steps = 100 * _STEPS
    return max(Fraction(1), Fraction(ceil(longest * steps), steps))


def errors(compared: Sequence[EstimatedService]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return mean and largest error of the estimates, then of the plain sums, all as sizes."""
    own = [abs(service.error) for service in compared]
    plain = [abs(service.plain_error) for service in compared]
    count = len(compared)
    return sum(own, Fraction(0)) / count, max(own), sum(plain, Fraction(0)) / count, max(plain)


Sums = Mapping[tuple[str, AccessKind], tuple[int, Fraction | None]]
"""Accesses of a service by region and kind, and the platform's time of each."""


def _sums(service: Service) -> Sums:
    totals: dict[tuple[str, AccessKind], Formula] = {}
    for section in service.model.sections:
        for count in section.counts:
            key = (count.region, count.access)
            addend = section.repetition.formula.times(count.number)
            totals[key] = totals.get(key, ZERO) + addend
    return {
        key: (
            int(formula.at(service.n)),
            service.platform.time_ns(service.region_map.of(key[0]), key[1]),
        )
        for key, formula in totals.items()
    }


def _names(services: Sequence[Service], sums: Sequence[Sums], fetched: frozenset[str]) -> list[str]:
    """Return the names of the terms; raise UsageError where platforms differ in what they have."""
    names: dict[str, None] = {}
    without: dict[str, bool] = {}
    for service, totals in zip(services, sums, strict=True):
        for (region, access), (_, known) in totals.items():
            name = column_name(region, access)
            if without.setdefault(name, known is None) != (known is None):
                raise UsageError(
                    f"{service.platform.file}: {name}: some platforms have a time for it, others "
                    "none; must be in all or in none"
                )
            if known is None:
                names[name] = None
            elif region in fetched:
                names[FETCH] = None
            elif access in _OF:
                names[_OF[access]] = None
    order = [name for name in (FETCH, READ, WRITE) if name in names]
    return [*order, *(name for name in names if name not in order)]


def _time(
    key: tuple[str, AccessKind],
    known: Fraction | None,
    terms: Mapping[str, Fraction],
    fetched: frozenset[str],
) -> Fraction:
    region, access = key
    if known is None:
        return terms[column_name(region, access)]
    if region in fetched:
        return max(known, terms.get(FETCH, Fraction(0)))
    return known + terms.get(_OF.get(access, ""), 0)


def _compared(
    service: Service, terms: Mapping[str, Fraction], fetched: frozenset[str]
) -> EstimatedService:
    estimate = plain = Fraction(0)
    for key, (number, known) in _sums(service).items():
        if known is None and column_name(*key) not in terms:
            raise UsageError(
                f"{service.platform.file}: has no time for {column_name(*key)}, and none was fitted"
            )
        estimate += number * _time(key, known, terms, fetched)
        plain += number * (known or 0)
    if not estimate:
        raise UsageError(f"{service.model.title}: makes no access that takes time")
    return EstimatedService(service, estimate, plain)


def _solved(
    services: Sequence[Service], sums: Sequence[Sums], names: Sequence[str], fetched: frozenset[str]
) -> tuple[dict[str, float], bool]:
    """Return the best terms, and whether they are the only ones.

    Between two neighbours of the fetches' times all is linear, also in the term `fetch`.
    """
    known_ns = {
        float(time)
        for totals in sums
        for (region, _), (_, time) in totals.items()
        if region in fetched and time is not None
    }
    ends = sorted({0.0, *known_ns})
    # At either end of a range the term is fixed; within, it is solved for.
    tries: list[tuple[float, float | None]] = [(low, low) for low in ends]
    tries += [(low, None) for low in ends]
    best: tuple[float, dict[str, float], bool] | None = None
    for number, (low, fixed) in enumerate(tries):
        high = next((end for end in ends if end > low), float("inf"))
        free = [name for name in names if fixed is None or name != FETCH]
        if FETCH not in names and (fixed is None or number):
            continue
        matrix, target = _system(services, sums, free, fetched, low, fixed)
        values, squares, is_unique = _non_negative(matrix, target)
        totals = dict(zip(free, values, strict=True))
        if fixed is not None:
            totals[FETCH] = fixed
        elif not low <= totals[FETCH] <= high:
            continue
        if best is None or squares < best[0] - 1e-15:
            best = (squares, totals, is_unique)
    assert best is not None  # the first is always there
    return best[1], best[2]


def _system(
    services: Sequence[Service],
    sums: Sequence[Sums],
    free: Sequence[str],
    fetched: frozenset[str],
    low: float,
    fixed: float | None,
) -> tuple[Floats, Floats]:
    """Return what each term adds, and what is left for them, as parts of what was measured."""
    matrix = np.zeros((len(services), len(free)))
    target = np.ones(len(services))
    for row, (service, totals) in enumerate(zip(services, sums, strict=True)):
        measured = float(service.measured_ns)
        for (region, access), (number, known) in totals.items():
            if known is None:
                matrix[row, free.index(column_name(region, access))] += number / measured
                continue
            time = float(known)
            if region in fetched and time <= low:
                if fixed is None:
                    matrix[row, free.index(FETCH)] += number / measured
                    continue
                time = fixed
            elif region not in fetched and access in _OF:
                matrix[row, free.index(_OF[access])] += number / measured
            target[row] -= number * time / measured
    return matrix, target


def _non_negative(matrix: Floats, target: Floats) -> tuple[Floats, float, bool]:
    """Return the least squares without negative values, their sum, and whether they are unique.

    The best has some values at 0 and is the plain least squares of the others.
    """
    size = matrix.shape[1]
    best = np.zeros(size)
    squares = float(target @ target)
    is_unique = bool(np.linalg.matrix_rank(matrix) == size) if size else True
    for count in range(1, size + 1):
        for chosen in combinations(range(size), count):
            columns = matrix[:, chosen]
            values = np.linalg.lstsq(columns, target, rcond=None)[0]
            residual = target - columns @ values
            if (values >= 0).all() and float(residual @ residual) < squares - 1e-15:
                squares = float(residual @ residual)
                best = np.zeros(size)
                best[list(chosen)] = values
    return best, squares, is_unique
