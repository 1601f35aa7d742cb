# SPDX-License-Identifier: Apache-2.0
"""A profile of calls on the terminal: one of six views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plexor.base.units import format_ticks
from plexor.figures.codes.calls import Call, Calls, corrected
from plexor.figures.codes.profile import Edge, Line, butterfly, graph, modules, top, tree
from plexor.model.results import RunResult
from plexor.show import facts
from plexor.show.pictures.frame import provenance
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell
from plexor.show.terminal.columns import LEAST_WIDTH, Paint, table, wrapped

_MOST_SAID = 3
"""Unmatched entries and exits that are named."""


@dataclass(frozen=True, slots=True)
class ProfileView:
    """What a view is made of."""

    result: RunResult
    calls: Calls
    name_of: Callable[[int], str]
    module_of: Callable[[int], str]
    base_ticks: int = 0

    def time(self, ticks: int) -> str:
        """Return a time as text."""
        return format_ticks(ticks, self.result.tick_fs)


Rows = tuple[list[str], list[list[Cell]]]


def top_rows(profile: ProfileView, by: str = "time", most: int | None = None) -> Rows:
    """Return the functions with most own time, or most calls."""
    lines = top(profile.calls.calls, profile.base_ticks, by)[:most]
    heads = ["function", "calls", "own", "share", "total", "mean own"]
    return heads, [_line(profile, line, profile.name_of(int(str(line.key)))) for line in lines]


def module_rows(profile: ProfileView) -> Rows:
    """Return the modules with most own time."""
    lines = modules(profile.calls.calls, profile.module_of, profile.base_ticks)
    heads = ["module", "calls", "own", "share", "total", "mean own"]
    return heads, [_line(profile, line, str(line.key)) for line in lines]


def tree_rows(profile: ProfileView) -> Rows:
    """Return each path of calls, indented by its depth."""
    rows: list[list[Cell]] = []
    for line in tree(profile.calls.calls, profile.base_ticks):
        assert isinstance(line.key, tuple)
        rows.append(
            _line(profile, line, "  " * (len(line.key) - 1) + profile.name_of(line.key[-1]))
        )
    return ["path", "calls", "own", "share", "total", "mean own"], rows


def butterfly_rows(profile: ProfileView, function: int) -> Rows:
    """Return the callers of a function, then its callees."""
    callers, callees = butterfly(profile.calls.calls, function, profile.base_ticks)
    rows = [_edge(profile, edge, "caller", edge.caller) for edge in callers]
    rows += [_edge(profile, edge, "callee", edge.callee) for edge in callees]
    return ["function", "is", "calls", "time", "share"], rows


def graph_rows(profile: ProfileView) -> Rows:
    """Return each edge from caller to callee."""
    every = sum(line.own_ticks for line in top(profile.calls.calls, profile.base_ticks))
    rows: list[list[Cell]] = [
        [
            (_caller(profile, edge), ""),
            (profile.name_of(edge.callee), ""),
            (grouped(edge.calls), ""),
            (profile.time(edge.total_ticks), ""),
            (_percent(edge.total_ticks, every), ""),
        ]
        for edge in graph(profile.calls.calls, profile.base_ticks)
    ]
    return ["caller", "callee", "calls", "time", "share"], rows


def trace_rows(profile: ProfileView) -> Rows:
    """Return each call: its times as they came, and without the base."""
    start = profile.result.start_ticks
    rows: list[list[Cell]] = []
    for number, call in enumerate(sorted(profile.calls.calls, key=_entered), 1):
        whole, own = corrected(call, profile.base_ticks)
        rows.append(
            [
                (str(number), ""),
                ("  " * (len(call.path) - 1) + profile.name_of(call.function), ""),
                (format_ticks(call.enter_ticks - start, profile.result.tick_fs, 9), ""),
                (format_ticks(call.exit_ticks - start, profile.result.tick_fs, 9), ""),
                (profile.time(call.total_ticks), ""),
                (profile.time(whole), ""),
                (profile.time(own), ""),
            ]
        )
    return ["call", "function", "entry", "exit", "total", "less base", "own less base"], rows


def profile_text(profile: ProfileView, rows: Rows, *, width: int, colour: bool) -> str:
    """Return a view as lines of at most `width` columns (40 at least), each ended."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    result = profile.result
    name = facts.device_name(result.device) or "Profile"
    lines = list(wrapped(name, width, paint, "bold"))
    lines += wrapped(provenance(result), width, paint, "alarm" if result.simulated else "muted")
    for reason in result.invalid_reasons:
        lines += wrapped(f"INVALID RUN: {reason}", width, paint, "bad")
    lines.append("")
    if rows[1]:
        lines += table(*rows, width, paint)
    else:
        lines += wrapped("The device sent no whole call.", width, paint, "doubt")
    for note in notes(profile):
        lines += ["", *wrapped(note, width, paint, "doubt")]
    return paint.done(lines)


def notes(profile: ProfileView) -> list[str]:
    """Return what did not match, by name."""
    found: list[str] = []
    for what, entries in (
        ("Exits without an entry", profile.calls.unmatched_exits),
        ("Entries without an exit", profile.calls.unmatched_entries),
    ):
        if entries:
            found.append(f"{what}: {grouped(len(entries))}: {_named(profile, entries)}")
    return found


def _named(profile: ProfileView, entries: Sequence[tuple[int, int]]) -> str:
    start, tick_fs = profile.result.start_ticks, profile.result.tick_fs
    said = [
        f"{profile.name_of(function)} at {format_ticks(time - start, tick_fs, 6)}"
        for time, function in entries[:_MOST_SAID]
    ]
    return ", ".join(said) + (" and so on" if len(entries) > _MOST_SAID else "")


def _entered(call: Call) -> tuple[int, int]:
    return call.enter_ticks, len(call.path)


def _line(profile: ProfileView, line: Line, name: str) -> list[Cell]:
    mean = Fraction(line.own_ticks, line.calls)
    return [
        (name, ""),
        (grouped(line.calls), ""),
        (profile.time(line.own_ticks), ""),
        (f"{float(line.share):.1%}", ""),
        (profile.time(line.total_ticks), ""),
        (format_ticks(float(mean), profile.result.tick_fs), ""),
    ]


def _edge(profile: ProfileView, edge: Edge, role: str, other: int | None) -> list[Cell]:
    every = sum(line.own_ticks for line in top(profile.calls.calls, profile.base_ticks))
    return [
        (NOTHING if other is None else profile.name_of(other), ""),
        (role, ""),
        (grouped(edge.calls), ""),
        (profile.time(edge.total_ticks), ""),
        (_percent(edge.total_ticks, every), ""),
    ]


def _caller(profile: ProfileView, edge: Edge) -> str:
    return NOTHING if edge.caller is None else profile.name_of(edge.caller)


def _percent(part: int, every: int) -> str:
    return f"{part / every:.1%}" if every else NOTHING
