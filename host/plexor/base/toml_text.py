# SPDX-License-Identifier: Apache-2.0
"""TOML text as tables that every reader can walk: not nested too deep, and without NUL."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any, cast

MOST_DEPTH = 32
"""Levels of tables and lists; no file of this program has more than five."""


def parse_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the tables in TOML text. Raises ValueError for text that is none, or that is hostile.

    A text with a NUL names no file, and tables that are nested without end exhaust what reads them.
    """
    try:
        tables = tomllib.loads(text, parse_float=parse_float)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
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


_TOO_DEEP = f"nested too deep; must be at most {MOST_DEPTH} levels of tables and lists"
