# SPDX-License-Identifier: Apache-2.0
"""Farms as TOML files: a matrix of instruments, loads, builds and options.

    [measure]                     # what all cells have: options of plexor measure, by their names
    rate = "20k"
    count = "10k"

    [instruments]                 # a link each, or a table with `link`
    left = "serial:/dev/ttyUSB1"
    right = "serial:/dev/ttyUSB3"

    [loads.none]                  # a table each: options, and commands that put a load on
    [loads.stress]
    load-on = "ssh dut stress-ng --cpu 4"

    [builds.release]              # a table each: options, and a command that installs the build
    prepare = "make flash BUILD=release BOARD=$PLEXOR_INSTRUMENT"
    key = { os = "FreeRTOS 11.2.0" }

    [options.fast]                # a table each: further options
    rate = "40k"

What comes later in this order replaces what comes before. An axis that is left out has one value
without a name. A table may also have `budget`, `commit` and `branch`, and `dut` for `sim:` links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, cast

from plexor.base.errors import UsageError, reason_of
from plexor.base.toml_text import parse_toml
from plexor.library.cells.cell import Cell
from plexor.library.run import load_budget
from plexor.library.run_spec import RunSpec, settings_of

AXES = {"instruments": "instrument", "loads": "load", "builds": "build", "options": "options"}
"""Tables of named values, and what each value is in a cell."""
MEASURE = "measure"
TEXTS = ("link", "dut", "prepare", "load-on", "load-off", "budget", "commit", "branch")
"""Entries of a table that are texts, and no options of `plexor measure`."""
KEYS = "key"
_MANY = {"channel": "channels", "strike": "strikes"}
"""Options that the library has in the plural."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
Table = Mapping[str, Any]


def read_cells(path: Path) -> tuple[Cell, ...]:
    """Return the cells of a farm's file. Raises UsageError with its path for one that is none.

    Files that it names lie where it lies, unless their path begins with a slash.
    """
    try:
        tables = parse_toml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except ValueError as error:
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from error
    try:
        return tuple(_cells(tables, path.absolute().parent))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _cells(tables: Table, folder: Path) -> Iterator[Cell]:
    known = (MEASURE, *AXES)
    for name in tables:
        if name not in known:
            raise UsageError(f"[{name}]: no such table; must be one of {', '.join(known)}")
    common = _table(tables.get(MEASURE, {}), MEASURE)
    axes = {axis: _axis(tables, axis) for axis in AXES}
    if None in axes["instruments"]:
        raise UsageError('[instruments]: names none; must have one or more, such as left = "sim:"')
    links: dict[str, str] = {}
    for chosen in product(*(axes[axis].items() for axis in AXES)):
        names = {
            AXES[axis]: name
            for axis, (name, _) in zip(AXES, chosen, strict=True)
            if name is not None
        }
        merged = _merged([common, *(table for _, table in chosen)])
        cell = _cell(names, merged, folder)
        first_name = links.setdefault(cell.link, names["instrument"])
        if cell.real and first_name != names["instrument"]:
            raise UsageError(
                f"instruments {first_name} and {names['instrument']}: both have the link "
                f"{cell.link}; each must have its own"
            )
        yield cell


def _axis(tables: Table, axis: str) -> dict[str | None, Table]:
    """Return the named tables of an axis; one without a name if there are none."""
    by_name: dict[str | None, Table] = {}
    for name, value in _table(tables.get(axis, {}), axis).items():
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"[{axis}] {name!r}: must be up to 64 letters, digits and any of . _ + -"
            )
        short = axis == "instruments" and isinstance(value, str)
        by_name[name] = {"link": value} if short else _table(value, f"{axis}.{name}")
    return by_name or {None: {}}


def _table(value: Any, name: str) -> Table:
    if not isinstance(value, dict):
        raise UsageError(f"[{name}]: {value!r}; must be a table")
    return cast("dict[str, Any]", value)


def _merged(tables: list[Table]) -> dict[str, Any]:
    """Return all entries, the last of each name; keys of devices are joined."""
    merged: dict[str, Any] = {}
    keys: dict[str, Any] = {}
    for table in tables:
        keys |= _table(table.get(KEYS, {}), KEYS)
        merged |= table
    return merged | {KEYS: keys}


def _cell(names: Mapping[str, str], values: dict[str, Any], folder: Path) -> Cell:
    cell_name = "/".join(names.values())
    texts = {name: _text(cell_name, name, values.pop(name)) for name in TEXTS if name in values}
    keys = {name: _text(cell_name, name, value) for name, value in values.pop(KEYS).items()}
    if "link" not in texts:
        raise UsageError(f"{cell_name}: link: is missing; an instrument must have one")
    if texts["link"].startswith("file:"):
        raise UsageError(
            f"{cell_name}: link: {texts['link']!r}: is a recording; nothing is measured"
        )
    options = {_MANY.get(name, name.replace("-", "_")): value for name, value in values.items()}
    if "every" in options:
        raise UsageError(f"{cell_name}: every: no such option; a cell has no snapshots")
    try:
        settings_of(RunSpec.of(options))
        budget = texts.get("budget")
        if budget is not None:
            budget = str(_beside(budget, folder))
            load_budget(budget)
    except UsageError as error:
        raise UsageError(f"{cell_name}: {error}") from error
    dut = texts.get("dut")
    return Cell(
        names=names,
        link=texts["link"],
        dut=None if dut is None else _manifest(dut, folder),
        options=options,
        keys=keys,
        prepare=texts.get("prepare", ""),
        load_on=texts.get("load-on"),
        load_off=texts.get("load-off"),
        budget=budget,
        commit=texts.get("commit"),
        branch=texts.get("branch"),
    )


def _text(cell_name: str, name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{cell_name}: {name}: {value!r}; must be a text")
    return value


def _beside(name: str, folder: Path) -> Path | str:
    """Return the path of a file that lies in a folder; the name itself if there is none."""
    return folder / name if (folder / name).is_file() else name


def _manifest(dut: str, folder: Path) -> str:
    """Return a simulated device; if a manifest describes it, by a path that holds everywhere."""
    manifest, colon, options = dut.partition(":")
    if manifest.endswith(".toml"):
        manifest = str(_beside(manifest, folder))
    return f"{manifest}{colon}{options}"
