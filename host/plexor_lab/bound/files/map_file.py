# SPDX-License-Identifier: Apache-2.0
"""Where logical regions, such as a linker's sections, lie on a platform, as a file: TOML or CSV.

[map]
text = "sram"
".const" = "flash"

logical,region
text,sram
.const,flash
"""

from __future__ import annotations

from pathlib import Path

from plexor.base.errors import UsageError
from plexor_lab.bound.files import fields
from plexor_lab.bound.files.source import CsvFile, TomlFile, open_file
from plexor_lab.bound.model import RegionMap
from plexor_lab.bound.tables import table_of, title_of

MAP = "map"
COLUMNS = ("logical", "region")


def read_map(path: str | Path) -> RegionMap:
    """Return the map in a file. Raises UsageError, with file and line, for a file without one."""
    file = open_file(Path(path), COLUMNS)
    return _of_toml(file) if isinstance(file, TomlFile) else _of_csv(file)


def _of_toml(file: TomlFile) -> RegionMap:
    title_of(file, MAP, MAP)
    regions: dict[str, str] = {}
    for logical, region in table_of(file, MAP).items():
        spot = file.spot(fields.shown(logical), MAP, logical)
        regions[spot.read(fields.name, logical)] = spot.read(fields.name, region)
    return RegionMap(regions, lambda logical: file.spot("", MAP, logical).place())


def _of_csv(file: CsvFile) -> RegionMap:
    regions: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line, cells in file.rows:
        logical = file.spot("logical", line).read(fields.name, cells["logical"])
        if logical in lines:
            raise file.spot(logical, line).error(
                f"is in line {lines[logical]} too; each must lie in one region"
            )
        lines[logical] = line
        regions[logical] = file.spot(logical, line).read(fields.name, cells["region"])
    if not regions:
        raise UsageError(f"{file.name}:{file.header_line}: no regions; must have a row for each")
    return RegionMap(regions, lambda logical: f"{file.name}:{lines[logical]}")
