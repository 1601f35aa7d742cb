# SPDX-License-Identifier: Apache-2.0
"""A service's model as a file: TOML, or CSV with a row for each section.

    title = "CreateThread"

    [section.1]
    repetition = 1                        # a whole number, "N" or "2*N"
    blocking = false
    text.read = 13                        # accesses by region and kind, each time that it runs
    stack = 17                            # of any kind

As CSV, where `blocking` is yes or no:

    section,repetition,blocking,text.read,stack
    1,1,no,13,17
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from plexor.base.errors import UsageError
from plexor_lab.bound.files import fields
from plexor_lab.bound.files.source import CsvFile, TomlFile, open_file
from plexor_lab.bound.model import AccessKind, Count, Model, Section
from plexor_lab.bound.tables import by_access, table_of, title_of

T = TypeVar("T")
Head = tuple[str, str, AccessKind]
"""A column of counts, its region and its kind of access."""
SECTION, REPETITION, BLOCKING = "section", "repetition", "blocking"
COLUMNS = (SECTION, REPETITION, BLOCKING)


def read_model(path: str | Path) -> Model:
    """Return the model in a file. Raises UsageError, with file and line, for a file without one."""
    file_path = Path(path)
    file = open_file(file_path, COLUMNS, extra_columns=True)
    return (
        _of_toml(file, file_path.stem)
        if isinstance(file, TomlFile)
        else _of_csv(file, file_path.stem)
    )


def _of_toml(file: TomlFile, stem: str) -> Model:
    title = title_of(file, stem, SECTION)
    sections = tuple(_table(file, name) for name in table_of(file, SECTION))

    def place(section: str, count: Count) -> str:
        return file.spot("", SECTION, section, count.region, str(count.access)).place()

    return Model(title, sections, place)


def _table(file: TomlFile, name: str) -> Section:
    keys = (SECTION, name)
    file.spot(SECTION, *keys).read(fields.name, name)
    label = f"section {name}: "
    table = table_of(file, *keys)

    def entry(key: str, reader: Callable[[Any], T]) -> T:
        spot = file.spot(f"{label}{key}", *keys, key)
        if key not in table:
            raise spot.error("is missing; each section must have one")
        return spot.read(reader, table[key])

    repetition = entry(REPETITION, fields.repetition)
    blocking = entry(BLOCKING, fields.flag)
    numbers = by_access(file, keys, label, fields.whole, COLUMNS[1:])
    if not numbers:
        raise file.spot(f"section {name}", *keys).error(
            "no counts; must have such as text.read = 3"
        )
    counts = tuple(Count(region, access, number) for (region, access), number in numbers.items())
    return Section(name, repetition, blocking, counts)


def _of_csv(file: CsvFile, stem: str) -> Model:
    heads = tuple(_heads(file))
    lines: dict[str, int] = {}
    sections: list[Section] = []
    for line, cells in file.rows:
        name = file.spot(SECTION, line).read(fields.name, cells[SECTION])
        if name in lines:
            raise file.spot(f"section {name}", line).error(
                f"is in line {lines[name]} too; each must have a name of its own"
            )
        lines[name] = line
        sections.append(_row(file, line, cells, heads))
    if not sections:
        raise UsageError(f"{file.name}:{file.header_line}: no sections; must have a row for each")
    return Model(stem, tuple(sections), lambda section, _: f"{file.name}:{lines[section]}")


def _row(file: CsvFile, line: int, cells: Mapping[str, str], heads: Iterable[Head]) -> Section:
    name = cells[SECTION]

    def cell(key: str, reader: Callable[[Any], T]) -> T:
        return file.spot(f"section {name}: {key}", line).read(reader, cells[key])

    return Section(
        name,
        cell(REPETITION, fields.repetition),
        cell(BLOCKING, fields.flag),
        tuple(Count(region, access, cell(head, fields.whole)) for head, region, access in heads),
    )


def _heads(file: CsvFile) -> Iterator[Head]:
    """Yield each column of counts, with its region and kind."""
    seen: dict[tuple[str, AccessKind], str] = {}
    for head in file.header:
        if head in COLUMNS:
            continue
        spot = file.spot(f"column {fields.shown(head)}", file.header_line)
        region, access = spot.read(fields.column, head)
        if (region, access) in seen:
            raise spot.error(f"is the same as {seen[region, access]!r}; each must be there once")
        seen[region, access] = head
        yield head, region, access
    if not seen:
        raise UsageError(
            f"{file.name}:{file.header_line}: no counts; must have columns such as text.read"
        )
