# SPDX-License-Identifier: Apache-2.0
"""Files of a bound, TOML or CSV, and the line on which each of their entries stands."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar, cast

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor.base.toml_text import parse_toml

MOST_BYTES = 1 << 18
"""Maximum size of a file: a thousand sections of ten counts, whose wrong line is soon found."""
_AT = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)(.*)", re.DOTALL)
_CLOSINGS = ("", '\n"""', "\n'''", "\n]")
"""What ends a value that goes on in the next line, after a text that was cut within it."""
Keys = tuple[str, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value stands. Its place is only looked for where something is wrong."""

    place: Callable[[], str]
    label: str

    def error(self, text: str) -> UsageError:
        """Return an error with file, line and what the value is called."""
        return UsageError(f"{self.place()}: {self.label}: {text}")

    def read(self, reader: Callable[[Any], T], value: object) -> T:
        """Return a value as a reader reads it; raise UsageError for its ValueError."""
        try:
            return reader(value)
        except ValueError as error:
            raise self.error(str(error)) from error


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A TOML file. Its decimals are exact."""

    name: str
    text: str
    tables: Mapping[str, Any]

    def spot(self, label: str, *keys: str) -> Spot:
        """Return the spot of a key, or of the innermost table around it that is there."""

        def place() -> str:
            known = keys
            while known and not _has(self.tables, known):
                known = known[:-1]
            return f"{self.name}:{line_of(self.text, known)}"

        return Spot(place, label)


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file: a header, and a row for each line that is not empty."""

    name: str
    header: tuple[str, ...]
    header_line: int
    rows: tuple[tuple[int, Mapping[str, str]], ...]
    """The line of each row, and its cells by the header."""

    def spot(self, label: str, line: int) -> Spot:
        """Return the spot of a cell."""
        return Spot(lambda: f"{self.name}:{line}", label)


def open_file(
    path: Path,
    columns: tuple[str, ...],
    *,
    may_have: tuple[str, ...] = (),
    extra_columns: bool = False,
) -> TomlFile | CsvFile:
    """Return the content of a file, by its suffix.

    `columns` are those that a CSV file must have, and `may_have` others that it may; with
    `extra_columns` it may have any. Raises UsageError, with the line where there is one, for a file
    that is neither.
    """
    name, kind = str(path), path.suffix.lower()
    if kind not in (".toml", ".csv"):
        raise UsageError(f"{name}: must be a file that ends in .toml or .csv")
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise UsageError(f"{name}: cannot read: {reason or error}") from error
    if len(data) > MOST_BYTES:
        raise UsageError(f"{name}: {len(data)} bytes; must be at most {MOST_BYTES}")
    try:
        # Spreadsheets begin a CSV file with a byte order mark.
        text = data.decode("utf-8" if kind == ".toml" else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}:{line}: not UTF-8 text; must be UTF-8") from error
    return (
        parse_tables(name, text)
        if kind == ".toml"
        else parse_csv(name, text, columns, may_have, extra_columns=extra_columns)
    )


def parse_tables(name: str, text: str) -> TomlFile:
    """Return the tables of TOML text; raise UsageError with the line."""
    try:
        return TomlFile(name, text, parse_toml(text, Decimal))
    except ValueError as error:
        location = _AT.fullmatch(str(error))
        message = f"{location[1]}{location[3]}" if location else str(error)
        line = f":{location[2] or len(text.splitlines())}" if location else ""
        raise UsageError(f"{name}{line}: {message}") from error


def line_of(text: str, keys: Keys) -> int:
    """Return the line, from 1 on, on which a key of valid TOML begins.

    It is the first line with which the text, cut behind it, has the key. Of a value with lists in
    lists over several lines, it may be a later one of its lines.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    low, high = 0, len(lines)
    while high - low > 1:
        middle = (low + high) // 2
        if _cut_has("\n".join(lines[:middle]), keys):
            high = middle
        else:
            low = middle
    return high


def _cut_has(text: str, keys: Keys) -> bool:
    for closing in _CLOSINGS:
        try:
            return _has(parse_toml(text + closing), keys)
        except ValueError:
            continue
    return False


def _has(table: Mapping[str, Any], keys: Keys) -> bool:
    value: Any = table
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return False
        value = cast("dict[str, Any]", value)[key]
    return True


def parse_csv(
    name: str,
    text: str,
    columns: tuple[str, ...],
    may_have: tuple[str, ...] = (),
    *,
    extra_columns: bool = False,
) -> CsvFile:
    """Return the rows of CSV text with these columns; raise UsageError with the line."""
    lines = io.StringIO(text, newline="")
    header, line, rows = csv_rows(name, lines, columns, may_have, extra_columns=extra_columns)
    return CsvFile(name, header, line, tuple(rows))


def csv_rows(
    name: str,
    lines: Iterable[str],
    columns: tuple[str, ...],
    may_have: tuple[str, ...] = (),
    *,
    extra_columns: bool = False,
) -> tuple[tuple[str, ...], int, Iterator[tuple[int, Mapping[str, str]]]]:
    """Return the header of CSV lines, its line, and the rows as they are read.

    Raises UsageError with the line for another header; so do the rows for other cells.
    """
    rows = _rows(name, lines)
    line, header = next(rows, (1, ()))
    others = ", and a column for each region" if extra_columns else ""
    others += f"; may have {', '.join(may_have)}" if may_have else ""
    right = f"must have {', '.join(columns)}{others}"
    for column in columns:
        if column not in header:
            raise UsageError(f"{name}:{line}: no column {column!r}; {right}")
    for number, column in enumerate(header):
        if column in header[:number]:
            raise UsageError(f"{name}:{line}: column {column!r} is there twice; {right}")
        if not column or (not extra_columns and column not in columns + may_have):
            raise UsageError(f"{name}:{line}: {column!r} is no column; {right}")

    def named() -> Iterator[tuple[int, Mapping[str, str]]]:
        for line_number, cells in rows:
            if len(cells) != len(header):
                raise UsageError(
                    f"{name}:{line_number}: {counted(len(cells), 'cell')}; must be {len(header)}, "
                    "as in the "
                    "header"
                )
            yield line_number, dict(zip(header, cells, strict=True))

    return header, line, named()


def _rows(name: str, lines: Iterable[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line and the cells of each row that is not empty."""
    reader = csv.reader(lines, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, tuple(cell.strip() for cell in cells)
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{name}:{line}: {error}; must be CSV, with commas") from error
