# SPDX-License-Identifier: Apache-2.0
"""Services that were measured on platforms, as a CSV file with a row for each.

    model,platform,map,n,measured
    malloc.toml,sram.toml,map.toml,13,16080ns
    malloc.toml,sram.toml,map.toml,,run50

The files are relative to this one. `map` may be empty, and so may `n` where the model has none. In
place of a time there may be the folder of a run, whose maximum is taken; its key N may say N. Two
more columns say of which `channel`, and `of` what: see `plexor lab bound check`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from plexor.base.errors import InvalidRunError, UsageError
from plexor.base.units import parse_duration
from plexor_lab.bound.files import fields
from plexor_lab.bound.files.map_file import read_map
from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.files.source import CsvFile, open_file
from plexor_lab.bound.model import Model, Platform, RegionMap

COLUMNS = ("model", "platform", "map", "n", "measured")
OF_RUN = ("channel", "of")
"""Columns that there may be besides."""
_NS = 10**9
T = TypeVar("T")
RunMaximum = Callable[[Path, str, str], tuple[Fraction, int | None]]
"""Returns the maximum of the run in a folder, in nanoseconds, and the N of its key. `channel` and
`of` are as in the file, and may be empty. Raises UsageError and InvalidRunError, also for a run of
which something may have taken longer."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that was measured."""

    model: Model
    platform: Platform
    region_map: RegionMap
    n: int
    """0 for a model that does not grow."""
    measured_ns: Fraction


def read_measured(path: str | Path, run_maximum: RunMaximum) -> tuple[Service, ...]:
    """Return the services in a file, at least one.

    Raises UsageError, with file and line, for a file without them, and for one that it names.
    """
    file_path = Path(path)
    file = open_file(file_path, COLUMNS, may_have=OF_RUN)
    if not isinstance(file, CsvFile):
        raise UsageError(f"{file_path}: must be a file that ends in .csv")
    if not file.rows:
        raise UsageError(f"{file.name}:{file.header_line}: no rows; must have one for each service")
    once: dict[tuple[str, str], Any] = {}

    def other(reader: Callable[[Path], T], name: str) -> T:
        key = (reader.__name__, name)
        if key not in once:
            once[key] = reader(file_path.parent / name)
        return once[key]

    def measured(line: int, cells: Mapping[str, str]) -> tuple[Fraction, int | None]:
        """Return the time of a row, and the N of its run."""
        folder, spot = file_path.parent / cells["measured"], file.spot("measured", line)
        if not cells["measured"] or not folder.is_dir():
            return spot.read(_time_ns, cells["measured"]), None
        try:
            return run_maximum(folder, *(cells.get(name, "") for name in OF_RUN))
        except (UsageError, InvalidRunError) as error:
            raise spot.error(str(error)) from error

    return tuple(_service(file, line, cells, other, measured) for line, cells in file.rows)


def _service(
    file: CsvFile,
    line: int,
    cells: Mapping[str, str],
    other: Callable[..., Any],
    measured: Callable[[int, Mapping[str, str]], tuple[Fraction, int | None]],
) -> Service:
    for column in ("model", "platform"):
        if not cells[column]:
            raise file.spot(column, line).error("is empty; must name a file")
    model: Model = other(read_model, cells["model"])
    measured_ns, own_n = measured(line, cells)
    n = file.spot("n", line)
    if not cells["n"] and own_n is None and model.grows:
        raise n.error(f"is empty; {model.title} takes longer with N: must be a whole number")
    return Service(
        model,
        other(read_platform, cells["platform"]),
        other(read_map, cells["map"]) if cells["map"] else RegionMap(),
        n.read(fields.whole, cells["n"] or str(own_n or 0)),
        measured_ns,
    )


def _time_ns(text: str) -> Fraction:
    try:
        value = parse_duration(text) * _NS
    except ValueError:
        value = Fraction(0)
    if value <= 0:
        raise ValueError(
            f"{fields.shown(text)}; must be a time above 0, such as 51111ns, or the folder of a run"
        )
    return value
