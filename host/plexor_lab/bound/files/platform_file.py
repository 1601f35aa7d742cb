# SPDX-License-Identifier: Apache-2.0
"""A platform's access times as a file, in nanoseconds: TOML, or CSV with a row for each.

    title = "ARM7TDMI at 72 MHz, internal SRAM"

    [ns]
    sram = 14                             # any access
    flash.read = 13.889                   # decimals are exact
    flash.burst_read = "125/9"            # so are fractions

As CSV, where an empty kind is any:

    region,kind,ns
    sram,,14
    flash,read,13.889
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from plexor.base.errors import UsageError
from plexor_lab.bound.files import fields
from plexor_lab.bound.files.source import CsvFile, TomlFile, open_file
from plexor_lab.bound.model import AccessKind, Platform, column_name
from plexor_lab.bound.tables import by_access, title_of

NS = "ns"
COLUMNS = ("region", "kind", NS)


def read_platform(path: str | Path) -> Platform:
    """Return the platform in a file. Raises UsageError, with file and line, without one."""
    file_path = Path(path)
    file = open_file(file_path, COLUMNS)
    if isinstance(file, TomlFile):
        title = title_of(file, file_path.stem, NS)
        return Platform(title, file.name, by_access(file, (NS,), "", fields.time_ns))
    return Platform(file_path.stem, file.name, _of_csv(file))


def _of_csv(file: CsvFile) -> dict[tuple[str, AccessKind], Fraction]:
    times_ns: dict[tuple[str, AccessKind], Fraction] = {}
    lines: dict[tuple[str, AccessKind], int] = {}
    for line, cells in file.rows:
        region = file.spot("region", line).read(fields.name, cells["region"])
        access = file.spot("kind", line).read(fields.access, cells["kind"] or AccessKind.ANY.value)
        spot = file.spot(column_name(region, access), line)
        key = (region, access)
        if key in lines:
            raise spot.error(f"is in line {lines[key]} too; each must have one time")
        lines[key] = line
        times_ns[key] = spot.read(fields.time_ns, cells[NS])
    if not times_ns:
        raise UsageError(f"{file.name}:{file.header_line}: no times; must have a row for each")
    return times_ns
