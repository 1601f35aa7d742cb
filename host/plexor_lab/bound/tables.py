# SPDX-License-Identifier: Apache-2.0
"""Tables in TOML files of a bound: those that a file has, and numbers by region and kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from plexor_lab.bound.files import fields
from plexor_lab.bound.files.source import Keys, TomlFile
from plexor_lab.bound.model import AccessKind

T = TypeVar("T")
TITLE = "title"


def title_of(file: TomlFile, default: str, table: str) -> str:
    """Return the title of a file that has one table and maybe a title, and nothing else."""
    for key in file.tables:
        if key not in (TITLE, table):
            spot = file.spot(fields.shown(key), key)
            raise spot.error(f"no such key; must be {TITLE} or [{table}]")
    if TITLE not in file.tables:
        return default
    return file.spot(TITLE, TITLE).read(fields.name, file.tables[TITLE])


def table_of(file: TomlFile, *keys: str) -> Mapping[str, Any]:
    """Return the table at some keys of a file; raise UsageError if it is missing or empty."""
    current: dict[str, Any] = dict(file.tables)
    for key in keys:
        value: object = current.get(key)
        if not isinstance(value, dict) or not value:
            problem = "is missing" if value is None else fields.shown(cast("object", value))
            raise file.spot(".".join(keys), *keys).error(f"{problem}; must be a table with entries")
        current = cast("dict[str, Any]", value)
    return current


def by_access(
    file: TomlFile, keys: Keys, label: str, reader: Callable[[Any], T], without: Keys = ()
) -> dict[tuple[str, AccessKind], T]:
    """Return the values in a table by region and kind: of `stack = 1` and `heap.read = 2`.

    `label` is what a message calls the table. `without` are keys that are no regions.
    """
    values: dict[tuple[str, AccessKind], T] = {}
    for region, value in table_of(file, *keys).items():
        if region in without:
            continue
        spot = file.spot(f"{label}{region}", *keys, region)
        spot.read(fields.name, region)
        if not isinstance(value, dict):
            values[region, AccessKind.ANY] = spot.read(reader, value)
            continue
        for kind, number in cast("dict[str, Any]", value).items():
            spot = file.spot(f"{label}{region}.{kind}", *keys, region, kind)
            values[region, spot.read(fields.access, kind)] = spot.read(reader, number)
    return values
