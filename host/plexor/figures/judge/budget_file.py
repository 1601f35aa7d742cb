# SPDX-License-Identifier: Apache-2.0
"""Budgets as TOML files.

title = "motor control"

[all]                       # every channel; [struck] and [free] those with or without strikes
max = "100 us"              # a limit on the latency: min, max, mean, peak_to_peak, rms, jitter128
p999 = "80 us"              # (the last 128), jitter128_max, or a percentile (p999 or "p99.9")
mean = { goal = "50 us" }   # shown, and never broken
missed = 0                  # a count: missed, late, duplicate, spurious, early

[all.period]                # the same of fall, width or period
max = "1.1 ms"

[channel.TASK]              # one channel; what it sets replaces what [all] sets
max = "2 ms"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

from plexor.base.errors import UsageError, reason_of
from plexor.base.figure_words import figure_key
from plexor.base.meant import MEANT, nearest, suggestion
from plexor.base.toml_text import parse_toml
from plexor.base.units import parse_duration
from plexor.figures.analyse.percentiles import parse_quantile, quantile_name
from plexor.figures.judge.budget import COUNTS, TIMES, Budget, Limit, Scope
from plexor.model.results import Kind

_NINES = re.compile(r"p99(9+)")
_SCOPES = (Scope.ALL, Scope.STRUCK, Scope.FREE)
_FIGURES = f"{', '.join((*TIMES, *COUNTS))} or a percentile such as p99 or p999"


def load(name: str) -> Budget:
    """Return the budget in that file; raise UsageError."""
    if "\0" in name:
        raise UsageError(f"budget {name!r}: has a NUL character; must be a path without one")
    try:
        text = Path(name).read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"budget {name}: {reason_of(error)}{_file_meant(name)}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"budget {name}: not UTF-8 text (byte {error.start})") from error
    return parse(text, name)


def parse(text: str, name: str) -> Budget:
    """Return the budget in TOML text; raise UsageError with `name` and one clear line."""
    try:
        return _Parser(name).budget(parse_toml(text))
    except ValueError as error:
        # A number too long for Python's conversion raises a plain ValueError.
        raise UsageError(f"budget {name}: {error}") from error


def of_tables(tables: Mapping[str, Any], name: str) -> Budget:
    """Return the budget in tables like those of a file; raise UsageError with `name`."""
    try:
        return _Parser(name).budget(tables)
    except ValueError as error:
        raise UsageError(f"budget {name}: {error}") from error


class _Parser:
    def __init__(self, name: str) -> None:
        self._limits: list[Limit] = []
        self._name = name

    def budget(self, table: Mapping[str, Any]) -> Budget:
        title = table.get("title", Path(self._name).stem)
        if not isinstance(title, str):
            raise ValueError(f"title: {title!r}; must be text")
        for key, value in table.items():
            if key == "title":
                continue
            if key in _SCOPES:
                self._scope(Scope(key), "", key, value)
            elif key == Scope.CHANNEL:
                for channel, limits in _table(value, key).items():
                    self._scope(Scope.CHANNEL, channel, f"{key}.{channel}", limits)
            else:
                raise ValueError(
                    f'"{key}" is not a section; must be title, all, struck, free or channel.NAME'
                    f"{_section_meant(key, value)}"
                )
        if not self._limits:
            raise ValueError("sets no limits")
        return Budget(title, tuple(self._limits))

    def _scope(self, scope: Scope, channel: str, where: str, table: Any) -> None:
        for key, value in _table(table, where).items():
            path = f"{where}.{key}"
            if key in (Kind.FALL, Kind.WIDTH, Kind.PERIOD):
                for figure, limit in _table(value, path).items():
                    if figure in COUNTS:
                        raise ValueError(
                            f"{path}.{figure}: a count is not of one kind of time; put it in "
                            f"{where}"
                        )
                    self._add(scope, channel, Kind(key), f"{path}.{figure}", figure, limit)
            else:
                self._add(scope, channel, Kind.RISE, path, key, value)

    def _add(
        self, scope: Scope, channel: str, kind: Kind, path: str, figure: str, value: Any
    ) -> None:
        q = None
        figure = figure_key(figure)
        if figure.startswith("p") and figure not in TIMES:
            if isinstance(value, dict) and "goal" not in value:
                raise ValueError(f'{path}: write p999, or "p99.9" in quotes')
            nines = _NINES.fullmatch(figure)
            q = _quantile(path, f"p99.{nines[1]}" if nines else figure)
            figure = quantile_name(q)
        elif figure not in TIMES and figure not in COUNTS:
            near = suggestion(figure, (*TIMES, *COUNTS))
            raise ValueError(f'{path}: "{figure}" is not a figure; must be {_FIGURES}{near}')
        goal = isinstance(value, dict)
        if goal:
            entries = cast("dict[str, Any]", value)
            if set(entries) != {"goal"}:
                raise ValueError(f"{path}: {value!r}; must be a limit or {{ goal = ... }}")
            value = entries["goal"]
        most = _count(path, value) if figure in COUNTS else _time(path, value)
        self._limits.append(Limit(scope, figure, most, kind, q, channel, goal))


def _file_meant(name: str) -> str:
    """Return what a name that is no file meant: limits themselves, or a budget of a study."""
    if name == "omac":
        return "; it is now a file, omac.toml, which python -m plexor_lab.study.lists writes"
    return "; a budget is a file with limits" if {*name} & {*"<>="} else ""


def _section_meant(key: str, value: object) -> str:
    """Return which section was meant: `[channel.ISR]` by `[ISR]`, `[all]` by a limit alone."""
    near = nearest(key, _SCOPES)
    if near:
        return f"{MEANT} [{near}]?"
    return f"{MEANT} [channel.{key}]?" if isinstance(value, dict) else f"{MEANT} it below [all]?"


def _quantile(path: str, name: str) -> Fraction:
    """Return the quantile of a name such as `p99.9`; raise ValueError with what was meant."""
    try:
        return parse_quantile(name)
    except ValueError as error:
        digits = re.search(r"\d+(?:[.,]\d+)?", name)
        meant = f"p{digits[0].replace(',', '.')}" if digits else ""
        near = f"{MEANT} {meant}?" if meant not in ("", name) else suggestion(name, TIMES)
        raise ValueError(f"{path}: {error}{near}") from error


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: {value!r}; must be a table of limits")
    return cast("Mapping[str, Any]", value)


def _count(path: str, value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{path}: {value!r}; must be a whole number of at least 0")
    return Fraction(value)


def _time(path: str, value: Any) -> Fraction:
    if not isinstance(value, str):
        raise ValueError(f'{path}: {value!r}; must be a time with a unit, such as "100 us"')
    try:
        return parse_duration(value)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
