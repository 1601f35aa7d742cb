# SPDX-License-Identifier: Apache-2.0
"""TOML text as tables that every reader can walk: not nested too deep, and without NUL."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any, cast

from plexor.base.meant import DASHES, QUOTES

MOST_DEPTH = 32
"""Levels of tables and lists; no file of this program has more than five."""


def parse_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the tables in TOML text. Raises ValueError for text that is none, or that is hostile.

    A text with a NUL names no file, and tables that are nested without end exhaust what reads them.
    The mark with which editors of Windows begin a file is left out.
    """
    try:
        tables = tomllib.loads(text.removeprefix("\ufeff"), parse_float=parse_float)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except ValueError as error:
        raise ValueError(f"{error}; {_other_text(text)}") from error
    level: list[Any] = [tables]
    for _ in range(MOST_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                entries = cast("dict[str, Any]", value)
                below += [*entries, *entries.values()]
            elif isinstance(value, list):
                below += cast("list[Any]", value)
            elif isinstance(value, str) and "\0" in value:
                raise ValueError(f"{value[:80]!r}: has a NUL character; must be text without one")
        if not below:
            return tables
        level = below
    raise ValueError(_TOO_DEEP)


def _other_text(text: str) -> str:
    """Return what a text is that is no TOML, if it is known, and what it must be."""
    bare = text.removeprefix("\ufeff").strip()
    if bare.startswith("{"):
        return 'it looks like JSON, and must be TOML: [all] in one line, max = "100 us" in the next'
    marks = sorted({*bare} & {*QUOTES, *DASHES} - {*"\"'`"})
    if marks:
        return f'it has {" and ".join(marks)} of a text processor; quotes must be ", hyphens -'
    return "must be TOML, each key and table once"


_TOO_DEEP = f"nested too deep; must be TOML of at most {MOST_DEPTH} levels of tables and lists"
