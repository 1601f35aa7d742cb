# SPDX-License-Identifier: Apache-2.0
"""Values of options, given as texts or numbers, read exactly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, cast

from plexor.base.errors import UsageError
from plexor.base.meant import suggestion
from plexor.base.shown import SHOWN
from plexor.base.units import parse_count, parse_duration, parse_rate, parse_velocity

T = TypeVar("T")
_DIGITS = re.compile(r"[0-9]+(?:_[0-9]+)*")
_TABLES = (".csv", ".json", ".parquet", ".vcd")
Time = str | int | float | Fraction
"""A time: a text with a unit, such as `10us`, or a number of seconds."""
Rate = str | int | float | Fraction
"""A rate: a text, such as `20k`, or a number of hertz."""
Count = str | int
"""A whole number of at least 1, or a text, such as `10k`."""
Part = str | float | Fraction
"""A part between 0 and 1: a text, such as `20%`, or a number."""
Naming = Callable[[str], str]
"""Gives an option's name in the words of the caller."""
Reader = Callable[[Any], object]
"""Returns an option's exact value; raises TypeError or ValueError with what would be right."""


def path_of(name: str | Path) -> Path:
    """Return a path. Raises UsageError for a text with a NUL character, which names no file."""
    if "\0" in str(name):
        raise UsageError(f"{str(name)[:80]!r}: has a NUL character; must be a path without one")
    return Path(name)


def folder_of(name: str | Path) -> Path:
    """Return a folder. Raises ValueError for the name of a page or a table, which is a file."""
    path = path_of(name)
    if path.suffix.lower() in SHOWN and not path.is_dir():
        raise ValueError(f"{str(name)!r}; must be a folder; --page {name} writes a page")
    if path.suffix.lower() in _TABLES and not path.is_dir():
        raise ValueError(
            f"{str(name)!r}; must be a folder; plexor show DIR --to {name} makes a file of it"
        )
    return path


def plain(name: str) -> str:
    """Return an option's name as Python has it."""
    return name


def read(
    options: Mapping[str, Any], readers: Mapping[str, Reader], needed: Iterable[str] = ()
) -> dict[str, Any]:
    """Return options given as texts or numbers, exactly. Those that are None are left out.

    Raises UsageError for an option without a reader, for a value that cannot be read, and for a
    `needed` option that is missing.
    """
    found: dict[str, Any] = {}
    for name, value in options.items():
        if name not in readers:
            raise UsageError(f"{name}: no such option; must be one of {', '.join(readers)}")
        if value is None:
            continue
        try:
            found[name] = readers[name](value)
        except (TypeError, ValueError) as error:
            text = str(error)
            raise UsageError(text if text.startswith(name) else f"{name}: {text}") from error
    for name in needed:
        if name not in found:
            raise UsageError(f"{name}: is missing; it must be given")
    return found


def seconds(value: Time) -> Fraction:
    """Return the exact seconds of a text such as `10us`, or of a number of seconds.

    Raises ValueError for anything else.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return parse_duration(f"{value!r}s")
    return parse_duration(str(value))


def hertz(value: Rate) -> Fraction:
    """Return the exact hertz of a text such as `20k`, or of a number of hertz.

    Raises ValueError for anything else.
    """
    if isinstance(value, Fraction) and value > 0:
        return value
    return parse_rate(str(value))


def count(value: Count) -> int:
    """Return the whole number of a text such as `10k`, or of a number; raise ValueError."""
    return parse_count(str(value))


def velocity(value: str | Fraction) -> Fraction:
    """Return the exact metres per second of a text such as `90km/h`; raise ValueError."""
    return value if isinstance(value, Fraction) and value > 0 else parse_velocity(str(value))


def flag(value: bool) -> bool:
    """Return True or False; raise ValueError for anything else."""
    if value is not True and value is not False:
        raise ValueError(f"{value!r}; must be True or False")
    return value


def whole(least: int, most: int) -> Callable[[int | str], int]:
    """Return the reader of a whole number in a range."""

    def read_whole(value: int | str) -> int:
        text = str(value).strip()
        number = int(text) if _DIGITS.fullmatch(text) else least - 1
        if not least <= number <= most:
            raise ValueError(f"{value!r}; must be a whole number from {least} to {most}")
        return number

    return read_whole


def choice(known: Iterable[str]) -> Callable[[str], str]:
    """Return the reader of one of several names, in any case of letters."""
    names = list(known)

    def chosen(value: str) -> str:
        for name in names:
            if name.casefold() == str(value).strip().casefold():
                return name
        near = suggestion(str(value), names)
        raise ValueError(f"{value!r}; must be one of {', '.join(names)}{near}")

    return chosen


def each(
    kind: type[T], parse: Callable[[str], T]
) -> Callable[[str | T | Sequence[str | T]], tuple[T, ...]]:
    """Return the reader of one entry or of several, each as a text or as read already."""

    def parsed(value: str | T | Sequence[str | T]) -> tuple[T, ...]:
        entries = cast("Sequence[str | T]", [value] if isinstance(value, str | kind) else value)
        return tuple(entry if isinstance(entry, kind) else parse(str(entry)) for entry in entries)

    return parsed


seed = whole(1, (1 << 64) - 1)
"""Reads a seed of random numbers."""
