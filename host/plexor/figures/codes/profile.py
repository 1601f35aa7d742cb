# SPDX-License-Identifier: Apache-2.0
"""Tables of calls: by function, by module, by path, by edge. Pure. Times are in ticks.

Shares are of the sum of all own times, so they add up to 1. The time of an empty call,
`base_ticks`, is subtracted from each call as `calls.corrected` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from plexor.figures.codes.calls import Call, Path, corrected


@dataclass(frozen=True, slots=True)
class Line:
    """One function, module or path."""

    key: Path | str | int
    calls: int
    total_ticks: int
    """Time in it and its callees; of recursive calls only the outermost counts."""
    own_ticks: int
    share: Fraction
    """Own time as a share of all own times."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One function calling another. `caller` None: the outermost call."""

    caller: int | None
    callee: int
    calls: int
    total_ticks: int
    """Time in the callee and its callees, on behalf of this caller."""


def top(calls: Iterable[Call], base_ticks: int = 0, by: str = "time") -> list[Line]:
    """Return a line for each function, the highest first, by own `time` or by `count` of calls."""
    lines = _lines(calls, base_ticks, lambda call: call.function)
    if by == "count":
        return sorted(lines, key=lambda line: (-line.calls, line.key))
    return sorted(lines, key=lambda line: (-line.own_ticks, line.key))


def modules(
    calls: Iterable[Call], module_of: Callable[[int], str], base_ticks: int = 0
) -> list[Line]:
    """Return a line for each module, the one with the most own time first.

    Its total is the time in calls that enter it from another module.
    """
    all_calls = list(calls)
    own: Counter[str] = Counter()
    total: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for call in all_calls:
        name = module_of(call.function)
        total_ticks, self_ticks = corrected(call, base_ticks)
        own[name] += self_ticks
        count[name] += 1
        if name not in {module_of(function) for function in call.path[:-1]}:
            total[name] += total_ticks
    all_own_ticks = sum(own.values())
    lines = [Line(n, count[n], total[n], own[n], _share(own[n], all_own_ticks)) for n in count]
    return sorted(lines, key=lambda line: (-line.own_ticks, str(line.key)))


def tree(calls: Iterable[Call], base_ticks: int = 0) -> list[Line]:
    """Return a line for each path of calls, callers before callees."""
    return sorted(_lines(calls, base_ticks, lambda call: call.path), key=lambda line: line.key)


def graph(calls: Iterable[Call], base_ticks: int = 0) -> list[Edge]:
    """Return each edge from caller to callee, by caller and callee; outermost calls first."""
    count: Counter[tuple[int, int]] = Counter()
    total: Counter[tuple[int, int]] = Counter()
    for call in calls:
        caller = call.path[-2] if len(call.path) > 1 else -1
        edge = caller, call.function
        count[edge] += 1
        if edge not in set(zip(call.path[:-2], call.path[1:-1], strict=True)):
            total[edge] += corrected(call, base_ticks)[0]
    return [
        Edge(None if caller < 0 else caller, callee, count[caller, callee], total[caller, callee])
        for caller, callee in sorted(count)
    ]


def butterfly(
    calls: Iterable[Call], function: int, base_ticks: int = 0
) -> tuple[list[Edge], list[Edge]]:
    """Return the edges to a function and from it, each in descending order of time."""
    edges = graph(calls, base_ticks)
    order: Callable[[Edge], int] = lambda edge: -edge.total_ticks  # noqa: E731
    callers = sorted((edge for edge in edges if edge.callee == function), key=order)
    callees = sorted((edge for edge in edges if edge.caller == function), key=order)
    return callers, callees


def _lines(
    calls: Iterable[Call], base_ticks: int, key_of: Callable[[Call], Path | int]
) -> list[Line]:
    own: Counter[Path | int] = Counter()
    total: Counter[Path | int] = Counter()
    count: Counter[Path | int] = Counter()
    for call in calls:
        key = key_of(call)
        total_ticks, self_ticks = corrected(call, base_ticks)
        own[key] += self_ticks
        count[key] += 1
        if isinstance(key, tuple) or call.function not in call.path[:-1]:
            total[key] += total_ticks
    all_own_ticks = sum(own.values())
    return [
        Line(key, count[key], total[key], own[key], _share(own[key], all_own_ticks))
        for key in count
    ]


def _share(ticks: int, all_ticks: int) -> Fraction:
    return Fraction(ticks, all_ticks) if all_ticks else Fraction(0)
