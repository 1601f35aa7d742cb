# SPDX-License-Identifier: Apache-2.0
"""Values in files of a bound: counts, times, repetitions and names. ValueError says what is right.

A file's texts come from CSV, and its numbers from TOML, where decimals are exact.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import cast

from plexor.base.units import parse_part
from plexor_lab.bound.formula import MOST
from plexor_lab.bound.model import AccessKind, Repetition

_MOST_SHOWN = 60
_MOST_NAME = 100
_REPETITION = re.compile(r"(?:(\d{1,13})\s*\*\s*)?N")
_WHOLE = re.compile(r"\d{1,13}")
_NUMBER = re.compile(r"[\d.eE+-]+(?:/[\d.]+)?")
_FLAGS = {"yes": True, "no": False}


def shown(value: object) -> str:
    """Return a value as messages show it, cut where it is long."""
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def whole(value: object) -> int:
    """Return a count of accesses, from 0 to MOST."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
        raise ValueError(f"{shown(value)}; must be a whole number from 0 to {MOST}")
    return value


def time_ns(value: object) -> Fraction:
    """Return the exact nanoseconds of a number of at least 0, such as 14, 13.889 or 125/9."""
    if isinstance(value, int | Decimal | str) and not isinstance(value, bool):
        text = str(value).strip()
        try:
            time_value = parse_part(text) if _NUMBER.fullmatch(text) else Fraction(-1)
        except ValueError:
            time_value = Fraction(-1)
        if time_value >= 0:
            return time_value
    raise ValueError(
        f'{shown(value)}; must be nanoseconds of at least 0, such as 14, 13.889 or "125/9"'
    )


def repetition(value: object) -> Repetition:
    """Return how often a section runs: of 1, `N` or `2*N`."""
    if isinstance(value, str):
        match = _REPETITION.fullmatch(value.strip())
        factor = int(match[1] or 1) if match else int(value) if _WHOLE.fullmatch(value) else 0
        parsed = Repetition(factor, match is not None)
    else:
        number = isinstance(value, int) and not isinstance(value, bool)
        parsed = Repetition(cast("int", value) if number else 0)
    if not 1 <= parsed.factor <= MOST:
        raise ValueError(f"{shown(value)}; must be a whole number of at least 1, N, or such as 2*N")
    return parsed


def flag(value: object) -> bool:
    """Return whether a section blocks: of true and false, or of `yes` and `no`."""
    parsed = _FLAGS.get(value) if isinstance(value, str) else value
    if not isinstance(parsed, bool):
        raise ValueError(f"{shown(value)}; must be true or false in TOML, yes or no in CSV")
    return parsed


def name(value: object) -> str:
    """Return a name that can be printed: up to 100 characters, on one line."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError(f"{shown(value)}; must be a name of printable characters")
    if len(value) > _MOST_NAME:
        raise ValueError(f"{shown(value)}; must be a name of at most {_MOST_NAME} characters")
    return value


def column(text: str) -> tuple[str, AccessKind]:
    """Return the region and the kind of `heap.read`; without a kind, any. ValueError for none."""
    region, _, kind = text.rpartition(".")
    if region and kind in set(AccessKind):
        return name(region), AccessKind(kind)
    return name(text), AccessKind.ANY


def access(value: object) -> AccessKind:
    """Return a kind of access."""
    if value not in set(AccessKind):
        raise ValueError(f"{shown(value)}; must be a kind of access: {', '.join(AccessKind)}")
    return AccessKind(cast("str", value))
